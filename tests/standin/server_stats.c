// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/standin/server_stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { LABELS_MAX = 512 };

static const double bounds[] = {0.001, 0.005, 0.01, 0.02, 0.03, 0.04, 0.06, 0.08, 0.1, 0.2,
                                0.4,   1,     2,    4,    8,    15,   30,   60,   120, 400};
enum { BOUNDS = sizeof(bounds) / sizeof(bounds[0]) };
_Static_assert((int)BOUNDS == (int)STATS_BUCKETS_MAX, "one count for each bound");

void stats_observe_many(struct stats_histogram *h, double seconds, int64_t times)
{
    int i = 0;

    while (i < BOUNDS && seconds > bounds[i])
        i++;
    h->counts[i] += times;
    h->count += times;
    h->sum += seconds * (double)times;
}

void stats_observe(struct stats_histogram *h, double seconds)
{
    stats_observe_many(h, seconds, 1);
}

struct out {
    struct str *text;
    char scheduler[LABELS_MAX]; // labels of the scheduler's metrics
    char tokenizer[LABELS_MAX]; // and of the tokenizer manager's
};

static void head(struct out *o, const char *name, const char *type, const char *help)
{
    str_addf(o->text, "# HELP sglang:%s %s\n# TYPE sglang:%s %s\n", name, help, name, type);
}

static void gauge(struct out *o, const char *name, const char *help, double v)
{
    head(o, name, "gauge", help);
    if (isnan(v))
        str_addf(o->text, "sglang:%s{%s} NaN\n", name, o->scheduler);
    else
        str_addf(o->text, "sglang:%s{%s} %.10g\n", name, o->scheduler, v);
}

static void counter(struct out *o, const char *name, const char *help, const char *more, int64_t v)
{
    head(o, name, "counter", help);
    str_addf(o->text, "sglang:%s{%s%s} %" PRId64 ".0\n", name, o->tokenizer, more, v);
}

static void histogram(struct out *o, const char *name, const char *help,
                      const struct stats_histogram *h)
{
    int64_t below = 0;

    head(o, name, "histogram", help);
    for (int i = 0; i < BOUNDS; i++) {
        below += h->counts[i];
        str_addf(o->text, "sglang:%s_bucket{le=\"%g\",%s} %" PRId64 ".0\n", name, bounds[i],
                 o->tokenizer, below);
    }
    str_addf(o->text,
             "sglang:%s_bucket{le=\"+Inf\",%s} %" PRId64 ".0\nsglang:%s_count{%s} %" PRId64 ".0\n"
             "sglang:%s_sum{%s} %.10g\n",
             name, o->tokenizer, h->count, name, o->tokenizer, h->count, name, o->tokenizer,
             h->sum);
}

static void gauges(struct out *o, const struct stats *s, const struct stats_now *n)
{
    double usage = n->pool_tokens ? (double)n->used_tokens / (double)n->pool_tokens : 0;

    gauge(o, "num_running_reqs", "The number of running requests.", n->running);
    gauge(o, "num_queue_reqs", "The number of requests in the waiting queue.", n->queued);
    gauge(o, "token_usage", "The token usage.", usage);
    gauge(o, "num_used_tokens", "The number of used tokens.", (double)n->used_tokens);
    gauge(o, "cache_hit_rate", "The prefix cache hit rate.", s->cache_hit_rate);
    gauge(o, "gen_throughput", "The generation throughput (token/s).", s->gen_throughput);
    gauge(o, "spec_accept_length", "The average acceptance length of speculative decoding.",
          s->accept_length);
    gauge(o, "spec_accept_rate", "The acceptance rate of speculative decoding.", s->accept_rate);
    gauge(o, "spec_num_steps", "The number of speculative steps.", n->steps);
    gauge(o, "spec_num_draft_tokens", "The number of draft tokens.", n->draft_tokens);
    gauge(o, "max_total_num_tokens", "Maximum total number of tokens in the KV pool.",
          (double)n->pool_tokens);
    gauge(o, "page_size", "The page size.", n->page_size);
    gauge(o, "context_len", "The context length.", (double)n->context_len);
    gauge(o, "fwd_occupancy", "Forward occupancy, NaN when idle.", n->running ? 1.0 : NAN);
}

void stats_render(const struct stats *s, const struct stats_now *n, struct str *out)
{
    struct out o = {.text = out};
    const char *source = n->host_cache ? ",cache_source=\"host\"" : ",cache_source=\"device\"";

    snprintf(o.tokenizer, sizeof(o.tokenizer), "model_name=\"%s\"", n->model_name);
    snprintf(o.scheduler, sizeof(o.scheduler),
             "engine_type=\"unified\",model_name=\"%s\",moe_ep_rank=\"0\",pp_rank=\"0\","
             "tp_rank=\"0\"",
             n->model_name);
    gauges(&o, s, n);
    counter(&o, "prompt_tokens_total", "Number of prefill tokens processed.", "", s->prompt_tokens);
    counter(&o, "generation_tokens_total", "Number of generation tokens processed.", "",
            s->generation_tokens);
    counter(&o, "cached_tokens_total", "Number of cached prompt tokens.", source, s->cached_tokens);
    counter(&o, "num_requests_total", "Number of requests processed.", "", s->requests);
    counter(&o, "num_aborted_requests_total", "Number of requests aborted.", "", s->aborted);
    counter(&o, "num_retracted_requests_total", "Number of retractions.", "", s->retracted);
    counter(&o, "spec_verify_calls_total", "Number of verify calls.", "", s->verify_calls);
    if (n->host_cache)
        gauge(&o, "hicache_host_used_tokens", "Tokens in the host tier.",
              (double)s->cached_tokens / 100);
    histogram(&o, "time_to_first_token_seconds", "Time to first token.", &s->ttft);
    histogram(&o, "e2e_request_latency_seconds", "End-to-end latency.", &s->e2e);
    histogram(&o, "inter_token_latency_seconds", "Inter-token latency.", &s->itl);
    histogram(&o, "queue_time_seconds", "Time in the waiting queue.", &s->queue);
}
