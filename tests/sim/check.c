// SPDX-License-Identifier: GPL-2.0-or-later
// What must hold of the attempts and points, whatever has happened.
#include "check.h"

#include <string.h>

#include "batch.h"
#include "ctld.h"
#include "ledger.h"

// States that may follow each state, one bit per state.
#define TO(s) (1u << ATTEMPT_##s)
static const unsigned may_follow[ATTEMPT_STATE_COUNT] = {
    [ATTEMPT_INTENT] = TO(SUBMITTED) | TO(PENDING) | TO(RUNNING) | TO(JUDGED) | TO(LOST),
    [ATTEMPT_SUBMITTED] = TO(PENDING) | TO(RUNNING) | TO(ENDED) | TO(JUDGED) | TO(LOST),
    [ATTEMPT_PENDING] = TO(RUNNING) | TO(ENDED) | TO(JUDGED) | TO(LOST),
    [ATTEMPT_RUNNING] = TO(PENDING) | TO(ENDED) | TO(JUDGED) | TO(LOST),
    [ATTEMPT_ENDED] = TO(JUDGED),
};

static bool over(enum attempt_state s)
{
    return s == ATTEMPT_JUDGED || s == ATTEMPT_LOST;
}

// --- payloads -----------------------------------------------------------------

void check_payload_begins(struct world *w, const struct folder *f)
{
    const struct attempt *stored = ledger_attempt(w->ledger, f->ref);

    if (f->begun > 1)
        broken(w, f->ref, "exactly once: a payload of the attempt begins for the second time");
    if (!stored || strcmp(stored->token, f->token) != 0)
        broken(w, f->ref, "commit before act: a payload begins whose intent is not durable");
    if (over(f->known) || (stored && over(stored->state)))
        broken(w, f->ref, "revoked: a payload begins after its attempt was decided");
    for (size_t i = 0; i < w->folder_count; i++) {
        const struct folder *o = &w->folders[i];

        if (o == f || o->ref.sweep != f->ref.sweep || o->ref.point != f->ref.point)
            continue;
        if (o->running && o->left)
            w->outlived++;
        else if (o->running)
            broken(w, f->ref, "exactly once: a payload begins beside that of attempt %d",
                   o->ref.attempt);
    }
}

// --- an attempt is decided ------------------------------------------------------

static bool by_record(const struct attempt *a)
{
    return a->end_reason[0] != '\0';
}

// An attempt that the folder's record decided must be judged as that record
// and the results beside it say.
static void decided_by_record(struct world *w, const struct folder *f, const struct attempt *a)
{
    const struct sweep_point *p = core_point(&w->shell.core, f->ref);

    if (!f->has_end) {
        broken(w, f->ref, "results: judged by an end record that nobody wrote");
        return;
    }
    enum outcome want = ending_outcome(f->ending, p->point.kind);
    enum outcome_class cls = outcome_class(a->outcome);
    bool fits = want ? a->outcome == want : cls == CLASS_UNCLEAR || cls >= CLASS_INFRA;
    if (!fits)
        broken(w, f->ref, "results: the payload ended as %s (%s) and was judged as %s",
               ending_reason(f->ending), outcome_name(want), outcome_name(a->outcome));
}

// An attempt that is decided without a record: no result may be thrown away.
static void decided_without(struct world *w, const struct folder *f, const struct attempt *a)
{
    int64_t grace_end = a->gone_since + w->policy.end_grace + w->booted_at;

    if (f->claim == CLAIM_OURS_REVOKED)
        return;
    if (f->claim == CLAIM_NONE) {
        if (!f->refused && f->sends)
            broken(w, f->ref, "revoked: decided while a job of it may yet begin");
        return;
    }
    if (!a->gone_since || w->now < grace_end)
        broken(w, f->ref, "results: decided without an end record before the grace time is over");
    if (f->has_end && (f->end_at <= grace_end || f->end_at < w->shell.scan_read_at))
        broken(w, f->ref, "results: a finished result is lost (%s, written %.3f s ago)",
               ending_reason(f->ending), (double)(w->now - f->end_at) / (double)SECOND);
}

static void decided(struct world *w, const struct folder *f, const struct attempt *a)
{
    if (a->state == ATTEMPT_LOST && f->claim != CLAIM_OURS_REVOKED)
        broken(w, f->ref, "revoked: called lost without its claim");
    else if (by_record(a))
        decided_by_record(w, f, a);
    else
        decided_without(w, f, a);
    if (a->outcome == OUTCOME_PASS && f->ending != END_GOOD &&
        ending_outcome(f->ending, core_point(&w->shell.core, f->ref)->point.kind) != OUTCOME_PASS)
        broken(w, f->ref, "results: a pass that was none");
}

static void check_attempt(struct world *w, struct ref ref, const struct attempt *a)
{
    struct folder *f = folder_of(w, a->token);

    if (a->state == f->known)
        return;
    trace(w, ref, "core: %s -> %s %s", attempt_state_name(f->known), attempt_state_name(a->state),
          over(a->state) ? outcome_name(a->outcome) : "");
    if (!(may_follow[f->known] & (1u << a->state)))
        broken(w, ref, "states: %s became %s", attempt_state_name(f->known),
               attempt_state_name(a->state));
    f->known = a->state;
    if (over(a->state))
        decided(w, f, a);
    if (a->state == ATTEMPT_ENDED && !f->has_end)
        broken(w, ref, "results: its artifacts are to be read and there is no end record");
}

// --- points -------------------------------------------------------------------------

