// SPDX-License-Identifier: GPL-2.0-or-later
// What sweepd depends on, and how that is.
#ifndef SWEEPD_API_HEALTH_H
#define SWEEPD_API_HEALTH_H

#include "api/route.h"
#include "base/str.h"

void health_document(const struct app *a, struct str *out);

void health_get(struct app *a, const struct call *c);

#endif
