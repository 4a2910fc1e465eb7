// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/rank.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/schedule.h"

// All sweeps of one runner label share its nodes.
struct group {
    const char *runner;
    struct schedule_task *tasks;
    struct ref *refs; // of each task
    size_t count, task_cap, ref_cap;
    int *gpus; // of each node
    const struct node **nodes;
    size_t node_count;
    int largest; // GPUs of a node
    struct schedule_hold *holds;
    size_t hold_count, hold_cap;
    bool packed, whole; // placements that occur
};

// FNV-1a.
static void mix(uint64_t *sum, const void *bytes, size_t count)
{
    const unsigned char *p = bytes;

    for (size_t i = 0; i < count; i++)
        *sum = (*sum ^ p[i]) * UINT64_C(0x100000001b3);
}

static uint64_t signature(const struct core *c)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    const char *why_not;

    for (size_t i = 0; i < c->node_count; i++) {
        unsigned char usable = node_usable(&c->nodes[i], &why_not);

        mix(&sum, &usable, 1);
        mix(&sum, c->nodes[i].name, strlen(c->nodes[i].name));
    }
    for (size_t i = 0; i < c->sweep_count; i++) {
        struct sweep *s = c->sweeps[i];

        if (s->state != SWEEP_ACTIVE)
            continue;
        mix(&sum, &s->seq, sizeof(s->seq));
        for (size_t j = 0; j < s->point_count; j++) {
            const struct attempt *live =
                s->points[j].state == POINT_ACTIVE ? sweep_point_live(&s->points[j]) : NULL;
            unsigned char state[] = {(unsigned char)s->points[j].state, live && live->started_at};

            mix(&sum, state, sizeof(state));
        }
    }
    return sum;
}

static void add_nodes(const struct core *c, struct group *g)
{
    const char *why_not;

    g->gpus = mem_array(c->node_count, sizeof(*g->gpus));
    g->nodes = mem_array(c->node_count, sizeof(*g->nodes));
    for (size_t i = 0; i < c->node_count; i++) {
        const struct node *n = &c->nodes[i];

        if (strcmp(n->fleet, g->runner) != 0 || !node_usable(n, &why_not))
            continue;
        if (n->gpus_total > g->largest)
            g->largest = n->gpus_total;
        g->nodes[g->node_count] = n;
        g->gpus[g->node_count++] = n->gpus_total;
    }
}

static void add_hold(struct group *g, const char *node, int gpus, int64_t until)
{
    for (size_t i = 0; until > 0 && i < g->node_count; i++) {
        if (strcmp(g->nodes[i]->name, node) != 0)
            continue;
        g->holds = mem_room(g->holds, g->hold_count, &g->hold_cap, sizeof(*g->holds));
        g->holds[g->hold_count++] = (struct schedule_hold){i, gpus, until};
    }
}

static void add_task(struct group *g, int64_t duration, int gpus, struct ref ref)
{
    g->tasks = mem_room(g->tasks, g->count, &g->task_cap, sizeof(*g->tasks));
    g->refs = mem_room(g->refs, g->count, &g->ref_cap, sizeof(*g->refs));
    g->tasks[g->count] = (struct schedule_task){duration, gpus};
    g->refs[g->count++] = ref;
}

static void add_sweep_points(const struct core *c, struct group *g, struct sweep *s)
{
    double pace = sweep_pace(s);

    for (size_t j = 0; j < s->point_count; j++) {
        struct sweep_point *p = &s->points[j];
        const struct attempt *live = p->state == POINT_ACTIVE ? sweep_point_live(p) : NULL;
        int64_t expected = (int64_t)((double)p->expected_us * pace);
        int gpus = s->placement == PLACE_EXCLUSIVE ? g->largest : point_gpus(&p->point);

        p->rank = 0;
        p->planned_node = 0;
        if (p->state == POINT_DONE)
            continue;
        if (live && live->started_at) {
            int64_t until = live->started_at + expected - c->wall;

            add_hold(g, live->node, gpus, until);
            if (until > 0 && c->wall + until > s->planned_end)
                s->planned_end = c->wall + until;
        } else {
            add_task(g, expected, gpus, (struct ref){s->seq, (int)j, 0});
        }
    }
    g->whole |= s->placement == PLACE_EXCLUSIVE;
    g->packed |= s->placement == PLACE_PACKED;
}

static void use(struct core *c, const struct group *g, const struct schedule *plan)
{
    for (size_t i = 0; i < g->count; i++) {
        struct sweep *s = core_sweep(c, g->refs[plan->order[i]].sweep);
        const struct schedule_row *row = &plan->rows[plan->order[i]];

        struct sweep_point *p = &s->points[g->refs[plan->order[i]].point];

        p->rank = (int)i + 1;
        if (!row->placed)
            continue;
        p->planned_node = (size_t)(g->nodes[row->node] - c->nodes) + 1;
        p->planned_start = c->wall + row->start;
        p->planned_end = c->wall + row->end;
        if (p->planned_end > s->planned_end)
            s->planned_end = p->planned_end;
    }
}

static bool already_ranked(const struct core *c, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (c->sweeps[k]->state == SWEEP_ACTIVE &&
            !strcmp(c->sweeps[k]->runner, c->sweeps[i]->runner))
            return true;
    return false;
}

static void rank_group(struct core *c, const char *runner)
{
    struct group g = {.runner = runner};
    struct schedule plan;

    add_nodes(c, &g);
    for (size_t i = 0; i < c->sweep_count; i++) {
        struct sweep *s = c->sweeps[i];

        if (s->state != SWEEP_ACTIVE || strcmp(s->runner, runner) != 0)
            continue;
        s->planned_end = 0;
        add_sweep_points(c, &g, s);
    }
    struct schedule_input in = {
        .tasks = g.tasks,
        .count = g.count,
        .node_gpus = g.gpus,
        .nodes = g.node_count,
        .holds = g.holds,
        .hold_count = g.hold_count,
        .placement = g.packed ? PLACE_PACKED : PLACE_EXCLUSIVE,
        .effort = SCHEDULE_EFFORT_DISPATCH,
    };
    if (g.count && g.node_count && g.count <= SCHEDULE_EFFORT_DISPATCH / g.node_count) {
        schedule_make(&in, &plan);
        use(c, &g, &plan);
        schedule_free(&plan);
    } else if (g.count) {
        for (size_t i = 0; i < c->sweep_count; i++)
            if (!strcmp(c->sweeps[i]->runner, runner))
                c->sweeps[i]->planned_end = 0; // not known
    }
    free(g.tasks);
    free(g.refs);
    free(g.gpus);
    free(g.nodes);
    free(g.holds);
}

void rank_update(struct core *c)
{
    uint64_t now = signature(c);

    if (now == c->ranked_for)
        return;
    c->ranked_for = now;
    for (size_t i = 0; i < c->sweep_count; i++)
        if (c->sweeps[i]->state == SWEEP_ACTIVE && !already_ranked(c, i))
            rank_group(c, c->sweeps[i]->runner);
}
