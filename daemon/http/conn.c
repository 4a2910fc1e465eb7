// SPDX-License-Identifier: GPL-2.0-or-later
#include "http/conn.h"

#include <stdlib.h>

#include "base/mem.h"

// A body or target buffer over this is given back after the request.
enum { KEPT_BUFFER_MAX = 16384 };

void conns_init(struct conns *t, unsigned max)
{
    *t = (struct conns){.max = max};
    t->slots = mem_array(max, sizeof(struct conn *));
    t->free_slots = mem_array(max, sizeof(unsigned));
    for (unsigned i = 0; i < max; i++)
        t->free_slots[i] = max - 1 - i;
}

static void unlink_phase(struct conns *t, struct conn *c)
{
    if (c->prev)
        c->prev->next = c->next;
    else
        t->phases[c->phase].first = c->next;
    if (c->next)
        c->next->prev = c->prev;
    else
        t->phases[c->phase].last = c->prev;
}

static void link_phase(struct conns *t, struct conn *c, enum conn_phase phase)
{
    c->phase = phase;
    c->next = NULL;
    c->prev = t->phases[phase].last;
    if (c->prev)
        c->prev->next = c;
    else
        t->phases[phase].first = c;
    t->phases[phase].last = c;
}

static void set_deadline(const struct conns *t, struct conn *c, int64_t now_us)
{
    int64_t timeout = t->timeout_us[c->phase];

    c->deadline_us = timeout > 0 ? now_us + timeout : INT64_MAX;
}

struct conn *conn_add(struct conns *t, int fd, const struct peer *peer, int64_t now_us)
{
    struct conn *c;

    if (t->count == t->max)
        return NULL;
    c = mem_alloc(sizeof(*c));
    c->slot = t->free_slots[t->max - t->count - 1];
    c->fd = fd;
    c->peer = *peer;
    t->slots[c->slot] = c;
    t->count++;
    link_phase(t, c, CONN_RECEIVING);
    set_deadline(t, c, now_us);
    return c;
}

void conn_remove(struct conns *t, struct conn *c)
{
    conn_request_end(t, c);
    unlink_phase(t, c);
    t->slots[c->slot] = NULL;
    t->count--;
    t->free_slots[t->max - t->count - 1] = c->slot;
    target_free(&c->x.target);
    str_free(&c->x.body);
    free(c);
}

void conns_done(struct conns *t)
{
    for (unsigned i = 0; i < t->max; i++)
        if (t->slots[i])
            conn_remove(t, t->slots[i]);
    free(t->slots);
    free(t->free_slots);
}

unsigned conns_of_peer(const struct conns *t, const struct peer *peer)
{
    unsigned n = 0;

    for (unsigned i = 0; i < t->max; i++)
        if (t->slots[i] && peer_same(&t->slots[i]->peer, peer))
            n++;
    return n;
}

void conn_enter(struct conns *t, struct conn *c, enum conn_phase phase, int64_t now_us)
{
    unlink_phase(t, c);
    link_phase(t, c, phase);
    set_deadline(t, c, now_us);
}

struct conn *conns_expired(const struct conns *t, int64_t now_us)
{
    for (int i = 0; i < CONN_PHASES; i++)
        if (t->phases[i].first && t->phases[i].first->deadline_us <= now_us)
            return t->phases[i].first;
    return NULL;
}

int64_t conns_next_deadline(const struct conns *t)
{
    int64_t next = INT64_MAX;

    for (int i = 0; i < CONN_PHASES; i++)
        if (t->phases[i].first && t->phases[i].first->deadline_us < next)
            next = t->phases[i].first->deadline_us;
    return next;
}

uint64_t conn_assign_id(struct conns *t, struct conn *c)
{
    c->x.id = ++t->sequence * HTTP_CONNECTIONS_MAX + c->slot;
    return c->x.id;
}

struct conn *conn_by_id(const struct conns *t, uint64_t id)
{
    uint64_t slot = id % HTTP_CONNECTIONS_MAX;
    struct conn *c = slot < t->max ? t->slots[slot] : NULL;

    if (id == 0 || !c || c->x.id != id)
        return NULL;
    return c->x.stage == STAGE_ASKING || c->x.stage == STAGE_SUSPENDED ? c : NULL;
}

static void recycle(struct str *s)
{
    if (s->cap > KEPT_BUFFER_MAX)
        str_free(s);
    else
        str_clear(s);
}

void conn_request_end(struct conns *t, struct conn *c)
{
    struct http_exchange *x = &c->x;

    for (unsigned i = 0; i < x->extras; i++) {
        free(x->extra[i].name);
        free(x->extra[i].value);
    }
    x->extras = 0;
    t->body_bytes -= x->body_reserved;
    x->body_reserved = 0;
    x->body_overflow = false;
    recycle(&x->body);
    x->id = 0;
    x->method = NULL;
    x->head = (struct guard_head){0};
    x->stage = STAGE_NONE;
}
