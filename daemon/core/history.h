// SPDX-License-Identifier: GPL-2.0-or-later
// Expected durations, corrected by what past attempts took. Pure.
#ifndef SWEEPD_CORE_HISTORY_H
#define SWEEPD_CORE_HISTORY_H

#include "core/core.h"

enum {
    HISTORY_SAMPLES = 9,          // the last ones of a point or an arm count
    HISTORY_ATTEMPTS_MAX = 20000, // looked at, newest sweeps first
};

// Corrects expected_us of every point of a sweep that core does not know yet.
// The median of what this point took in earlier sweeps of the same model,
// recipe, runner and mode; without any, the median of took / model over its arm
// times the model; else the model, which is what expected_us holds before.
void history_apply(const struct core *c, struct sweep *s);

// The last sweep of the same key, NULL: none.
const struct sweep *history_last(const struct core *c, const char *key);

#endif
