// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/report.h"

static double rate(double part, double all)
{
    return all > 0 ? part / all : (double)NAN; // NaN when either is
}

// Gauges come as 0..1 or as 0..100.
static double fraction(double value)
{
    static const double above_is_percent = 1.5, percent = 100.0;

    return value > above_is_percent ? value / percent : value;
}

static const struct family_sums *family(const struct run *r, enum family f)
{
    return &r->metrics.family[f];
}

static double cached(const struct run *r, const char *source)
{
    for (size_t i = 0; i < r->metrics.source_count; i++) {
        if (!strcmp(r->metrics.source[i].name, source))
            return r->metrics.source[i].tokens;
    }
    return NAN;
}

static double cached_total(const struct run *r)
{
    double sum = r->metrics.source_count ? 0 : (double)NAN;

    for (size_t i = 0; i < r->metrics.source_count; i++)
        sum += r->metrics.source[i].tokens;
    return sum;
}

static void count_member(struct out *o, const char *name, double value)
{
    out_rounded(o, name, nearbyint(value));
}

static void sources_member(struct out *o, const char *name, const struct run *r)
{
    out_object(o, name);
    for (size_t i = 0; i < r->metrics.source_count; i++)
        out_rounded(o, r->metrics.source[i].name, r->metrics.source[i].tokens);
    out_object_end(o);
}

static void nulls(struct out *o, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out_null(o, names[i]);
}

#define NULLS(o, ...)                                                                              \
    nulls((o), (const char *const[]){__VA_ARGS__},                                                 \
          sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static void write_cache(struct out *o, const struct run *r)
{
    double prompt = family(r, FAMILY_PROMPT_TOKENS)->counter;
    double host = rate(cached(r, "host"), prompt);
    double overall = rate(cached_total(r), prompt);

    if (isnan(overall))
        overall = fraction(family(r, FAMILY_CACHE_HIT_RATE)->mean);
    out_object(o, "cache");
    out_rounded(o, "gpu_cache_hit_rate", rate(cached(r, "device"), prompt));
    out_rounded(o, "cpu_cache_hit_rate", host);
    out_rounded(o, "external_cache_hit_rate", host);
    out_rounded(o, "overall_cache_hit_rate", overall);
    NULLS(o, "prefix_cache_hits", "prefix_cache_queries", "external_prefix_cache_hits",
          "external_prefix_cache_queries");
    sources_member(o, "cached_tokens_by_source", r);
    NULLS(o, "frontend_cache_hit_rate", "router_kv_hit_rate", "router_shared_cache_hit_rate",
          "frontend_cached_tokens", "frontend_input_tokens");
    out_object_end(o);
}

double report_pool_tokens(const struct run *r)
{
    if (r->pool_tokens)
        return (double)r->pool_tokens;
    return nearbyint(family(r, FAMILY_POOL_TOKENS)->capacity);
}

static void write_kv_cache(struct out *o, const struct run *r)
{
    double used = family(r, FAMILY_HOST_USED)->highest;
    double total = family(r, FAMILY_HOST_TOTAL)->highest;

    out_object(o, "kv_cache");
    out_rounded(o, "gpu_usage_pct", fraction(family(r, FAMILY_TOKEN_USAGE)->highest));
    out_rounded(o, "gpu_total_tokens", report_pool_tokens(r));
    out_rounded(o, "cpu_usage_pct", rate(used, total));
    out_rounded(o, "cpu_used_tokens", used);
    out_rounded(o, "cpu_total_tokens", total);
    out_object_end(o);
    out_object(o, "kv_offload"); // the server counts tokens there, not bytes
    NULLS(o, "bytes_gpu_to_cpu", "bytes_cpu_to_gpu", "time_gpu_to_cpu", "time_cpu_to_gpu",
          "bandwidth_gpu_to_cpu_bytes_per_second", "bandwidth_cpu_to_gpu_bytes_per_second");
    out_object_end(o);
}

static void write_tokens(struct out *o, const struct run *r)
{
    const struct requests *q = &r->requests;
    double prompt = nearbyint(family(r, FAMILY_PROMPT_TOKENS)->counter);
    double generation = nearbyint(family(r, FAMILY_GENERATION_TOKENS)->counter);

    // What the server does not say is taken from the requests.
    if (isnan(prompt) && q->has_input)
        prompt = (double)q->input_sum;
    if (isnan(generation) && q->has_output)
        generation = (double)q->output_sum;
    out_object(o, "tokens");
    count_member(o, "prompt_total", prompt);
    count_member(o, "generation_total", generation);
    out_int(o, "requests_completed", q->profiled);
    out_object(o, "prompt_by_source");
    out_rounded(o, "gpu_cache_hit", cached(r, "device"));
    out_rounded(o, "cpu_or_external_cache_hit", cached(r, "host"));
    out_rounded(o, "computed", family(r, FAMILY_PREFILL_COMPUTE)->counter);
    sources_member(o, "raw", r);
    out_object_end(o);
    out_object_end(o);
}

static const char *adapter(const struct metrics *m)
{
    if (!m->read || !m->families)
        return "none";
    if (m->has_dynamo)
        return "dynamo";
    if (m->has_sglang)
        return "sglang";
    if (m->has_vllm)
        return "vllm";
    return m->has_atom ? "atom" : "unknown";
}

void report_server_metrics(struct out *o, const struct run *r)
{
    const struct metrics *m = &r->metrics;

    out_object(o, "server_metrics");
    out_bool(o, "present", m->read && m->families > 0);
    out_text(o, "adapter", adapter(m));
    out_int(o, "metric_count", m->read ? m->families : 0);
    write_cache(o, r);
    write_kv_cache(o, r);
    write_tokens(o, r);
    out_array(o, "sources");
    out_array_end(o);
    out_object_end(o);
}
