// SPDX-License-Identifier: GPL-2.0-or-later
// What must hold of everything that core wants done.
#include <string.h>

#include "adapter.h"
#include "check.h"
#include "ledger.h"

static bool same_plan(const struct effects *a, const struct effects *b)
{
    if (a->count != b->count || a->next != b->next)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->list[i].kind != b->list[i].kind || a->list[i].ref.sweep != b->list[i].ref.sweep ||
            a->list[i].ref.point != b->list[i].ref.point ||
            a->list[i].ref.attempt != b->list[i].ref.attempt)
            return false;
    return true;
}

static bool clean(const struct versions *v)
{
    return v->now == v->stored;
}

static void check_listed(struct world *w, const struct effect *e)
{
    const struct core *c = &w->shell.core;
    const struct sweep *s = core_sweep(c, e->ref.sweep);
    const struct sweep_point *p = core_point(c, e->ref);
    const struct attempt *a = core_attempt(c, e->ref);

    if (e->kind == EFFECT_COMMIT)
        return;
    if (!s || !p || (e->kind != EFFECT_OPEN && !a)) {
        broken(w, e->ref, "plan: %s of nothing", effect_name(e->kind));
        return;
    }
    if (!clean(e->kind == EFFECT_OPEN ? &p->v : &a->v) || (e->kind == EFFECT_OPEN && !clean(&s->v)))
        broken(w, e->ref, "commit before act: %s is listed for something dirty",
               effect_name(e->kind));
}

void check_plan(struct world *w)
{
    struct shell *s = &w->shell;

    core_plan(&s->core, world_mono(w), &s->again);
    if (!same_plan(&s->effects, &s->again))
        broken(w, ALL, "plan: asked twice it says two things");
    for (size_t i = 0; i < s->effects.count; i++)
        check_listed(w, &s->effects.list[i]);
    if (s->effects.next <= world_mono(w))
        broken(w, ALL, "plan: what is due by time alone is due already and not listed");
}

// What the database must say before each effect may be carried out.
static bool durable(enum effect_kind kind, const struct attempt *stored)
{
    switch (kind) {
    case EFFECT_PREPARE:
    case EFFECT_SUBMIT:
        return stored->state == ATTEMPT_INTENT;
    case EFFECT_CANCEL:
        return stored->cancel_wanted || stored->state >= ATTEMPT_JUDGED;
    case EFFECT_INGEST:
        return stored->state == ATTEMPT_ENDED;
    default:
        return stored->state < ATTEMPT_ENDED;
    }
}

void check_effect(struct world *w, const struct effect *e)
{
    const struct attempt *a = core_attempt(&w->shell.core, e->ref);
    const struct attempt *stored = ledger_attempt(w->ledger, e->ref);

    if (e->kind == EFFECT_COMMIT || e->kind == EFFECT_OPEN || !a)
        return;
    if (!stored || strcmp(stored->token, a->token) != 0 || !durable(e->kind, stored))
        broken(w, e->ref, "commit before act: %s, and the database does not know why",
               effect_name(e->kind));
    if (adapter_busy(w, e->kind, e->ref))
        broken(w, e->ref, "plan: %s while one is under way", effect_name(e->kind));
}

// --- placement ---------------------------------------------------------------------

static bool avoids(const struct sweep_point *p, const struct node *n)
{
    for (size_t i = 0; i < p->excluded_count; i++)
        if (!strcmp(p->excluded[i], n->name))
            return true;
    return false;
}

static bool avoids_all(const struct core *c, const struct sweep_point *p)
{
    const char *why;

    for (size_t i = 0; i < c->node_count; i++)
        if (node_usable(&c->nodes[i], &why) && !avoids(p, &c->nodes[i]))
            return false;
    return true;
}

// Is there room for the point alone, as the last poll saw the nodes?
static bool fits_now(const struct core *c, const struct sweep *s, const struct sweep_point *p)
{
    bool anywhere = avoids_all(c, p);
    const char *why;

    for (size_t i = 0; i < c->node_count; i++) {
        const struct node *n = &c->nodes[i];
        int room = n->flags & NODE_COMPLETING ? 0 : n->gpus_total - n->gpus_used;
        int need = s->placement == PLACE_EXCLUSIVE ? n->gpus_total : point_gpus(&p->point);

        if (node_usable(n, &why) && (anywhere || !avoids(p, n)) && room >= need)
            return true;
    }
    return false;
}

struct queue {
    int all, ahead; // ours that have no node yet; those of them that fit nowhere
    bool plain;     // whole nodes only, and no point avoids one
};

static struct queue look_at_queue(const struct core *c)
{
    struct queue q = {.plain = true};

    for (size_t i = 0; i < c->sweep_count; i++) {
        const struct sweep *s = c->sweeps[i];

        q.plain &= s->placement == PLACE_EXCLUSIVE;
        for (size_t k = 0; k < s->point_count; k++) {
            const struct attempt *a = sweep_point_live(&s->points[k]);

            q.plain &= !s->points[k].excluded_count;
            if (!a || a->state > ATTEMPT_PENDING)
                continue;
            q.all++;
            q.ahead += !fits_now(c, s, &s->points[k]);
        }
    }
    return q;
}

