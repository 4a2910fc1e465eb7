// SPDX-License-Identifier: GPL-2.0-or-later
// What the files that change core's state share among themselves.
#ifndef SWEEPD_CORE_UPDATE_H
#define SWEEPD_CORE_UPDATE_H

#include "core/core.h"

// Where a change happens: the objects and the time.
struct place {
    struct core *core;
    struct sweep *sweep;
    struct sweep_point *point; // NULL when the change is the sweep's
    struct attempt *attempt;   // NULL when it is the point's
    struct ref ref;
};

// Marks an object as changed: it must be stored before it is acted on.
void touch(struct versions *v);

void journal_add(const struct place *at, const char *kind, const char *fmt, ...) PRINTF_LIKE(3, 4);

// The only function that changes an attempt's state. Sets the time stamp that
// belongs to the state.
void attempt_enter(const struct place *at, enum attempt_state state);

// The attempt has its outcome (judged or lost): decides what becomes of the
// point and of the sweep. In settle.c.
void settle(const struct place *at);
void point_finish(const struct place *at, enum outcome outcome, const char *reason);
void sweep_cancel(const struct place *at, const char *reason);
void sweep_check_done(const struct place *at);

// Backoff of one effect: doubles from first to max with the number of tries.
int64_t backoff(const struct policy *p, int tries);

// Applies one poll to every attempt that may have a job. In reconcile.c.
void reconcile_poll(struct core *c, const struct event *e);
// Applies a look into an attempt's folder.
void reconcile_scan(const struct place *at, const struct event *e);
void reconcile_revoked(const struct place *at, const struct event *e);

#endif
