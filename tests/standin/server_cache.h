// SPDX-License-Identifier: GPL-2.0-or-later
// The KV pool with prefix caching. A conversation's tokens stay in the pool
// after an answer, as long as nobody needs the room; the conversation that
// was used longest ago gives up its tail first, as the leaves of a radix tree
// do. Conversations share nothing: the replay makes each first turn unique.
#ifndef STANDIN_SERVER_CACHE_H
#define STANDIN_SERVER_CACHE_H

#include <stdbool.h>
#include <stdint.h>

struct cache;
struct cache_entry; // one conversation, owned by the cache

struct cache *cache_create(int64_t pool_tokens, int page_size);
void cache_free(struct cache *c);

// Tokens of `prefix` that conv has in the pool (whole pages). Changes nothing.
int64_t cache_peek(const struct cache *c, const char *conv, int64_t prefix);
// Room that could be made for conv: free tokens and those of unused
// conversations other than conv.
int64_t cache_room(const struct cache *c, const char *conv);

// Takes conv into use and drops what it holds beyond `hit`, the part that the
// new prompt repeats. Each open ends with one close.
struct cache_entry *cache_open(struct cache *c, const char *conv, int64_t hit);
// Adds tokens to an open conversation, evicting others as needed. False, and
// nothing changed, when there is not enough to evict.
bool cache_grow(struct cache *c, struct cache_entry *entry, int64_t tokens);
void cache_close(struct cache *c, struct cache_entry *entry, int64_t now_ns);

int64_t cache_in_use(const struct cache *c); // tokens of open conversations
int64_t cache_held(const struct cache *c);   // tokens of all
int64_t cache_pool(const struct cache *c);

#endif
