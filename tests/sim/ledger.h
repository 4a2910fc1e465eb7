// SPDX-License-Identifier: GPL-2.0-or-later
// The database: transactions of whole objects with their events, all or
// nothing, and what a restart finds in it. It keeps what daemon/rows.c keeps
// and nothing else.
#ifndef SWEEPD_TESTS_SIM_LEDGER_H
#define SWEEPD_TESTS_SIM_LEDGER_H

#include "world.h"

struct ledger *ledger_create(void);
void ledger_free(struct ledger *l);

// Copies everything that is dirty. One transaction at a time. Returns the id
// of its last event, as rows_batch does.
int64_t ledger_begin(struct ledger *l, const struct core *c);
// It is durable now. Must come before core is destroyed.
void ledger_apply(struct world *w);
void ledger_drop(struct ledger *l); // it never will be

const struct sweep *ledger_sweep(const struct ledger *l, int64_t seq); // NULL: not there
const struct sweep_point *ledger_point(const struct ledger *l, struct ref ref);
const struct attempt *ledger_attempt(const struct ledger *l, struct ref ref);
int64_t ledger_last_event(const struct ledger *l);
size_t ledger_count(const struct ledger *l);
// A copy of the sweep as a new process loads it; the caller owns it.
struct sweep *ledger_load(const struct ledger *l, size_t index);

#endif
