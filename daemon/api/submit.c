// SPDX-License-Identifier: GPL-2.0-or-later
#include "api/submit.h"

#include <stdio.h>
#include <stdlib.h>

#include "api/plan.h"
#include "api/reply.h"
#include "base/mem.h"
#include "core/history.h"
#include "submission.h"

enum submit_kind { KIND_SUBMIT, KIND_CHECK, KIND_PLAN };

struct submit_job {
    struct work work;
    enum submit_kind kind;
    uint64_t request;
    const struct conf *conf;
    struct submission *s; // owned
};

static void run_submission(struct work *w, void *thread_ctx)
{
    struct submit_job *job = (struct submit_job *)w;

    (void)thread_ctx;
    submission_run(job->conf, job->s);
}

static void conflict(struct app *a, uint64_t request, const struct sweep *active)
{
    char detail[SWEEP_KEY_MAX + 128];
    char extra[SWEEP_ID_MAX + 32];

    snprintf(detail, sizeof(detail), "Sweep %s of %s is active.", active->id, active->key);
    snprintf(extra, sizeof(extra), "{\"sweep\":\"%s\"}", active->id);
    http_problem(a->http, request, HTTP_CONFLICT, "sweep_active", "Sweep already active", detail,
                 "Wait for it, cancel it, or submit with --supersede.", extra);
}

static void refused(struct app *a, const struct submit_job *job)
{
    struct str extra = {0};

    if (job->s->findings)
        str_addf(&extra, "{\"findings\":%s}", job->s->findings);
    http_problem(a->http, job->request, job->s->status, job->s->code, "Not accepted",
                 job->s->detail, NULL, extra.len ? str_text(&extra) : NULL);
    str_free(&extra);
}

static void accept_sweep(struct app *a, struct submit_job *job)
{
    const struct sweep *active = core_active_of_key(&a->core, job->s->key);
    struct event e = app_event(a, EVENT_SWEEP_CREATED, (struct ref){job->s->seq, -1, 0});

    if (!reply_may_write(a, job->request))
        return;
    if (active && !job->s->supersede) {
        conflict(a, job->request, active);
        return;
    }
    if (active) {
        char reason[SWEEP_TEXT_MAX];
        struct event cancel = app_event(a, EVENT_SWEEP_CANCEL, (struct ref){active->seq, -1, 0});

        snprintf(reason, sizeof(reason), "superseded by %s", job->s->sweep->id);
        cancel.text = reason;
        app_feed(a, &cancel);
    }
    history_apply(&a->core, job->s->sweep);
    e.sweep = job->s->sweep;
    job->s->sweep = NULL;
    app_feed(a, &e);
    reply_when_durable(a, job->request, job->s->seq, HTTP_CREATED);
}

static void answer_check(struct app *a, const struct submit_job *job)
{
    struct str text = {0};

    str_addf(&text, "{\"schema_version\":1,\"points\":%zu,\"findings\":%s}",
             job->s->sweep->point_count, job->s->findings ? job->s->findings : "[]");
    reply_json(a, job->request, HTTP_OK, &text);
}

static void done_submission(struct work *w, void *loop_ctx, int cancelled)
{
    struct submit_job *job = (struct submit_job *)w;
    struct app *a = loop_ctx;

    if (cancelled || a->stopping) {
        // the server answers its waiting clients when it stops
    } else if (!job->s->sweep) {
        refused(a, job);
    } else if (job->kind == KIND_SUBMIT) {
        accept_sweep(a, job);
    } else if (job->kind == KIND_CHECK) {
        answer_check(a, job);
    } else {
        history_apply(&a->core, job->s->sweep);
        plan_answer(a, job->request, job->s->sweep);
        job->s->sweep = NULL;
    }
    submission_free(job->s);
    free(job);
}

static void start_submission(struct app *a, const struct http_request *req, enum submit_kind kind)
{
    struct submission *s;
    const struct sweep *active;
    struct submit_job *job;
    struct err e;

    if (kind == KIND_SUBMIT && !reply_may_write(a, req->id))
        return;
    if (submission_parse(req->body, req->body_len, &s, &e)) {
        reply_bad_request(a, req->id, e.text, "The members of a submit stand in docs/api.md.");
        return;
    }
    active = core_active_of_key(&a->core, s->key);
    if (kind == KIND_SUBMIT && active && !s->supersede) {
        conflict(a, req->id, active);
        submission_free(s);
        return;
    }
    s->uid = req->uid;
    s->seq = kind == KIND_SUBMIT ? ++a->last_sweep_seq : 0;
    job = mem_alloc(sizeof(*job));
    job->work = (struct work){.run = run_submission, .done = done_submission};
    job->kind = kind;
    job->request = req->id;
    job->conf = a->conf;
    job->s = s;
    if (worker_submit(a->preflight_worker, &job->work)) {
        http_problem(a->http, req->id, HTTP_UNAVAILABLE, "busy", "Busy",
                     "Too many submits are being checked.", "Send it again in a moment.", NULL);
        submission_free(s);
        free(job);
    }
}

void submit_post(struct app *a, const struct call *c)
{
    start_submission(a, c->req, KIND_SUBMIT);
}

void check_post(struct app *a, const struct call *c)
{
    start_submission(a, c->req, KIND_CHECK);
}

void plan_post(struct app *a, const struct call *c)
{
    start_submission(a, c->req, KIND_PLAN);
}
