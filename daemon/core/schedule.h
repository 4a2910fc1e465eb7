// SPDX-License-Identifier: GPL-2.0-or-later
// The placement on paper: which point on which node, from when to when. Pure.
// The order that it finds is the one that jobs are submitted in (core/rank.h).
#ifndef SWEEPD_CORE_SCHEDULE_H
#define SWEEPD_CORE_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/sweep.h"

enum { SCHEDULE_GPUS_MAX = 64 }; // of one node

// What a search may cost: visits of a node by a task. About 5 ns each.
enum {
    SCHEDULE_EFFORT_PAPER = 8000000,   // for a person who waits; off the loop
    SCHEDULE_EFFORT_DISPATCH = 200000, // on the loop: a millisecond
};

struct schedule_task {
    int64_t duration;
    int gpus;
};

// GPUs that something else has until then, from the beginning on.
struct schedule_hold {
    size_t node;
    int gpus;
    int64_t until;
};

struct schedule_input {
    const struct schedule_task *tasks;
    size_t count;
    const int *node_gpus; // of each node, at most SCHEDULE_GPUS_MAX
    size_t nodes;
    const struct schedule_hold *holds;
    size_t hold_count;
    enum placement placement;
    int64_t effort; // 0: longest first, no search
};

struct schedule_row {
    bool placed; // false: no node has that many GPUs
    size_t node;
    int wave;           // from 1: the longest chain of tasks that it waits for, and itself
    int64_t start, end; // from now
};

struct schedule {
    struct schedule_row *rows; // one per task, in the order of the tasks
    size_t *order;             // the tasks as they should be handed out
    size_t count;
    int64_t makespan;
    int64_t bound; // no placement can end sooner
    double gpu_us; // GPU time that is held
};

// Longest first, then a bounded search of better orders: always the same answer
// for the same input.
void schedule_make(const struct schedule_input *in, struct schedule *ret);
void schedule_free(struct schedule *s);

// The bound alone. It is proven: work spread over all GPUs, the longest task,
// and for every size the tasks that must follow one another on the nodes' places
// for that size.
int64_t schedule_bound(const struct schedule_input *in);

#endif
