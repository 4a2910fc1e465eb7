// SPDX-License-Identifier: GPL-2.0-or-later
// What is due. Nothing here changes state.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/core.h"
#include "core/slots.h"

static bool clean(const struct versions *v)
{
    return v->now == v->stored;
}

static bool issued(const struct attempt *a, enum effect_kind kind)
{
    return a->issued & (1u << kind);
}

// Lists the effect now, or says when to ask again.
static void want(struct effects *ret, int64_t now, int64_t at, enum effect_kind kind,
                 struct ref ref)
{
    if (at <= now)
        effects_add(ret, kind, ref);
    else
        effects_due(ret, at);
}

static void plan_intent(const struct attempt *a, int64_t now, struct ref ref, struct effects *ret)
{
    if (issued(a, EFFECT_SUBMIT) || issued(a, EFFECT_PREPARE) || issued(a, EFFECT_REVOKE))
        return;
    if (a->gone_since || (a->cancel_wanted && !a->doubtful))
        want(ret, now, a->next_try, EFFECT_REVOKE, ref);
    else if (a->doubtful)
        return; // the polls decide
    else if (!a->prepared)
        want(ret, now, a->next_try, EFFECT_PREPARE, ref);
    else
        want(ret, now, a->next_try, EFFECT_SUBMIT, ref);
}

static void plan_job(const struct attempt *a, int64_t now, struct ref ref, struct effects *ret)
{
    bool looks = a->state == ATTEMPT_RUNNING || a->gone_since || a->claim_taken;

    if (looks && !issued(a, EFFECT_SCAN))
        want(ret, now, a->next_scan, EFFECT_SCAN, ref);
    if (a->gone_since && !a->claim_taken && !issued(a, EFFECT_REVOKE))
        want(ret, now, a->next_try, EFFECT_REVOKE, ref);
    else if (a->cancel_wanted && !a->gone_since && !issued(a, EFFECT_CANCEL))
        want(ret, now, a->next_try, EFFECT_CANCEL, ref);
}

static void plan_attempt(const struct attempt *a, int64_t now, struct ref ref, struct effects *ret)
{
    if (!clean(&a->v))
        return;
    switch (a->state) {
    case ATTEMPT_INTENT:
        plan_intent(a, now, ref, ret);
        break;
    case ATTEMPT_SUBMITTED:
    case ATTEMPT_PENDING:
    case ATTEMPT_RUNNING:
        plan_job(a, now, ref, ret);
        break;
    case ATTEMPT_ENDED:
        if (!issued(a, EFFECT_INGEST))
            want(ret, now, a->next_try, EFFECT_INGEST, ref);
        break;
    case ATTEMPT_JUDGED:
    case ATTEMPT_LOST:
        if (a->stray_job && !issued(a, EFFECT_CANCEL))
            want(ret, now, a->next_try, EFFECT_CANCEL, ref);
        break;
    default:
        break;
    }
}

static void plan_commit(const struct core *c, int64_t now, struct effects *ret)
{
    if (!c->committing && core_dirty(c))
        want(ret, now, c->commit_after, EFFECT_COMMIT, (struct ref){0, -1, 0});
}

struct candidate {
    const struct sweep *sweep;
    const struct sweep_point *point;
    struct ref ref;
};

// By the schedule's rank; those that came since then, longest first. Then the
// older sweep, then matrix order.
static int compare(const void *a, const void *b)
{
    const struct candidate *x = a;
    const struct candidate *y = b;

    if (x->point->rank != y->point->rank)
        return x->point->rank < y->point->rank ? -1 : 1;
    if (x->point->expected_us != y->point->expected_us)
        return x->point->expected_us > y->point->expected_us ? -1 : 1;
    if (x->ref.sweep != y->ref.sweep)
        return x->ref.sweep < y->ref.sweep ? -1 : 1;
    return x->ref.point - y->ref.point;
}

static size_t waiting(const struct core *c, int64_t now, struct candidate **ret_list,
                      struct effects *ret)
{
    struct candidate *list = NULL;
    size_t count = 0;
    size_t cap = 0;

    for (size_t i = 0; i < c->sweep_count; i++) {
        const struct sweep *s = c->sweeps[i];

        if (s->state != SWEEP_ACTIVE || !clean(&s->v))
            continue;
        for (size_t j = 0; j < s->point_count; j++) {
            const struct sweep_point *p = &s->points[j];

            if (p->state != POINT_WAITING || !clean(&p->v))
                continue;
            if (p->not_before > now) {
                effects_due(ret, p->not_before);
                continue;
            }
            list = mem_room(list, count, &cap, sizeof(*list));
            list[count++] = (struct candidate){s, p, {s->seq, (int)j, 0}};
        }
    }
    if (count)
        qsort(list, count, sizeof(*list), compare);
    *ret_list = list;
    return count;
}

static void plan_dispatch(const struct core *c, int64_t now, struct effects *ret)
{
    struct candidate *list = NULL;
    struct slots slots;
    size_t count;

    if (!c->polled)
        return;
    count = waiting(c, now, &list, ret);
    if (!count)
        return;
    slots_init(&slots, c);
    for (size_t i = 0; i < count; i++)
        if (slots_take(&slots, list[i].sweep, list[i].point))
            effects_add(ret, EFFECT_OPEN, list[i].ref);
    slots_done(&slots);
    free(list);
}

void core_plan(const struct core *c, int64_t now, struct effects *ret)
{
    effects_clear(ret);
    plan_commit(c, now, ret);
    for (size_t i = 0; i < c->sweep_count; i++) {
        const struct sweep *s = c->sweeps[i];

        for (size_t j = 0; j < s->point_count; j++)
            for (size_t k = 0; k < s->points[j].attempt_count; k++)
                plan_attempt(&s->points[j].attempts[k], now,
                             (struct ref){s->seq, (int)j, s->points[j].attempts[k].number}, ret);
    }
    plan_dispatch(c, now, ret);
}
