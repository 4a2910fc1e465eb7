// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct lane {
    int64_t free_at[SCHEDULE_GPUS_MAX]; // of each GPU, rising
    int wave;
};

struct order {
    size_t index;
    int64_t duration;
};

static int longest_first(const void *a, const void *b)
{
    const struct order *x = a;
    const struct order *y = b;

    if (x->duration != y->duration)
        return x->duration > y->duration ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

static int rising(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

// When `need` GPUs of the node are free together.
static int64_t begins(const struct lane *l, int need)
{
    return l->free_at[need - 1];
}

static void place(const struct schedule_task *t, struct lane *lanes, size_t nodes, int gpus,
                  int need, struct schedule_row *row)
{
    size_t best = 0;

    for (size_t n = 1; n < nodes; n++)
        if (begins(&lanes[n], need) < begins(&lanes[best], need))
            best = n;
    row->node = best;
    row->wave = ++lanes[best].wave;
    row->start = begins(&lanes[best], need);
    row->end = row->start + t->duration;
    for (int g = 0; g < need; g++)
        lanes[best].free_at[g] = row->end;
    qsort(lanes[best].free_at, (size_t)gpus, sizeof(int64_t), rising);
}

// The whole work spread evenly, and the longest task.
static int64_t lower_bound(const struct schedule_task *tasks, size_t count, size_t nodes, int gpus,
                           enum placement placement)
{
    double work = 0;
    int64_t longest = 0;

    for (size_t i = 0; i < count; i++) {
        int need = placement == PLACE_EXCLUSIVE ? gpus : tasks[i].gpus;

        work += (double)tasks[i].duration * need;
        if (tasks[i].duration > longest)
            longest = tasks[i].duration;
    }
    int64_t even = (int64_t)(work / ((double)nodes * gpus));
    return even > longest ? even : longest;
}

void schedule_make(const struct schedule_task *tasks, size_t count, size_t nodes, int gpus,
                   enum placement placement, struct schedule *ret)
{
    struct lane *lanes = mem_array(nodes, sizeof(*lanes));
    struct order *order = mem_array(count, sizeof(*order));

    *ret = (struct schedule){.rows = mem_array(count, sizeof(*ret->rows)), .count = count};
    for (size_t i = 0; i < count; i++)
        order[i] = (struct order){i, tasks[i].duration};
    if (count)
        qsort(order, count, sizeof(*order), longest_first);
    for (size_t i = 0; nodes && i < count; i++) {
        const struct schedule_task *t = &tasks[order[i].index];
        int need = placement == PLACE_EXCLUSIVE ? gpus : t->gpus;
        struct schedule_row *row = &ret->rows[order[i].index];

        place(t, lanes, nodes, gpus, need, row);
        ret->gpu_us += (double)t->duration * need;
        if (row->end > ret->makespan)
            ret->makespan = row->end;
    }
    if (nodes)
        ret->bound = lower_bound(tasks, count, nodes, gpus, placement);
    free(order);
    free(lanes);
}

void schedule_free(struct schedule *s)
{
    free(s->rows);
    *s = (struct schedule){0};
}
