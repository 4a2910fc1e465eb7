// SPDX-License-Identifier: GPL-2.0-or-later
// The one loop that owns all state: descriptors, signals and timers. Nothing
// called from it may block.
#ifndef SWEEPD_LOOP_H
#define SWEEPD_LOOP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct loop;

// `events` as in epoll(7).
typedef void loop_on_fd(void *ctx, uint32_t events);
typedef void loop_on_signal(void *ctx, int signal);
// Called before each wait. Returns the monotonic time (base/clock.h) of its
// next wish to be called, INT64_MAX for none.
typedef int64_t loop_on_turn(void *ctx);

int loop_create(struct loop **ret, struct err *e) MUST_CHECK;
void loop_free(struct loop *l); // NULL is fine; closes no descriptor of others

// One watch per descriptor. The descriptor stays the caller's.
int loop_watch(struct loop *l, int fd, uint32_t events, loop_on_fd *fn, void *ctx,
               struct err *e) MUST_CHECK;
void loop_change(struct loop *l, int fd, uint32_t events);
void loop_unwatch(struct loop *l, int fd);

// Blocks these signals for the process: call before any thread is started.
int loop_signals(struct loop *l, const sigset_t *set, loop_on_signal *fn, void *ctx,
                 struct err *e) MUST_CHECK;

// All of them are called, in the order in which they were added.
void loop_add_turn(struct loop *l, loop_on_turn *fn, void *ctx);

void loop_run(struct loop *l); // until loop_stop
void loop_stop(struct loop *l);

#endif
