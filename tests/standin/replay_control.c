// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/standin/replay_control.h"

#include <stdio.h>

#include "base/clock.h"

void control_free(struct control *c)
{
    str_free(&c->body);
}

void control_done(struct control *c, const struct net_answer *a)
{
    c->status = a->error ? 0 : a->status;
    c->stamp_ns = a->stamp_ns;
    str_clear(&c->body);
    str_add_bytes(&c->body, a->body->p, a->body->len);
}

static bool wait(struct control *c)
{
    int64_t end_us = clock_mono_us() + CONTROL_WAIT_S * US_PER_S;

    while (net_is_busy(c->net, c->slot) && clock_mono_us() < end_us)
        if (net_wait(c->net))
            c->signalled = true;
    return !net_is_busy(c->net, c->slot);
}

int control_call(struct control *c, const char *url, const char *body)
{
    if (!wait(c))
        return 0;
    net_send(c->net, c->slot, &(struct net_request){url, body, NULL});
    return wait(c) ? c->status : 0;
}

int control_set_lanes(struct control *c, int lanes)
{
    char body[48];

    snprintf(body, sizeof(body), "{\"lanes\":%d}", lanes);
    c->leaving = 0;
    return control_call(c, c->clock_url, body);
}

int control_cancel(struct control *c)
{
    return control_call(c, c->clock_url, "{\"cancel\":true}");
}

void control_tell_leaving(struct control *c)
{
    char body[48];

    if (!c->leaving || net_is_busy(c->net, c->slot))
        return;
    snprintf(body, sizeof(body), "{\"leave\":%d}", c->leaving);
    c->leaving = 0;
    net_send(c->net, c->slot, &(struct net_request){c->clock_url, body, NULL});
}
