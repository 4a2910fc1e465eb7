// SPDX-License-Identifier: GPL-2.0-or-later
// Nodes filled task by task: when each of their GPUs becomes free. Pure; the
// inner loop of the schedule.
#ifndef SWEEPD_CORE_LANES_H
#define SWEEPD_CORE_LANES_H

#include "core/schedule.h"

struct lane {
    int64_t free_at;
    int wave;
};

struct lane_node {
    int gpus;
    int count;                            // of lanes: GPUs, or one when nodes are taken whole
    struct lane lanes[SCHEDULE_GPUS_MAX]; // by free_at, rising
};

struct lanes {
    struct lane_node *nodes;
    size_t count;
    bool whole;
};

void lanes_init(struct lanes *l, const struct schedule_input *in);
void lanes_done(struct lanes *l);
void lanes_copy(struct lanes *to, const struct lanes *from); // of the same input

// Gives the task the node that can begin it first; among those the one with
// the least left over. Row may be NULL. Returns when it ends, -1: fits nowhere.
int64_t lanes_place(struct lanes *l, const struct schedule_task *t, struct schedule_row *row);

#endif
