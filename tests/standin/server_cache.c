// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/standin/server_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "tests/standin/common_wire.h"

struct cache_entry {
    struct cache_entry *next; // all entries, the newest first
    char conv[WIRE_CONV_MAX];
    int64_t tokens;
    int64_t used_ns;
    int uses; // requests that hold it open
};

struct cache {
    struct cache_entry *first;
    int64_t pool;
    int64_t held;
    int64_t in_use;
    int page;
};

struct cache *cache_create(int64_t pool_tokens, int page_size)
{
    struct cache *c = mem_alloc(sizeof(*c));

    c->pool = pool_tokens;
    c->page = page_size;
    return c;
}

void cache_free(struct cache *c)
{
    if (!c)
        return;
    while (c->first) {
        struct cache_entry *gone = c->first;

        c->first = gone->next;
        free(gone);
    }
    free(c);
}

static struct cache_entry *find(const struct cache *c, const char *conv)
{
    for (struct cache_entry *e = c->first; e; e = e->next)
        if (strcmp(e->conv, conv) == 0)
            return e;
    return NULL;
}

int64_t cache_peek(const struct cache *c, const char *conv, int64_t prefix)
{
    const struct cache_entry *e = find(c, conv);
    int64_t same = e && e->tokens < prefix ? e->tokens : prefix;

    return e ? same / c->page * c->page : 0;
}

int64_t cache_room(const struct cache *c, const char *conv)
{
    const struct cache_entry *e = find(c, conv);

    return c->pool - c->in_use - (e && !e->uses ? e->tokens : 0);
}

struct cache_entry *cache_open(struct cache *c, const char *conv, int64_t hit)
{
    struct cache_entry *e = find(c, conv);

    if (!e) {
        e = mem_alloc(sizeof(*e));
        str_copy(e->conv, sizeof(e->conv), conv);
        e->next = c->first;
        c->first = e;
    }
    if (e->uses++)
        return e; // two requests of one conversation share what it holds
    if (e->tokens > hit) {
        c->held -= e->tokens - hit;
        e->tokens = hit;
    }
    c->in_use += e->tokens;
    return e;
}

static struct cache_entry *oldest_unused(struct cache *c)
{
    struct cache_entry *oldest = NULL;

    for (struct cache_entry *e = c->first; e; e = e->next)
        if (!e->uses && e->tokens && (!oldest || e->used_ns < oldest->used_ns))
            oldest = e;
    return oldest;
}

static void drop_empty(struct cache *c)
{
    struct cache_entry **at = &c->first;

    while (*at) {
        struct cache_entry *e = *at;

        if (e->uses || e->tokens) {
            at = &e->next;
            continue;
        }
        *at = e->next;
        free(e);
    }
}

bool cache_grow(struct cache *c, struct cache_entry *entry, int64_t tokens)
{
    int64_t missing = c->held + tokens - c->pool;

    if (c->in_use + tokens > c->pool)
        return false;
    bool evicted = missing > 0;
    while (missing > 0) {
        struct cache_entry *victim = oldest_unused(c);
        int64_t cut = victim->tokens < missing ? victim->tokens : missing;

        victim->tokens -= cut;
        c->held -= cut;
        missing -= cut;
    }
    if (evicted)
        drop_empty(c);
    entry->tokens += tokens;
    c->held += tokens;
    c->in_use += tokens;
    return true;
}

void cache_close(struct cache *c, struct cache_entry *entry, int64_t now_ns)
{
    if (--entry->uses)
        return;
    entry->used_ns = now_ns;
    c->in_use -= entry->tokens;
}

int64_t cache_in_use(const struct cache *c)
{
    return c->in_use;
}

int64_t cache_held(const struct cache *c)
{
    return c->held;
}

int64_t cache_pool(const struct cache *c)
{
    return c->pool;
}
