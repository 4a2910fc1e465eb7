// SPDX-License-Identifier: GPL-2.0-or-later
// Artifacts made at random, from one request to 200,000, against a reference
// that is written for clearness: it keeps every request, sorts by itself, and
// follows the definitions of the published aggregate word by word.
#include <stdbool.h>

#include "tests/unit/ingest_rig.h"

enum { GPUS = 4, SOURCES = 3, KINDS = 5, START_S = 1786500000 };

static const int64_t NS = INT64_C(1000000000);

// --- chance ----------------------------------------------------------------

static uint64_t seed;

static uint64_t chance(uint64_t below)
{
    seed += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = seed;

    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (z ^ (z >> 31)) % below;
}

static bool one_in(uint64_t n)
{
    return chance(n) == 0;
}

// --- the reference ---------------------------------------------------------

struct request {
    bool warmup, failed;
    int kind;                                        // of its error
    int64_t start_ns, end_ns;                        // 0: absent
    int64_t input, output;                           // -1: absent
    double ttft_ms, latency_ms, itl_ms, full_itl_ms; // NaN: absent
};

struct values {
    double *v;
    size_t n;
};

static void heap_sort(double *v, size_t n)
{
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t k = pass ? n : n / 2 + 1; k-- > 0;) {
            size_t end = pass ? k : n, root = pass ? 0 : k, child;

            if (pass) {
                double last = v[k];

                v[k] = v[0];
                v[0] = last;
            }
            while ((child = 2 * root + 1) < end) {
                if (child + 1 < end && v[child] < v[child + 1])
                    child++;
                if (v[root] >= v[child])
                    break;
                double swap = v[root];
                v[root] = v[child];
                v[child] = swap;
                root = child;
            }
        }
    }
}

// Of sorted values: a weighted mean of the two nearest ranks.
static double reference_percentile(const struct values *s, int p)
{
    size_t hundredths = (s->n - 1) * (size_t)p;
    size_t rank = hundredths / 100;
    double weight = (double)(hundredths % 100) / 100.0;

    if (hundredths % 100 == 0)
        return s->v[rank];
    return s->v[rank] * (1 - weight) + s->v[rank + 1] * weight;
}

static void reference_mean(const struct values *s, bool inverse, double *mean, double *std)
{
    // Sums around the middle value, so that little is lost.
    long double middle = inverse ? 1.0L / s->v[s->n / 2] : s->v[s->n / 2];
    long double first = 0, second = 0;

    for (size_t i = 0; i < s->n; i++) {
        long double d = (inverse ? 1.0L / s->v[i] : s->v[i]) - middle;

        first += d;
        second += d * d;
    }
    first /= (long double)s->n;
    second /= (long double)s->n;
    *mean = (double)(middle + first);
    *std = s->n > 1 ? (double)sqrtl(second - first * first) : 0;
}

// --- comparison ------------------------------------------------------------

static long compared, wrong;

static void expect(json_t *doc, const char *path, double want)
{
    // Five decimals, and what a sum in another order may differ by.
    double within = 0.0000051 + 1e-10 * fabs(want);
    double got = doc_number(doc, path);

    compared++;
    if (fabs(got - want) <= within)
        return;
    wrong++;
    printf("# %s: got %.9g, expected %.9g\n", path, got, want);
}

static void expect_null(json_t *doc, const char *path)
{
    compared++;
    if (json_is_null(doc_at(doc, path)))
        return;
    wrong++;
    printf("# %s: expected null\n", path);
}

static void expect_stats(json_t *doc, const char *path, const struct values *s, bool inverse)
{
    static const int percents[] = {50, 75, 90, 95};
    char name[128];
    double mean, std, straight;

    if (!s->n) {
        compared++;
        if (json_object_size(doc_at(doc, path))) {
            wrong++;
            printf("# %s: expected nothing\n", path);
        }
        return;
    }
    reference_mean(s, inverse, &mean, &std);
    reference_mean(s, false, &straight, &(double){0});
    snprintf(name, sizeof(name), "%s.mean", path);
    expect(doc, name, inverse ? 1 / straight : mean);
    snprintf(name, sizeof(name), "%s.std", path);
    expect(doc, name, std);
    for (size_t i = 0; i < 4; i++) {
        double p = reference_percentile(s, percents[i]);

        snprintf(name, sizeof(name), "%s.p%d", path, percents[i]);
        expect(doc, name, inverse ? 1 / p : p);
    }
}

