// SPDX-License-Identifier: GPL-2.0-or-later
// Where one more job could go: late binding onto idle nodes, and at most one
// job ahead per node. Pure; a scratch pad for one plan.
#ifndef SWEEPD_CORE_SLOTS_H
#define SWEEPD_CORE_SLOTS_H

#include "core/core.h"

struct slot_node {
    const struct node *node;
    int gpus_free; // not taken by running jobs nor by ours on their way
    bool whole;    // nothing is on it
};

struct slots {
    const struct core *core;
    struct slot_node *nodes; // usable ones
    size_t count;
    int ahead; // jobs of ours waiting for a node that is busy now
};

// Counts what runs and what of ours is on its way already.
void slots_init(struct slots *s, const struct core *c);
void slots_done(struct slots *s);

// Takes room for the point and returns true, or returns false: it waits.
bool slots_take(struct slots *s, const struct sweep *sweep, const struct sweep_point *p);

// Has the point failed on every node of its fleet that jobs can be placed on?
// It may use them again then: waiting for a node that does not exist helps
// nobody.
bool slots_all_excluded(const struct core *c, const struct sweep *sweep,
                        const struct sweep_point *p);

#endif
