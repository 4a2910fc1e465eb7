// SPDX-License-Identifier: GPL-2.0-or-later
// Which kinds of event met which states of an attempt, over all seeds, and
// what became of points and sweeps.
#ifndef SWEEPD_TESTS_SIM_COVERAGE_H
#define SWEEPD_TESTS_SIM_COVERAGE_H

#include "world.h"

enum { COVERAGE_COLUMNS_MAX = 64 };

struct coverage {
    uint64_t pairs[COVERAGE_COLUMNS_MAX][ATTEMPT_STATE_COUNT];
    uint64_t points[OUTCOME_COUNT];   // outcomes of points
    uint64_t attempts[OUTCOME_COUNT]; // of attempts
    uint64_t sweeps, cancelled_sweeps;
    uint64_t crashes, events, outlived;
    int64_t virtual_time;
};

void coverage_event(struct world *w, const struct event *e); // before core has it
void coverage_sweep(struct world *w, const struct sweep *s); // at its end
void coverage_print(const struct coverage *c);
// Pairs that can happen and have not; they were printed.
size_t coverage_missing(const struct coverage *c);

#endif
