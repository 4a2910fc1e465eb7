// SPDX-License-Identifier: GPL-2.0-or-later
// sweepd around core: plans, hands effects to the adapters, polls, dies and
// starts again. It does what daemon/app.c does.
#ifndef SWEEPD_TESTS_SIM_SHELL_H
#define SWEEPD_TESTS_SIM_SHELL_H

#include "world.h"

void shell_start(struct world *w); // from what the database has
void shell_crash(struct world *w);
void shell_turn(struct world *w);

struct event shell_event(const struct world *w, enum event_kind kind, struct ref ref);
// Hands an event to core and checks what came of it.
void shell_feed(struct world *w, struct event *e);
void shell_fail(struct world *w, struct ref ref, enum effect_kind effect, enum failure failure);

#endif
