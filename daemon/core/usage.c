// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/usage.h"

#include <string.h>

static int gpus_of_node(const struct core *c, const char *name)
{
    for (size_t i = 0; i < c->node_count; i++)
        if (!strcmp(c->nodes[i].name, name))
            return c->nodes[i].gpus_total;
    return 0;
}

static void add(const struct core *c, const struct sweep *s, const struct sweep_point *p,
                const struct attempt *a, struct usage *u)
{
    bool over = a->ended_at > 0;
    int gpus = point_gpus(&p->point);
    int spare = s->placement == PLACE_EXCLUSIVE ? gpus_of_node(c, a->node) - gpus : 0;
    double held = (double)((over ? a->ended_at : c->wall) - a->started_at);

    if (!a->started_at || held <= 0)
        return;
    if (spare > 0)
        u->idle += held * spare;
    if (a->state != ATTEMPT_JUDGED && a->state != ATTEMPT_LOST)
        u->running += held * gpus;
    else if (outcome_class(a->outcome) == CLASS_OK)
        u->useful += held * gpus;
    else
        u->failed[a->outcome] += held * gpus;
}

struct usage usage_of(const struct core *c, const struct sweep *s)
{
    struct usage u = {0};

    for (size_t i = 0; i < s->point_count; i++)
        for (size_t k = 0; k < s->points[i].attempt_count; k++)
            add(c, s, &s->points[i], &s->points[i].attempts[k], &u);
    return u;
}
