// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/update.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/rank.h"
#include "core/slots.h"

// Core reads no clock; it only counts in its unit.
#define US_PER_S INT64_C(1000000)

struct policy policy_default(void)
{
    return (struct policy){
        .scan_interval = 2 * US_PER_S,
        .end_grace = 60 * US_PER_S,
        .retry_first = 1 * US_PER_S,
        .retry_max = 300 * US_PER_S,
        .absent_polls = 2,
        .infra_attempts = 3,
        .lost_attempts = 10,
        .confirm_attempts = 1,
        .ingest_tries = 6, // half a minute: until then a spool that is away has been noticed
        .other_tries = 5,
    };
}

void core_init(struct core *c, const struct policy *policy)
{
    *c = (struct core){.policy = *policy};
}

void core_done(struct core *c)
{
    for (size_t i = 0; i < c->sweep_count; i++)
        sweep_free(c->sweeps[i]);
    free(c->sweeps);
    free(c->nodes);
    free(c->journal.list);
    *c = (struct core){0};
}

struct sweep *core_sweep(const struct core *c, int64_t seq)
{
    for (size_t i = c->sweep_count; i-- > 0;)
        if (c->sweeps[i]->seq == seq)
            return c->sweeps[i];
    return NULL;
}

struct sweep_point *core_point(const struct core *c, struct ref ref)
{
    struct sweep *s = core_sweep(c, ref.sweep);

    return s && ref.point >= 0 && (size_t)ref.point < s->point_count ? &s->points[ref.point] : NULL;
}

struct attempt *core_attempt(const struct core *c, struct ref ref)
{
    struct sweep_point *p = core_point(c, ref);

    return p ? sweep_point_attempt(p, ref.attempt) : NULL;
}

struct sweep *core_active_of_key(const struct core *c, const char *key)
{
    for (size_t i = 0; i < c->sweep_count; i++)
        if (c->sweeps[i]->state == SWEEP_ACTIVE && !strcmp(c->sweeps[i]->key, key))
            return c->sweeps[i];
    return NULL;
}

static bool is_dirty(const struct versions *v)
{
    return v->now != v->stored;
}

static bool any_dirty(const struct sweep *s)
{
    if (is_dirty(&s->v))
        return true;
    for (size_t i = 0; i < s->point_count; i++) {
        if (is_dirty(&s->points[i].v))
            return true;
        for (size_t k = 0; k < s->points[i].attempt_count; k++)
            if (is_dirty(&s->points[i].attempts[k].v))
                return true;
    }
    return false;
}

bool core_dirty(const struct core *c)
{
    bool dirty = c->journal.count > 0;

    for (size_t i = 0; !dirty && i < c->sweep_count; i++)
        dirty = any_dirty(c->sweeps[i]);
    return dirty;
}

void touch(struct versions *v)
{
    v->now++;
}

void journal_add(const struct place *at, const char *kind, const char *fmt, ...)
{
    struct journal *j = &at->core->journal;
    struct journal_entry *entry;
    va_list ap;

    j->list = mem_room(j->list, j->count, &j->cap, sizeof(*j->list));
    entry = &j->list[j->count++];
    *entry = (struct journal_entry){
        .id = ++j->last_id, .wall = at->core->wall, .ref = at->ref, .kind = kind};
    if (at->sweep)
        snprintf(entry->sweep, sizeof(entry->sweep), "%s", at->sweep->id);
    if (at->point)
        snprintf(entry->point, sizeof(entry->point), "%s", at->point->point.name);
    va_start(ap, fmt);
    vsnprintf(entry->text, sizeof(entry->text), fmt, ap);
    va_end(ap);
}

int64_t backoff(const struct policy *p, int tries)
{
    int64_t wait = p->retry_first;

    for (int i = 1; i < tries && wait < p->retry_max; i++)
        wait *= 2;
    return wait < p->retry_max ? wait : p->retry_max;
}

void attempt_enter(const struct place *at, enum attempt_state state)
{
    struct attempt *a = at->attempt;
    int64_t wall = at->core->wall;

    if (a->state == state)
        return;
    a->state = state;
    a->tries = 0;
    a->faults = 0;
    a->next_try = 0;
    if (state == ATTEMPT_SUBMITTED)
        a->submitted_at = wall;
    if (state == ATTEMPT_RUNNING && !a->started_at)
        a->started_at = wall;
    if (state == ATTEMPT_ENDED)
        a->ended_at = wall;
    if (state == ATTEMPT_JUDGED || state == ATTEMPT_LOST) {
        a->judged_at = wall;
        a->over_since = at->core->now;
    }
    touch(&a->v);
}

static bool locate(struct core *c, const struct event *e, struct place *ret)
{
    *ret = (struct place){.core = c, .ref = e->ref};
    ret->sweep = core_sweep(c, e->ref.sweep);
    ret->point = core_point(c, e->ref);
    ret->attempt = e->ref.attempt ? core_attempt(c, e->ref) : NULL;
    return ret->sweep && (e->ref.point < 0 || ret->point) && (!e->ref.attempt || ret->attempt);
}

