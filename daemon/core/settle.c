// SPDX-License-Identifier: GPL-2.0-or-later
// An attempt has its outcome: blame, retry, and what it means for the point
// and its siblings. docs/results.md gives the policy's reasons.
#include <stdio.h>
#include <string.h>

#include "base/dur.h"
#include "core/update.h"

static int count_class(const struct sweep_point *p, enum outcome_class cls)
{
    int n = 0;

    for (size_t i = 0; i < p->attempt_count; i++)
        n += p->attempts[i].state >= ATTEMPT_JUDGED && outcome_class(p->attempts[i].outcome) == cls;
    return n;
}

static void exclude(struct sweep_point *p, const char *node)
{
    for (size_t i = 0; i < p->excluded_count; i++)
        if (!strcmp(p->excluded[i], node))
            return;
    if (!node[0] || p->excluded_count == SWEEP_EXCLUDED_MAX)
        return;
    snprintf(p->excluded[p->excluded_count++], JOB_NODE_MAX, "%s", node);
}

static void again(const struct place *at, int failures, const char *why)
{
    struct sweep_point *p = at->point;
    int64_t wait = backoff(&at->core->policy, failures);
    char text[DUR_TEXT_MAX];

    p->state = POINT_WAITING;
    p->not_before = at->core->now + wait;
    touch(&p->v);
    journal_add(at, "point_again", "%s; next attempt in %s", why,
                dur_text(wait, text, sizeof(text)));
}

// The first attempt failed for an unclear reason and another one passed: the
// first was the node's fault.
static void mark_flaky(const struct place *at)
{
    for (size_t i = 0; i < at->point->attempt_count; i++) {
        struct attempt *a = &at->point->attempts[i];

        if (outcome_class(a->outcome) != CLASS_UNCLEAR || a->blame == BLAME_NODE)
            continue;
        a->blame = BLAME_NODE;
        touch(&a->v);
        journal_add(at, "attempt_flaky", "attempt %d failed (%s) on %s, this one passed", a->number,
                    outcome_name(a->outcome), a->node);
    }
}

static void cancel_sibling(const struct place *at, const char *reason)
{
    struct attempt *live = sweep_point_live(at->point);
    struct place here = *at;

    if (at->point->state == POINT_WAITING) {
        point_finish(at, OUTCOME_CANCELLED, reason);
        return;
    }
    if (!live || live->cancel_wanted)
        return;
    live->cancel_wanted = true;
    live->next_try = 0;
    snprintf(live->reason, sizeof(live->reason), "%s", reason);
    touch(&live->v);
    here.attempt = live;
    here.ref.attempt = live->number;
    journal_add(&here, "attempt_cancelling", "%s", reason);
}

static void cancel_points(const struct place *at, const struct sweep_point *cause,
                          const char *reason)
{
    for (size_t i = 0; i < at->sweep->point_count; i++) {
        struct place here = {.core = at->core, .sweep = at->sweep, .point = &at->sweep->points[i]};

        here.ref = (struct ref){at->sweep->seq, (int)i, 0};
        if (here.point == cause || here.point->state == POINT_DONE)
            continue;
        if (cause && here.point->point.kind != cause->point.kind)
            continue;
        cancel_sibling(&here, reason);
    }
}

static void fail_fast(const struct place *at, enum outcome outcome)
{
    struct place sweep = *at;
    char reason[ATTEMPT_REASON_MAX];

    if (at->sweep->on_failure != ON_FAILURE_FAIL_FAST || at->sweep->state != SWEEP_ACTIVE)
        return;
    snprintf(reason, sizeof(reason), "fail-fast: %s ended as %s", at->point->point.name,
             outcome_name(outcome));
    if (!at->sweep->reason[0]) { // the first failure is the cause
        snprintf(at->sweep->reason, sizeof(at->sweep->reason), "%s", reason);
        touch(&at->sweep->v);
    }
    sweep.point = NULL;
    sweep.attempt = NULL;
    sweep.ref = (struct ref){at->sweep->seq, -1, 0};
    journal_add(&sweep, "sweep_fail_fast", "%s", reason);
    cancel_points(at, at->point, reason);
}

