// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/standin/server_api.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "tests/standin/server_clock.h"
#include "tests/standin/server_exchange.h"
#include "tests/standin/server_log.h"

#define SERVER_VERSION "0.5.16"

enum {
    CONTEXT_LENGTH = 262144, // the checkpoint's own
    BYTES_PER_TOKEN = 4,     // of a prompt whose size is not declared
    OUTPUT_DEFAULT = 16,
    LOG_EVERY_S = 60,  // virtual
    STREAM_ERRORS = 1, // random streams of the faults
    STREAM_OVERFLOW = 2,
};

struct api {
    struct api_config config;
    struct engine *engine;
    struct clock *clock;
    struct exchange *exchanges;
    const char *model;
    int64_t context_length;
    int64_t number;     // of completions so far
    int64_t profile_ns; // the first request that is no warm-up, -1 before it
    int64_t log_ns;
    bool ready;
    bool cancelled; // lanes are turned away until their number is set anew
};

static bool fault(const struct api *a, enum fault f)
{
    return a->config.faults->on[f];
}

static void answer_text(struct http_call *call, int status, const char *type, const char *text,
                        int64_t stamp_ns)
{
    http_answer(call, status, type, text, strlen(text), stamp_ns);
}

static void answer_error(struct http_call *call, int status, const char *kind, const char *message,
                         int64_t stamp_ns)
{
    struct str text = {0};

    str_addf(&text,
             "{\"object\":\"error\",\"message\":\"%s\",\"type\":\"%s\",\"param\":null,"
             "\"code\":%d}",
             message, kind, status);
    answer_text(call, status, "application/json", text.p, stamp_ns);
    str_free(&text);
}

static void answer_metrics(struct api *a, struct http_call *call)
{
    const struct args *args = a->config.args;
    struct stats_now now = {
        .model_name = a->model,
        .running = engine_running(a->engine),
        .queued = engine_queued(a->engine),
        .used_tokens = engine_used_tokens(a->engine),
        .pool_tokens = a->config.engine.model.pool_tokens,
        .draft_tokens = a->config.engine.accept.draft_tokens,
        .steps = (int)args_int(args, "speculative_num_steps"),
        .page_size = (int)args_int(args, "page_size"),
        .context_len = a->context_length,
        .host_cache = fault(a, FAULT_HOST_CACHE),
    };
    struct str text = {0};

    if (!args_on(args, "enable_metrics") || fault(a, FAULT_NO_METRICS)) {
        answer_text(call, 404, "application/json", "{\"detail\":\"Not Found\"}",
                    clock_now(a->clock));
        return;
    }
    stats_render(engine_stats(a->engine), &now, &text);
    http_answer(call, 200, "text/plain; version=0.0.4; charset=utf-8", text.p, text.len,
                clock_now(a->clock));
    str_free(&text);
}

static void answer_waiter(struct api *a, struct exchange *x)
{
    x->waiting = false;
    if (!x->call)
        return;
    if (x->metrics)
        answer_metrics(a, x->call);
    else
        answer_text(x->call, 200, "application/json", "{}", clock_now(a->clock));
}

static void on_wake(struct waiter *w, int64_t now_ns)
{
    struct exchange *x = exchange_of_waiter(w);

    (void)now_ns;
    answer_waiter(x->owner, x);
}

static void on_chunk(void *context, struct request *r, int64_t tokens, int64_t at_ns)
{
    struct exchange *x = exchange_of_request(r);
    struct str text = {0};

    (void)context;
    (void)tokens;
    if (!x->call || !x->stream)
        return;
    stream_chunk(&text, &x->head, at_ns);
    http_add(x->call, text.p, text.len);
    str_free(&text);
}

static void answer_refused(struct http_call *call, int status, int64_t at_ns)
{
    if (status == 400)
        answer_error(call, status, "BadRequestError",
                     "Requested token count exceeds the model's maximum context length", at_ns);
    else
        answer_error(call, status, "InternalServerError", "scheduler hit an exception", at_ns);
}

