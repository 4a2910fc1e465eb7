// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/slots.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static bool fits(const struct slot_node *n, const struct sweep *sweep, int gpus)
{
    if (sweep->placement == PLACE_EXCLUSIVE)
        return n->whole && n->node->gpus_total >= gpus;
    return n->gpus_free >= gpus;
}

static bool excluded(const struct sweep_point *p, const char *node)
{
    for (size_t i = 0; i < p->excluded_count; i++)
        if (!strcmp(p->excluded[i], node))
            return true;
    return false;
}

static bool serves(const struct node *n, const struct sweep *sweep)
{
    return !strcmp(n->fleet, sweep->runner);
}

bool slots_all_excluded(const struct core *c, const struct sweep *sweep,
                        const struct sweep_point *p)
{
    const char *why_not;

    for (size_t i = 0; i < c->node_count; i++) {
        const struct node *n = &c->nodes[i];

        if (serves(n, sweep) && node_usable(n, &why_not) && !excluded(p, n->name))
            return false;
    }
    return true;
}

static void occupy(struct slot_node *n, const struct sweep *sweep, int gpus)
{
    n->gpus_free = sweep->placement == PLACE_EXCLUSIVE ? 0 : n->gpus_free - gpus;
    n->whole = false;
}

// The fullest node that still has room keeps whole nodes whole.
static struct slot_node *best(const struct slots *s, const struct sweep *sweep,
                              const struct sweep_point *p)
{
    bool anywhere = slots_all_excluded(s->core, sweep, p);
    int gpus = point_gpus(&p->point);
    struct slot_node *found = NULL;

    for (size_t i = 0; i < s->count; i++) {
        struct slot_node *n = &s->nodes[i];

        if (!serves(n->node, sweep) || !fits(n, sweep, gpus) ||
            (!anywhere && excluded(p, n->node->name)))
            continue;
        if (!found || n->gpus_free < found->gpus_free)
            found = n;
    }
    return found;
}

static size_t nodes_of(const struct slots *s, const struct sweep *sweep)
{
    size_t n = 0;

    for (size_t i = 0; i < s->count; i++)
        n += serves(s->nodes[i].node, sweep);
    return n;
}

// Ours that have no node yet: each takes the room that it will probably get.
static void place_queued(struct slots *s)
{
    for (size_t i = 0; i < s->core->sweep_count; i++) {
        const struct sweep *sweep = s->core->sweeps[i];

        for (size_t j = 0; j < sweep->point_count; j++) {
            struct sweep_point *p = &sweep->points[j];
            const struct attempt *a = p->state == POINT_ACTIVE ? sweep_point_live(p) : NULL;
            struct slot_node *n;

            if (!a || a->state > ATTEMPT_PENDING)
                continue;
            n = best(s, sweep, p);
            if (n)
                occupy(n, sweep, point_gpus(&p->point));
            else
                s->ahead++;
        }
    }
}

void slots_init(struct slots *s, const struct core *c)
{
    const char *why_not;

    *s = (struct slots){.core = c, .nodes = mem_array(c->node_count, sizeof(struct slot_node))};
    for (size_t i = 0; i < c->node_count; i++) {
        const struct node *n = &c->nodes[i];

        if (!n->fleet[0] || !node_usable(n, &why_not))
            continue;
        s->nodes[s->count++] = (struct slot_node){
            .node = n,
            .gpus_free = n->flags & NODE_COMPLETING ? 0 : n->gpus_total - n->gpus_used,
            .whole = node_idle(n),
        };
    }
    place_queued(s);
}

void slots_done(struct slots *s)
{
    free(s->nodes);
    *s = (struct slots){0};
}

bool slots_take(struct slots *s, const struct sweep *sweep, const struct sweep_point *p)
{
    struct slot_node *n = best(s, sweep, p);

    if (n) {
        occupy(n, sweep, point_gpus(&p->point));
        return true;
    }
    // One ahead per node closes the gap between two jobs. While others wait,
    // standing in the queue for them would be taking their place.
    if (s->core->foreign_pending > 0 || (size_t)s->ahead >= nodes_of(s, sweep))
        return false;
    s->ahead++;
    return true;
}
