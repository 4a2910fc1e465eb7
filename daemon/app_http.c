// SPDX-License-Identifier: GPL-2.0-or-later
// What no page answers: writes, filtered lists, the event log, single points.
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
#include "core/schedule.h"
#include "pages.h"
#include "submission.h"

enum {
    OK = 200,
    CREATED = 201,
    BAD_REQUEST = 400,
    FORBIDDEN = 403,
    NOT_FOUND = 404,
    NOT_ALLOWED = 405,
    CONFLICT = 409,
    UNAVAILABLE = 503,
    EVENTS_LIMIT_DEFAULT = 1000,
    EVENTS_LIMIT_MAX = 5000,
    PATH_PARTS_MAX = 6,
    CANCEL_REASON_MAX = 200,
};
#define JSON_TYPE "application/json"
#define PREFIX "/api/v1/"

static void reply(struct app *a, uint64_t id, int status, struct str *text)
{
    http_reply(a->http, id, status, JSON_TYPE, str_text(text), text->len);
    str_free(text);
}

static void not_found(struct app *a, uint64_t id, const char *what)
{
    http_problem(a->http, id, NOT_FOUND, "not_found", "Not found", what,
                 "List what there is: GET /api/v1/sweeps", NULL);
}

// --- waiting for a commit -----------------------------------------------------------

static struct app_waiter *free_waiter(struct app *a)
{
    for (size_t i = 0; i < APP_WAITERS_MAX; i++)
        if (!a->waiters[i].request)
            return &a->waiters[i];
    return NULL;
}

// The change that was just made is answered when it is durable.
static void answer_later(struct app *a, uint64_t request, int64_t sweep, int status)
{
    struct app_waiter *w = free_waiter(a);

    if (!w) {
        http_problem(a->http, request, UNAVAILABLE, "busy", "Busy",
                     "Too many writes wait for the database; this one was accepted all the same.",
                     "Look at the sweep before you send it again.", NULL);
        return;
    }
    *w = (struct app_waiter){request, a->core.journal.last_id, sweep, status};
}

void app_answer_waiters(struct app *a, int64_t durable_id)
{
    bool published = false;

    for (size_t i = 0; i < APP_WAITERS_MAX; i++) {
        struct app_waiter *w = &a->waiters[i];
        const struct sweep *s;
        struct str text = {0};

        if (!w->request || w->journal_id > durable_id)
            continue;
        if (!published)
            pages_publish(a); // what the answer names can be read
        published = true;
        s = core_sweep(&a->core, w->sweep);
        if (s) {
            pages_sweep(a, s, &text);
            reply(a, w->request, w->status, &text);
        } else {
            not_found(a, w->request, "The sweep is gone.");
        }
        w->request = 0;
    }
}

// A write needs the writer and the database. Answers and returns false when
// there is none.
static bool may_write(struct app *a, uint64_t request)
{
    char detail[ERR_TEXT_MAX + 64];

    if (a->role == ROLE_STANDBY) {
        snprintf(detail, sizeof(detail), "This sweepd stands by; the writer is %s.",
                 a->lock_holder);
        http_problem(a->http, request, UNAVAILABLE, "standby", "Standing by", detail,
                     "Send it to the writer.", NULL);
        return false;
    }
    if (a->role != ROLE_ACTIVE || !app_peer_up(&a->database)) {
        snprintf(detail, sizeof(detail), "Nothing can be accepted without the database: %s",
                 a->database.up ? "it does not answer" : a->database.detail);
        http_problem(a->http, request, UNAVAILABLE, "database_down", "Database not reachable",
                     detail, "It is tried again all the time: send it again later.", NULL);
        return false;
    }
    return true;
}

// --- submit, check, plan --------------------------------------------------------------

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
    http_problem(a->http, request, CONFLICT, "sweep_active", "Sweep already active", detail,
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

    if (!may_write(a, job->request))
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
    e.sweep = job->s->sweep;
    job->s->sweep = NULL;
    app_feed(a, &e);
    answer_later(a, job->request, job->s->seq, CREATED);
}

static void answer_check(struct app *a, const struct submit_job *job)
{
    struct str text = {0};

    str_addf(&text, "{\"schema_version\":1,\"points\":%zu,\"findings\":%s}",
             job->s->sweep->point_count, job->s->findings ? job->s->findings : "[]");
    reply(a, job->request, OK, &text);
}

// Nodes of the sweep's fleet that could take its points now or later.
static size_t fleet_nodes(const struct app *a, const struct sweep *s, const char **names,
                          size_t max)
{
    const char *why_not;
    size_t n = 0;

    for (size_t i = 0; i < a->core.node_count && n < max; i++)
        if (!strcmp(a->core.nodes[i].fleet, s->runner) && node_usable(&a->core.nodes[i], &why_not))
            names[n++] = a->core.nodes[i].name;
    return n;
}

