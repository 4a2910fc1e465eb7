// SPDX-License-Identifier: GPL-2.0-or-later
#include "spec/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { BLOCK_BYTES = 64 * 1024 };

struct block {
    struct block *next;
    size_t used;
    size_t size;
    alignas(max_align_t) char bytes[];
};

struct arena {
    struct block *blocks; // the newest first; only it is filled further
};

struct arena *arena_create(void)
{
    return mem_alloc(sizeof(struct arena));
}

void arena_free(struct arena *a)
{
    if (!a)
        return;
    while (a->blocks) {
        struct block *b = a->blocks;

        a->blocks = b->next;
        free(b);
    }
    free(a);
}

static void add_block(struct arena *a, size_t need)
{
    size_t size = need > BLOCK_BYTES ? need : BLOCK_BYTES;
    struct block *b = mem_alloc(sizeof(*b) + size);

    b->size = size;
    b->next = a->blocks;
    a->blocks = b;
}

void *arena_alloc(struct arena *a, size_t count, size_t size)
{
    const size_t align = alignof(max_align_t);

    if (size && count > (SIZE_MAX - BLOCK_BYTES) / size)
        return mem_array(count, size); // ends the process with its message
    size_t need = (count * size + align - 1) / align * align;
    if (!a->blocks || a->blocks->size - a->blocks->used < need)
        add_block(a, need);
    void *p = a->blocks->bytes + a->blocks->used;
    a->blocks->used += need;
    return p;
}

char *arena_text(struct arena *a, const char *text, size_t len)
{
    char *copy = arena_alloc(a, len + 1, 1);

    if (len)
        memcpy(copy, text, len);
    return copy;
}

char *arena_strdup(struct arena *a, const char *text)
{
    return text ? arena_text(a, text, strlen(text)) : NULL;
}

void arena_adopt(struct arena *a, struct arena *other)
{
    struct block **end = &a->blocks;

    while (*end)
        end = &(*end)->next;
    *end = other->blocks;
    free(other);
}
