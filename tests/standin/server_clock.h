// SPDX-License-Identifier: GPL-2.0-or-later
// The virtual clock. It moves only while every lane of the client has a
// request here, so that what happens depends on the requests alone and not on
// when the machine gets round to them. It never runs faster than `speed`
// virtual seconds in a real one; on a slow machine it runs slower.
#ifndef STANDIN_SERVER_CLOCK_H
#define STANDIN_SERVER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/standin/server_engine.h"

struct waiter { // asks for nothing but to be told when an instant has come
    struct waiter *next;
    int64_t at_ns;
    int lane;
    void *owner;
};

struct clock;

// `wake` is called for a waiter whose instant has come; it is off the list by
// then. The engine stays the caller's.
struct clock *clock_create(struct engine *engine, double speed,
                           void (*wake)(struct waiter *w, int64_t now_ns));
void clock_free(struct clock *c);

void clock_set_lanes(struct clock *c, int lanes);
void clock_leave(struct clock *c, int lanes);
// From this instant on the engine does nothing more, and the time goes by.
void clock_stall(struct clock *c, int64_t at_ns);

// `lane` says whether the request counts as one of the lanes.
void clock_submit(struct clock *c, struct request *r, bool lane);
void clock_gone(struct clock *c); // a lane's request was answered
void clock_wait(struct clock *c, struct waiter *w);
struct waiter *clock_take_waiter(struct clock *c); // off the list, unwoken; NULL when none
void clock_cancel(struct clock *c);                // forgets the requests in the engine

int64_t clock_now(const struct clock *c);
// Lets the time run as far as it may. Returns the milliseconds after which to
// call again without any other reason, -1 for none.
int clock_run(struct clock *c);

#endif