static void plan_text(const struct sweep *s, const char *const *names, size_t nodes, int gpus,
                      struct str *out)
{
    struct schedule_task *tasks = mem_array(s->point_count, sizeof(*tasks));
    struct schedule plan;

    for (size_t i = 0; i < s->point_count; i++)
        tasks[i] =
            (struct schedule_task){s->points[i].expected_us, point_gpus(&s->points[i].point)};
    schedule_make(tasks, s->point_count, nodes, gpus, s->placement, &plan);
    double ratio = plan.bound ? (double)plan.makespan / (double)plan.bound : 1.0;
    str_addf(out,
             "{\"schema_version\":1,\"plan\":{\"placement\":\"%s\",\"nodes\":%zu,"
             "\"makespan_s\":%" PRId64 ",\"bound_s\":%" PRId64 ",\"ratio\":%.4f,"
             "\"gpu_hours\":%.2f,\"rows\":[",
             placement_name(s->placement), nodes, plan.makespan / US_PER_S, plan.bound / US_PER_S,
             ratio, plan.gpu_us / 3.6e9);
    for (size_t i = 0; i < plan.count; i++)
        str_addf(out,
                 "%s{\"point\":\"%s\",\"node\":\"%s\",\"wave\":%d,\"start_s\":%" PRId64
                 ",\"end_s\":%" PRId64 ",\"gpus\":%d}",
                 i ? "," : "", s->points[i].point.name, names[plan.rows[i].node], plan.rows[i].wave,
                 plan.rows[i].start / US_PER_S, plan.rows[i].end / US_PER_S, tasks[i].gpus);
    str_add(out, "]}}");
    schedule_free(&plan);
    free(tasks);
}

static void answer_plan(struct app *a, const struct submit_job *job)
{
    const struct sweep *s = job->s->sweep;
    const struct conf_fleet *fleet = conf_fleet(a->conf, s->runner);
    const char **names = mem_array(a->core.node_count + 1, sizeof(*names));
    size_t nodes = fleet_nodes(a, s, names, a->core.node_count);
    struct str text = {0};

    if (!nodes) {
        http_problem(a->http, job->request, UNAVAILABLE, "no_nodes", "No nodes",
                     "No node of the fleet can be used now.", "Look at GET /api/v1/nodes.", NULL);
    } else {
        plan_text(s, names, nodes, (int)fleet->gpus_per_node, &text);
        reply(a, job->request, OK, &text);
    }
    free(names);
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
        answer_plan(a, job);
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

    if (kind == KIND_SUBMIT && !may_write(a, req->id))
        return;
    if (submission_parse(req->body, req->body_len, &s, &e)) {
        http_problem(a->http, req->id, BAD_REQUEST, "bad_request", "Bad request", e.text,
                     "The members of a submit stand in docs/api.md.", NULL);
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
        http_problem(a->http, req->id, UNAVAILABLE, "busy", "Busy",
                     "Too many submits are being checked.", "Send it again in a moment.", NULL);
        submission_free(s);
        free(job);
    }
}

// --- the other routes ---------------------------------------------------------------------

struct path {
    char text[HTTP_PATH_MAX];
    char *parts[PATH_PARTS_MAX]; // behind the prefix
    size_t count;
};

static bool split(const char *path, struct path *ret)
{
    char *p = ret->text;

    ret->count = 0;
    if (!str_starts(path, PREFIX) || !str_copy(p, sizeof(ret->text), path + strlen(PREFIX)))
        return false;
    while (ret->count < PATH_PARTS_MAX) {
        ret->parts[ret->count++] = p;
        p = strchr(p, '/');
        if (!p)
            return true;
        *p++ = '\0';
    }
    return false;
}

static struct sweep *find_sweep(const struct app *a, const char *id)
{
    for (size_t i = 0; i < a->core.sweep_count; i++)
        if (!strcmp(a->core.sweeps[i]->id, id))
            return a->core.sweeps[i];
    return NULL;
}

static const struct sweep_point *find_point(const struct sweep *s, const char *written)
{
    char name[POINT_NAME_MAX];

    point_name_canonical(written, name, sizeof(name));
    for (size_t i = 0; i < s->point_count; i++)
        if (!strcmp(s->points[i].point.name, name))
            return &s->points[i];
    return NULL;
}

static void cancel(struct app *a, const struct http_request *req, const struct sweep *s)
{
    char reason[CANCEL_REASON_MAX];
    struct event e = app_event(a, EVENT_SWEEP_CANCEL, (struct ref){s->seq, -1, 0});

    if (!may_write(a, req->id))
        return;
    if (s->state == SWEEP_DONE) {
        http_problem(a->http, req->id, CONFLICT, "sweep_ended", "Sweep has ended",
                     "There is nothing left to cancel.", NULL, NULL);
        return;
    }
    snprintf(reason, sizeof(reason), "cancelled by uid %u", (unsigned)req->uid);
    e.text = reason;
    app_feed(a, &e);
    answer_later(a, req->id, s->seq, OK);
}

