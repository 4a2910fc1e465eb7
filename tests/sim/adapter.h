// SPDX-License-Identifier: GPL-2.0-or-later
// The adapters: each request reaches what it works on at one moment and its
// answer reaches sweepd at another one, or never.
#ifndef SWEEPD_TESTS_SIM_ADAPTER_H
#define SWEEPD_TESTS_SIM_ADAPTER_H

#include "world.h"

// Takes an effect of an attempt; false when there is no room, or no Slurm.
bool adapter_take(struct world *w, const struct effect *effect);
void adapter_commit(struct world *w);
void adapter_poll(struct world *w);

void adapter_act(struct world *w, int op, unsigned version);
void adapter_done(struct world *w, int op, unsigned version);
void adapter_orphan(struct world *w); // sweepd is dead; what it had asked for may yet arrive

// Is a request of this kind for this attempt under way?
bool adapter_busy(const struct world *w, enum effect_kind effect, struct ref ref);

#endif
