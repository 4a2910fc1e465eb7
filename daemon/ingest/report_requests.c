// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "ingest/report.h"

static const double QPS_WINDOW_S = 1.0;

static void write_stats(struct out *o, const char *name, const struct stats *s)
{
    out_object(o, name);
    if (s->count) {
        out_rounded(o, "mean", s->mean);
        out_rounded(o, "p50", s->p50);
        out_rounded(o, "p75", s->p75);
        out_rounded(o, "p90", s->p90);
        out_rounded(o, "p95", s->p95);
        out_rounded(o, "std", s->std);
    }
    out_object_end(o);
}

static void distribution(struct out *o, const char *name, struct series *s)
{
    struct stats stats = stats_of(s);

    write_stats(o, name, &stats);
}

static void inverse(struct out *o, const char *name, struct series *s)
{
    struct stats stats = stats_inverse(s);

    write_stats(o, name, &stats);
}

// --- requests per second ---------------------------------------------------

// Completions in windows of one second from the first completion on; a last,
// shorter window does not count. False when there would be too many.
static bool count_windows(const struct series *ends, struct series *windows)
{
    double at = ends->values[0];
    double last = ends->values[ends->count - 1];
    size_t next = 0;

    if (last - at > QPS_WINDOWS_MAX)
        return false;
    while (at + QPS_WINDOW_S <= last) {
        size_t from = next;

        while (next < ends->count && ends->values[next] < at + QPS_WINDOW_S)
            next++;
        series_add(windows, (double)(next - from) / QPS_WINDOW_S);
        at += QPS_WINDOW_S;
    }
    return true;
}

static void write_windows(struct out *o, const struct series *ends, struct series *windows)
{
    double duration = ends->values[ends->count - 1] - ends->values[0];
    struct stats s = stats_of(windows);

    out_rounded(o, "window_seconds", QPS_WINDOW_S);
    out_int(o, "samples", (int64_t)s.count);
    if (!s.count) {
        out_rounded(o, "mean", (double)ends->count / duration);
        return;
    }
    out_rounded(o, "mean", s.mean);
    out_rounded(o, "p50", s.p50);
    out_rounded(o, "p75", s.p75);
    out_rounded(o, "p90", s.p90);
    out_rounded(o, "p95", s.p95);
    out_rounded(o, "std", s.std);
}

static void write_qps(struct out *o, struct run *r)
{
    struct series *ends = &r->requests.ends;
    struct series windows = {0};
    char path[FILE_NAME_MAX * 2];

    out_object(o, "qps");
    if (ends->count > 1) {
        series_percentile(ends, 0); // sorts
        if (ends->values[ends->count - 1] <= ends->values[0]) {
            // All at one instant: there is no rate.
        } else if (count_windows(ends, &windows)) {
            write_windows(o, ends, &windows);
        } else {
            findings_add(
                &r->findings, SEVERITY_WARNING, "span_too_long",
                place_file(path_join(r->layout.folder, "profile_export.jsonl", path, sizeof(path))),
                "the completions span more than %d s: no rate by seconds", QPS_WINDOWS_MAX);
        }
    }
    out_object_end(o);
    series_free(&windows);
}

// --- throughput ------------------------------------------------------------

static void rate_member(struct out *o, const char *name, double value)
{
    out_object(o, name);
    out_rounded(o, "tokens_per_second", value);
    out_object_end(o);
}

static void write_throughput(struct out *o, const struct run *r)
{
    const struct requests *q = &r->requests;
    int64_t gpus = context_gpus(&r->context);
    double duration = (double)(q->last_end_ns - q->first_start_ns) / 1e9;
    double input = (double)q->input_sum / duration;
    double output = (double)q->output_sum / duration;
    double total = (double)(q->input_sum + q->output_sum) / duration;

    out_object(o, "throughput");
    if (q->first_start_ns && q->last_end_ns > q->first_start_ns) {
        rate_member(o, "input", input);
        rate_member(o, "output", output);
        rate_member(o, "total", total);
        out_rounded(o, "duration_seconds", duration);
        out_object(o, "per_gpu");
        if (gpus) {
            out_rounded(o, "total_tput_tps", total / (double)gpus);
            out_rounded(o, "output_tput_tps", output / (double)gpus);
            out_rounded(o, "input_tput_tps", input / (double)gpus);
        }
        out_object_end(o);
    }
    out_object_end(o);
}

// --- the rest --------------------------------------------------------------

static double theoretical_hit_rate(const struct summary_block *b)
{
    static const double percent = 100.0;
    double hits = b->stat[STAT_SUM], all = b->stat[STAT_COUNT];

    if (!isnan(hits) && !isnan(all) && all > 0)
        return hits / all;
    return b->percent ? b->stat[STAT_AVG] / percent : b->stat[STAT_AVG];
}

static void write_latency(struct out *o, struct requests *q)
{
    out_object(o, "latency");
    distribution(o, "ttft", &q->ttft);
    distribution(o, "e2el", &q->latency);
    distribution(o, "itl", &q->itl);
    distribution(o, "tpot", &q->itl);
    inverse(o, "intvty", &q->itl);
    inverse(o, "e2e_norm_intvty", &q->latency_per_token);
    distribution(o, "full_response_itl", &q->full_itl);
    inverse(o, "full_response_intvty", &q->full_itl);
    out_object_end(o);
}

void report_request_metrics(struct out *o, struct run *r)
{
    struct requests *q = &r->requests;

    out_object(o, "request_metrics");
    write_qps(o, r);
    write_latency(o, q);
    out_object(o, "tokens");
    distribution(o, "input", &q->input);
    distribution(o, "output_actual", &q->output);
    out_object(o, "output_expected"); // needs the corpus, which is not at hand
    out_object_end(o);
    out_object_end(o);
    write_throughput(o, r);
    out_object(o, "cache");
    out_rounded(o, "theoretical_cache_hit_rate",
                theoretical_hit_rate(&r->summary.block[SUMMARY_CACHE_HIT]));
    out_object_end(o);
    out_object_end(o);
}

void report_request_accounting(struct out *o, const struct run *r)
{
    const struct requests *q = &r->requests;

    out_object(o, "request_accounting");
    out_int(o, "records_total", q->total);
    out_int(o, "records_profiled", q->profiled);
    out_int(o, "records_dropped_total", q->total - q->profiled);
    out_int(o, "records_warmup_dropped", q->warmup);
    out_int(o, "records_error_dropped", q->errors);
    out_object(o, "error_categories");
    for (size_t i = 0; i < q->category_count; i++)
        out_int(o, q->categories[i].name, q->categories[i].count);
    out_object_end(o);
    out_object_end(o);
}
