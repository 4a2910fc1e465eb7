// SPDX-License-Identifier: GPL-2.0-or-later
// The documents of docs/api.md, built from core's state. Text is appended as
// JSON; the callers own it.
#ifndef SWEEPD_PAGES_H
#define SWEEPD_PAGES_H

#include "app.h"
#include "base/str.h"

// Filters: NULL means any.
void pages_sweeps(const struct app *a, const char *state, const char *key, struct str *out);
void pages_sweep(const struct app *a, const struct sweep *s, struct str *out);
void pages_points(const struct app *a, const struct sweep *s, struct str *out);
void pages_point(const struct app *a, const struct sweep *s, const struct sweep_point *p,
                 struct str *out);
void pages_results(const struct app *a, const struct sweep *s, struct str *out);
void pages_nodes(const struct app *a, struct str *out);
// Events after an id, at most `limit`; `sweep` NULL for all.
void pages_events(const struct app *a, int64_t after, int64_t limit, const char *sweep,
                  struct str *out);
void pages_health_text(const struct app *a, struct str *out);

#endif
