// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/sweep.h"

#include <stdlib.h>
#include <string.h>

static const char *const point_states[] = {"waiting", "active", "done"};
static const char *const sweep_states[] = {"active", "cancelling", "done"};
static const char *const failure_modes[] = {"fail-fast", "keep-going"};
static const char *const placements[] = {"exclusive", "packed"};
static const char *const estimate_sources[] = {"model", "history", "arm"};

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

static int find(const char *const *names, int count, const char *name)
{
    int i = 0;

    while (i < count && strcmp(names[i], name) != 0)
        i++;
    return i < count ? i : -1;
}

const char *point_state_name(enum point_state s)
{
    return point_states[s];
}

const char *sweep_state_name(enum sweep_state s)
{
    return sweep_states[s];
}

const char *on_failure_name(enum on_failure f)
{
    return failure_modes[f];
}

const char *placement_name(enum placement p)
{
    return placements[p];
}

const char *estimate_source_name(enum estimate_source s)
{
    return estimate_sources[s];
}

bool point_state_from_name(const char *name, enum point_state *ret)
{
    int i = find(point_states, COUNT(point_states), name);

    if (i >= 0)
        *ret = (enum point_state)i;
    return i >= 0;
}

bool sweep_state_from_name(const char *name, enum sweep_state *ret)
{
    int i = find(sweep_states, COUNT(sweep_states), name);

    if (i >= 0)
        *ret = (enum sweep_state)i;
    return i >= 0;
}

bool on_failure_from_name(const char *name, enum on_failure *ret)
{
    int i = find(failure_modes, COUNT(failure_modes), name);

    if (i >= 0)
        *ret = (enum on_failure)i;
    return i >= 0;
}

bool placement_from_name(const char *name, enum placement *ret)
{
    int i = find(placements, COUNT(placements), name);

    if (i >= 0)
        *ret = (enum placement)i;
    return i >= 0;
}

void sweep_free(struct sweep *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->point_count; i++) {
        struct sweep_point *p = &s->points[i];

        for (size_t j = 0; j < p->attempt_count; j++)
            free(p->attempts[j].summary);
        free(p->attempts);
        free(p->job_env);
    }
    free(s->points);
    free(s);
}

struct attempt *sweep_point_live(struct sweep_point *p)
{
    for (size_t i = p->attempt_count; i-- > 0;)
        if (p->attempts[i].state != ATTEMPT_JUDGED && p->attempts[i].state != ATTEMPT_LOST)
            return &p->attempts[i];
    return NULL;
}

struct attempt *sweep_point_attempt(struct sweep_point *p, int number)
{
    for (size_t i = 0; i < p->attempt_count; i++)
        if (p->attempts[i].number == number)
            return &p->attempts[i];
    return NULL;
}

const struct sweep_point *sweep_point_find(const struct sweep *s, const char *name)
{
    for (size_t i = 0; i < s->point_count; i++)
        if (!strcmp(s->points[i].point.name, name))
            return &s->points[i];
    return NULL;
}

const struct attempt *sweep_point_chosen(const struct sweep_point *p)
{
    for (size_t i = 0; i < p->attempt_count; i++)
        if (p->chosen && p->attempts[i].number == p->chosen)
            return &p->attempts[i];
    return NULL;
}

struct sweep_counts sweep_count(const struct sweep *s)
{
    struct sweep_counts c = {0};

    for (size_t i = 0; i < s->point_count; i++) {
        const struct sweep_point *p = &s->points[i];

        c.waiting += p->state == POINT_WAITING;
        c.active += p->state == POINT_ACTIVE;
        c.done += p->state == POINT_DONE;
        if (p->state == POINT_DONE)
            c.outcomes[p->outcome]++;
    }
    return c;
}

double sweep_pace(const struct sweep *s)
{
    double expected = 0;
    double took = 0;

    for (size_t i = 0; i < s->point_count; i++) {
        const struct attempt *a = sweep_point_chosen(&s->points[i]);

        if (s->points[i].state != POINT_DONE || !a || !a->started_at || !a->ended_at)
            continue;
        expected += (double)s->points[i].expected_us;
        took += (double)(a->ended_at - a->started_at);
    }
    return expected > 0 ? took / expected : 1.0;
}

double sweep_progress(const struct sweep *s, int64_t wall_us, int64_t *ret_left_us)
{
    double scale = sweep_pace(s);
    double total = 0;
    double done = 0;

    for (size_t i = 0; i < s->point_count; i++) {
        struct sweep_point *p = &s->points[i];
        double expected = (double)p->expected_us * scale;
        const struct attempt *live = sweep_point_live(p);

        total += expected;
        if (p->state == POINT_DONE) {
            done += expected;
        } else if (live && live->started_at) {
            double ran = (double)(wall_us - live->started_at);

            done += ran < expected ? ran : expected;
        }
    }
    *ret_left_us = (int64_t)(total - done);
    return total > 0 ? done / total : 1.0;
}
