// SPDX-License-Identifier: GPL-2.0-or-later
#include "app.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"

enum {
    HTTP_CONNECTIONS = 4096,
    HTTP_PER_ADDRESS = 2048,
    HTTP_BODY_MAX = 16 * 1024 * 1024, // configuration files come in a submit
    HTTP_UNIX_MODE = 0666,            // all may read; who may write is for writers.c
    PLANS_A_TURN = 8,
};
#define HTTP_IDLE_US (75 * US_PER_S)
#define HTTP_REPLY_US (60 * US_PER_S)
#define SPOOL_CHECK_INTERVAL (15 * US_PER_S)
#define PING_INTERVAL (3 * US_PER_S)
#define HEALTH_INTERVAL US_PER_S
#define PUBLISH_DELAY (50 * US_PER_MS) // gathers the changes of a burst

bool app_peer_up(const struct app_peer *p)
{
    return p->up && !(p->asked_at && clock_mono_us() - p->asked_at > APP_PEER_SILENCE_US);
}

struct event app_event(const struct app *a, enum event_kind kind, struct ref ref)
{
    (void)a;
    return (struct event){
        .kind = kind, .ref = ref, .now = clock_mono_us(), .wall = clock_wall_us(), .text = ""};
}

void app_feed(struct app *a, struct event *e)
{
    core_update(&a->core, e);
    if (!a->publish_at)
        a->publish_at = e->now + PUBLISH_DELAY;
}

void app_fail(struct app *a, struct ref ref, enum effect_kind effect, enum failure failure,
              const char *text)
{
    struct event e = app_event(a, EVENT_FAILED, ref);

    e.effect = effect;
    e.failure = failure;
    e.text = text;
    app_feed(a, &e);
}

static void open_attempt(struct app *a, struct ref ref)
{
    struct event e = app_event(a, EVENT_OPEN, ref);

    token_make(e.token);
    app_feed(a, &e);
}

// Hands one effect to its adapter. Returns false when the adapter has no room:
// the effect stays due and is listed again.
static bool carry_out(struct app *a, const struct effect *effect)
{
    bool taken = false;

    switch (effect->kind) {
    case EFFECT_COMMIT:
        app_commit(a);
        return true;
    case EFFECT_OPEN:
        open_attempt(a, effect->ref);
        return true;
    case EFFECT_PREPARE:
        taken = app_prepare(a, effect->ref);
        break;
    case EFFECT_SUBMIT:
        taken = app_submit(a, effect->ref);
        break;
    case EFFECT_SCAN:
        taken = app_scan(a, effect->ref);
        break;
    case EFFECT_REVOKE:
        taken = app_revoke(a, effect->ref);
        break;
    case EFFECT_CANCEL:
        taken = app_cancel(a, effect->ref);
        break;
    case EFFECT_INGEST:
        taken = app_ingest(a, effect->ref);
        break;
    case EFFECT_COUNT:
        break;
    }
    if (taken) {
        struct event e = app_event(a, EVENT_ISSUED, effect->ref);

        e.effect = effect->kind;
        core_update(&a->core, &e);
    }
    return taken;
}

// Plans and carries out until nothing more is due now. Bounded: what an effect
// makes due at once (a commit after an opened attempt) takes a few rounds.
static int64_t act(struct app *a)
{
    for (int round = 0; round < PLANS_A_TURN; round++) {
        size_t done = 0;

        core_plan(&a->core, clock_mono_us(), &a->effects);
        // While the database is away nothing new begins: an attempt that could
        // not be committed would only wait.
        for (size_t i = 0; i < a->effects.count; i++)
            if (app_peer_up(&a->database) || a->effects.list[i].kind != EFFECT_OPEN)
                done += carry_out(a, &a->effects.list[i]);
        if (!done)
            break;
    }
    return a->effects.next;
}

static int64_t poll_slurm(struct app *a, int64_t now)
{
    if (now < a->poll_at || slurmc_polling(a->slurmc))
        return a->poll_at > now ? a->poll_at : INT64_MAX;
    a->poll_at = now + a->conf->poll_interval;
    if (slurmc_poll(a->slurmc))
        return a->poll_at;
    return now; // it is sent in the next turn
}

