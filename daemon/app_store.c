// SPDX-License-Identifier: GPL-2.0-or-later
// The database side of the application: becoming the writer, loading what the
// last one left, committing.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "notify.h"
#include "rows.h"

enum { EXIT_DATABASE = 1, EXIT_FENCED = 75 }; // EX_TEMPFAIL: to be started again
#define OPEN_RETRY_FIRST (500 * US_PER_MS)
#define OPEN_RETRY_MAX (10 * US_PER_S)
#define STANDBY_INTERVAL (2 * US_PER_S)

static const struct ref NO_REF = {0, -1, 0};

struct open_job {
    struct work work;
    char me[96];
    int64_t keep_sweeps;
    int rc;
    struct err e;
    struct store_rows rows[STORE_QUERY_COUNT];
};

static void run_open(struct work *w, void *thread_ctx)
{
    struct open_job *job = (struct open_job *)w;
    struct store *store = thread_ctx;
    int rc = store_open(store, job->me, &job->e);

    job->rc = rc;
    if (rc && rc != -EBUSY)
        return;
    for (int q = 0; q < STORE_QUERY_COUNT; q++) {
        int64_t limit = q == STORE_EVENTS ? APP_EVENTS_KEPT : job->keep_sweeps;
        struct err e;

        rc = store_load(store, (enum store_query)q, limit, &job->rows[q], &e);
        if (rc) {
            job->rc = rc;
            job->e = e;
            return;
        }
    }
}

static int64_t cell_int(const struct store_rows *rows, size_t row, size_t column)
{
    const char *text = rows->cells[row * rows->columns + column];
    int64_t n = 0;

    if (!text || str_to_i64(text, INT64_MIN, INT64_MAX, &n))
        return 0;
    return n;
}

static const char *cell(const struct store_rows *rows, size_t row, size_t column)
{
    const char *text = rows->cells[row * rows->columns + column];

    return text ? text : "";
}

void app_remember(struct app *a, const struct app_event *e)
{
    size_t slot = (a->event_first + a->event_count) % APP_EVENTS_KEPT;

    a->events[slot] = *e;
    if (a->event_count < APP_EVENTS_KEPT)
        a->event_count++;
    else
        a->event_first = (a->event_first + 1) % APP_EVENTS_KEPT;
}

static void restore_events(struct app *a, const struct store_rows *rows)
{
    a->event_first = 0;
    a->event_count = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        struct app_event e = {.id = cell_int(rows, i, 0), .wall = cell_int(rows, i, 1)};

        str_copy(e.sweep, sizeof(e.sweep), cell(rows, i, 3));
        str_copy(e.point, sizeof(e.point), cell(rows, i, 4));
        e.attempt = (int)cell_int(rows, i, 5);
        str_copy(e.kind, sizeof(e.kind), cell(rows, i, 6));
        str_copy(e.text, sizeof(e.text), cell(rows, i, 7));
        app_remember(a, &e);
    }
}

// Replaces core by what the rows say.
static int restore(struct app *a, struct open_job *job, struct err *e)
{
    struct sweep **sweeps;
    struct policy policy = a->core.policy;
    size_t count;
    int rc = rows_restore(&job->rows[STORE_SWEEPS], &job->rows[STORE_POINTS],
                          &job->rows[STORE_ATTEMPTS], &sweeps, &count, e);

    if (rc)
        return rc;
    core_done(&a->core);
    core_init(&a->core, &policy);
    a->core.journal.last_id = cell_int(&job->rows[STORE_MAXIMA], 0, 1);
    a->last_sweep_seq = cell_int(&job->rows[STORE_MAXIMA], 0, 0);
    a->adopted = 0;
    for (size_t i = 0; i < count; i++) {
        struct event ev = app_event(a, EVENT_SWEEP_RESTORED, NO_REF);

        for (size_t j = 0; j < sweeps[i]->point_count; j++)
            a->adopted += sweep_point_live(&sweeps[i]->points[j]) != NULL;
        ev.sweep = sweeps[i];
        app_feed(a, &ev);
    }
    free(sweeps);
    restore_events(a, &job->rows[STORE_EVENTS]);
    free(a->published);
    a->published = NULL;
    a->published_count = 0;
    return 0;
}