static void answer_done(struct api *a, struct exchange *x, int64_t at_ns)
{
    const struct request *r = &x->request;
    struct stream_usage usage = {r->turn.input, r->output, -1};
    struct str text = {0};

    if (args_on(a->config.args, "enable_cache_report"))
        usage.cached = r->hit;
    if (r->status) {
        answer_refused(x->call, r->status, at_ns);
    } else if (x->stream) {
        stream_end(&text, &x->head, x->usage ? &usage : NULL, at_ns);
        http_add(x->call, text.p, text.len);
        http_end(x->call, false);
    } else {
        stream_whole(&text, &x->head, &usage);
        http_answer(x->call, 200, "application/json", text.p, text.len, at_ns);
    }
    str_free(&text);
}

static void on_done(void *context, struct request *r, int64_t at_ns)
{
    struct api *a = context;
    struct exchange *x = exchange_of_request(r);

    x->in_engine = false;
    if (x->lane)
        clock_gone(a->clock);
    if (x->call)
        answer_done(a, x, at_ns);
    else
        exchange_free(x);
}

// A draw that depends on the request alone, so that the order in which lanes
// get to the server has no say.
static bool strikes(const struct api *a, enum fault f, const struct wire_turn *t, uint64_t stream)
{
    struct rng r;

    if (!fault(a, f) || t->warmup)
        return false;
    rng_init(&r, (uint64_t)t->start_ns + (uint64_t)t->lane, stream);
    return rng_unit(&r) < a->config.faults->number[f];
}

static int refusal(const struct api *a, const struct request *r)
{
    int64_t tokens = r->turn.input + r->output;

    if (tokens > a->context_length || tokens > a->config.engine.model.pool_tokens)
        return 400;
    if (strikes(a, FAULT_OVERFLOW, &r->turn, STREAM_OVERFLOW))
        return 400;
    if (strikes(a, FAULT_HTTP_ERRORS, &r->turn, STREAM_ERRORS))
        return 500;
    return fault(a, FAULT_WARMUP_ERROR) && r->turn.warmup && r->turn.lane == 0 ? 500 : 0;
}

static int64_t json_tokens(const json_t *body)
{
    const json_t *v = json_object_get(body, "max_completion_tokens");

    if (!v)
        v = json_object_get(body, "max_tokens");
    int64_t n = v ? json_integer_value(v) : OUTPUT_DEFAULT;
    return n < 1 ? 1 : n > WIRE_TOKENS_MAX ? WIRE_TOKENS_MAX : n;
}

// A request without the replay's header is somebody else's, a readiness probe
// for one: it begins now, and the clock waits for nobody on its account.
static bool read_turn(struct api *a, struct exchange *x, const struct http_request *rq)
{
    struct wire_turn *t = &x->request.turn;

    if (rq->standin) {
        x->lane = true;
        return wire_parse(rq->standin, t);
    }
    t->lane = WIRE_LANES_MAX;
    t->warmup = true;
    t->start_ns = clock_now(a->clock);
    t->input = (int64_t)rq->body_len / BYTES_PER_TOKEN + 1;
    snprintf(t->conv, sizeof(t->conv), "visitor-%" PRId64, a->number);
    return true;
}

static void note_profile(struct api *a, const struct wire_turn *t)
{
    if (t->warmup || (a->profile_ns >= 0 && t->start_ns >= a->profile_ns))
        return;
    a->profile_ns = t->start_ns;
    if (fault(a, FAULT_STALL))
        clock_stall(a->clock,
                    t->start_ns + (int64_t)(a->config.faults->number[FAULT_STALL] * NS_PER_S));
}

