// SPDX-License-Identifier: GPL-2.0-or-later
#include "coverage.h"

#include <string.h>

enum column {
    ISSUED, // and the effects in their order
    FAILED = ISSUED + EFFECT_COUNT,
    SUBMIT_UNCLEAR = FAILED + EFFECT_COUNT,
    SUBMIT_LIMIT,
    SUBMIT_REFUSED,
    SUBMIT_OTHER,
    PREPARED,
    SUBMITTED,
    SEEN_PENDING,
    SEEN_RUNNING,
    SEEN_ENDED,
    SEEN_UNKNOWN,
    ABSENT,
    SCAN_NOTHING,
    SCAN_CLAIMED,
    SCAN_ENDED,
    SCAN_CUT,
    SCAN_REVOKED,
    REVOKED,
    REVOKED_LATE,
    CANCELLED,
    INGESTED,
    SWEEP_CANCEL,
    RESTORED,
    COMMITTED,
    COMMIT_FAILED,
    COLUMNS
};

// The first letters of the states in which each can come: intent, submitted,
// pending, running, ended, judged, lost. A capital stands for a pair that takes
// more than one coincidence: a few thousand seeds may not have it.
static const struct {
    const char *name, *possible;
} columns[COLUMNS] = {
    [ISSUED + EFFECT_PREPARE] = {"issued prepare", "i"},
    [ISSUED + EFFECT_SUBMIT] = {"issued submit", "i"},
    [ISSUED + EFFECT_SCAN] = {"issued scan", "spr"},
    [ISSUED + EFFECT_REVOKE] = {"issued revoke", "ispr"},
    [ISSUED + EFFECT_CANCEL] = {"issued cancel", "sprjl"},
    [ISSUED + EFFECT_INGEST] = {"issued ingest", "e"},
    [FAILED + EFFECT_PREPARE] = {"prepare failed", "i"},
    [FAILED + EFFECT_SUBMIT] = {"submit: down", "i"},
    [FAILED + EFFECT_SCAN] = {"scan failed", "sprjl"},
    [FAILED + EFFECT_REVOKE] = {"revoke failed", "isprejL"},
    [FAILED + EFFECT_CANCEL] = {"cancel failed", "sprejl"},
    [FAILED + EFFECT_INGEST] = {"ingest failed", "e"},
    [SUBMIT_UNCLEAR] = {"submit: unclear", "isprEJ"},
    [SUBMIT_LIMIT] = {"submit: limit", "i"},
    [SUBMIT_REFUSED] = {"submit: refused", "i"},
    [SUBMIT_OTHER] = {"submit: other", "i"},
    [PREPARED] = {"prepared", "i"},
    [SUBMITTED] = {"submitted", "isprEJ"},
    [SEEN_PENDING] = {"seen pending", "isprejl"},
    [SEEN_RUNNING] = {"seen running", "isprejl"},
    [SEEN_ENDED] = {"seen ended", "isprejl"},
    [SEEN_UNKNOWN] = {"seen in an odd state", "isprejl"},
    [ABSENT] = {"absent from a poll", "isprejl"},
    [SCAN_NOTHING] = {"scan: nothing", "sprjl"},
    [SCAN_CLAIMED] = {"scan: claimed", "spr"},
    [SCAN_ENDED] = {"scan: end record", "spr"},
    [SCAN_CUT] = {"scan: cut record", "spr"},
    [SCAN_REVOKED] = {"scan: revoked", "sprjl"},
    [REVOKED] = {"revoke: won", "isprjl"},
    [REVOKED_LATE] = {"revoke: the job has it", "isprej"},
    [CANCELLED] = {"cancelled", "sprejl"},
    [INGESTED] = {"ingested", "e"},
    [SWEEP_CANCEL] = {"sweep cancelled", "isprejl"},
    [RESTORED] = {"restored", "isprejl"},
    [COMMITTED] = {"committed", "isprejl"},
    [COMMIT_FAILED] = {"commit failed", "isprejl"},
};

static void count(struct world *w, enum column column, enum attempt_state state)
{
    w->coverage->pairs[column][state]++;
}

static enum column column_of_job(const struct job *job)
{
    switch (job_view(job).fate) {
    case FATE_PENDING:
        return SEEN_PENDING;
    case FATE_RUNNING:
        return SEEN_RUNNING;
    case FATE_ENDED:
        return SEEN_ENDED;
    case FATE_UNKNOWN:
        break;
    }
    return SEEN_UNKNOWN;
}