static int64_t lower(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t turn(void *ctx)
{
    struct app *a = ctx;
    int64_t now = clock_mono_us();
    int64_t next = INT64_MAX;
    int64_t http;

    if (a->stopping)
        return now;
    if (!a->opening && a->role != ROLE_ACTIVE) {
        if (now >= a->open_at)
            app_store_open(a);
        else
            next = lower(next, a->open_at);
    }
    if (a->role == ROLE_ACTIVE) {
        if (now >= a->ping_at && !a->pinging) {
            a->ping_at = now + PING_INTERVAL;
            app_store_ping(a);
        }
        // A question that hangs is not repeated, and must not keep the loop awake.
        if (!a->pinging)
            next = lower(next, a->ping_at);
        next = lower(next, act(a));
        next = lower(next, poll_slurm(a, now));
    }
    next = lower(next, slurmc_turn(a->slurmc));
    if (now >= a->spool_check_at && !a->spool_checking) {
        a->spool_check_at = now + SPOOL_CHECK_INTERVAL;
        app_spool_check(a);
    }
    if (!a->spool_checking)
        next = lower(next, a->spool_check_at);
    if (a->publish_at && now >= a->publish_at)
        api_publish(a);
    if (a->publish_at)
        next = lower(next, a->publish_at);
    if (now >= a->health_at) {
        a->health_at = now + HEALTH_INTERVAL;
        api_publish_health(a);
    }
    next = lower(next, a->health_at);
    http_run(a->http);
    http = http_timeout_us(a->http);
    return http >= 0 ? lower(next, clock_mono_us() + http) : next;
}

static void on_http(void *ctx, uint32_t events)
{
    struct app *a = ctx;

    (void)events;
    http_run(a->http);
}

static void on_worker(void *ctx, uint32_t events)
{
    (void)events;
    worker_collect(ctx);
}

static int start_worker(struct app *a, const char *name, size_t queue, void *thread_ctx,
                        struct worker **ret, struct err *e)
{
    int rc = worker_create(name, queue, thread_ctx, a, ret, e);

    return rc ? rc : loop_watch(a->loop, worker_fd(*ret), EPOLLIN, on_worker, *ret, e);
}

static int start_workers(struct app *a, struct err *e)
{
    int rc = start_worker(a, "store", APP_STORE_QUEUE, a->store, &a->store_worker, e);

    if (!rc)
        rc = start_worker(a, "files", APP_FILES_QUEUE, NULL, &a->files_worker, e);
    if (!rc)
        rc = start_worker(a, "ingest", APP_INGEST_QUEUE, NULL, &a->ingest_worker, e);
    if (!rc)
        rc = start_worker(a, "preflight", APP_PREFLIGHT_QUEUE, NULL, &a->preflight_worker, e);
    return rc;
}

static int start_http(struct app *a, struct err *e)
{
    struct http_settings settings = {
        .unix_path = a->conf->listen_unix[0] ? a->conf->listen_unix : NULL,
        .unix_mode = HTTP_UNIX_MODE,
        .tcp_address = a->conf->listen_tcp[0] ? a->conf->listen_tcp : NULL,
        .max_connections = HTTP_CONNECTIONS,
        .max_per_address = HTTP_PER_ADDRESS,
        .max_body = HTTP_BODY_MAX,
        .idle_timeout_us = HTTP_IDLE_US,
        .reply_timeout_us = HTTP_REPLY_US,
    };
    int rc = http_create(&settings, api_on_request, a, &a->http, e);

    if (!rc)
        rc = api_publish_web(a, e);
    return rc ? rc : loop_watch(a->loop, http_fd(a->http), EPOLLIN, on_http, a, e);
}

static void describe_me(struct app *a)
{
    char host[64] = "?";

    gethostname(host, sizeof(host) - 1);
    snprintf(a->me, sizeof(a->me), "%s pid %ld", host, (long)getpid());
}

int app_create(const struct conf *conf, struct loop *loop, struct app **ret, struct err *e)
{
    struct app *a = mem_alloc(sizeof(*a));
    struct policy policy = policy_default();
    int rc;

    policy.scan_interval = conf->scan_interval;
    policy.end_grace = conf->end_grace;
    policy.retry_first = conf->retry_first;
    policy.retry_max = conf->retry_max;
    policy.infra_attempts = (int)conf->infra_attempts;
    a->conf = conf;
    a->loop = loop;
    a->started_wall = clock_wall_us();
    a->started_mono = clock_mono_us();
    a->events = mem_array(APP_EVENTS_KEPT, sizeof(*a->events));
    str_copy(a->database.detail, sizeof(a->database.detail), "not connected yet");
    str_copy(a->spool.detail, sizeof(a->spool.detail), "not looked at yet");
    describe_me(a);
    core_init(&a->core, &policy);
    a->store = store_create(conf->database, conf->sql);
    rc = writers_create(conf->write_group, &a->writers, e);
    if (!rc)
        rc = start_workers(a, e);
    if (!rc)
        rc = start_http(a, e);
    if (!rc)
        rc = slurmc_create(conf, loop, app_on_slurm, a, &a->slurmc, e);
    if (rc) {
        app_free(a);
        return rc;
    }
    loop_add_turn(loop, turn, a);
    *ret = a;
    return 0;
}

void app_stop(struct app *a, int exit_code)
{
    a->exit_code = exit_code;
    a->stopping = true;
    loop_stop(a->loop);
}

static void stop_worker(struct app *a, struct worker *w)
{
    if (w)
        loop_unwatch(a->loop, worker_fd(w));
    worker_free(w, APP_STOP_PATIENCE_MS);
}

static void stop_http(struct app *a)
{
    int64_t until = clock_mono_us() + (int64_t)APP_STOP_PATIENCE_MS * US_PER_MS;

    if (!a->http)
        return;
    loop_unwatch(a->loop, http_fd(a->http));
    http_stop_listening(a->http);
    while (http_connections(a->http) && clock_mono_us() < until) {
        struct epoll_event ev;

        http_run(a->http);
        if (http_connections(a->http))
            epoll_wait(http_fd(a->http), &ev, 1, 10);
    }
    http_free(a->http);
}

void app_free(struct app *a)
{
    if (!a)
        return;
    a->stopping = true;
    slurmc_free(a->slurmc);
    stop_worker(a, a->preflight_worker);
    stop_worker(a, a->ingest_worker);
    stop_worker(a, a->files_worker);
    // A last commit, if one is under way, is finished here.
    stop_worker(a, a->store_worker);
    stop_http(a);
    store_free(a->store);
    core_done(&a->core);
    effects_free(&a->effects);
    free(a->events);
    free(a->published);
    writers_free(a->writers);
    free(a);
}