// --- what the reference keeps ----------------------------------------------

static bool counts(const struct request *r)
{
    return !r->warmup && !r->failed;
}

enum what { TTFT, LATENCY, ITL, FULL_ITL, PER_TOKEN, INPUT, OUTPUT };

static double pick(const struct request *r, enum what what)
{
    switch (what) {
    case TTFT:
        return r->ttft_ms > 0 ? r->ttft_ms / 1000 : (double)NAN;
    case LATENCY:
        return r->latency_ms > 0 ? r->latency_ms / 1000 : (double)NAN;
    case ITL:
        return r->itl_ms > 0 ? r->itl_ms / 1000 : (double)NAN;
    case FULL_ITL:
        return r->full_itl_ms > 0 ? r->full_itl_ms / 1000 : (double)NAN;
    case PER_TOKEN:
        return r->latency_ms > 0 && r->output > 0 ? r->latency_ms / 1000 / (double)r->output
                                                  : (double)NAN;
    case INPUT:
        return r->input >= 0 ? (double)r->input : (double)NAN;
    default:
        return r->output >= 0 ? (double)r->output : (double)NAN;
    }
}

static struct values gather(const struct request *r, size_t n, enum what what)
{
    struct values s = {malloc((n + 1) * sizeof(double)), 0};

    for (size_t i = 0; s.v && i < n; i++) {
        double v = counts(&r[i]) ? pick(&r[i], what) : (double)NAN;

        if (!isnan(v))
            s.v[s.n++] = v;
    }
    heap_sort(s.v, s.n);
    return s;
}

static void check_stats(json_t *doc, const char *path, const struct request *r, size_t n,
                        enum what what, bool inverse)
{
    struct values s = gather(r, n, what);

    expect_stats(doc, path, &s, inverse);
    free(s.v);
}

// Counts of every full second after the first completion, in whole nanoseconds.
static void check_qps(json_t *doc, const struct request *r, size_t n)
{
    int64_t first = INT64_MAX, last = 0;
    size_t ended = 0;

    for (size_t i = 0; i < n; i++) {
        if (!counts(&r[i]) || !r[i].end_ns)
            continue;
        first = r[i].end_ns < first ? r[i].end_ns : first;
        last = r[i].end_ns > last ? r[i].end_ns : last;
        ended++;
    }
    if (ended < 2 || last <= first) {
        expect_stats(doc, "request_metrics.qps", &(struct values){NULL, 0}, false);
        return;
    }
    size_t windows = (size_t)((last - first) / NS);
    struct values s = {calloc(windows + 1, sizeof(double)), windows};
    for (size_t i = 0; s.v && i < n; i++) {
        if (counts(&r[i]) && r[i].end_ns && (size_t)((r[i].end_ns - first) / NS) < windows)
            s.v[(r[i].end_ns - first) / NS] += 1;
    }
    expect(doc, "request_metrics.qps.samples", (double)windows);
    heap_sort(s.v, s.n);
    if (windows)
        expect_stats(doc, "request_metrics.qps", &s, false);
    else
        expect(doc, "request_metrics.qps.mean", (double)ended / ((double)(last - first) / 1e9));
    free(s.v);
}

static void check_throughput(json_t *doc, const struct request *r, size_t n)
{
    int64_t first = INT64_MAX, last = 0;
    double input = 0, output = 0;

    for (size_t i = 0; i < n; i++) {
        if (!counts(&r[i]))
            continue;
        if (r[i].start_ns && r[i].start_ns < first)
            first = r[i].start_ns;
        if (r[i].end_ns > last)
            last = r[i].end_ns;
        input += r[i].input > 0 ? (double)r[i].input : 0;
        output += r[i].output > 0 ? (double)r[i].output : 0;
    }
    if (first == INT64_MAX || last <= first) {
        expect_stats(doc, "request_metrics.throughput", &(struct values){NULL, 0}, false);
        return;
    }
    double s = (double)(last - first) / 1e9;
    expect(doc, "request_metrics.throughput.duration_seconds", s);
    expect(doc, "request_metrics.throughput.input.tokens_per_second", input / s);
    expect(doc, "request_metrics.throughput.output.tokens_per_second", output / s);
    expect(doc, "request_metrics.throughput.total.tokens_per_second", (input + output) / s);
    expect(doc, "request_metrics.throughput.per_gpu.total_tput_tps", (input + output) / s / GPUS);
    expect(doc, "request_metrics.throughput.per_gpu.output_tput_tps", output / s / GPUS);
    expect(doc, "request_metrics.throughput.per_gpu.input_tput_tps", input / s / GPUS);
}