static bool listed(const struct event *e, const char *token)
{
    for (size_t i = 0; i < e->job_count; i++)
        if (!memcmp(e->jobs[i].token, token, TOKEN_HEX))
            return true;
    return false;
}

// Every job with its attempt, and the attempts at work that have no job.
static void count_poll(struct world *w, const struct event *e)
{
    const struct core *c = &w->shell.core;

    for (size_t i = 0; i < e->job_count; i++) {
        const struct folder *f = folder_of(w, e->jobs[i].token);
        const struct attempt *a = f ? core_attempt(c, f->ref) : NULL;

        if (a && !strcmp(a->token, f->token))
            count(w, column_of_job(&e->jobs[i]), a->state);
    }
    for (size_t i = 0; i < c->sweep_count; i++)
        for (size_t k = 0; k < c->sweeps[i]->point_count; k++) {
            const struct sweep_point *p = &c->sweeps[i]->points[k];
            const struct attempt *a = p->attempt_count ? &p->attempts[p->attempt_count - 1] : NULL;

            if (a && !listed(e, a->token))
                count(w, ABSENT, a->state);
        }
}

static void count_sweep(struct world *w, const struct sweep *s, enum column column)
{
    for (size_t i = 0; i < s->point_count; i++)
        for (size_t k = 0; k < s->points[i].attempt_count; k++)
            count(w, column, s->points[i].attempts[k].state);
}

static void count_all(struct world *w, enum column column)
{
    for (size_t i = 0; i < w->shell.core.sweep_count; i++)
        count_sweep(w, w->shell.core.sweeps[i], column);
}

static enum column column_of_failure(const struct event *e)
{
    static const enum column of_submit[] = {
        [FAILURE_DOWN] = FAILED + EFFECT_SUBMIT, [FAILURE_UNCLEAR] = SUBMIT_UNCLEAR,
        [FAILURE_LIMIT] = SUBMIT_LIMIT,          [FAILURE_REFUSED] = SUBMIT_REFUSED,
        [FAILURE_OTHER] = SUBMIT_OTHER,
    };

    return e->effect == EFFECT_SUBMIT ? of_submit[e->failure]
                                      : (enum column)(FAILED + (int)e->effect);
}

static enum column column_of_scan(const struct scan *scan)
{
    if (scan->claim == CLAIM_OURS_REVOKED)
        return SCAN_REVOKED;
    if (scan->has_end)
        return SCAN_ENDED;
    if (scan->end_bad)
        return SCAN_CUT;
    return scan->claim == CLAIM_JOB ? SCAN_CLAIMED : SCAN_NOTHING;
}

static void count_attempt(struct world *w, const struct event *e, const struct attempt *a)
{
    enum column column = COLUMNS;

    switch (e->kind) {
    case EVENT_ISSUED:
        column = (enum column)(ISSUED + (int)e->effect);
        break;
    case EVENT_FAILED:
        column = column_of_failure(e);
        break;
    case EVENT_PREPARED:
        column = PREPARED;
        break;
    case EVENT_SUBMITTED:
        column = SUBMITTED;
        break;
    case EVENT_SCANNED:
        column = column_of_scan(e->scan);
        break;
    case EVENT_REVOKED:
        column = e->claim == CLAIM_JOB ? REVOKED_LATE : REVOKED;
        break;
    case EVENT_CANCELLED:
        column = CANCELLED;
        break;
    case EVENT_INGESTED:
        column = INGESTED;
        break;
    default:
        break;
    }
    if (column != COLUMNS)
        count(w, column, a->state);
}

void coverage_event(struct world *w, const struct event *e)
{
    const struct attempt *a = core_attempt(&w->shell.core, e->ref);
    const struct sweep *s = core_sweep(&w->shell.core, e->ref.sweep);

    if (e->kind == EVENT_POLLED)
        count_poll(w, e);
    else if (e->kind == EVENT_SWEEP_RESTORED)
        count_sweep(w, e->sweep, RESTORED);
    else if (e->kind == EVENT_SWEEP_CANCEL && s)
        count_sweep(w, s, SWEEP_CANCEL);
    else if (e->kind == EVENT_COMMITTED)
        count_all(w, COMMITTED);
    else if (e->kind == EVENT_FAILED && e->effect == EFFECT_COMMIT)
        count_all(w, COMMIT_FAILED);
    else if (a)
        count_attempt(w, e, a);
}

