// SPDX-License-Identifier: GPL-2.0-or-later
// What no placement can beat.
#include <stdlib.h>

#include "base/mem.h"
#include "core/schedule.h"

static int need_of(const struct schedule_input *in, const struct schedule_task *t)
{
    return in->placement == PLACE_EXCLUSIVE ? 1 : t->gpus;
}

static int places_of(const struct schedule_input *in, size_t node, int size)
{
    if (in->placement == PLACE_EXCLUSIVE)
        return in->node_gpus[node] >= size;
    return in->node_gpus[node] / size;
}

static int longest_first(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;

    return (x < y) - (x > y);
}

// All work, spread evenly over everything, after what holds it now.
static int64_t even(const struct schedule_input *in)
{
    double work = 0;
    double room = 0;

    for (size_t i = 0; i < in->count; i++)
        work += (double)in->tasks[i].duration * need_of(in, &in->tasks[i]);
    for (size_t i = 0; i < in->nodes; i++)
        room += places_of(in, i, 1);
    return room > 0 ? (int64_t)(work / room) : 0;
}

// Tasks of at least this size have that many places at a time. Of the k * places
// + 1 longest some k + 1 must share one, which takes the k + 1 shortest of them
// at the least.
static int64_t rounds(const int64_t *longest, size_t count, size_t places)
{
    int64_t best = 0;

    for (size_t k = 0; k * places < count; k++) {
        int64_t sum = 0;

        for (size_t i = 0; i <= k; i++)
            sum += longest[k * places - i];
        if (sum > best)
            best = sum;
        if (k >= places) // few tasks a place is where this bound is the best one
            break;
    }
    return best;
}

static int64_t of_size(const struct schedule_input *in, int size, int64_t *scratch)
{
    size_t count = 0;
    size_t places = 0;
    double work = 0;

    for (size_t i = 0; i < in->nodes; i++)
        places += (size_t)places_of(in, i, size);
    for (size_t i = 0; i < in->count; i++)
        if (in->tasks[i].gpus >= size)
            scratch[count++] = in->tasks[i].duration;
    if (!count || !places)
        return 0;
    for (size_t i = 0; i < count; i++)
        work += (double)scratch[i];
    qsort(scratch, count, sizeof(*scratch), longest_first);
    int64_t by_rounds = rounds(scratch, count, places);
    int64_t by_work = (int64_t)(work / (double)places);
    return by_rounds > by_work ? by_rounds : by_work;
}

int64_t schedule_bound(const struct schedule_input *in)
{
    int64_t *scratch = mem_array(in->count, sizeof(*scratch));
    bool sizes[SCHEDULE_GPUS_MAX + 1] = {false};
    int64_t best = even(in);

    for (size_t i = 0; i < in->count; i++)
        if (in->tasks[i].gpus > 0 && in->tasks[i].gpus <= SCHEDULE_GPUS_MAX)
            sizes[in->tasks[i].gpus] = true;
    for (int size = 1; size <= SCHEDULE_GPUS_MAX; size++) {
        int64_t bound = sizes[size] ? of_size(in, size, scratch) : 0;

        if (bound > best)
            best = bound;
    }
    free(scratch);
    return best;
}