static void check_done(struct world *w, struct ref ref, struct sweep_point *p)
{
    const struct attempt *a = sweep_point_chosen(p);

    if (p->outcome == OUTCOME_NONE)
        broken(w, ref, "points: done without an outcome");
    if (!a && p->outcome != OUTCOME_CANCELLED)
        broken(w, ref, "points: %s without an attempt", outcome_name(p->outcome));
    if (a && p->outcome != a->outcome && p->outcome != OUTCOME_CANCELLED)
        broken(w, ref, "points: %s though its attempt is %s", outcome_name(p->outcome),
               outcome_name(a->outcome));
    if (p->outcome == OUTCOME_PASS && p->reason[0])
        broken(w, ref, "points: a pass gives a reason: %s", p->reason);
    if (a && a->outcome == OUTCOME_PASS && p->outcome != OUTCOME_PASS)
        broken(w, ref, "points: a pass is shown as %s", outcome_name(p->outcome));
}

static void check_point(struct world *w, struct ref ref, struct sweep_point *p)
{
    const struct attempt *last = p->attempt_count ? &p->attempts[p->attempt_count - 1] : NULL;
    bool live = last && !over(last->state);

    if (last) {
        struct ref of_last = {ref.sweep, ref.point, last->number};

        check_attempt(w, of_last, last);
    }
    if (live != (p->state == POINT_ACTIVE))
        broken(w, ref, "points: %s with %s attempt", point_state_name(p->state),
               live ? "a live" : "no live");
    if (p->state == POINT_DONE)
        check_done(w, ref, p);
}

static bool to_blame(const struct sweep_point *p)
{
    const struct attempt *a = sweep_point_chosen(p);
    enum outcome_class cls = a ? outcome_class(a->outcome) : CLASS_NONE;

    return p->state == POINT_DONE && p->outcome != OUTCOME_CANCELLED &&
           (cls == CLASS_BENCHMARK || cls == CLASS_UNCLEAR);
}

// A fault of the recipe ends the points of its family in a fail-fast sweep;
// nothing but a cancel by hand ends those of another one.
static void check_family(struct world *w, struct sweep *s, enum point_kind kind)
{
    bool ended = s->state == SWEEP_CANCELLING;

    for (size_t i = 0; s->on_failure == ON_FAILURE_FAIL_FAST && i < s->point_count; i++)
        ended |= s->points[i].point.kind == kind && to_blame(&s->points[i]);
    for (size_t i = 0; i < s->point_count; i++) {
        struct ref ref = {s->seq, (int)i, 0};
        const struct attempt *live = sweep_point_live(&s->points[i]);

        if (s->points[i].point.kind != kind)
            continue;
        if (ended && (s->points[i].state == POINT_WAITING || (live && !live->cancel_wanted)))
            broken(w, ref, "sweeps: the point goes on though its family has ended");
        if (!ended && live && live->cancel_wanted)
            broken(w, ref, "sweeps: cancelled for nothing");
    }
}

void check_event(struct world *w, const struct event *e)
{
    const struct core *c = &w->shell.core;
    const struct journal *j = &c->journal;

    (void)e;
    for (size_t i = 0; i < c->sweep_count; i++) {
        struct sweep *s = c->sweeps[i];
        size_t done = 0;

        for (size_t k = 0; k < s->point_count; k++) {
            check_point(w, (struct ref){s->seq, (int)k, 0}, &s->points[k]);
            done += s->points[k].state == POINT_DONE;
        }
        check_family(w, s, POINT_THROUGHPUT);
        check_family(w, s, POINT_EVAL);
        if ((done == s->point_count) != (s->state == SWEEP_DONE))
            broken(w, (struct ref){s->seq, -1, 0}, "sweeps: %s with %zu of %zu points done",
                   sweep_state_name(s->state), done, s->point_count);
    }
    if (j->count && (j->list[j->count - 1].id != j->last_id ||
                     j->list[0].id != j->last_id - (int64_t)j->count + 1))
        broken(w, ALL, "journal: ids do not rise by one");
}

void check_restored(struct world *w, const struct sweep *s)
{
    for (size_t i = 0; i < s->point_count; i++)
        for (size_t k = 0; k < s->points[i].attempt_count; k++) {
            const struct attempt *a = &s->points[i].attempts[k];

            folder_of(w, a->token)->known = a->state; // what was not durable is forgotten
        }
}

// --- the end ---------------------------------------------------------------------------

bool check_quiet(struct world *w, char *ret_why, size_t size)
{
    const struct core *c = &w->shell.core;

    for (int i = 0; i < w->sweep_count; i++) {
        const struct sweep *s = w->shell.up ? core_sweep(c, i + 1) : NULL;

        if (!s || s->state != SWEEP_DONE) {
            snprintf(ret_why, size, "sweep %d has not ended", i + 1);
            return false;
        }
    }
    for (size_t i = 0; i < w->ctld.count; i++) {
        const struct ctld_job *j = &w->ctld.jobs[i];

        if (j->folder < 0 || !ctld_live(j))
            continue;
        snprintf(ret_why, size, "job %u of a sweep that has ended is still there", j->id);
        return false;
    }
    for (size_t i = 0; i < w->folder_count; i++) {
        if (!w->folders[i].running)
            continue;
        snprintf(ret_why, size, "a payload of a sweep that has ended still runs");
        return false;
    }
    if (c->journal.count || c->committing) {
        snprintf(ret_why, size, "something is not durable yet");
        return false;
    }
    return true;
}