static void add_sweep(struct core *c, struct sweep *s)
{
    c->sweeps = mem_room(c->sweeps, c->sweep_count, &c->sweep_cap, sizeof(struct sweep *));
    c->sweeps[c->sweep_count++] = s;
}

static void on_created(struct core *c, struct event *e)
{
    struct place at = {.core = c, .sweep = e->sweep, .ref = {e->sweep->seq, -1, 0}};

    add_sweep(c, e->sweep);
    e->sweep->created_at = c->wall;
    touch(&e->sweep->v);
    for (size_t i = 0; i < e->sweep->point_count; i++)
        touch(&e->sweep->points[i].v);
    journal_add(&at, "sweep_created", "%s: %zu points, %s", e->sweep->key, e->sweep->point_count,
                on_failure_name(e->sweep->on_failure));
    e->sweep = NULL;
}

// What this process did before it died is not known: every attempt without an
// end is looked at again, and one without a job id may have a job.
static void on_restored(struct core *c, struct event *e)
{
    add_sweep(c, e->sweep);
    for (size_t i = 0; i < e->sweep->point_count; i++) {
        struct sweep_point *p = &e->sweep->points[i];

        for (size_t k = 0; k < p->attempt_count; k++) {
            p->attempts[k].doubtful = p->attempts[k].state == ATTEMPT_INTENT;
            p->attempts[k].doubt_since = c->now;
            p->attempts[k].over_since = c->now;
        }
    }
    e->sweep = NULL;
}

static void on_open(struct place *at, const struct event *e)
{
    struct sweep_point *p = at->point;
    struct attempt *a;

    if (p->state != POINT_WAITING)
        return;
    if (p->attempt_count >= SWEEP_ATTEMPTS_MAX) {
        point_finish(at, OUTCOME_LOST, "none of its attempts came to a result");
        return;
    }
    if (slots_all_excluded(at->core, at->sweep, p))
        p->excluded_count = 0; // it begins anew with all of them
    p->attempts = mem_room(p->attempts, p->attempt_count, &p->attempt_cap, sizeof(*p->attempts));
    a = &p->attempts[p->attempt_count++];
    *a = (struct attempt){.number = (int)p->attempt_count, .intent_at = at->core->wall};
    memcpy(a->token, e->token, sizeof(a->token));
    metrics_clear(&a->metrics);
    touch(&a->v);
    p->state = POINT_ACTIVE;
    touch(&p->v);
    at->attempt = a;
    at->ref.attempt = a->number;
    journal_add(at, "attempt_opened", "attempt %d", a->number);
}

// --- commits ----------------------------------------------------------------

static void each_version(struct core *c, void (*change)(struct versions *))
{
    for (size_t i = 0; i < c->sweep_count; i++) {
        struct sweep *s = c->sweeps[i];

        change(&s->v);
        for (size_t j = 0; j < s->point_count; j++) {
            change(&s->points[j].v);
            for (size_t k = 0; k < s->points[j].attempt_count; k++)
                change(&s->points[j].attempts[k].v);
        }
    }
}

static void version_begin(struct versions *v)
{
    v->storing = v->now;
}

static void version_stored(struct versions *v)
{
    if (v->storing)
        v->stored = v->storing;
    v->storing = 0;
}

static void version_failed(struct versions *v)
{
    v->storing = 0;
}

static void on_committed(struct core *c, const struct event *e)
{
    struct journal *j = &c->journal;
    size_t durable = 0;

    each_version(c, version_stored);
    while (durable < j->count && j->list[durable].id <= e->journal_id)
        durable++;
    if (durable)
        memmove(j->list, j->list + durable, (j->count - durable) * sizeof(*j->list));
    j->count -= durable;
    c->committing = false;
    c->commit_tries = 0;
    c->commit_after = 0;
}

static void on_commit_failed(struct core *c)
{
    each_version(c, version_failed);
    c->committing = false;
    c->commit_tries++;
    c->commit_after = c->now + backoff(&c->policy, c->commit_tries);
}

// --- effects handed over and come back ----------------------------------------

static void on_issued(struct place *at, const struct event *e)
{
    if (e->effect == EFFECT_COMMIT) {
        at->core->committing = true;
        each_version(at->core, version_begin);
        return;
    }
    if (!at->attempt)
        return;
    at->attempt->issued |= 1u << e->effect;
    if (e->effect == EFFECT_SCAN) {
        at->attempt->scan_began = at->core->now;
        at->attempt->next_scan = at->core->now + at->core->policy.scan_interval;
    }
}

static void returned(struct attempt *a, enum effect_kind kind)
{
    a->issued &= ~(1u << kind);
}

