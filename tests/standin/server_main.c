// SPDX-License-Identifier: GPL-2.0-or-later
// standin-server plays the model server where there is no GPU.
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "tests/standin/server_api.h"
#include "tests/standin/server_log.h"

enum {
    FLUSH_EVERY_US = 100000, // real time for which a stream may hold events back
    RUNNING_DEFAULT = 2048,  // without --max-running-requests
};

struct program {
    struct args *args;
    struct faults faults;
    struct api_config config;
    struct api *api;
    struct http *http;
    int signals;      // readable when asked to end
    int64_t ready_us; // real time at which the weights are read, 0 once they are
    int64_t flushed_us;
};

static int configure(struct program *p, struct err *e)
{
    const struct args *a = p->args;
    struct engine_config *c = &p->config.engine;
    bool speculates = args_on(a, "speculative_algorithm");
    int64_t running = args_int(a, "max_running_requests");
    struct model_arm arm = {
        .tp = (int)args_int(a, "tp_size"),
        .ep = (int)args_int(a, "ep_size"),
        .mem_fraction = args_double(a, "mem_fraction_static"),
        .page_size = (int)args_int(a, "page_size"),
        .rate = wire_rate(),
    };

    if (arm.tp < 1 || arm.ep < 1 || arm.tp % arm.ep || arm.page_size < 1)
        return err_set(e, -EINVAL, "tp_size %d must be a multiple of ep_size %d, page_size %d > 0",
                       arm.tp, arm.ep, arm.page_size);
    model_init(&c->model, &arm);
    c->page_size = arm.page_size;
    c->chunk_tokens = (int)args_int(a, "chunked_prefill_size");
    c->max_running = running > 0 ? (int)running : RUNNING_DEFAULT;
    c->stream_interval = (int)args_int(a, "stream_interval");
    c->log_interval = (int)args_int(a, "decode_log_interval");
    if (c->chunk_tokens < 1 || c->stream_interval < 1 || c->log_interval < 1)
        return err_set(e, -EINVAL, "sizes and intervals must be above 0");
    p->config.args = a;
    p->config.faults = &p->faults;
    p->config.speed = wire_speed();
    return accept_init(&c->accept,
                       speculates ? (int)args_int(a, "speculative_num_draft_tokens") : 0,
                       p->faults.on[FAULT_AL_OFF], e);
}

static void log_start(const struct program *p)
{
    const struct args *a = p->args;

    server_log("server_args=ServerArgs(model_path='%s', tp_size=%d, ep_size=%d, dp_size=%d, "
               "port=%d)",
               args_text(a, "model_path"), (int)args_int(a, "tp_size"), (int)args_int(a, "ep_size"),
               (int)args_int(a, "dp_size"), (int)args_int(a, "port"));
    server_log("Load weight begin. avail mem=255.20 GB");
}

// True when the faults end the process while it loads.
static bool dies_at_start(const struct program *p)
{
    const struct faults *f = &p->faults;

    if (f->on[FAULT_SERVER_CRASH_AT_START])
        server_log("RuntimeError: Rank 0 scheduler died during initialization (exit code: -11).");
    else if (f->on[FAULT_SERVER_OOM_AT_START])
        server_log("torch.OutOfMemoryError: HIP out of memory. Tried to allocate 7.50 GiB. GPU 0 "
                   "has a total capacity of 255.98 GiB of which 1.12 GiB is free.");
    else
        return false;
    return true;
}

static double load_seconds(const struct program *p)
{
    const struct faults *f = &p->faults;

    if (f->on[FAULT_SERVER_CRASH_AT_START])
        return f->number[FAULT_SERVER_CRASH_AT_START];
    if (f->on[FAULT_SERVER_OOM_AT_START])
        return f->number[FAULT_SERVER_OOM_AT_START];
    return p->config.engine.model.load_s;
}

// The weights are read. False when the process has to end with 1.
static bool loaded(struct program *p)
{
    const struct engine_config *c = &p->config.engine;

    p->ready_us = 0;
    if (dies_at_start(p))
        return false;
    if (p->faults.on[FAULT_SERVER_NEVER_READY])
        return true;
    if (c->model.pool_tokens < 1) {
        server_log("RuntimeError: Not enough memory. Please try to increase "
                   "--mem-fraction-static.");
        return false;
    }
    server_log("Load weight end. type=Qwen3_5MoeForConditionalGeneration");
    server_log("max_total_num_tokens=%" PRId64 ", chunked_prefill_size=%d, "
               "max_prefill_tokens=%d, max_running_requests=%d",
               c->model.pool_tokens, c->chunk_tokens, (int)args_int(p->args, "max_prefill_tokens"),
               c->max_running);
    server_log("The server is fired up and ready to roll!");
    api_set_ready(p->api);
    return true;
}

static int shorter(int a, int b)
{
    if (a < 0 || b < 0)
        return a < 0 ? b : a;
    return a < b ? a : b;
}

// Milliseconds until the weights are read, -1 when they are.
static int load_ms(const struct program *p)
{
    int64_t left = p->ready_us - clock_mono_us();

    if (!p->ready_us)
        return -1;
    return left <= 0 ? 0 : left > US_PER_S ? 1000 : (int)(left / US_PER_MS) + 1;
}

static int serve(struct program *p)
{
    struct pollfd fds[] = {{.fd = http_fd(p->http), .events = POLLIN},
                           {.fd = p->signals, .events = POLLIN}};

    for (;;) {
        int ms = api_run(p->api);

        if (ms != -1 && clock_mono_us() - p->flushed_us > FLUSH_EVERY_US) {
            http_flush(p->http);
            p->flushed_us = clock_mono_us();
        }
        ms = shorter(shorter(ms, load_ms(p)), http_timeout_ms(p->http));
        if (poll(fds, 2, ms) < 0 && errno != EINTR)
            return 1;
        if (fds[1].revents)
            return 0;
        if (load_ms(p) == 0 && !loaded(p))
            return 1;
        http_run(p->http);
    }
}

static int run(struct program *p, struct err *e)
{
    struct http_handler handler;

    if (faults_load(&p->faults, e))
        return -1;
    if (p->faults.on[FAULT_ARGS_DRIFT])
        args_override(p->args, "chunked_prefill_size", "16384");
    if (configure(p, e))
        return -1;
    p->api = api_create(&p->config);
    api_handler(p->api, &handler);
    if (http_start(&p->http, (int)args_int(p->args, "port"), &handler, e))
        return -1;
    log_start(p);
    p->ready_us = clock_mono_us() + (int64_t)(load_seconds(p) * 1e6 / p->config.speed) + 1;
    return serve(p);
}

int main(int argc, char **argv)
{
    struct program p = {.args = args_parse(argc, argv)};
    struct err e = {0};
    sigset_t ending;

    if (!p.args)
        return ARGS_EXIT;
    setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
    sigemptyset(&ending);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGINT);
    sigprocmask(SIG_BLOCK, &ending, NULL);
    signal(SIGPIPE, SIG_IGN);
    p.signals = signalfd(-1, &ending, SFD_CLOEXEC);
    int rc = run(&p, &e);
    if (rc < 0)
        server_log("%s", e.text);
    http_stop(p.http);
    api_free(p.api);
    args_free(p.args);
    close(p.signals);
    return rc < 0 ? 1 : rc;
}
