// SPDX-License-Identifier: GPL-2.0-or-later
// Golden acceptance lengths: what a model's draft reaches on SPEED-Bench coding,
// by number of draft tokens. Throughput is only compared at this length. Pure.
#ifndef SWEEPD_PREFLIGHT_GOLDEN_H
#define SWEEPD_PREFLIGHT_GOLDEN_H

#include <stdbool.h>
#include <stddef.h>

enum { GOLDEN_DRAFT_MAX = 8 };

// One measured curve; 0 where nothing was measured.
struct golden_curve {
    const char *source;                   // name of the published table
    const char *model;                    // checkpoint that was measured
    const char *model_prefix;             // of the points it is for
    double thinking_on[GOLDEN_DRAFT_MAX]; // by draft tokens, from 1
    double thinking_off[GOLDEN_DRAFT_MAX];
};

// The curve for a model prefix, NULL when there is none. One for each: of a model that was
// measured with several draft methods it is the one that its agentic recipes use.
const struct golden_curve *golden_find(const char *model_prefix);
// 0: the curve has no such value.
double golden_value(const struct golden_curve *c, bool thinking_on, int draft_tokens);

extern const struct golden_curve golden_curves[];
extern const size_t golden_curve_count;

#endif
