// SPDX-License-Identifier: GPL-2.0-or-later
// The invariants. Each function is called where its kind of promise could be
// broken and says so through broken().
#ifndef SWEEPD_TESTS_SIM_CHECK_H
#define SWEEPD_TESTS_SIM_CHECK_H

#include "world.h"

void check_event(struct world *w, const struct event *e); // after core has had it
void check_restored(struct world *w, const struct sweep *s);

void check_plan(struct world *w); // the plan in w->shell.effects
void check_effect(struct world *w, const struct effect *e);
void check_open(struct world *w, struct ref ref, struct folder *f);
void check_submit(struct world *w, const struct folder *f, unsigned exclude);
void check_cancel(struct world *w, const struct op *o);

void check_payload_begins(struct world *w, const struct folder *f);

// Is everything over, with nothing left behind? Says what is not.
bool check_quiet(struct world *w, char *ret_why, size_t size);

#endif