static void events(struct app *a, const struct http_request *req)
{
    const char *after_text = http_query(req, "after");
    const char *limit_text = http_query(req, "limit");
    int64_t after = 0;
    int64_t limit = EVENTS_LIMIT_DEFAULT;
    struct str text = {0};

    if ((after_text && str_to_i64(after_text, 0, INT64_MAX, &after)) ||
        (limit_text && str_to_i64(limit_text, 1, EVENTS_LIMIT_MAX, &limit))) {
        http_problem(a->http, req->id, BAD_REQUEST, "bad_request", "Bad request",
                     "after must be an event id, limit 1 to 5000.", NULL, NULL);
        return;
    }
    pages_events(a, after, limit, http_query(req, "sweep"), &text);
    reply(a, req->id, OK, &text);
}

static void read_sweep(struct app *a, const struct http_request *req, const struct path *path)
{
    const struct sweep *s = find_sweep(a, path->parts[1]);
    const struct sweep_point *p;
    struct str text = {0};

    if (!s) {
        not_found(a, req->id, "There is no sweep of this id.");
        return;
    }
    if (path->count == 2) {
        pages_sweep(a, s, &text);
    } else if (path->count == 3 && !strcmp(path->parts[2], "points")) {
        pages_points(a, s, &text);
    } else if (path->count == 3 && !strcmp(path->parts[2], "results")) {
        pages_results(a, s, &text);
    } else if (path->count == 4 && !strcmp(path->parts[2], "points")) {
        p = find_point(s, path->parts[3]);
        if (!p) {
            not_found(a, req->id, "The sweep has no such point.");
            return;
        }
        pages_point(a, s, p, &text);
    } else {
        not_found(a, req->id, "There is no such resource.");
        return;
    }
    reply(a, req->id, OK, &text);
}

static void on_get(struct app *a, const struct http_request *req, const struct path *path)
{
    struct str text = {0};

    if (path->count >= 2 && !strcmp(path->parts[0], "sweeps")) {
        read_sweep(a, req, path);
        return;
    }
    if (path->count == 1 && !strcmp(path->parts[0], "events")) {
        events(a, req);
        return;
    }
    if (path->count == 1 && !strcmp(path->parts[0], "sweeps"))
        pages_sweeps(a, http_query(req, "state"), http_query(req, "key"), &text);
    else if (path->count == 1 && !strcmp(path->parts[0], "nodes"))
        pages_nodes(a, &text);
    else if (path->count == 1 && !strcmp(path->parts[0], "health"))
        pages_health_text(a, &text);
    if (text.len)
        reply(a, req->id, OK, &text);
    else
        not_found(a, req->id, "There is no such resource.");
}

static void on_post(struct app *a, const struct http_request *req, const struct path *path)
{
    // Only the unix socket brings writes here, with the peer's uid and gid.
    // Check and plan change nothing.
    if (!strcmp(path->parts[0], "sweeps") && !writers_allow(a->writers, req->uid, req->gid)) {
        http_problem(a->http, req->id, FORBIDDEN, "forbidden", "Not allowed",
                     "You may read here, but not submit or cancel.",
                     "An administrator can put you into listen.write_group.", NULL);
        return;
    }
    if (path->count == 1 && !strcmp(path->parts[0], "sweeps")) {
        start_submission(a, req, KIND_SUBMIT);
    } else if (path->count == 1 && !strcmp(path->parts[0], "check")) {
        start_submission(a, req, KIND_CHECK);
    } else if (path->count == 1 && !strcmp(path->parts[0], "plan")) {
        start_submission(a, req, KIND_PLAN);
    } else if (path->count == 3 && !strcmp(path->parts[0], "sweeps") &&
               !strcmp(path->parts[2], "cancel")) {
        const struct sweep *s = find_sweep(a, path->parts[1]);

        if (s)
            cancel(a, req, s);
        else
            not_found(a, req->id, "There is no sweep of this id.");
    } else {
        not_found(a, req->id, "There is no such resource.");
    }
}

void app_on_request(void *ctx, const struct http_request *req)
{
    struct app *a = ctx;
    struct path path;

    if (a->role == ROLE_STARTING && strcmp(req->path, PREFIX "health") != 0)
        http_problem(a->http, req->id, UNAVAILABLE, "starting", "Starting",
                     "The sweeps are not loaded yet.", "Ask again in a moment.", NULL);
    else if (!split(req->path, &path))
        not_found(a, req->id, "There is no such resource.");
    else if (!strcmp(req->method, "GET") || !strcmp(req->method, "HEAD"))
        on_get(a, req, &path);
    else if (!strcmp(req->method, "POST"))
        on_post(a, req, &path);
    else
        http_problem(a->http, req->id, NOT_ALLOWED, "method_not_allowed", "Method not allowed",
                     "Resources are read with GET and changed with POST.", NULL, NULL);
}
