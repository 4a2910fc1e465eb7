// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/history.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "core/duration.h"

struct sample {
    char name[POINT_NAME_MAX]; // of the point, or of its arm
    size_t age;                // 0: the newest
    double value;
};

struct samples {
    struct sample *list;
    size_t count;
};

static int by_name_and_age(const void *a, const void *b)
{
    const struct sample *x = a;
    const struct sample *y = b;
    int order = strcmp(x->name, y->name);

    return order ? order : (x->age > y->age) - (x->age < y->age);
}

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

// An evaluation is another kind of work, so it is another arm.
static void arm_of(const struct point *p, char *buf, size_t size)
{
    char arm[POINT_NAME_MAX - 8];

    point_arm(p, arm, sizeof(arm));
    str_copy(buf, size, arm);
    if (p->kind == POINT_EVAL)
        memcpy(buf + strlen(buf), "-eval", sizeof("-eval"));
}

static bool comparable(const struct sweep *a, const struct sweep *b)
{
    return a->fast == b->fast && !strcmp(a->model, b->model) && !strcmp(a->recipe, b->recipe) &&
           !strcmp(a->runner, b->runner);
}

static void gather_sweep(const struct sweep *s, struct samples *points, struct samples *arms)
{
    for (size_t i = 0; i < s->point_count && points->count < HISTORY_ATTEMPTS_MAX; i++) {
        const struct sweep_point *p = &s->points[i];
        const struct attempt *a = sweep_point_chosen(p);
        enum outcome_class class = outcome_class(p->outcome);

        if (!a || !a->started_at || a->ended_at <= a->started_at ||
            (class != CLASS_OK && class != CLASS_USABLE))
            continue;
        double took = (double)(a->ended_at - a->started_at);
        struct sample *point = &points->list[points->count];
        struct sample *arm = &arms->list[arms->count];

        str_copy(point->name, sizeof(point->name), p->point.name);
        arm_of(&p->point, arm->name, sizeof(arm->name));
        point->age = points->count++;
        arm->age = arms->count++;
        point->value = took;
        arm->value = took / (double)duration_model(&p->point, s->fast);
    }
}

// The median of the newest of that name; *ret_count is 0 without any.
static double median_of(const struct samples *s, const char *name, int *ret_count)
{
    double values[HISTORY_SAMPLES];
    size_t low = 0;
    size_t high = s->count;
    int n = 0;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(s->list[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; n < HISTORY_SAMPLES && low < s->count && !strcmp(s->list[low].name, name); low++)
        values[n++] = s->list[low].value;
    *ret_count = n;
    if (!n)
        return 0;
    qsort(values, (size_t)n, sizeof(values[0]), rising);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static void correct(const struct samples *points, const struct samples *arms, bool fast,
                    struct sweep_point *p)
{
    char arm[POINT_NAME_MAX];
    double value = median_of(points, p->point.name, &p->samples);

    p->source = ESTIMATE_MODEL;
    if (p->samples) {
        p->source = ESTIMATE_HISTORY;
        p->expected_us = (int64_t)value;
        return;
    }
    arm_of(&p->point, arm, sizeof(arm));
    value = median_of(arms, arm, &p->samples);
    if (p->samples) {
        p->source = ESTIMATE_ARM;
        p->expected_us = (int64_t)(value * (double)duration_model(&p->point, fast));
    }
}

void history_apply(const struct core *c, struct sweep *s)
{
    struct samples points = {mem_array(HISTORY_ATTEMPTS_MAX, sizeof(struct sample)), 0};
    struct samples arms = {mem_array(HISTORY_ATTEMPTS_MAX, sizeof(struct sample)), 0};

    for (size_t i = c->sweep_count; i-- > 0;)
        if (comparable(c->sweeps[i], s))
            gather_sweep(c->sweeps[i], &points, &arms);
    qsort(points.list, points.count, sizeof(struct sample), by_name_and_age);
    qsort(arms.list, arms.count, sizeof(struct sample), by_name_and_age);
    for (size_t i = 0; i < s->point_count; i++)
        correct(&points, &arms, s->fast, &s->points[i]);
    free(points.list);
    free(arms.list);
}

const struct sweep *history_last(const struct core *c, const char *key)
{
    for (size_t i = c->sweep_count; i-- > 0;)
        if (!strcmp(c->sweeps[i]->key, key))
            return c->sweeps[i];
    return NULL;
}