// A job goes where there is room for it now, or ahead of the next free node:
// one for each node, and none while others wait.
static void check_ahead(struct world *w, struct ref ref)
{
    const struct core *c = &w->shell.core;
    struct queue q = look_at_queue(c);
    int others = c->foreign_pending;
    int nodes = 0;
    int idle = 0;
    const char *why;

    for (size_t i = 0; i < c->node_count; i++) {
        bool usable = node_usable(&c->nodes[i], &why);

        nodes += usable;
        idle += usable && node_idle(&c->nodes[i]);
    }
    if (!fits_now(c, core_sweep(c, ref.sweep), core_point(c, ref)) && (others || q.ahead >= nodes))
        broken(w, ref, "placement: no room, %d ahead of %d nodes, %d jobs of others wait", q.ahead,
               nodes, others);
    if (q.plain && q.all >= idle + (others ? 0 : nodes))
        broken(w, ref, "placement: %d wait, %d of %d nodes are idle, %d jobs of others wait", q.all,
               idle, nodes, others);
}

// --- opening, submitting, cancelling -----------------------------------------------------

static unsigned node_bit(const char *name) // "n2"
{
    return name[0] == 'n' && name[1] >= '0' ? 1u << (name[1] - '0') : 0;
}

// Nodes that the point failed on since it last began anew, as far as a node
// may be at fault.
static unsigned failed_on(const struct sweep_point *p, int since)
{
    unsigned mask = 0;

    for (size_t i = (size_t)since; i < p->attempt_count; i++) {
        const struct attempt *a = &p->attempts[i];
        bool suspect = outcome_class(a->outcome) == CLASS_UNCLEAR ||
                       outcome_first_blame(a->outcome) == BLAME_NODE;

        if (a->state >= ATTEMPT_JUDGED && suspect)
            mask |= node_bit(a->node);
    }
    return mask;
}

// A point that failed on every node that could take it begins anew with all.
static void note_nodes(struct world *w, struct ref ref, struct folder *f)
{
    const struct core *c = &w->shell.core;
    const struct sweep_point *p = core_point(c, ref);
    const char *why;

    if (p->attempt_count)
        f->since = folder_of(w, p->attempts[p->attempt_count - 1].token)->since;
    for (size_t i = 0; i < c->node_count; i++)
        if (node_usable(&c->nodes[i], &why))
            f->usable |= node_bit(c->nodes[i].name);
    if (!(f->usable & ~failed_on(p, f->since)))
        f->since = (int)p->attempt_count;
}

static void check_tries(struct world *w, struct ref ref, const struct sweep_point *p)
{
    const struct policy *policy = &w->policy;
    int of_class[CLASS_OTHER + 1] = {0};

    for (size_t i = 0; i < p->attempt_count; i++)
        of_class[outcome_class(p->attempts[i].outcome)]++;
    if (of_class[CLASS_INFRA] >= policy->infra_attempts ||
        of_class[CLASS_OTHER] >= policy->lost_attempts ||
        of_class[CLASS_UNCLEAR] > policy->confirm_attempts)
        broken(w, ref, "retry: %d infra, %d unclear and %d lost attempts are enough",
               of_class[CLASS_INFRA], of_class[CLASS_UNCLEAR], of_class[CLASS_OTHER]);
    if (of_class[CLASS_OK] || of_class[CLASS_USABLE] || of_class[CLASS_BENCHMARK])
        broken(w, ref, "retry: the point has its result");
}

void check_open(struct world *w, struct ref ref, struct folder *f)
{
    const struct sweep *s = ledger_sweep(w->ledger, ref.sweep);
    const struct sweep_point *p = ledger_point(w->ledger, ref);

    if (!s || !p || s->state != SWEEP_ACTIVE || p->state != POINT_WAITING)
        broken(w, ref, "commit before act: opens what is not waiting in the database");
    if (p)
        check_tries(w, ref, p);
    check_ahead(w, ref);
    note_nodes(w, ref, f);
}

void check_submit(struct world *w, const struct folder *f, unsigned exclude)
{
    const struct sweep_point *p = core_point(&w->shell.core, f->ref);

    if (f->sends)
        broken(w, f->ref, "exactly once: submitted again though a job of it may exist");
    if (!f->prepared)
        broken(w, f->ref, "protocol: submitted without its folder");
    if (!(f->usable & ~exclude))
        broken(w, f->ref, "retry: every node that it could use is excluded");
    if (failed_on(p, f->since) & ~exclude)
        broken(w, f->ref, "retry: a node that it failed on is not excluded");
}

void check_cancel(struct world *w, const struct op *o)
{
    const struct attempt *stored = ledger_attempt(w->ledger, o->ref);

    if (!stored || !durable(EFFECT_CANCEL, stored))
        broken(w, o->ref, "cancel: a job is ended that nobody wanted ended");
}
