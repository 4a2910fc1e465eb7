// SPDX-License-Identifier: GPL-2.0-or-later
#include "timeline.h"

#include <stdlib.h>

#include "base/mem.h"

static bool before(const struct happening *a, const struct happening *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void swap(struct happening *a, struct happening *b)
{
    struct happening t = *a;

    *a = *b;
    *b = t;
}

void timeline_add(struct timeline *l, int64_t at, enum happening_kind kind, int who,
                  unsigned version)
{
    l->heap = mem_room(l->heap, l->count, &l->cap, sizeof(*l->heap));
    size_t i = l->count++;
    l->heap[i] = (struct happening){at, ++l->last_order, kind, who, version};
    while (i && before(&l->heap[i], &l->heap[(i - 1) / 2])) {
        swap(&l->heap[i], &l->heap[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
}

bool timeline_take(struct timeline *l, struct happening *ret)
{
    size_t i = 0;

    if (!l->count)
        return false;
    *ret = l->heap[0];
    l->heap[0] = l->heap[--l->count];
    for (;;) {
        size_t least = i;

        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < l->count; child++)
            if (before(&l->heap[child], &l->heap[least]))
                least = child;
        if (least == i)
            return true;
        swap(&l->heap[i], &l->heap[least]);
        i = least;
    }
}

void timeline_free(struct timeline *l)
{
    free(l->heap);
    *l = (struct timeline){0};
}