static void database_up(struct app *a)
{
    if (!a->database.up && a->role == ROLE_ACTIVE)
        log_info("database: connection is back");
    a->database.up = true;
    a->database.detail[0] = '\0';
    a->database.last_ok = clock_mono_us();
}

static void database_down(struct app *a, const char *text)
{
    if (a->database.up || strcmp(a->database.detail, text) != 0)
        log_warn("%s", text);
    a->database.up = false;
    str_copy(a->database.detail, sizeof(a->database.detail), text);
}

static void became_active(struct app *a)
{
    a->role = ROLE_ACTIVE;
    str_copy(a->lock_holder, sizeof(a->lock_holder), a->me);
    a->adopted_us = 0;
    log_info("active: %zu sweeps loaded, %zu attempts to adopt, %" PRId64 " ms after start",
             a->core.sweep_count, a->adopted, (clock_mono_us() - a->started_mono) / US_PER_MS);
    notify("READY=1");
}

static void standing_by(struct app *a, const char *holder)
{
    if (a->role != ROLE_STANDBY || strcmp(a->lock_holder, holder) != 0)
        log_info("standby: the writer is %s", holder);
    a->role = ROLE_STANDBY;
    str_copy(a->lock_holder, sizeof(a->lock_holder), holder);
    notify("READY=1");
}

static void open_failed(struct app *a, const struct open_job *job)
{
    int64_t wait = OPEN_RETRY_FIRST;

    database_down(a, job->e.text);
    if (job->rc == -EPROTO) {
        log_error("cannot use this database: %s", job->e.text);
        app_stop(a, EXIT_DATABASE);
        return;
    }
    for (int i = 0; i < a->open_tries && wait < OPEN_RETRY_MAX; i++)
        wait *= 2;
    a->open_tries++;
    a->open_at = clock_mono_us() + wait;
}

static void done_open(struct work *w, void *loop_ctx, int cancelled)
{
    struct open_job *job = (struct open_job *)w;
    struct app *a = loop_ctx;
    struct err e;

    a->opening = false;
    a->database.asked_at = 0;
    if (cancelled || a->stopping) {
        // nothing to do with it any more
    } else if (job->rc && job->rc != -EBUSY) {
        open_failed(a, job);
    } else if (restore(a, job, &e)) {
        job->e = e;
        job->rc = -EPROTO;
        open_failed(a, job);
    } else {
        database_up(a);
        a->open_tries = 0;
        a->open_at = clock_mono_us() + STANDBY_INTERVAL;
        if (job->rc)
            standing_by(a, job->e.text);
        else
            became_active(a);
    }
    for (int q = 0; q < STORE_QUERY_COUNT; q++)
        store_rows_free(&job->rows[q]);
    free(job);
}

void app_store_open(struct app *a)
{
    struct open_job *job = mem_alloc(sizeof(*job));

    job->work = (struct work){.run = run_open, .done = done_open};
    job->keep_sweeps = a->conf->keep_sweeps;
    str_copy(job->me, sizeof(job->me), a->me);
    a->opening = true;
    a->database.asked_at = clock_mono_us();
    if (worker_submit(a->store_worker, &job->work)) {
        a->opening = false;
        a->open_at = clock_mono_us() + OPEN_RETRY_FIRST;
        free(job);
    }
}

// A question went out; the oldest one without an answer counts.
static void asked(struct app *a)
{
    if (!a->database.asked_at)
        a->database.asked_at = clock_mono_us();
}

// --- commits ------------------------------------------------------------------------

struct commit_job {
    struct work work;
    char me[96];
    bool ping; // of an idle connection: nothing of core is in it
    struct store_batch *batch;
    int64_t journal_id;
    int rc;
    struct err e;
};

