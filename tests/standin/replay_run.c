// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/standin/replay_run.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "tests/standin/replay_control.h"
#include "tests/standin/replay_export_lines.h"
#include "tests/standin/replay_turn.h"

enum {
    SCRAPE_EVERY_S = 5,    // virtual; the client's own default is a third of a second
    CONTEXT_256K = 256000, // tokens, of the corpora cut to this length
    CONTEXT_UNCUT = 500000,
    THRESHOLD_MIN = 10,  // records before the failure threshold is armed
    SILENCE_MAX_S = 900, // real; a server that sends nothing for so long is gone
    DRAIN_MAX_S = 10,    // real; for the last answers of a run that ends
};

static const double think_max_s = 110; // the longest pause in the recorded sessions
static const double short_tail = 0.03; // see coverage_fault()
static const int64_t short_output = 100;

enum phase { PHASE_WARMUP, PHASE_PROFILE, PHASE_OVER };

struct run {
    const struct run_setup *setup;
    const struct options *o;
    struct run_report *report;
    struct net *net;
    struct lines *lines;
    struct lane *lanes;
    struct lane_plan plan;
    struct turn_target target;
    char *chat_url, *clock_url;
    enum phase phase;
    bool ending;            // no further request is sent
    bool cancelling;        // what is under way was broken off by us
    int parked;             // lanes that are done with the phase
    int64_t sent, returned; // in the phase
    int64_t last_sent_ns;
    int64_t now_ns; // latest virtual instant seen
    int64_t deadline_ns, grace_ns, warmup_grace_ns;
    int64_t stats_ns; // when to print the next line
    int64_t heard_us; // real time of the last sign of life
    struct control control;
};

// Slots: one for each lane, then the heartbeat's and the control's.
static int heartbeat_slot(const struct run *r)
{
    return r->o->concurrency;
}

