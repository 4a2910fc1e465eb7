// SPDX-License-Identifier: GPL-2.0-or-later
// The cluster's partitions, asked for rarely: they change by the hand of an
// administrator.
#ifndef SWEEPD_SLURM_PARTITIONS_H
#define SWEEPD_SLURM_PARTITIONS_H

#include <stdbool.h>

#include "base/str.h"
#include "slurm/failure.h"
#include "slurm/request.h"
#include "slurm/rpc.h"

enum { PARTITIONS_EVERY_S = 30 };

struct partitions;

struct partitions *partitions_create(void);
void partitions_free(struct partitions *p); // NULL is fine

// Asks slurmctld when the last answer is older than PARTITIONS_EVERY_S.
int partitions_refresh(struct partitions *p, struct rpc *rpc, struct failure *f) MUST_CHECK;

// An empty list of wanted partitions means all of them.
bool partition_wanted(const struct words *wanted, const char *name);
// `names` is a job's partition member: one name, or several with commas.
bool any_partition_wanted(const struct words *wanted, const char *names);

void out_partitions(struct str *s, const char *key, const struct partitions *p,
                    const struct words *wanted);
bool node_is_wanted(const struct partitions *p, const struct words *wanted, const char *node);
// An array of the names of all partitions that hold the node.
void out_node_partitions(struct str *s, const char *key, const struct partitions *p,
                         const char *node);

#endif