static void check_accounting(json_t *doc, const struct request *r, size_t n)
{
    double warm = 0, failed = 0, good = 0, kinds[KINDS] = {0};
    char path[64];

    for (size_t i = 0; i < n; i++) {
        warm += r[i].warmup;
        failed += r[i].failed;
        good += counts(&r[i]);
        if (r[i].failed)
            kinds[r[i].kind]++;
    }
    expect(doc, "num_requests_total", (double)n);
    expect(doc, "num_requests_successful", good);
    expect(doc, "request_accounting.records_total", (double)n);
    expect(doc, "request_accounting.records_profiled", good);
    expect(doc, "request_accounting.records_dropped_total", (double)n - good);
    expect(doc, "request_accounting.records_warmup_dropped", warm);
    expect(doc, "request_accounting.records_error_dropped", failed);
    for (int k = 0; k < KINDS; k++) {
        snprintf(path, sizeof(path), "request_accounting.error_categories.Kind%d", k);
        if (kinds[k] > 0)
            expect(doc, path, kinds[k]);
    }
}

// --- the generator ---------------------------------------------------------

static void make_request(struct request *r, size_t i, size_t n)
{
    uint64_t spread = (n / 20 + 5) * 1000; // ms

    *r = (struct request){.warmup = i < n / 10, .failed = one_in(9), .kind = (int)chance(KINDS)};
    r->start_ns = (START_S + (int64_t)i) * NS + (int64_t)chance(1000000000);
    // Between two milliseconds, so that no completion meets a window's edge.
    r->end_ns = START_S * NS + (int64_t)(chance(spread) * 1000000 + 500000) + (int64_t)i * 1000000;
    r->input = one_in(20) ? -1 : (int64_t)chance(260000);
    r->output = one_in(20) ? -1 : (int64_t)chance(3000);
    r->ttft_ms = one_in(15) ? (double)NAN : (double)chance(4000000) / 1000;
    r->latency_ms = one_in(15) ? (double)NAN : (double)chance(90000000) / 1000 - 50;
    r->itl_ms = one_in(15) ? (double)NAN : (double)(chance(400000) + 10) / 10000;
    r->full_itl_ms = one_in(3) ? (double)NAN : (double)(chance(400000) + 10) / 10000;
    if (one_in(50))
        r->start_ns = 0;
    if (one_in(50))
        r->end_ns = 0;
}

static void write_metric(FILE *f, bool *comma, const char *name, double value, const char *unit)
{
    if (isnan(value)) {
        if (one_in(2)) // absent, or null: the same
            fprintf(f, "%s\"%s\":{\"value\":null}", *comma ? "," : "", name);
        else
            return;
    } else {
        fprintf(f, "%s\"%s\":", *comma ? "," : "", name);
        if (one_in(3))
            fprintf(f, " {\"unit\": \"%s\", \"value\": %.17g}", unit, value);
        else
            fprintf(f, "{\"value\":%.17g,\"unit\":\"%s\"}", value, unit);
    }
    *comma = true;
}

static void write_metrics(FILE *f, const struct request *r)
{
    bool comma = false;

    fputs("\"metrics\": {", f);
    write_metric(f, &comma, "time_to_first_token", r->ttft_ms, "ms");
    write_metric(f, &comma, "request_latency", r->latency_ms, "ms");
    write_metric(f, &comma, "inter_token_latency", r->itl_ms, "ms");
    write_metric(f, &comma, "full_response_inter_token_latency", r->full_itl_ms, "ms");
    write_metric(f, &comma, "input_sequence_length", r->input < 0 ? (double)NAN : (double)r->input,
                 "tokens");
    write_metric(f, &comma, "output_sequence_length",
                 r->output < 0 ? (double)NAN : (double)r->output, "tokens");
    if (one_in(10)) // a list, which is nothing of ours
        fprintf(f, "%s\"inter_chunk_latency\":{\"value\":[1.5,2,3e1],\"unit\":\"ms\"}",
                comma ? "," : "");
    fputs("}", f);
}

