// SPDX-License-Identifier: GPL-2.0-or-later
// The shared file system's side of the application: jobs for the files and the
// ingest workers.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "facts.h"
#include "spool.h"

enum file_action { ACTION_PREPARE, ACTION_SCAN, ACTION_REVOKE, ACTION_INGEST };

struct file_job {
    struct work work;
    enum file_action action;
    struct ref ref;
    const struct conf *conf;
    char dir[SPOOL_PATH_MAX];
    char token[TOKEN_HEX];
    char who[96];
    char *job_env; // owned
    int exit_code;
    int rc;
    struct err e;
    struct scan scan;
    struct facts facts;
    struct metrics metrics;
    char *summary; // owned
};

static void run_file_job(struct work *w, void *thread_ctx)
{
    struct file_job *job = (struct file_job *)w;

    (void)thread_ctx;
    switch (job->action) {
    case ACTION_PREPARE:
        job->rc = spool_prepare(job->dir, job->job_env, &job->e);
        break;
    case ACTION_SCAN:
        job->rc = spool_scan(job->dir, job->token, &job->scan, &job->e);
        break;
    case ACTION_REVOKE:
        job->rc = spool_revoke(job->dir, job->token, job->who, &job->scan.claim,
                               &job->scan.claim_job_id, &job->e);
        break;
    case ACTION_INGEST:
        job->rc = facts_ingest(job->conf, job->dir, job->exit_code, &job->facts, &job->metrics,
                               &job->summary, &job->e);
        break;
    }
}

static const enum effect_kind effect_of[] = {EFFECT_PREPARE, EFFECT_SCAN, EFFECT_REVOKE,
                                             EFFECT_INGEST};
static const enum event_kind event_of[] = {EVENT_PREPARED, EVENT_SCANNED, EVENT_REVOKED,
                                           EVENT_INGESTED};

static void spool_down(struct app *a, const char *text)
{
    if (a->spool.up || strcmp(a->spool.detail, text) != 0)
        log_warn("spool: %s", text);
    a->spool.up = false;
    str_copy(a->spool.detail, sizeof(a->spool.detail), text);
}

static void spool_up(struct app *a)
{
    a->spool.up = true;
    a->spool.detail[0] = '\0';
    a->spool.last_ok = clock_mono_us();
}

// A reader that fails while the spool is there says something of the artifacts,
// and is not asked for ever. Otherwise it is weather, which decides nothing.
static enum failure failure_of(const struct app *a, enum file_action action)
{
    return action == ACTION_INGEST && a->spool.up ? FAILURE_OTHER : FAILURE_DOWN;
}

static void report(struct app *a, struct file_job *job)
{
    struct event e = app_event(a, event_of[job->action], job->ref);

    if (job->rc) {
        if (job->action == ACTION_INGEST)
            log_warn("%s", job->e.text);
        else
            spool_down(a, job->e.text);
        app_fail(a, job->ref, effect_of[job->action], failure_of(a, job->action), job->e.text);
        return;
    }
    if (job->action != ACTION_INGEST)
        spool_up(a);
    e.scan = &job->scan;
    e.claim = job->scan.claim;
    e.job_id = job->scan.claim_job_id;
    e.facts = &job->facts;
    e.metrics = &job->metrics;
    e.summary = job->summary;
    app_feed(a, &e);
    job->summary = e.summary; // NULL when core took it
}

static void done_file_job(struct work *w, void *loop_ctx, int cancelled)
{
    struct file_job *job = (struct file_job *)w;
    struct app *a = loop_ctx;

    if (!cancelled && !a->stopping)
        report(a, job);
    free(job->job_env);
    free(job->summary);
    free(job);
}

// A job about one attempt, with the attempt's folder and token; NULL when the
// attempt is gone or its path too long.
static struct file_job *new_job(struct app *a, struct ref ref, enum file_action action)
{
    const struct sweep *s = core_sweep(&a->core, ref.sweep);
    const struct sweep_point *p = core_point(&a->core, ref);
    const struct attempt *t = core_attempt(&a->core, ref);
    struct file_job *job;

    if (!s || !p || !t)
        return NULL;
    job = mem_alloc(sizeof(*job));
    job->work = (struct work){.run = run_file_job, .done = done_file_job};
    job->action = action;
    job->ref = ref;
    job->conf = a->conf;
    job->exit_code = t->exit_code;
    memcpy(job->token, t->token, sizeof(job->token));
    str_copy(job->who, sizeof(job->who), a->me);
    if (!spool_attempt_dir(a->conf->spool, s->id, p->point.name, t->number, job->dir,
                           sizeof(job->dir))) {
        free(job);
        return NULL;
    }
    return job;
}

static bool hand_over(struct worker *w, struct file_job *job)
{
    if (!job)
        return false;
    if (worker_submit(w, &job->work) == 0)
        return true;
    free(job->job_env);
    free(job);
    return false;
}

static char *job_env(const struct app *a, const struct sweep *s, const struct sweep_point *p,
                     const struct attempt *t)
{
    struct str env = {0};

    str_addf(&env, "SWEEPD_SWEEP=%s\nSWEEPD_ATTEMPT=%d\nSWEEPD_TOKEN=%s\n", s->id, t->number,
             t->token);
    str_addf(&env, "SWEEPD_BUNDLE=%s/%s/bundle\n", a->conf->spool, s->id);
    str_add(&env, p->job_env);
    for (size_t i = 0; i < a->conf->job_environment_count; i++)
        str_addf(&env, "%s=%s\n", a->conf->job_environment[i].name,
                 a->conf->job_environment[i].value);
    return str_take(&env);
}

bool app_prepare(struct app *a, struct ref ref)
{
    struct file_job *job = new_job(a, ref, ACTION_PREPARE);

    if (job)
        job->job_env = job_env(a, core_sweep(&a->core, ref.sweep), core_point(&a->core, ref),
                               core_attempt(&a->core, ref));
    return hand_over(a->files_worker, job);
}

bool app_scan(struct app *a, struct ref ref)
{
    return hand_over(a->files_worker, new_job(a, ref, ACTION_SCAN));
}

bool app_revoke(struct app *a, struct ref ref)
{
    return hand_over(a->files_worker, new_job(a, ref, ACTION_REVOKE));
}

bool app_ingest(struct app *a, struct ref ref)
{
    return hand_over(a->ingest_worker, new_job(a, ref, ACTION_INGEST));
}

// --- is the spool there at all? ---------------------------------------------------------

struct check_job {
    struct work work;
    const struct conf *conf;
    int rc;
    struct err e;
};

static void run_check(struct work *w, void *thread_ctx)
{
    struct check_job *job = (struct check_job *)w;

    (void)thread_ctx;
    job->rc = spool_check(job->conf->spool, &job->e);
}

static void done_check(struct work *w, void *loop_ctx, int cancelled)
{
    struct check_job *job = (struct check_job *)w;
    struct app *a = loop_ctx;

    a->spool_checking = false;
    a->spool.asked_at = 0;
    if (!cancelled && !a->stopping) {
        if (job->rc)
            spool_down(a, job->e.text);
        else
            spool_up(a);
    }
    free(job);
}

void app_spool_check(struct app *a)
{
    struct check_job *job = mem_alloc(sizeof(*job));

    job->work = (struct work){.run = run_check, .done = done_check};
    job->conf = a->conf;
    a->spool_checking = worker_submit(a->files_worker, &job->work) == 0;
    a->spool.asked_at = a->spool_checking ? clock_mono_us() : 0;
    if (!a->spool_checking)
        free(job);
}
