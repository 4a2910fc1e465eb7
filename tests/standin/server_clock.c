// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/standin/server_clock.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"

// A pause lasts at least so long: going to sleep costs more than an event.
enum { PAUSE_MIN_MS = 4, PAUSE_MAX_MS = 1000 };

struct clock {
    struct engine *engine;
    void (*wake)(struct waiter *w, int64_t now_ns);
    struct waiter *waiters; // by (at_ns, lane)
    int lanes;
    int present; // of the lanes' requests and waiters
    int64_t now_ns;
    int64_t stall_ns;
    double speed;
    int64_t anchor_ns;  // the virtual instant
    int64_t anchor_us;  // at which the real clock showed this
    int64_t allowed_ns; // how far the time may run, by the last look at the real clock
};

struct clock *clock_create(struct engine *engine, double speed,
                           void (*wake)(struct waiter *w, int64_t now_ns))
{
    struct clock *c = mem_alloc(sizeof(*c));

    c->engine = engine;
    c->speed = speed;
    c->wake = wake;
    c->stall_ns = ENGINE_NEVER;
    c->anchor_us = clock_mono_us();
    return c;
}

void clock_free(struct clock *c)
{
    free(c);
}

static void anchor(struct clock *c)
{
    c->anchor_ns = c->now_ns;
    c->anchor_us = clock_mono_us();
    c->allowed_ns = c->now_ns;
}

void clock_set_lanes(struct clock *c, int lanes)
{
    if (c->lanes == 0) { // a replay begins: time without lanes earns no head start
        anchor(c);
        engine_renew(c->engine);
    }
    c->lanes = lanes;
}

void clock_leave(struct clock *c, int lanes)
{
    c->lanes = c->lanes > lanes ? c->lanes - lanes : 0;
}

void clock_stall(struct clock *c, int64_t at_ns)
{
    c->stall_ns = at_ns;
}

void clock_submit(struct clock *c, struct request *r, bool lane)
{
    if (r->turn.start_ns < c->now_ns)
        r->turn.start_ns = c->now_ns;
    c->present += lane;
    engine_submit(c->engine, r);
}

void clock_gone(struct clock *c)
{
    c->present--;
}

void clock_wait(struct clock *c, struct waiter *w)
{
    struct waiter **at = &c->waiters;

    while (*at && ((*at)->at_ns < w->at_ns || ((*at)->at_ns == w->at_ns && (*at)->lane < w->lane)))
        at = &(*at)->next;
    w->next = *at;
    *at = w;
    c->present++;
}

struct waiter *clock_take_waiter(struct clock *c)
{
    struct waiter *w = c->waiters;

    if (!w)
        return NULL;
    c->waiters = w->next;
    c->present--;
    return w;
}

void clock_cancel(struct clock *c)
{
    engine_cancel(c->engine);
}

int64_t clock_now(const struct clock *c)
{
    return c->now_ns;
}

// Milliseconds until the real clock allows the virtual instant, 0 when it does.
static int pause_ms(struct clock *c, int64_t at_ns)
{
    if (at_ns <= c->allowed_ns)
        return 0;
    double passed_us = (double)(clock_mono_us() - c->anchor_us);
    c->allowed_ns = c->anchor_ns + (int64_t)(passed_us * 1000 * c->speed);
    if (at_ns <= c->allowed_ns)
        return 0;
    double ms = (double)(at_ns - c->allowed_ns) / c->speed / 1e6 + 1;
    return ms < PAUSE_MIN_MS ? PAUSE_MIN_MS : ms > PAUSE_MAX_MS ? PAUSE_MAX_MS : (int)ms;
}

static int64_t engine_due(struct clock *c)
{
    int64_t at = engine_next(c->engine);

    return at >= c->stall_ns ? ENGINE_NEVER : at;
}

int clock_run(struct clock *c)
{
    while (c->present >= c->lanes) {
        int64_t engine = engine_due(c);
        int64_t waiter = c->waiters ? c->waiters->at_ns : ENGINE_NEVER;
        int64_t at = engine < waiter ? engine : waiter;

        if (at == ENGINE_NEVER)
            return -1;
        int ms = pause_ms(c, at);
        if (ms)
            return ms;
        if (at > c->now_ns)
            c->now_ns = at;
        if (waiter <= engine)
            c->wake(clock_take_waiter(c), c->now_ns);
        else
            engine_advance(c->engine);
    }
    return -1;
}
