// SPDX-License-Identifier: GPL-2.0-or-later
// The cluster's nodes and their GPUs. An unchanged list is not sent again by
// slurmctld; the last one is kept here.
#ifndef SWEEPD_SLURM_NODES_H
#define SWEEPD_SLURM_NODES_H

#include "base/str.h"
#include "slurm/failure.h"
#include "slurm/partitions.h"
#include "slurm/request.h"
#include "slurm/rpc.h"

struct nodes;

struct nodes *nodes_create(void);
void nodes_free(struct nodes *n); // NULL is fine

// One call to slurmctld. `whole`: the whole list, even when it seems unchanged.
int nodes_refresh(struct nodes *n, bool whole, struct rpc *rpc, struct failure *f) MUST_CHECK;

// The nodes that belong to one of the wanted partitions.
void out_nodes(struct str *s, const char *key, const struct nodes *n, const struct partitions *p,
               const struct words *wanted);

#endif
