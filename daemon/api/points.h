// SPDX-License-Identifier: GPL-2.0-or-later
// The points of a sweep, one with its attempts, and their results.
#ifndef SWEEPD_API_POINTS_H
#define SWEEPD_API_POINTS_H

#include "api/route.h"
#include "base/str.h"

void points_document(const struct core *c, const struct sweep *s, struct str *out);

void points_get(struct app *a, const struct call *c);
void point_get(struct app *a, const struct call *c);
void results_get(struct app *a, const struct call *c);

#endif
