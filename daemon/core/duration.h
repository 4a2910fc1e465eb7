// SPDX-License-Identifier: GPL-2.0-or-later
// How long a point will hold its node, by a model, for recipes that do not say;
// and the shape over an arm that past attempts are scaled by. Pure.
#ifndef SWEEPD_CORE_DURATION_H
#define SWEEPD_CORE_DURATION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/point.h"

// Weights, warm-up and profile, in microseconds.
int64_t duration_model(const struct point *p, bool fast);

#endif
