// SPDX-License-Identifier: GPL-2.0-or-later
// What will happen, in the order of time; what is due at the same moment
// happens in the order in which it was added.
#ifndef SWEEPD_TESTS_SIM_TIMELINE_H
#define SWEEPD_TESTS_SIM_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum happening_kind {
    HAPPEN_TURN,       // sweepd's loop wakes
    HAPPEN_ACT,        // an operation reaches what it works on; who: the operation
    HAPPEN_DONE,       // its answer reaches sweepd
    HAPPEN_RUN,        // the next step of a batch script; who: the run
    HAPPEN_PASS,       // slurmctld places waiting jobs
    HAPPEN_CLEAR,      // a job is done completing; who: its serial
    HAPPEN_RUN_KILL,   // slurmd ends what slurmctld does not know; who: the run
    HAPPEN_CTLD_START, // slurmctld is there again
    HAPPEN_NODE_LOST,  // slurmctld notices that a node is gone; who: the node
    HAPPEN_NODE_BACK,
    HAPPEN_RESTART, // of sweepd
    HAPPEN_WEATHER, // the next chance for faults
    HAPPEN_SWEEP,   // a client submits; who: the index of the sweep
};

struct happening {
    int64_t at;
    uint64_t order;
    enum happening_kind kind;
    int who;
    unsigned version; // of whom it concerns, so that it can be outdated
};

struct timeline {
    struct happening *heap;
    size_t count, cap;
    uint64_t last_order;
};

void timeline_add(struct timeline *l, int64_t at, enum happening_kind kind, int who,
                  unsigned version);
bool timeline_take(struct timeline *l, struct happening *ret); // false: nothing is left
void timeline_free(struct timeline *l);

#endif
