// SPDX-License-Identifier: GPL-2.0-or-later
// The share of a node's CPU memory that KV offloading may take. Pure.
#ifndef SWEEPD_SPEC_DRAM_H
#define SWEEPD_SPEC_DRAM_H

#include "base/err.h"

enum { DRAM_AVAILABLE_MAX_MIB = 2861022 }; // 3 TB: more is not handed out

// floor(min(available, 3 TB) * utilization * gpus / gpus_per_node) in units of
// 10^9 bytes, exact: utilization counts as its shortest decimal form (0.8, not
// the binary fraction beside it). Every argument is positive, utilization at
// most 1, gpus at most gpus_per_node, which is at most 1024.
int dram_gb(int available_mib, double utilization, int gpus, int gpus_per_node);

// GPUs on one node of a multi-node worker of `gpus` in all: workers must tile
// nodes, so `gpus` divides a node or fills whole ones. 0 when it does neither.
int dram_worker_gpus(int gpus, int gpus_per_node);

#endif