static void *chat(struct api *a, struct http_call *call, const struct http_request *rq)
{
    json_t *body = json_loadb(rq->body, rq->body_len, 0, NULL);
    struct exchange *x = exchange_create(&a->exchanges, a, call);
    struct request *r = &x->request;

    x->head = (struct stream_head){a->number++, a->model};
    if (!json_is_object(body) || !json_is_array(json_object_get(body, "messages")) ||
        !read_turn(a, x, rq)) {
        answer_error(call, 400, "BadRequestError", "the request is not a chat completion", -1);
        json_decref(body);
        return x;
    }
    x->stream = json_is_true(json_object_get(body, "stream"));
    x->usage =
        json_is_true(json_object_get(json_object_get(body, "stream_options"), "include_usage"));
    r->output = json_tokens(body);
    json_decref(body);
    r->status = refusal(a, r);
    note_profile(a, &r->turn);
    if (x->lane && a->cancelled) {
        http_end(call, true);
        return x;
    }
    x->in_engine = true;
    clock_submit(a->clock, r, x->lane);
    return x;
}

static void *wait_until(struct api *a, struct http_call *call, const struct http_request *rq,
                        bool metrics)
{
    struct wire_turn turn;
    struct exchange *x = exchange_create(&a->exchanges, a, call);

    x->metrics = metrics;
    if (!rq->standin) {
        answer_waiter(a, x);
        return x;
    }
    if (!wire_parse(rq->standin, &turn)) {
        answer_error(call, 400, "BadRequestError", "the " WIRE_HEADER " header is malformed", -1);
        return x;
    }
    x->waiting = true;
    x->waiter = (struct waiter){.at_ns = turn.start_ns, .lane = turn.lane, .owner = x};
    clock_wait(a->clock, &x->waiter);
    return x;
}

static void cancel_all(struct api *a)
{
    struct waiter *w;

    while ((w = clock_take_waiter(a->clock)))
        answer_waiter(a, exchange_of_waiter(w));
    clock_cancel(a->clock);
    a->cancelled = true;
    for (struct exchange *x = a->exchanges, *next; x; x = next) {
        next = x->next;
        if (!x->in_engine)
            continue;
        x->in_engine = false;
        if (x->lane)
            clock_gone(a->clock);
        if (x->call)
            http_end(x->call, true);
        else
            exchange_free(x);
    }
}

static void *set_clock(struct api *a, struct http_call *call, const struct http_request *rq)
{
    json_t *body = json_loadb(rq->body, rq->body_len, 0, NULL);
    const json_t *lanes = json_object_get(body, "lanes");
    int64_t leave = json_integer_value(json_object_get(body, "leave"));

    int64_t count = json_integer_value(lanes);
    if (json_is_integer(lanes) && count >= 0 && count <= WIRE_LANES_MAX) {
        a->cancelled = false;
        clock_set_lanes(a->clock, (int)count);
    }
    if (leave > 0 && leave <= WIRE_LANES_MAX)
        clock_leave(a->clock, (int)leave);
    if (json_is_true(json_object_get(body, "cancel")))
        cancel_all(a);
    answer_text(call, 200, "application/json", "{}", clock_now(a->clock));
    json_decref(body);
    return NULL;
}

static void *info(struct api *a, struct http_call *call)
{
    const struct stats *s = engine_stats(a->engine);
    double length = s->forwards ? (double)s->accepted / (double)s->forwards : 0;
    struct str text = {0};

    str_add_char(&text, '{');
    args_json(a->config.args, &text);
    str_addf(&text,
             "\"max_total_num_tokens\":%" PRId64 ",\"status\":\"ready\","
             "\"internal_states\":[{\"avg_spec_accept_length\":%.6g,"
             "\"last_gen_throughput\":%.6g,\"max_total_num_tokens\":%" PRId64
             "}],\"version\":\"" SERVER_VERSION "\"}",
             a->config.engine.model.pool_tokens, length, s->gen_throughput,
             a->config.engine.model.pool_tokens);
    answer_text(call, 200, "application/json", text.p, -1);
    str_free(&text);
    return NULL;
}

static void *models(struct api *a, struct http_call *call)
{
    struct str text = {0};

    str_addf(&text,
             "{\"object\":\"list\",\"data\":[{\"id\":\"%s\",\"object\":\"model\","
             "\"owned_by\":\"sglang\",\"root\":\"%s\",\"max_model_len\":%" PRId64 "}]}",
             a->model, a->model, a->context_length);
    answer_text(call, 200, "application/json", text.p, -1);
    str_free(&text);
    return NULL;
}

