// SPDX-License-Identifier: GPL-2.0-or-later
// One seed from its beginning to its end.
#ifndef SWEEPD_TESTS_SIM_SCENE_H
#define SWEEPD_TESTS_SIM_SCENE_H

#include "coverage.h"

struct scene_result {
    char broken[256]; // "" when every invariant held
    struct ref ref;
    char *trace; // owned, NULL when not asked for
};

// `mask` switches classes of faults off.
void scene_run(uint64_t seed, uint32_t mask, bool tracing, struct coverage *coverage,
               struct scene_result *ret);

#endif
