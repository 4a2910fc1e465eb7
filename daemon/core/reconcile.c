// SPDX-License-Identifier: GPL-2.0-or-later
// What Slurm and the attempt's folder say, applied to the attempt. The end
// record is believed before Slurm; an error changes nothing.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/update.h"

// Which outcome an end record's reason stands for. OUTCOME_NONE: the artifacts
// decide.
static enum outcome outcome_of_reason(const char *reason)
{
    static const struct {
        const char *reason;
        enum outcome outcome;
    } table[] = {
        {"done", OUTCOME_NONE},
        {"replay_failed", OUTCOME_NONE},
        {"server_start", OUTCOME_SERVER_START},
        {"server_died", OUTCOME_SERVER_DIED},
        {"server_timeout", OUTCOME_TIMEOUT},
        {"time_limit", OUTCOME_TIMEOUT},
        {"port", OUTCOME_PORT},
        {"disk", OUTCOME_DISK},
        {"gpu_dirty", OUTCOME_GPU_DIRTY},
        {"image", OUTCOME_IMAGE},
        {"weights", OUTCOME_WEIGHTS},
        {"oom", OUTCOME_OOM},
        {"config", OUTCOME_ARGS_MISMATCH},
        {"terminated", OUTCOME_SLURM},
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (!strcmp(table[i].reason, reason))
            return table[i].outcome;
    return OUTCOME_COLLECT; // a word that no job of ours writes
}

static void end_attempt(const struct place *at, enum outcome outcome, const char *reason)
{
    struct attempt *a = at->attempt;

    a->outcome = outcome;
    // Why it was cancelled is known already; the job knows only by which signal.
    if (reason[0] && !(outcome == OUTCOME_CANCELLED && a->reason[0]))
        snprintf(a->reason, sizeof(a->reason), "%s", reason);
    attempt_enter(at, ATTEMPT_ENDED);
    if (outcome != OUTCOME_NONE)
        settle(at);
}

static void end_by_record(const struct place *at, const struct end_record *end)
{
    struct attempt *a = at->attempt;
    enum outcome outcome = outcome_of_reason(end->reason);
    bool terminated = !strcmp(end->reason, "terminated");

    // Somebody ended the job: Slurm's word says who, and it comes with the
    // next polls. It is not waited for without end.
    if (terminated && !a->cancel_wanted && !a->gone_since)
        return;
    if (terminated && a->cancel_wanted)
        outcome = OUTCOME_CANCELLED;
    else if (terminated && a->gone_as != OUTCOME_NONE && a->gone_as != OUTCOME_COLLECT &&
             a->gone_as != OUTCOME_LOST)
        outcome = a->gone_as;
    snprintf(a->end_reason, sizeof(a->end_reason), "%s", end->reason);
    snprintf(a->phase, sizeof(a->phase), "%s", end->phase);
    a->exit_code = end->exit_code;
    a->signal = end->signal;
    journal_add(at, "attempt_ended", "%s, exit code %d", end->reason, end->exit_code);
    end_attempt(at, outcome, end->detail);
}

static void adopt(const struct place *at, uint32_t job_id, const char *by)
{
    at->attempt->job_id = job_id;
    at->attempt->doubtful = false;
    at->attempt->absent_polls = 0;
    attempt_enter(at, ATTEMPT_SUBMITTED);
    journal_add(at, "attempt_adopted", "job %u, found by %s", job_id, by);
}

// The job ran, or runs. What polls said of it before may be older than its
// claim: slurmctld can forget an end and start the job again. Later ones count.
static void claim_is_taken(const struct place *at, uint32_t job_id)
{
    struct attempt *a = at->attempt;

    if (a->state == ATTEMPT_INTENT)
        adopt(at, job_id, "its claim");
    if (a->claim_taken)
        return;
    a->claim_taken = true;
    a->next_scan = 0;
    a->gone_since = 0;
    a->absent_polls = 0;
    a->doubt_since = at->core->now;
}

void reconcile_scan(const struct place *at, const struct event *e)
{
    struct attempt *a = at->attempt;
    const struct scan *scan = e->scan;

    if (a->state >= ATTEMPT_ENDED)
        return;
    if (scan->claim == CLAIM_OURS_REVOKED) {
        reconcile_revoked(at, e);
        return;
    }
    if (scan->claim == CLAIM_JOB)
        claim_is_taken(at, scan->claim_job_id);
    if (scan->phase[0] && strcmp(scan->phase, a->phase) != 0) {
        snprintf(a->phase, sizeof(a->phase), "%s", scan->phase);
        touch(&a->v);
        journal_add(at, "attempt_phase", "%s", a->phase);
    }
    if (scan->has_end && a->state != ATTEMPT_INTENT) {
        end_by_record(at, &scan->end);
        return;
    }
    // What a slow file system said of an earlier time is not its last word.
    if (!a->gone_since || !a->claim_taken ||
        a->scan_began - a->gone_since < at->core->policy.end_grace)
        return;
    journal_add(at, "attempt_ended", "no end record");
    end_attempt(at, a->gone_as,
                scan->end_bad ? scan->end.detail
                              : "the job ended and left no end record within the grace time");
}

void reconcile_revoked(const struct place *at, const struct event *e)
{
    struct attempt *a = at->attempt;
    enum claim claim = e->kind == EVENT_REVOKED ? e->claim : e->scan->claim;

    if (a->state >= ATTEMPT_ENDED)
        return;
    if (claim == CLAIM_JOB) {
        claim_is_taken(at, e->job_id);
        return;
    }
    if (claim != CLAIM_OURS_REVOKED)
        return;
    // It never ran and never will. A cancel that nobody here asked for, before
    // the job began, is Slurm's own: it ends jobs whose id a node knows already.
    if (a->cancel_wanted)
        a->gone_as = OUTCOME_CANCELLED;
    else if (a->gone_as == OUTCOME_CANCELLED)
        a->gone_as = OUTCOME_SLURM;
    if (a->gone_as == OUTCOME_NONE || a->gone_as == OUTCOME_LOST) {
        a->outcome = OUTCOME_LOST;
        snprintf(a->reason, sizeof(a->reason), "no job of it exists; its claim was revoked");
        attempt_enter(at, ATTEMPT_LOST);
        journal_add(at, "attempt_lost", "claim revoked");
        settle(at);
        return;
    }
    journal_add(at, "attempt_ended", "before it began: %s", outcome_name(a->gone_as));
    end_attempt(at, a->gone_as,
                a->cancel_wanted ? "cancelled before it began" : "the job ended before it began");
}

static void gone(struct attempt *a, enum outcome as, int64_t now)
{
    // Slurm's word is more than its silence.
    if (as != OUTCOME_LOST || a->gone_as == OUTCOME_NONE)
        a->gone_as = as;
    if (a->gone_since)
        return;
    a->gone_since = now;
    a->next_scan = 0;
    a->next_try = 0; // what was waited for belonged to a job that was there
}

static void copy_view(struct attempt *a, const struct job *job)
{
    if (!strcmp(a->slurm_state, job->state) && !strcmp(a->slurm_reason, job->reason) &&
        !strcmp(a->node, job->node))
        return;
    snprintf(a->slurm_state, sizeof(a->slurm_state), "%s", job->state);
    snprintf(a->slurm_reason, sizeof(a->slurm_reason), "%s", job->reason);
    if (job->node[0])
        snprintf(a->node, sizeof(a->node), "%s", job->node);
    touch(&a->v);
}

static void seen(const struct place *at, const struct job *job)
{
    struct attempt *a = at->attempt;
    struct job_view view = job_view(job);

    a->absent_polls = 0;
    a->submit_time = job->submit_time;
    if (a->state == ATTEMPT_INTENT)
        adopt(at, job->job_id, "its token");
    a->job_id = job->job_id;
    copy_view(a, job);
    if (view.fate == FATE_PENDING || view.fate == FATE_RUNNING) {
        a->gone_since = 0; // slurmctld had forgotten it for a while
        a->gone_as = OUTCOME_NONE;
    }
    switch (view.fate) {
    case FATE_PENDING:
        if (a->state != ATTEMPT_PENDING) {
            attempt_enter(at, ATTEMPT_PENDING);
            journal_add(at, "attempt_pending", "job %u waits", a->job_id);
        }
        break;
    case FATE_RUNNING:
        if (a->state != ATTEMPT_RUNNING) {
            attempt_enter(at, ATTEMPT_RUNNING);
            journal_add(at, "attempt_running", "on %s", a->node);
        }
        break;
    case FATE_ENDED:
        if (at->core->poll_began > a->doubt_since)
            gone(a, view.outcome, at->core->now);
        break;
    case FATE_UNKNOWN:
        break;
    }
}

static void absent(const struct place *at, int64_t poll_began)
{
    struct attempt *a = at->attempt;

    if (poll_began <= a->doubt_since || (a->state == ATTEMPT_INTENT && !a->doubtful))
        return;
    if (++a->absent_polls >= at->core->policy.absent_polls)
        gone(a, OUTCOME_LOST, at->core->now);
}

// A job of an attempt that is over, and that was never to run or has written
// its end record: it is ended, once it has had its time to leave by itself.
static void stray(const struct place *at, const struct job *job)
{
    struct attempt *a = at->attempt;
    enum job_fate fate = job_view(job).fate;

    if ((fate != FATE_PENDING && fate != FATE_RUNNING) || (job->flags & JOB_COMPLETING))
        return;
    if (a->stray_job || at->core->now - a->over_since < at->core->policy.end_grace)
        return;
    a->job_id = job->job_id;
    a->submit_time = job->submit_time; // a requeue changed it: nothing else is ours
    a->stray_job = true;
    touch(&a->v);
    journal_add(at, "stray_job", "job %u is still there", job->job_id);
}

static const struct job *find_job(const struct event *e, const char *token)
{
    const struct job *found = NULL;

    for (size_t i = 0; i < e->job_count; i++) {
        if (strcmp(e->jobs[i].token, token) != 0)
            continue;
        // Of two jobs with one token the younger one cannot have been ours to
        // submit: the claim lets only one run, and the first is looked at.
        if (!found || e->jobs[i].job_id < found->job_id)
            found = &e->jobs[i];
    }
    return found;
}

static void poll_point(const struct place *at, const struct event *e)
{
    for (size_t k = 0; k < at->point->attempt_count; k++) {
        struct place here = *at;
        const struct job *job;

        here.attempt = &at->point->attempts[k];
        here.ref.attempt = here.attempt->number;
        job = find_job(e, here.attempt->token);
        if (here.attempt->state >= ATTEMPT_ENDED) {
            if (job)
                stray(&here, job);
        } else if (job) {
            seen(&here, job);
        } else {
            absent(&here, e->began_at);
        }
    }
}

void reconcile_poll(struct core *c, const struct event *e)
{
    free(c->nodes);
    c->nodes = mem_array(e->node_count, sizeof(*c->nodes));
    if (e->node_count)
        memcpy(c->nodes, e->nodes, e->node_count * sizeof(*c->nodes));
    c->node_count = e->node_count;
    c->foreign_pending = e->foreign_pending;
    c->polled = true;
    c->poll_began = e->began_at;
    for (size_t i = 0; i < c->sweep_count; i++) {
        struct sweep *s = c->sweeps[i];

        for (size_t j = 0; j < s->point_count; j++) {
            struct place at = {.core = c, .sweep = s, .point = &s->points[j]};

            at.ref = (struct ref){s->seq, (int)j, 0};
            poll_point(&at, e);
        }
    }
}
