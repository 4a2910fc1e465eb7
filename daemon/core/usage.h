// SPDX-License-Identifier: GPL-2.0-or-later
// What a sweep's GPU time went to. Pure.
#ifndef SWEEPD_CORE_USAGE_H
#define SWEEPD_CORE_USAGE_H

#include "core/core.h"

// GPU time in microseconds. The parts are disjoint; together they are what was
// allocated.
struct usage {
    double useful;                // of the GPUs of attempts that passed
    double failed[OUTCOME_COUNT]; // of those that did not, by their outcome
    double running;               // of those without an outcome yet
    double idle;                  // GPUs of whole nodes that the points on them do not use
};

// Nodes that core does not know any more count as if the point had used them whole.
struct usage usage_of(const struct core *c, const struct sweep *s);

#endif