void coverage_sweep(struct world *w, const struct sweep *s)
{
    struct coverage *c = w->coverage;

    c->sweeps++;
    c->cancelled_sweeps += s->state == SWEEP_DONE && s->reason[0];
    for (size_t i = 0; i < s->point_count; i++) {
        c->points[s->points[i].outcome]++;
        for (size_t k = 0; k < s->points[i].attempt_count; k++)
            c->attempts[s->points[i].attempts[k].outcome]++;
    }
}

// --- the report -------------------------------------------------------------------

static char letter(int state)
{
    return attempt_state_name((enum attempt_state)state)[0];
}

static bool expected(int column, int state)
{
    return columns[column].possible && strchr(columns[column].possible, letter(state));
}

static bool rare(int column, int state)
{
    int capital = letter(state) - 'a' + 'A';

    return columns[column].possible && strchr(columns[column].possible, capital);
}

static void print_pairs(const struct coverage *c)
{
    printf("# %-24s", "event \\ state");
    for (int s = 0; s < ATTEMPT_STATE_COUNT; s++)
        printf(" %10s", attempt_state_name((enum attempt_state)s));
    printf("\n");
    for (int k = 0; k < COLUMNS; k++) {
        if (!columns[k].name)
            continue;
        printf("# %-24s", columns[k].name);
        for (int s = 0; s < ATTEMPT_STATE_COUNT; s++) {
            if (c->pairs[k][s] || expected(k, s))
                printf(" %10llu", (unsigned long long)c->pairs[k][s]);
            else
                printf(" %10s", "-");
        }
        printf("\n");
    }
}

static void print_outcomes(const char *what, const uint64_t *counts)
{
    printf("# %s:", what);
    for (int i = 0; i < OUTCOME_COUNT; i++)
        if (counts[i])
            printf(" %s=%llu", i ? outcome_name((enum outcome)i) : "none",
                   (unsigned long long)counts[i]);
    printf("\n");
}

size_t coverage_missing(const struct coverage *c)
{
    size_t missing = 0;

    for (int k = 0; k < COLUMNS; k++)
        for (int s = 0; s < ATTEMPT_STATE_COUNT; s++)
            missing += expected(k, s) && !c->pairs[k][s];
    return missing;
}

static void print_surprises(const struct coverage *c)
{
    for (int k = 0; k < COLUMNS; k++)
        for (int s = 0; s < ATTEMPT_STATE_COUNT; s++) {
            const char *state = attempt_state_name((enum attempt_state)s);
            bool met = c->pairs[k][s] > 0;

            if (expected(k, s) && !met)
                printf("# never met: %s in %s\n", columns[k].name, state);
            if (columns[k].name && !expected(k, s) && !rare(k, s) && met)
                printf("# not foreseen: %s in %s\n", columns[k].name, state);
        }
}

static void print_sum(const struct coverage *c)
{
    size_t all = 0;
    size_t all_rare = 0;
    size_t met_rare = 0;

    for (int k = 0; k < COLUMNS; k++)
        for (int s = 0; s < ATTEMPT_STATE_COUNT; s++) {
            all += expected(k, s);
            all_rare += rare(k, s);
            met_rare += rare(k, s) && c->pairs[k][s];
        }
    printf("# coverage: %zu of %zu pairs of event and state, and %zu of %zu rare ones\n",
           all - coverage_missing(c), all, met_rare, all_rare);
}

void coverage_print(const struct coverage *c)
{
    print_pairs(c);
    print_surprises(c);
    print_sum(c);
    print_outcomes("points", c->points);
    print_outcomes("attempts", c->attempts);
    printf("# %llu sweeps, %llu of them cut short, %llu restarts, %llu payloads began beside one "
           "that outlived its job\n",
           (unsigned long long)c->sweeps, (unsigned long long)c->cancelled_sweeps,
           (unsigned long long)c->crashes, (unsigned long long)c->outlived);
    printf("# %llu events in %.0f h of virtual time\n", (unsigned long long)c->events,
           (double)c->virtual_time / (double)HOUR);
}