static void run_commit(struct work *w, void *thread_ctx)
{
    struct commit_job *job = (struct commit_job *)w;

    job->rc = store_open(thread_ctx, job->me, &job->e);
    if (!job->rc)
        job->rc = store_run(thread_ctx, job->batch, &job->e);
}

static void remember_durable(struct app *a, int64_t journal_id)
{
    for (size_t i = 0; i < a->core.journal.count; i++) {
        const struct journal_entry *j = &a->core.journal.list[i];
        struct app_event e = {.id = j->id, .wall = j->wall, .attempt = j->ref.attempt};

        if (j->id > journal_id)
            return;
        str_copy(e.sweep, sizeof(e.sweep), j->sweep);
        str_copy(e.point, sizeof(e.point), j->point);
        str_copy(e.kind, sizeof(e.kind), j->kind);
        str_copy(e.text, sizeof(e.text), j->text);
        app_remember(a, &e);
        log_info("%s: %s sweep=%s point=%s attempt=%d", j->kind, j->text, j->sweep, j->point,
                 j->ref.attempt);
    }
}

static void commit_failed(struct app *a, const struct commit_job *job)
{
    // The server may hold the lock of our dead session for a while.
    bool ours = job->rc == -EBUSY && !strcmp(job->e.text, a->me);

    if (job->rc == -EPERM || (job->rc == -EBUSY && !ours)) {
        log_error("no longer the writer (%s): ending, so that nothing is done twice", job->e.text);
        app_stop(a, EXIT_FENCED);
        return;
    }
    if (job->rc == -EINVAL)
        log_error("the database refuses a change: %s", job->e.text);
    database_down(a, job->e.text);
    if (!job->ping)
        app_fail(a, NO_REF, EFFECT_COMMIT, FAILURE_DOWN, job->e.text);
}

static void committed(struct app *a, const struct commit_job *job)
{
    struct event e = app_event(a, EVENT_COMMITTED, NO_REF);

    e.journal_id = job->journal_id;
    remember_durable(a, job->journal_id);
    app_feed(a, &e);
    api_answer_waiters(a, job->journal_id);
}

static void done_commit(struct work *w, void *loop_ctx, int cancelled)
{
    struct commit_job *job = (struct commit_job *)w;
    struct app *a = loop_ctx;

    a->pinging &= !job->ping;
    a->database.asked_at = a->pinging || a->core.committing ? clock_mono_us() : 0;
    if (!cancelled && !job->rc) {
        database_up(a);
        if (!job->ping)
            committed(a, job);
    } else if (!cancelled && !a->stopping) {
        commit_failed(a, job);
    }
    store_batch_free(job->batch);
    free(job);
}

void app_commit(struct app *a)
{
    struct commit_job *job = mem_alloc(sizeof(*job));
    struct event issued = app_event(a, EVENT_ISSUED, NO_REF);

    job->work = (struct work){.run = run_commit, .done = done_commit};
    str_copy(job->me, sizeof(job->me), a->me);
    job->batch = rows_batch(&a->core, &job->journal_id);
    issued.effect = EFFECT_COMMIT;
    core_update(&a->core, &issued);
    asked(a);
    if (worker_submit(a->store_worker, &job->work)) {
        app_fail(a, NO_REF, EFFECT_COMMIT, FAILURE_DOWN, "the queue to the database is full");
        store_batch_free(job->batch);
        free(job);
    }
}

void app_store_ping(struct app *a)
{
    struct commit_job *job = mem_alloc(sizeof(*job));

    job->work = (struct work){.run = run_commit, .done = done_commit};
    job->ping = true;
    job->batch = store_batch_create();
    str_copy(job->me, sizeof(job->me), a->me);
    a->pinging = worker_submit(a->store_worker, &job->work) == 0;
    if (a->pinging)
        asked(a);
    if (!a->pinging) {
        store_batch_free(job->batch);
        free(job);
    }
}