static void submit_failed(const struct place *at, const struct event *e)
{
    struct attempt *a = at->attempt;

    if (e->failure == FAILURE_UNCLEAR) {
        a->doubtful = true;
        a->doubt_since = at->core->now;
        a->absent_polls = 0;
        journal_add(at, "submit_unclear", "%s", e->text);
        return;
    }
    if (e->failure != FAILURE_DOWN && a->tries == 1)
        journal_add(at, e->failure == FAILURE_LIMIT ? "submit_delayed" : "submit_refused", "%s",
                    e->text);
    // A refusal is final for the attempt: its token is spent, since Slurm keeps
    // a failed job with it.
    if (e->failure == FAILURE_REFUSED ||
        (e->failure == FAILURE_OTHER && a->faults >= at->core->policy.other_tries)) {
        a->outcome = OUTCOME_SLURM;
        snprintf(a->reason, sizeof(a->reason), "Slurm refuses the job: %s", e->text);
        attempt_enter(at, ATTEMPT_ENDED);
        settle(at);
    }
}

static void on_failed(struct place *at, const struct event *e)
{
    struct core *c = at->core;
    struct attempt *a = at->attempt;

    if (e->effect == EFFECT_COMMIT) {
        on_commit_failed(c);
        return;
    }
    if (!a)
        return;
    returned(a, e->effect);
    if (e->effect == EFFECT_SCAN)
        return; // looked at again at the next interval
    a->tries++;
    a->faults += e->failure == FAILURE_OTHER;
    a->next_try = c->now + backoff(&c->policy, a->tries);
    if (e->effect == EFFECT_SUBMIT && a->state == ATTEMPT_INTENT)
        submit_failed(at, e);
    if (e->effect == EFFECT_INGEST && a->state == ATTEMPT_ENDED &&
        a->faults >= c->policy.ingest_tries) {
        a->outcome = OUTCOME_COLLECT;
        snprintf(a->reason, sizeof(a->reason), "results could not be read: %s", e->text);
        settle(at);
    }
}

static void on_submitted(struct place *at, const struct event *e)
{
    struct attempt *a = at->attempt;

    returned(a, EFFECT_SUBMIT);
    if (a->state != ATTEMPT_INTENT)
        return; // a poll was faster
    a->job_id = e->job_id;
    a->doubtful = false;
    a->absent_polls = 0;
    a->doubt_since = at->core->now;
    attempt_enter(at, ATTEMPT_SUBMITTED);
    journal_add(at, "attempt_submitted", "job %u", a->job_id);
}

static void on_ingested(struct place *at, struct event *e)
{
    struct attempt *a = at->attempt;

    returned(a, EFFECT_INGEST);
    if (a->state != ATTEMPT_ENDED)
        return;
    struct limits limits = at->sweep->limits;
    if (at->point->point.kind == POINT_EVAL)
        limits.al_target = 0; // evaluations run real acceptance
    verdict_judge(e->facts, &limits, &a->verdict);
    a->metrics = *e->metrics;
    free(a->summary);
    a->summary = e->summary;
    e->summary = NULL;
    a->outcome = a->verdict.outcome;
    const struct evidence *cause = verdict_cause(&a->verdict);
    a->reason[0] = '\0'; // a cancel that came too late is none of it
    if (cause)
        snprintf(a->reason, sizeof(a->reason), "%s: %s, limit %s", cause->rule, cause->value,
                 cause->limit);
    settle(at);
}

static void on_attempt_event(struct place *at, struct event *e)
{
    struct attempt *a = at->attempt;

    switch (e->kind) {
    case EVENT_PREPARED:
        returned(a, EFFECT_PREPARE);
        a->prepared = true;
        a->tries = 0;
        a->faults = 0;
        a->next_try = 0;
        break;
    case EVENT_SUBMITTED:
        on_submitted(at, e);
        break;
    case EVENT_SCANNED:
        returned(a, EFFECT_SCAN);
        reconcile_scan(at, e);
        break;
    case EVENT_REVOKED:
        returned(a, EFFECT_REVOKE);
        reconcile_revoked(at, e);
        break;
    case EVENT_CANCELLED:
        returned(a, EFFECT_CANCEL);
        a->stray_job = false;
        // Asked again only if the job is still there after a while.
        a->next_try = at->core->now + at->core->policy.end_grace;
        break;
    case EVENT_INGESTED:
        on_ingested(at, e);
        break;
    default:
        break;
    }
}

void core_update(struct core *c, struct event *e)
{
    struct place at;

    c->now = e->now;
    c->wall = e->wall;
    switch (e->kind) {
    case EVENT_TICK:
        return;
    case EVENT_SWEEP_CREATED:
        on_created(c, e);
        rank_update(c);
        return;
    case EVENT_SWEEP_RESTORED:
        on_restored(c, e);
        return;
    case EVENT_COMMITTED:
        on_committed(c, e);
        return;
    case EVENT_POLLED:
        reconcile_poll(c, e);
        rank_update(c);
        return;
    default:
        break;
    }
    bool found = locate(c, e, &at);
    if (e->kind == EVENT_ISSUED)
        on_issued(&at, e);
    else if (e->kind == EVENT_FAILED)
        on_failed(&at, e);
    else if (!found)
        return;
    else if (e->kind == EVENT_SWEEP_CANCEL)
        sweep_cancel(&at, e->text);
    else if (e->kind == EVENT_OPEN)
        on_open(&at, e);
    else if (at.attempt)
        on_attempt_event(&at, e);
}