static bool is(const struct http_request *rq, const char *method, const char *path)
{
    return strcmp(rq->method, method) == 0 && strcmp(rq->path, path) == 0;
}

static void *on_request(void *context, struct http_call *call, const struct http_request *rq)
{
    struct api *a = context;

    if (!a->ready)
        answer_text(call, 503, "text/plain", "", -1);
    else if (is(rq, "POST", "/v1/chat/completions"))
        return chat(a, call, rq);
    else if (is(rq, "GET", "/metrics"))
        return wait_until(a, call, rq, true);
    else if (is(rq, "GET", "/standin/clock"))
        return wait_until(a, call, rq, false);
    else if (is(rq, "POST", "/standin/clock"))
        return set_clock(a, call, rq);
    else if (is(rq, "GET", "/health") || is(rq, "GET", "/health_generate"))
        answer_text(call, 200, "text/plain", "", -1);
    else if (is(rq, "GET", "/server_info") || is(rq, "GET", "/get_server_info"))
        return info(a, call);
    else if (is(rq, "GET", "/v1/models"))
        return models(a, call);
    else
        answer_text(call, 404, "application/json", "{\"detail\":\"Not Found\"}", -1);
    return NULL;
}

static void on_closed(void *context, void *ours)
{
    struct exchange *x = ours;

    (void)context;
    x->call = NULL;
    if (!x->in_engine && !x->waiting)
        exchange_free(x);
}

struct api *api_create(const struct api_config *config)
{
    struct api *a = mem_alloc(sizeof(*a));
    struct engine_events events = {a, on_chunk, on_done};
    const char *name = args_text(config->args, "served_model_name");
    int64_t length = args_int(config->args, "context_length");

    a->config = *config;
    a->model = name ? name : args_text(config->args, "model_path");
    a->context_length = length > 0 ? length : CONTEXT_LENGTH;
    a->profile_ns = -1;
    a->engine = engine_create(&config->engine, &events);
    a->clock = clock_create(a->engine, config->speed, on_wake);
    return a;
}

void api_free(struct api *a)
{
    if (!a)
        return;
    while (a->exchanges)
        exchange_free(a->exchanges);
    clock_free(a->clock);
    engine_free(a->engine);
    free(a);
}

void api_handler(struct api *a, struct http_handler *ret)
{
    *ret = (struct http_handler){a, on_request, on_closed};
}

void api_set_ready(struct api *a)
{
    a->ready = true;
}

static void log_decode(struct api *a)
{
    const struct stats *s = engine_stats(a->engine);

    if (clock_now(a->clock) < a->log_ns)
        return;
    a->log_ns = clock_now(a->clock) + LOG_EVERY_S * NS_PER_S;
    server_log("Decode batch, #running-req: %d, #token: %" PRId64
               ", token usage: %.2f, accept len: %.2f, accept rate: %.2f, cuda graph: True, "
               "gen throughput (token/s): %.2f, #queue-req: %d",
               engine_running(a->engine), engine_used_tokens(a->engine),
               (double)engine_used_tokens(a->engine) / (double)a->config.engine.model.pool_tokens,
               s->accept_length, s->accept_rate, s->gen_throughput, engine_queued(a->engine));
}

static void crash_when_due(const struct api *a)
{
    double after = a->config.faults->number[FAULT_SERVER_CRASH];

    if (!fault(a, FAULT_SERVER_CRASH) || a->profile_ns < 0 ||
        clock_now(a->clock) < a->profile_ns + (int64_t)(after * NS_PER_S))
        return;
    server_log("Scheduler hit an exception: Traceback (most recent call last):");
    server_log("RuntimeError: HIP error: an illegal memory access was encountered");
    exit(1);
}

int api_run(struct api *a)
{
    int ms = clock_run(a->clock);

    crash_when_due(a);
    if (a->profile_ns >= 0)
        log_decode(a);
    return ms;
}
