// SPDX-License-Identifier: GPL-2.0-or-later
// The placement on paper: which point on which node, from when to when. Pure.
#ifndef SWEEPD_CORE_SCHEDULE_H
#define SWEEPD_CORE_SCHEDULE_H

#include <stddef.h>
#include <stdint.h>

#include "core/sweep.h"

enum { SCHEDULE_GPUS_MAX = 64 }; // of one node

struct schedule_task {
    int64_t duration;
    int gpus;
};

struct schedule_row {
    size_t node;
    int wave;           // from 1: how many came before it on its node, and itself
    int64_t start, end; // from now
};

struct schedule {
    struct schedule_row *rows; // one per task, in the order of the tasks
    size_t count;
    int64_t makespan;
    int64_t bound; // no placement can end sooner
    double gpu_us; // GPU time that is held
};

// Longest first onto the node that can begin soonest. `gpus` of each node.
// Tasks that need more than a node has are the caller's to refuse.
void schedule_make(const struct schedule_task *tasks, size_t count, size_t nodes, int gpus,
                   enum placement placement, struct schedule *ret);
void schedule_free(struct schedule *s);

#endif
