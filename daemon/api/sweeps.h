// SPDX-License-Identifier: GPL-2.0-or-later
// Sweeps: list, one, cancel.
#ifndef SWEEPD_API_SWEEPS_H
#define SWEEPD_API_SWEEPS_H

#include "api/route.h"
#include "base/str.h"

// Filters: NULL means any.
void sweeps_document(const struct app *a, const char *state, const char *key, struct str *out);
void sweep_document(const struct app *a, const struct sweep *s, struct str *out);

void sweeps_get(struct app *a, const struct call *c);
void sweep_get(struct app *a, const struct call *c);
void sweep_post_cancel(struct app *a, const struct call *c);

#endif