static void write_metadata(FILE *f, const struct request *r)
{
    fputs("\"metadata\":{\"conversation_id\":\"trace-\\u00e9\\\"}{\",\"turn_index\":3", f);
    if (r->warmup)
        fputs(",\"benchmark_phase\":\"warmup\"", f);
    else if (!one_in(4)) // without a phase it is the profile phase
        fputs(",\"benchmark_phase\":\"profiling\"", f);
    if (r->start_ns)
        fprintf(f, ",\"request_start_ns\":%lld", (long long)r->start_ns);
    fprintf(f, ",\"request_end_ns\":");
    if (r->end_ns)
        fprintf(f, "%lld}", (long long)r->end_ns);
    else
        fputs("null}", f);
}

static void write_log(const struct rig *rig, const struct request *r, size_t n)
{
    FILE *f = rig_open(rig, "profile_export.jsonl");

    for (size_t i = 0; i < n; i++) {
        fputs("{", f);
        if (r[i].failed)
            fprintf(f, "\"error\":{\"code\":%d,\"type\":\"Kind%d\"},", (int)chance(600), r[i].kind);
        else if (one_in(2))
            fputs("\"error\":null,", f);
        write_metadata(f, &r[i]);
        fputs(",", f);
        write_metrics(f, &r[i]);
        fputs(one_in(30) ? "}\r\n\n" : "}\n", f);
    }
    fclose(f);
}

// --- server metrics --------------------------------------------------------

struct server {
    double prompt, generation, requests, calls; // sums over the series
    double source[SOURCES];
    bool has_source[SOURCES];
    double usage_max, accept_mean, accept_max, pool;
};

static const char *const source_names[SOURCES] = {"device", "host", "storage_file"};

static void write_slices(FILE *f)
{
    if (one_in(3))
        return;
    fputs(",\"timeslices\":[", f);
    for (int i = (int)chance(40); i >= 0; i--)
        fprintf(f, "{\"start_ns\":%llu,\"total\":%llu.5,\"avg\":9e9,\"t\":\"]\\\"{\"}%s",
                (unsigned long long)chance(UINT64_C(1) << 60), (unsigned long long)chance(1000),
                i ? "," : "");
    fputs("]", f);
}

// A counter of one to three series; returns the sum.
static double write_counter(FILE *f, const char *name, const char *label)
{
    int series = 1 + (int)chance(3);
    double sum = 0;

    fprintf(f, ",\"%s\":{\"type\":\"counter\",\"series\":[", name);
    for (int i = 0; i < series; i++) {
        double total = (double)chance(1000000);

        fprintf(f, "%s{\"labels\":{\"tp_rank\":\"%d\"%s},\"stats\":{\"rate\":1.5,\"%s\":%.1f}",
                i ? "," : "", i, label, one_in(4) ? "sum" : "total", total);
        write_slices(f);
        fputs("}", f);
        sum += total;
    }
    fputs("]}", f);
    return sum;
}

static void write_gauge(FILE *f, const char *name, double *mean, double *max)
{
    int series = 1 + (int)chance(4);

    *mean = 0;
    *max = -1;
    fprintf(f, ",\"%s\":{\"series\":[", name);
    for (int i = 0; i < series; i++) {
        double avg = (double)chance(1000) / 1000, top = avg + (double)chance(100) / 1000;

        fprintf(f, "%s{", i ? "," : "");
        fprintf(f, "\"stats\":{\"max\":%.17g,\"min\":null,\"avg\":%.17g}", top, avg);
        write_slices(f);
        fputs(",\"labels\":null}", f);
        *mean += avg / series;
        *max = top > *max ? top : *max;
    }
    fputs("]}", f);
}

static void write_server(const struct rig *rig, struct server *s)
{
    FILE *f = rig_open(rig, "server_metrics_export.json");
    double unused;

    fputs("{\"metrics\":{\"other\":{\"series\":[]}", f);
    s->prompt = write_counter(f, "sglang:prompt_tokens", "");
    s->generation = write_counter(f, "sglang:generation_tokens", "");
    s->requests = write_counter(f, "sglang:num_requests", "");
    s->calls = write_counter(f, "sglang:spec_verify_calls", "");
    fputs(",\"sglang:cached_tokens\":{\"series\":[{\"stats\":{\"total\":5}}", f);
    for (int i = 0; i < SOURCES; i++) {
        s->source[i] = 0;
        s->has_source[i] = !one_in(3);
        for (int k = 0; s->has_source[i] && k < 2; k++) {
            double total = (double)chance(100000);

            fprintf(f, ",{\"stats\":{\"total\":%.1f},\"labels\":{\"cache_source\":\"%s\"}}", total,
                    source_names[i]);
            s->source[i] += total;
        }
    }
    fputs("]}", f);
    write_gauge(f, "sglang:token_usage", &unused, &s->usage_max);
    write_gauge(f, "sglang:spec_accept_length", &s->accept_mean, &s->accept_max);
    s->pool = (double)(1 + chance(1000000));
    fprintf(f, ",\"sglang:max_total_num_tokens\":{\"series\":[{\"stats\":{\"max\":%.1f}}]}}}",
            s->pool);
    fclose(f);
}