static void fail(struct run *r, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void fail(struct run *r, const char *fmt, ...)
{
    va_list ap;

    if (!r->report->fatal[0]) {
        va_start(ap, fmt);
        vsnprintf(r->report->fatal, sizeof(r->report->fatal), fmt, ap);
        va_end(ap);
    }
    r->report->cancelled = true;
    r->ending = true;
}

static void see(struct run *r, int64_t ns)
{
    if (ns > r->now_ns)
        r->now_ns = ns;
    r->heard_us = clock_mono_us();
}

static int64_t ns_of(double s)
{
    return (int64_t)(s * (double)NS_PER_S);
}

// Plays a run whose last part is thinking time: the last request of a lane
// begins at the ratio asked for, and requests just before it are short, so that
// the coverage comes out close to it. False when the lane has had its last.
static bool coverage_fault(struct run *r, struct lane *l, int64_t from_ns, int64_t *start_ns)
{
    double at_s = r->o->duration_s * r->setup->faults->number[FAULT_COVERAGE];
    int64_t last_ns = r->report->start_ns + ns_of(at_s);
    struct trace_turn *turn = &l->trace->turns[l->next];

    if (!r->setup->faults->on[FAULT_COVERAGE])
        return true;
    if (*start_ns > last_ns)
        *start_ns = last_ns;
    if (*start_ns > last_ns - ns_of(short_tail * r->o->duration_s) && turn->output > short_output)
        turn->output = short_output;
    return from_ns < last_ns;
}

// True when the lane has nothing more to do in the phase.
static bool is_over(struct run *r, struct lane *l, int64_t from_ns, int64_t *start_ns)
{
    if (r->phase == PHASE_WARMUP)
        return l->warmups >= r->o->warmup_requests;
    return !coverage_fault(r, l, from_ns, start_ns) || *start_ns >= r->deadline_ns;
}

static void issue(struct run *r, struct lane *l, int64_t from_ns)
{
    bool warmup = r->phase == PHASE_WARMUP;
    const struct trace_turn *turn = lane_peek(l, &r->plan);
    int64_t start_ns = from_ns + (warmup ? 0 : ns_of(turn->think_s));

    if (is_over(r, l, from_ns, &start_ns)) {
        r->parked++;
        r->control.leaving++;
        return;
    }
    if (!warmup && turn->depth > 0 && turn->index == 0)
        r->report->subagents++;
    lane_take(l, &r->plan, warmup, start_ns);
    r->sent++;
    r->last_sent_ns = start_ns;
    turn_send(r->net, l, &r->target);
}

static void check_failures(struct run *r, const struct record *record)
{
    const struct results *s = &r->report->profile;
    int64_t armed = r->o->concurrency > THRESHOLD_MIN ? r->o->concurrency : THRESHOLD_MIN;

    if (record->warmup && !record_is_ok(record)) {
        fail(r, "warmup request of %s failed: %s %s", record->turn.conv, record->error.type,
             record->error.message);
        return;
    }
    if (record->warmup || r->o->failed_max < 0 || s->ok + s->failed < armed)
        return;
    if (results_failed_ratio(s) > r->o->failed_max)
        fail(r,
             "%" PRId64 " of %" PRId64 " requests failed (%.1f%%), more than the "
             "--failed-request-threshold of %.1f%%",
             s->failed, s->ok + s->failed, 100 * results_failed_ratio(s), 100 * r->o->failed_max);
}

static void lane_done(struct run *r, struct lane *l, const struct net_answer *a)
{
    struct record *record = &l->record;
    struct str text = {0};

    if (r->cancelling && record->start_ns > r->now_ns) {
        r->sent--; // it was to begin later, and never did
        return;
    }
    turn_done(l, a, r->cancelling, r->now_ns);
    see(r, record->end_ns);
    r->returned++;
    results_add(record->warmup ? &r->report->warmup : &r->report->profile, record);
    if (!record->overflow) {
        record_line(record, r->report->epoch_ns, &text);
        lines_add(r->lines, record->end_ns, l->number, &text);
    } else {
        lane_end_session(l);
    }
    if (!r->cancelling)
        check_failures(r, record);
    if (r->ending)
        return;
    l->warmups += record->warmup;
    issue(r, l, record->end_ns);
}

static int64_t next_heartbeat(const struct run *r, int64_t at_ns)
{
    int64_t next = at_ns + SCRAPE_EVERY_S * NS_PER_S;

    if (r->phase != PHASE_PROFILE)
        return next;
    if (at_ns < r->deadline_ns && next > r->deadline_ns)
        return r->deadline_ns;
    return at_ns < r->grace_ns && next > r->grace_ns ? r->grace_ns : next;
}

// The heartbeat is one more lane: a scrape that waits for its instant, or where
// there are no metrics an empty request that does.
static void send_heartbeat(struct run *r, int64_t at_ns)
{
    struct wire_turn wire = {.lane = heartbeat_slot(r), .start_ns = at_ns, .conv = "heartbeat"};
    char header[WIRE_HEADER_MAX];
    bool metrics = r->report->endpoint_count > 0;
    const char *url = metrics ? scrape_url(r->report->endpoints[0]) : r->clock_url;

    wire_format(&wire, header, sizeof(header));
    net_send(r->net, heartbeat_slot(r), &(struct net_request){url, NULL, header});
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

static void print_progress(struct run *r)
{
    const struct scrape *s = r->report->endpoint_count ? r->report->endpoints[0] : NULL;
    const struct results *seen =
        r->phase == PHASE_WARMUP ? &r->report->warmup : &r->report->profile;
    double seconds = (double)(r->now_ns - r->report->start_ns) / (double)NS_PER_S;
    double prompts = s ? scrape_increase(s, "sglang:prompt_tokens_total") : 0;
    double cached = s ? scrape_increase(s, "sglang:cached_tokens_total") : 0;

    if (r->now_ns < r->stats_ns)
        return;
    r->stats_ns = r->now_ns + ns_of(r->o->stats_s);
    printf("Phase %s progress: returned=%" PRId64 " sent=%" PRId64 " in_flight=%" PRId64
           " errors=%" PRId64 " queue=%.0f kv_usage=%.3f prefix_cache_hit=%.3f tput_in=%.1f "
           "tput_out=%.1f\n",
           r->phase == PHASE_WARMUP ? "warmup" : "profiling", r->returned, r->sent,
           r->sent - r->returned, seen->failed, s ? scrape_last(s, "sglang:num_queue_reqs") : 0,
           s ? scrape_last(s, "sglang:token_usage") : 0, ratio(cached, prompts),
           ratio((double)seen->input_tokens, seconds), ratio((double)seen->output_tokens, seconds));
    fflush(stdout);
}

static void heartbeat_done(struct run *r, const struct net_answer *a)
{
    int64_t at_ns = a->stamp_ns >= 0 ? a->stamp_ns : r->now_ns;

    if (a->error || a->stamp_ns < 0) {
        fail(r, "the server is gone: %s", a->error ? a->error : "it does not tell the time");
        return;
    }
    see(r, at_ns);
    if (r->report->endpoint_count && a->status == 200)
        scrape_add(r->report->endpoints[0], str_text(a->body), at_ns);
    print_progress(r);
    if (r->phase == PHASE_WARMUP && r->sent >= r->o->warmup_requests * r->o->concurrency &&
        at_ns > r->last_sent_ns + r->warmup_grace_ns)
        fail(r, "the warmup did not drain within %.0f s", r->o->warmup_grace_s);
    if (r->phase == PHASE_PROFILE &&
        (at_ns >= r->grace_ns || (at_ns >= r->deadline_ns && r->parked == r->o->concurrency)))
        r->ending = true;
    if (!r->ending)
        send_heartbeat(r, next_heartbeat(r, at_ns));
}

static void on_line(void *context, int slot, const char *line)
{
    struct run *r = context;

    if (slot < r->o->concurrency)
        turn_line(&r->lanes[slot], line);
}

static void on_done(void *context, int slot, const struct net_answer *a)
{
    struct run *r = context;

    r->heard_us = clock_mono_us();
    if (slot < r->o->concurrency) {
        lane_done(r, &r->lanes[slot], a);
    } else if (slot == heartbeat_slot(r)) {
        if (!r->cancelling)
            heartbeat_done(r, a);
    } else {
        control_done(&r->control, a);
    }
}

static void take_signal(struct run *r)
{
    struct signalfd_siginfo info;

    if (read(r->setup->signals, &info, sizeof(info)) != sizeof(info))
        return;
    r->report->signal = (int)info.ssi_signo;
    fail(r, "cancelled by signal %d", r->report->signal);
}

static void set_lanes(struct run *r, int lanes)
{
    if (control_set_lanes(&r->control, lanes) != 200)
        fail(r, "the server does not let its clock be set");
}

static void scrape_now(struct run *r, bool all)
{
    for (int i = 0; i < (all ? r->report->endpoint_count : 1); i++) {
        struct scrape *s = r->report->endpoints[i];

        if (i < r->report->endpoint_count && control_call(&r->control, scrape_url(s), NULL) == 200)
            scrape_add(s, str_text(&r->control.body), r->now_ns);
    }
}

static void begin_phase(struct run *r, enum phase phase)
{
    r->phase = phase;
    r->parked = 0;
    r->sent = r->returned = 0;
    r->stats_ns = r->now_ns;
    set_lanes(r, r->o->concurrency + 1);
    for (int i = 0; !r->ending && i < r->o->concurrency; i++)
        issue(r, &r->lanes[i], r->now_ns);
}

// All lanes have done their warm-up and the last one has not left, so the
// clock stands still.
static void begin_profile(struct run *r)
{
    struct run_report *report = r->report;

    printf("Phase warmup complete: returned=%" PRId64 " errors=%" PRId64 "\n", r->returned,
           report->warmup.failed);
    scrape_now(r, true);
    for (int i = 0; i < report->endpoint_count; i++)
        scrape_mark(report->endpoints[i]);
    report->start_ns = r->now_ns;
    r->deadline_ns = r->now_ns + ns_of(r->o->duration_s);
    r->grace_ns = r->deadline_ns + ns_of(r->o->grace_s);
    printf("Phase profiling started: concurrency=%d duration=%.0f\n", r->o->concurrency,
           r->o->duration_s);
    fflush(stdout);
    begin_phase(r, PHASE_PROFILE);
}

static bool lanes_are_busy(const struct run *r)
{
    for (int i = 0; i < r->o->concurrency; i++)
        if (net_is_busy(r->net, i))
            return true;
    return false;
}

// The clock stands still, since the heartbeat or the last lane is missing.
static void end_profile(struct run *r)
{
    int64_t end_us = clock_mono_us() + DRAIN_MAX_S * US_PER_S;

    r->ending = true;
    r->cancelling = true;
    if (control_cancel(&r->control) == 200)
        while (lanes_are_busy(r) && clock_mono_us() < end_us)
            if (net_wait(r->net))
                take_signal(r);
    r->report->end_ns = r->now_ns;
    if (r->phase != PHASE_PROFILE)
        return;
    scrape_now(r, true);
    printf("Phase profiling complete: returned=%" PRId64 " errors=%" PRId64 "\n", r->returned,
           r->report->profile.failed);
    fflush(stdout);
}

static bool has_crashed(const struct run *r)
{
    return r->setup->faults->on[FAULT_REPLAY_CRASH] && r->phase == PHASE_PROFILE &&
           r->report->profile.ok > 0;
}

static void drive(struct run *r)
{
    begin_phase(r, PHASE_WARMUP);
    if (!r->ending)
        send_heartbeat(r, next_heartbeat(r, r->now_ns));
    while (!r->ending) {
        if (net_wait(r->net) || r->control.signalled)
            take_signal(r);
        if (clock_mono_us() - r->heard_us > SILENCE_MAX_S * US_PER_S)
            fail(r, "TimeoutError: nothing from the server for %d s", SILENCE_MAX_S);
        if (has_crashed(r))
            _exit((int)r->setup->faults->number[FAULT_REPLAY_CRASH]);
        bool all_parked = r->parked == r->o->concurrency;
        if (r->ending || (all_parked && r->phase == PHASE_PROFILE && r->now_ns >= r->deadline_ns))
            break;
        if (all_parked && r->phase == PHASE_WARMUP)
            begin_profile(r);
        else
            control_tell_leaving(&r->control);
    }
    end_profile(r);
}

static void add_endpoint(struct run *r, const char *url)
{
    struct run_report *report = r->report;

    for (int i = 0; i < report->configured_count; i++)
        if (strcmp(report->configured[i], url) == 0)
            return;
    report->configured[report->configured_count++] = url;
    if (control_call(&r->control, url, NULL) != 200) {
        printf("Server metrics: %s is not reachable, going on without it\n", url);
        return;
    }
    struct scrape *s = scrape_create(url);
    scrape_add(s, str_text(&r->control.body), r->now_ns);
    report->endpoints[report->endpoint_count++] = s;
}

static char *join(const char *a, const char *b)
{
    struct str s = {0};
    size_t len = strlen(a);

    while (len && a[len - 1] == '/')
        len--;
    str_add_bytes(&s, a, len);
    str_add(&s, b);
    return str_take(&s);
}

static int greet(struct run *r, struct err *e)
{
    int status = control_call(&r->control, r->clock_url, NULL);

    if (status != 200 || r->control.stamp_ns < 0)
        return err_set(e, -ECONNREFUSED, "no stand-in server answers at %s (HTTP %d)", r->o->url,
                       status);
    r->now_ns = r->control.stamp_ns;
    r->report->epoch_ns = r->setup->epoch_ns - r->now_ns;
    if (!r->o->server_metrics)
        return 0;
    r->report->default_metrics = join(r->o->url, "/metrics");
    add_endpoint(r, r->report->default_metrics);
    for (int i = 0; i < r->o->metrics_count; i++)
        add_endpoint(r, r->o->metrics[i]);
    return 0;
}

static void set_up(struct run *r)
{
    const struct options *o = r->o;
    bool cut = o->dataset && str_ends(o->dataset, "_256k");
    int64_t context = cut ? CONTEXT_256K : CONTEXT_UNCUT;

    if (o->context_max && o->context_max < context)
        context = o->context_max;
    r->plan = (struct lane_plan){
        .lanes = o->concurrency,
        .sessions = (int)o->dataset_entries,
        .spec = {.seed = (uint64_t)o->seed,
                 .context_max = context,
                 .think_max_s = fmin(think_max_s, o->idle_cap_s),
                 .start_min = o->start_min,
                 .start_max = o->start_max},
    };
    r->lanes = mem_array((size_t)o->concurrency, sizeof(*r->lanes));
    for (int i = 0; i < o->concurrency; i++)
        r->lanes[i].number = i;
    r->chat_url = join(o->url, o->endpoint);
    r->clock_url = join(o->url, "/standin/clock");
    r->target = (struct turn_target){r->chat_url, o->model};
    r->warmup_grace_ns = ns_of(o->warmup_grace_s);
    r->heard_us = clock_mono_us();
}

static void tear_down(struct run *r)
{
    net_free(r->net);
    for (int i = 0; i < r->o->concurrency; i++)
        lane_free(&r->lanes[i]);
    free(r->lanes);
    free(r->chat_url);
    free(r->clock_url);
    control_free(&r->control);
}

int run_replay(const struct run_setup *setup, struct run_report *ret, struct err *e)
{
    struct run r = {.setup = setup, .o = setup->options, .report = ret};
    struct net_events events = {&r, on_line, on_done};

    *ret = (struct run_report){.epoch_ns = setup->epoch_ns};
    set_up(&r);
    int rc = net_create(&r.net, r.o->concurrency + 2, &events, e);
    if (!rc) {
        r.control =
            (struct control){.net = r.net, .slot = r.o->concurrency + 1, .clock_url = r.clock_url};
        net_watch(r.net, setup->signals);
        rc = greet(&r, e);
    }
    if (!rc) {
        r.lines = lines_create(setup->records);
        drive(&r);
        rc = lines_close(r.lines, e);
    }
    tear_down(&r);
    return rc;
}

void run_report_free(struct run_report *r)
{
    results_free(&r->warmup);
    results_free(&r->profile);
    for (int i = 0; i < r->endpoint_count; i++)
        scrape_free(r->endpoints[i]);
    free(r->default_metrics);
}
