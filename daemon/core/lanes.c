// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/lanes.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

// Puts `need` lanes that are free at `at` to use until `end`. Of those free by
// then it takes the ones that became free last: the others can serve a smaller
// task before.
static int take(struct lane_node *n, int need, int64_t at, int64_t end)
{
    int last = need - 1;
    int wave = 0;
    int to;

    while (last + 1 < n->count && n->lanes[last + 1].free_at <= at)
        last++;
    int first = last - need + 1;
    for (int i = first; i <= last; i++)
        if (n->lanes[i].wave > wave)
            wave = n->lanes[i].wave;
    for (to = first; to + need < n->count && n->lanes[to + need].free_at < end; to++)
        n->lanes[to] = n->lanes[to + need];
    for (int i = to; i < to + need; i++)
        n->lanes[i] = (struct lane){end, wave + 1};
    return wave + 1;
}

void lanes_init(struct lanes *l, const struct schedule_input *in)
{
    *l = (struct lanes){mem_array(in->nodes, sizeof(*l->nodes)), in->nodes,
                        in->placement == PLACE_EXCLUSIVE};
    for (size_t i = 0; i < in->nodes; i++) {
        int gpus = in->node_gpus[i] < SCHEDULE_GPUS_MAX ? in->node_gpus[i] : SCHEDULE_GPUS_MAX;

        l->nodes[i] = (struct lane_node){.gpus = gpus, .count = l->whole ? gpus > 0 : gpus};
    }
    for (size_t i = 0; i < in->hold_count; i++) {
        const struct schedule_hold *h = &in->holds[i];
        struct lane_node *n = &l->nodes[h->node];
        int gpus = h->gpus < n->count ? h->gpus : n->count;

        if (gpus < 1)
            continue;
        // A whole node is free when the last of its holds has ended.
        if (!l->whole || h->until > n->lanes[0].free_at)
            take(n, gpus, n->lanes[gpus - 1].free_at, h->until);
    }
}

void lanes_done(struct lanes *l)
{
    free(l->nodes);
    *l = (struct lanes){0};
}

void lanes_copy(struct lanes *to, const struct lanes *from)
{
    if (from->count)
        memcpy(to->nodes, from->nodes, from->count * sizeof(*to->nodes));
}

// GPUs that would stay free beside the task when it begins at `at`.
static int left_over(const struct lane_node *n, int need, int64_t at)
{
    int idle = 0;

    while (idle < n->count && n->lanes[idle].free_at <= at)
        idle++;
    return idle - need;
}

int64_t lanes_place(struct lanes *l, const struct schedule_task *t, struct schedule_row *row)
{
    struct lane_node *best = NULL;
    int need = l->whole ? 1 : t->gpus;
    int64_t at = 0;

    for (size_t i = 0; i < l->count; i++) {
        struct lane_node *n = &l->nodes[i];

        if (t->gpus > n->gpus)
            continue;
        int64_t begins = n->lanes[need - 1].free_at;
        if (!best || begins < at ||
            (!l->whole && begins == at && left_over(n, need, at) < left_over(best, need, at))) {
            best = n;
            at = begins;
        }
    }
    if (!best)
        return -1;
    int wave = take(best, need, at, at + t->duration);
    if (row)
        *row = (struct schedule_row){.placed = true,
                                     .node = (size_t)(best - l->nodes),
                                     .wave = wave,
                                     .start = at,
                                     .end = at + t->duration};
    return at + t->duration;
}
