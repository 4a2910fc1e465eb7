// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/lanes.h"

// An order is handed out task by task, so what is searched is an order. Some of
// the last orders are remembered, and one that is no worse than that of so many
// steps ago is gone on from (late acceptance): it gets out of the dead ends that
// a search which only goes uphill ends in.
enum { LATE = 50 };

struct cost {
    int64_t makespan;
    double spread; // sum of the squares of the ends: lower is more even
};

struct search {
    const struct schedule_input *in;
    struct lanes empty, lanes;
    uint64_t random;
};

struct weight {
    size_t index;
    double key;
};

static int heaviest_first(const void *a, const void *b)
{
    const struct weight *x = a;
    const struct weight *y = b;

    if (x->key > y->key || x->key < y->key)
        return x->key > y->key ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

static bool better(const struct cost *a, const struct cost *b)
{
    if (a->makespan != b->makespan)
        return a->makespan < b->makespan;
    return a->spread < b->spread;
}

// xorshift64: the same on every machine.
static size_t pick(struct search *s, size_t below)
{
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return (size_t)(s->random % below);
}

static struct cost hand_out(struct search *s, const size_t *order, struct schedule_row *rows)
{
    const struct schedule_input *in = s->in;
    struct cost cost = {0};

    lanes_copy(&s->lanes, &s->empty);
    for (size_t i = 0; i < in->count; i++) {
        struct schedule_row *row = rows ? &rows[order[i]] : NULL;
        int64_t end = lanes_place(&s->lanes, &in->tasks[order[i]], row);

        if (end > cost.makespan)
            cost.makespan = end;
    }
    for (size_t i = 0; i < s->lanes.count; i++) {
        const struct lane_node *n = &s->lanes.nodes[i];

        for (int g = 0; g < n->count; g++)
            cost.spread += (double)n->lanes[g].free_at * (double)n->lanes[g].free_at;
    }
    return cost;
}

// Three ways to say what is heavy: the time, the GPU time, the GPUs before the time.
enum { SEEDS = 3 };

static double weigh(const struct schedule_task *t, int seed)
{
    double time = (double)t->duration;

    return seed == 0 ? time : seed == 1 ? time * t->gpus : time + t->gpus * 1e15;
}

static void seed_order(const struct schedule_input *in, int seed, size_t *ret)
{
    struct weight *list = mem_array(in->count, sizeof(*list));

    for (size_t i = 0; i < in->count; i++)
        list[i] = (struct weight){i, weigh(&in->tasks[i], seed)};
    qsort(list, in->count, sizeof(*list), heaviest_first);
    for (size_t i = 0; i < in->count; i++)
        ret[i] = list[i].index;
    free(list);
}

static struct cost best_seed(struct search *s, size_t *order, int64_t *effort)
{
    const struct schedule_input *in = s->in;
    size_t *other = mem_array(in->count, sizeof(*other));
    struct cost best;

    seed_order(in, 0, order);
    best = hand_out(s, order, NULL);
    *effort -= (int64_t)(in->count * in->nodes);
    for (int i = 1; i < SEEDS && in->placement == PLACE_PACKED && *effort > 0; i++) {
        seed_order(in, i, other);
        struct cost cost = hand_out(s, other, NULL);

        *effort -= (int64_t)(in->count * in->nodes);
        if (better(&cost, &best)) {
            best = cost;
            memcpy(order, other, in->count * sizeof(*order));
        }
    }
    free(other);
    return best;
}

static void swap(size_t *order, size_t a, size_t b)
{
    size_t keep = order[a];

    order[a] = order[b];
    order[b] = keep;
}

static void move(size_t *order, size_t from, size_t to)
{
    size_t keep = order[from];

    if (from < to)
        memmove(order + from, order + from + 1, (to - from) * sizeof(*order));
    else
        memmove(order + to + 1, order + to, (from - to) * sizeof(*order));
    order[to] = keep;
}

static void improve(struct search *s, size_t *order, struct cost best, int64_t bound,
                    int64_t effort)
{
    size_t n = s->in->count;
    size_t *now = mem_array(n, sizeof(*now));
    struct cost late[LATE];
    struct cost current = best;

    memcpy(now, order, n * sizeof(*now));
    for (int i = 0; i < LATE; i++)
        late[i] = best;
    for (size_t step = 0; effort > 0 && best.makespan > bound; step++) {
        size_t a = pick(s, n);
        size_t b = pick(s, n);
        bool moves = pick(s, 2);

        if (moves)
            move(now, a, b);
        else
            swap(now, a, b);
        struct cost cost = hand_out(s, now, NULL);
        effort -= (int64_t)(n * s->in->nodes);
        if (better(&cost, &best)) {
            best = cost;
            memcpy(order, now, n * sizeof(*order));
        }
        if (better(&late[step % LATE], &cost) && better(&current, &cost)) {
            if (moves)
                move(now, b, a);
            else
                swap(now, a, b);
        } else {
            current = cost;
        }
        late[step % LATE] = current;
    }
    free(now);
}

void schedule_make(const struct schedule_input *in, struct schedule *ret)
{
    struct search s = {.in = in, .random = UINT64_C(0x9e3779b97f4a7c15)};
    int64_t effort = in->effort;

    *ret = (struct schedule){.rows = mem_array(in->count, sizeof(*ret->rows)),
                             .order = mem_array(in->count, sizeof(*ret->order)),
                             .count = in->count};
    if (!in->count || !in->nodes)
        return;
    ret->bound = schedule_bound(in);
    lanes_init(&s.empty, in);
    lanes_init(&s.lanes, in);
    struct cost best = best_seed(&s, ret->order, &effort);
    if (in->count > 1)
        improve(&s, ret->order, best, ret->bound, effort);
    ret->makespan = hand_out(&s, ret->order, ret->rows).makespan;
    for (size_t i = 0; i < in->count; i++)
        if (ret->rows[i].placed)
            ret->gpu_us += (double)in->tasks[i].duration * (in->placement == PLACE_EXCLUSIVE
                                                                ? in->node_gpus[ret->rows[i].node]
                                                                : in->tasks[i].gpus);
    lanes_done(&s.lanes);
    lanes_done(&s.empty);
}

void schedule_free(struct schedule *s)
{
    free(s->rows);
    free(s->order);
    *s = (struct schedule){0};
}
