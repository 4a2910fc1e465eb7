// SPDX-License-Identifier: GPL-2.0-or-later
// The cluster's jobs: ours (those whose comment begins with COMMENT_PREFIX) as
// they are, everybody else's as a count of those that wait.
#ifndef SWEEPD_SLURM_JOBS_H
#define SWEEPD_SLURM_JOBS_H

#include "base/str.h"
#include "slurm/failure.h"
#include "slurm/request.h"
#include "slurm/rpc.h"

struct jobs;

struct jobs *jobs_create(void);
void jobs_free(struct jobs *j); // NULL is fine

// One call to slurmctld. `whole`: the whole list, even when it seems unchanged.
int jobs_refresh(struct jobs *j, bool whole, struct rpc *rpc, struct failure *f) MUST_CHECK;

void out_jobs(struct str *s, const char *key, const struct jobs *j);
// Pending jobs of others in the wanted partitions, but for held ones.
int64_t jobs_foreign_pending(const struct jobs *j, const struct words *wanted);

#endif