static void check_server(json_t *doc, const struct server *s)
{
    double cached = 0;
    bool any = false;

    for (int i = 0; i < SOURCES; i++) {
        char path[96];

        snprintf(path, sizeof(path), "server_metrics.cache.cached_tokens_by_source.%s",
                 source_names[i]);
        if (s->has_source[i])
            expect(doc, path, s->source[i]);
        cached += s->source[i];
        any |= s->has_source[i];
    }
    if (any && s->prompt > 0)
        expect(doc, "server_metrics.cache.overall_cache_hit_rate", cached / s->prompt);
    else
        expect_null(doc, "server_metrics.cache.overall_cache_hit_rate");
    if (s->has_source[1] && s->prompt > 0)
        expect(doc, "server_metrics.cache.cpu_cache_hit_rate", s->source[1] / s->prompt);
    else
        expect_null(doc, "server_metrics.cache.cpu_cache_hit_rate");
    expect(doc, "server_metrics.tokens.prompt_total", s->prompt);
    expect(doc, "server_metrics.tokens.generation_total", s->generation);
    expect(doc, "server_metrics.kv_cache.gpu_usage_pct", s->usage_max);
    expect(doc, "kv_cache_pool_tokens", s->pool);
    expect(doc, "acceptance.gauge_mean", s->accept_mean);
    expect(doc, "acceptance.gauge_samples_max", s->accept_max);
    if (s->calls > 0)
        expect(doc, "acceptance.counter_al", (s->generation - s->requests) / s->calls);
    expect(doc, "server_metrics.metric_count", 9);
}

// --- the whole -------------------------------------------------------------

static void check_size(size_t n, uint64_t from)
{
    struct request *r = calloc(n, sizeof(*r));
    struct server server;
    struct rig rig;
    json_t *doc;

    seed = from;
    for (size_t i = 0; r && i < n; i++)
        make_request(&r[i], i, n);
    rig_init(&rig);
    write_log(&rig, r, n);
    write_server(&rig, &server);
    compared = wrong = 0;
    doc = rig_run_folder(rig.folder, GPUS);
    check_accounting(doc, r, n);
    check_stats(doc, "request_metrics.latency.ttft", r, n, TTFT, false);
    check_stats(doc, "request_metrics.latency.e2el", r, n, LATENCY, false);
    check_stats(doc, "request_metrics.latency.itl", r, n, ITL, false);
    check_stats(doc, "request_metrics.latency.tpot", r, n, ITL, false);
    check_stats(doc, "request_metrics.latency.intvty", r, n, ITL, true);
    check_stats(doc, "request_metrics.latency.e2e_norm_intvty", r, n, PER_TOKEN, true);
    check_stats(doc, "request_metrics.latency.full_response_itl", r, n, FULL_ITL, false);
    check_stats(doc, "request_metrics.latency.full_response_intvty", r, n, FULL_ITL, true);
    check_stats(doc, "request_metrics.tokens.input", r, n, INPUT, false);
    check_stats(doc, "request_metrics.tokens.output_actual", r, n, OUTPUT, false);
    check_qps(doc, r, n);
    check_throughput(doc, r, n);
    check_server(doc, &server);
    printf("# %zu requests, seed %llu: %ld numbers compared\n", n, (unsigned long long)from,
           compared);
    CHECK(compared > 30);
    CHECK_INT(wrong, 0);
    CHECK_INT(doc_finding_count(doc, "profile_export.jsonl", "syntax"), 0);
    if (wrong)
        doc_show_findings(doc);
    json_decref(doc);
    rig_done(&rig);
    free(r);
}

int main(void)
{
    for (uint64_t s = 1; s <= 60; s++)
        check_size(1 + s % 12, s);
    for (uint64_t s = 100; s < 120; s++)
        check_size(20 + (s - 100) * 37, s);
    check_size(4000, 200);
    check_size(20 * 1000, 201);
    check_size(200 * 1000, 202);
    return tap_done();
}