void point_finish(const struct place *at, enum outcome outcome, const char *reason)
{
    struct sweep_point *p = at->point;

    if (p->state == POINT_DONE)
        return;
    p->state = POINT_DONE;
    p->outcome = outcome;
    p->chosen = at->attempt ? at->attempt->number : 0;
    snprintf(p->reason, sizeof(p->reason), "%s", reason);
    touch(&p->v);
    journal_add(at, "point_done", "%s%s%s", outcome_name(outcome), reason[0] ? ": " : "", reason);
    if (at->attempt && at->attempt->blame == BLAME_RECIPE)
        fail_fast(at, outcome);
    sweep_check_done(at);
}

// Unclear: one more attempt elsewhere tells. Returns false when it is decided.
static bool confirm(const struct place *at)
{
    int unclear = count_class(at->point, CLASS_UNCLEAR);

    if (unclear > at->core->policy.confirm_attempts) {
        at->attempt->blame = BLAME_RECIPE;
        return false;
    }
    exclude(at->point, at->attempt->node);
    again(at, unclear, "unclear failure, to be confirmed on another node");
    return true;
}

// An attempt that never ran cost nothing: it has a limit of its own.
static bool retry_infra(const struct place *at)
{
    bool never_ran = at->attempt->state == ATTEMPT_LOST;
    int limit = never_ran ? at->core->policy.lost_attempts : at->core->policy.infra_attempts;
    int failures = 0;

    for (size_t i = 0; i < at->point->attempt_count; i++) {
        const struct attempt *a = &at->point->attempts[i];
        bool counts = outcome_class(a->outcome) == CLASS_INFRA || a->outcome == OUTCOME_LOST;

        failures += counts && (a->state == ATTEMPT_LOST) == never_ran;
    }
    if (failures >= limit)
        return false;
    if (at->attempt->blame == BLAME_NODE)
        exclude(at->point, at->attempt->node);
    again(at, failures, "infrastructure failure");
    return true;
}

void settle(const struct place *at)
{
    struct attempt *a = at->attempt;
    enum outcome_class cls = outcome_class(a->outcome);
    bool more = false;

    a->blame = outcome_first_blame(a->outcome);
    if (a->state != ATTEMPT_LOST) {
        attempt_enter(at, ATTEMPT_JUDGED);
        journal_add(at, "attempt_judged", "%s%s%s", outcome_name(a->outcome),
                    a->reason[0] ? ": " : "", a->reason);
    }
    touch(&a->v);
    if (a->cancel_wanted && (cls == CLASS_INFRA || cls == CLASS_OTHER || cls == CLASS_UNCLEAR)) {
        point_finish(at, OUTCOME_CANCELLED, a->reason);
        return;
    }
    if (cls == CLASS_OK)
        mark_flaky(at);
    else if (cls == CLASS_UNCLEAR)
        more = confirm(at);
    else if (cls == CLASS_INFRA || a->outcome == OUTCOME_LOST)
        more = retry_infra(at);
    if (!more)
        point_finish(at, a->outcome, a->reason);
}

void sweep_cancel(const struct place *at, const char *reason)
{
    struct sweep *s = at->sweep;
    struct place here = {.core = at->core, .sweep = s, .ref = {s->seq, -1, 0}};

    if (s->state != SWEEP_ACTIVE)
        return;
    s->state = SWEEP_CANCELLING;
    snprintf(s->reason, sizeof(s->reason), "%s", reason);
    touch(&s->v);
    journal_add(&here, "sweep_cancelled", "%s", reason);
    cancel_points(&here, NULL, reason);
    sweep_check_done(&here);
}

void sweep_check_done(const struct place *at)
{
    struct sweep *s = at->sweep;
    struct place here = {.core = at->core, .sweep = s, .ref = {s->seq, -1, 0}};
    struct sweep_counts counts = sweep_count(s);

    if (s->state == SWEEP_DONE || counts.done < s->point_count)
        return;
    s->state = SWEEP_DONE;
    s->ended_at = at->core->wall;
    touch(&s->v);
    journal_add(&here, "sweep_done", "%zu of %zu points passed", counts.outcomes[OUTCOME_PASS],
                s->point_count);
}
