// SPDX-License-Identifier: GPL-2.0-or-later
// The pieces of sweep-ingest one by one.
#include <stdbool.h>

#include "base/utf8.h"
#include "ingest/filter.h"
#include "ingest/instant.h"
#include "ingest/json.h"
#include "ingest/power.h"
#include "ingest/skip.h"
#include "ingest/stats.h"
#include "tests/unit/ingest_rig.h"

// --- distributions ---------------------------------------------------------

static void test_stats(void)
{
    struct series s = {0};
    const double values[] = {4, 1, 3, 2};

    CHECK_INT((int64_t)stats_of(&s).count, 0);
    for (size_t i = 0; i < 4; i++)
        series_add(&s, values[i]);
    struct stats st = stats_of(&s);
    CHECK_NEAR(st.mean, 2.5, 0);
    CHECK_NEAR(st.p50, 2.5, 0);
    CHECK_NEAR(st.p75, 3.25, 1e-15); // at rank 3 * 0.75 = 2.25
    CHECK_NEAR(st.p90, 3.7, 1e-15);
    CHECK_NEAR(st.p95, 3.85, 1e-15);
    CHECK_NEAR(st.std, sqrt(1.25), 1e-15); // of the population
    st = stats_inverse(&s);
    CHECK_NEAR(st.mean, 0.4, 1e-15);     // of the mean, not the mean of 1/x
    CHECK_NEAR(st.p90, 1 / 3.7, 1e-15);  // the slow tail
    CHECK_NEAR(st.std, 0.2909217, 5e-8); // population deviation of 1, 1/2, 1/3, 1/4
    series_free(&s);
    series_add(&s, 7);
    CHECK_NEAR(stats_of(&s).std, 0, 0);
    CHECK_NEAR(stats_of(&s).p95, 7, 0);
    series_free(&s);
}

static void test_round(void)
{
    CHECK_NEAR(round5(0.000005), 0.00001, 1e-20); // the double lies above the half
    CHECK_NEAR(round5(2.000025), 2.00002, 0);     // and this one below it
    CHECK_NEAR(round5(0.5), 0.5, 0);
    CHECK_NEAR(round5(1e300), 1e300, 0);
    CHECK(isnan(round5(NAN)));
}

// --- text ------------------------------------------------------------------

// The length of the character that text begins with, from its bytes one by one.
static size_t pushed_length(const char *text)
{
    struct utf8 u = {0};
    enum utf8_step step = UTF8_MORE;
    size_t n = 0;

    while (text[n] && step == UTF8_MORE)
        step = utf8_push(&u, (uint8_t)text[n++]);
    return step == UTF8_DONE ? n : 0;
}

static void test_utf8(void)
{
    static const struct {
        const char *text;
        size_t length;
    } cases[] = {
        {"a", 1},
        {"\xc3\xa9", 2},
        {"\xe2\x82\xac", 3},
        {"\xf0\x9f\x98\x80", 4},
        {"\xc0\xaf", 0},
        {"\xed\xa0\x80", 0},
        {"\xf4\x90\x80\x80", 0},
        {"\xe0\x80\x80", 0},
        {"\x80", 0},
        {"\xf8", 0},
        {"\xe2\x82", 0},
        {"\xf0\x80\x80\x80", 0},
        {"\xee\x80\x80", 3},
        {"\xf4\x8f\xbf\xbf", 4},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        CHECK_INT((int64_t)utf8_char(cases[i].text, strlen(cases[i].text)),
                  (int64_t)cases[i].length);
        CHECK_INT((int64_t)pushed_length(cases[i].text), (int64_t)cases[i].length);
    }
}

struct sink {
    struct str text;
    uint64_t notes[8];
};

static bool take(void *ctx, const char *bytes, size_t len, int64_t offset)
{
    (void)offset;
    str_add_bytes(&((struct sink *)ctx)->text, bytes, len);
    return true;
}

static void heard(void *ctx, enum filter_note note, int64_t offset, uint64_t count)
{
    (void)offset;
    ((struct sink *)ctx)->notes[note] += count;
}

static void filter(struct sink *s, const char *text, size_t len, size_t step)
{
    struct filter_spec spec = {"timeslices", take, heard, s};
    struct filter *f = calloc(1, sizeof(*f));

    memset(s, 0, sizeof(*s));
    if (!f)
        abort();
    filter_begin(f, &spec, 0);
    for (size_t at = 0; at < len; at += step)
        filter_feed(f, text + at, at + step < len ? step : len - at);
    filter_end(f);
    free(f);
}

// The outcome does not depend on how the bytes arrive.
static void test_filter(void)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"{\"a\":NaN,\"b\":[-Infinity, Infinity ]}", "{\"a\":null,\"b\":[null, null ]}"},
        {"{\"a\":\"NaN\",\"b\":-1.5e3}", "{\"a\":\"NaN\",\"b\":-1.5e3}"},
        {"{\"timeslices\" : [1,{\"]\":\"}\\\"\"}],\"z\":2}", "{\"timeslices\" : null,\"z\":2}"},
        {"{\"timeslices\":3,\"a\":[4]}", "{\"timeslices\":3,\"a\":[4]}"},
        {"{\"timeslices\":\"x\",\"a\":{}}", "{\"timeslices\":\"x\",\"a\":{}}"},
        {"[\"timeslices\",[5]]", "[\"timeslices\",[5]]"},
        {"{\"timeslicesx\":[1],\"timeslice\":[2]}", "{\"timeslicesx\":[1],\"timeslice\":[2]}"},
        {"{\"a\":\"\xff\xc3(\xe2\x82\"}",
         "{\"a\":\"" UTF8_REPLACEMENT UTF8_REPLACEMENT "(" UTF8_REPLACEMENT "\"}"},
        {"\"\\u00e9\\\\\\\"\xc3\xa9\"", "\"\\u00e9\\\\\\\"\xc3\xa9\""},
        {"tru", "tru"},
        {"}]", "}]"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        for (size_t step = 1; step < 40; step = step * 2 + 1) {
            struct sink s;

            filter(&s, cases[i].text, strlen(cases[i].text), step);
            CHECK_TEXT(str_text(&s.text), cases[i].want);
            str_free(&s.text);
        }
    }
}

static void test_filter_limits(void)
{
    struct str text = {0};
    struct sink s;

    // Escapes where the cut would fall.
    for (size_t pad = 0; pad < 8; pad++) {
        str_clear(&text);
        str_add(&text, "[\"");
        for (size_t i = 0; i < pad; i++)
            str_add_char(&text, '.');
        for (size_t i = 0; i < JSON_STRING_MAX / 4; i++)
            str_add(&text, "\\u0041\xc3\xa9");
        str_add(&text, "\",1]");
        filter(&s, text.p, text.len, 1000);
        CHECK_INT((int64_t)s.notes[FILTER_LONG_STRING], 1);
        CHECK(s.text.len < JSON_STRING_MAX * 2);
        json_error_t error;
        json_t *doc = json_loads(str_text(&s.text), 0, &error);
        CHECK(doc != NULL); // still well formed
        CHECK_INT(json_integer_value(json_array_get(doc, 1)), 1);
        json_decref(doc);
        str_free(&s.text);
    }
    str_free(&text);
}

// The fast way over blocks and the byte by byte way agree.
static void test_skip(void)
{
    static const char alphabet[] = "[]{}\"\\,:0123456789.eabNInfityx \xc3\xa9\xff";
    uint64_t state = 7;

    for (int round = 0; round < 3000; round++) {
        char text[700];
        struct skip whole, single;
        size_t len = 0, taken = 0, i = 0;

        while (len < sizeof(text)) { // mostly dull, so that the fast way is taken
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            unsigned pick = (unsigned)(state >> 33);
            text[len++] = pick % (unsigned)(3 + round % 40) ? '7' : alphabet[pick / 64 % 30];
        }
        skip_begin(&whole, 5);
        taken = skip_feed(&whole, text, len);
        skip_begin(&single, 5);
        while (i < len && single.depth)
            i += skip_feed(&single, text + i, 1);
        bool same = taken == i && whole.depth == single.depth &&
                    whole.in_string == single.in_string && whole.not_finite == single.not_finite &&
                    whole.bad_text == single.bad_text && whole.too_deep == single.too_deep;
        if (!same || round % 500 == 0)
            CHECK(same);
        if (!same)
            printf("# %.*s\n", (int)len, text);
    }
}

// --- paths -----------------------------------------------------------------

static void note_path(void *ctx, const struct json *j, const struct json_value *v)
{
    struct str *s = ctx;

    if (json_at(j, "a/*/b") && v->type == VALUE_INT)
        str_addf(s, "[%lld]", (long long)v->integer);
    if (json_at(j, "") && v->type == VALUE_OBJECT)
        str_add(s, "{");
}

static void test_paths(void)
{
    static const char text[] = "{\"a\":[{\"b\":1},{\"c\":2,\"b\":3},[4]],\"x\":{\"b\":5},"
                               "\"b\":6,\"a/0/b\":7}";
    struct findings *f = calloc(1, sizeof(*f));
    struct str got = {0};
    struct json_spec spec = {.file = "f", .findings = f, .value = note_path, .ctx = &got};
    struct json *j = json_create(&spec);

    json_begin(j, 0, 0);
    CHECK(json_feed(j, text, strlen(text)));
    CHECK(json_finish(j));
    CHECK_TEXT(str_text(&got), "{[1][3]");
    json_begin(j, 0, 0); // and again with the same reader
    CHECK(json_feed(j, "{", 1));
    CHECK(!json_finish(j));
    json_begin(j, 0, 0);
    CHECK(json_feed(j, "{}", 2));
    CHECK(json_finish(j));
    json_free(j);
    str_free(&got);
    free(f);
}

// --- instants --------------------------------------------------------------

static void test_instants(void)
{
    static const struct {
        const char *text;
        double at; // by date -u -d
        bool zoned;
    } good[] = {
        {"2026-08-12T05:20:00", 1786512000, false},
        {"2026-08-12 05:20:00.25", 1786512000.25, false},
        {"2026/08/12 05:20:00.5", 1786512000.5, false},
        {"2026-08-12T05:20:00Z", 1786512000, true},
        {"2026-08-12T05:20:00+02:00", 1786504800, true},
        {"2026-08-12T05:20:00-0530", 1786531800, true},
        {"1786500001", 1786500001, true},
        {"1786500001250", 1786500001.25, true},
    };
    static const char *const bad[] = {
        "",
        "yesterday",
        "2026-08-12",
        "2026-13-12T00:00:00",
        "2026-08-12T05:20:00.",
        "2026-08-12T05:20:00+2",
        "2026-08-12T05:20:00 x",
        "20260812T052000",
        "nan",
    };
    double at;
    bool zoned;

    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
        CHECK_INT(instant_parse(good[i].text, &at, &zoned), 0);
        CHECK_NEAR(at, good[i].at, 1e-6);
        CHECK_INT(zoned, good[i].zoned);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        CHECK_INT(instant_parse(bad[i], &at, &zoned), -EINVAL);
    CHECK_INT(offset_parse("+0530", &at), 0);
    CHECK_NEAR(at, 19800, 0);
    CHECK_INT(offset_parse("0530", &at), -EINVAL);
    CHECK_INT(offset_parse("+2500", &at), -EINVAL);
}

// --- the server's log ------------------------------------------------------

static void test_pool(void)
{
    static const struct {
        const char *text;
        int64_t tokens; // 0: null
    } cases[] = {
        {"max_total_num_tokens=100, x\n", 100},
        {"dp_size=4)\n[TP0] max_total_num_tokens=100\n", 400},
        {"dp_size=4\n[DP0 TP0 EP0] max_total_num_tokens=100\n", 400},
        {"dp_size=2\n[DP0 TP0 EP0] max_total_num_tokens=100\n"
         "[DP1 TP0 EP0] max_total_num_tokens=90\n",
         190},
        {"[DP0 TP0 EP0] max_total_num_tokens=100\n[DP0 TP0 EP0] max_total_num_tokens=80\n", 80},
        {"max_total_num_tokens=100\nmax_total_num_tokens=50\ndp_size=2\n", 150},
        {"attn_dp_size=8 max_total_num_tokens=100\n", 100},
        {"my_max_total_num_tokens=100\n", 0},
        {"max_total_num_tokens=100x\n", 0},
        {"max_total_num_tokens=0\n", 0},
        {"max_total_num_tokens=99999999999999999999\n", 0},
        {"max_total_num_tokens=100", 100}, // no line feed
        {"", 0},
    };
    struct rig r;

    rig_init(&r);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        rig_write(&r, "server.log", cases[i].text);
        json_t *doc = rig_run(&r);
        CHECK_INT(json_integer_value(doc_at(doc, "kv_cache_pool_tokens")), cases[i].tokens);
        json_decref(doc);
    }
    rig_done(&r);
}

// --- power -----------------------------------------------------------------

static const char power_summary[] = "{\"start_time\":\"2026-08-12T07:20:01\","
                                    "\"end_time\":\"2026-08-12T07:20:09\","
                                    "\"request_count\":{\"avg\":1}}";
static const char power_log[] = "{\"metadata\":{},\"metrics\":{\"input_sequence_length\":"
                                "{\"value\":300},\"output_sequence_length\":{\"value\":20}}}\n";

static json_t *run_power(struct rig *r, const char *table, int64_t gpus)
{
    rig_write(r, "aiperf_artifacts/profile_export_aiperf.json", power_summary);
    rig_write(r, "aiperf_artifacts/profile_export.jsonl", power_log);
    rig_write(r, "gpu_metrics.csv", table);
    return rig_run_folder(r->folder, gpus);
}

// Two GPUs, 1786512000 is 05:20:00 UTC: the first climbs from 100 W by 10 W a
// second, the second stays at 200 W.
static void power_table(struct str *s, int from, int to, int step)
{
    str_clear(s);
    str_add(s, "timestamp,gpu,power_limit,socket_power,power_management\n");
    for (int t = from; t <= to; t += step)
        str_addf(s, "%d, 0,900,%d W,ENABLED\n%d,1,900,200,ENABLED\n", 1786512000 + t, 100 + 10 * t,
                 1786512000 + t);
}

static void check_reason(struct rig *r, const char *table, int64_t gpus, const char *reason)
{
    json_t *doc = run_power(r, table, gpus);
    json_t *one;
    size_t i;
    bool found = false;

    json_array_foreach(doc_at(doc, "power.reasons"), i, one) found |=
        !strcmp(json_string_value(one), reason);
    printf("# %s\n", reason);
    CHECK(found);
    CHECK(json_is_false(doc_at(doc, "power.valid")));
    CHECK(json_is_null(doc_at(doc, "power.total_gpu_energy_j")));
    json_decref(doc);
}

static void test_power(void)
{
    struct str table = {0};
    struct rig r;
    json_t *doc;

    rig_init(&r);
    power_table(&table, 0, 10, 2); // samples at even seconds, the window is odd: 1 to 9
    rig_write(&r, "agentic_power_timezone_offset.txt", "+0200\n");
    doc = run_power(&r, table.p, 2);
    CHECK(json_is_true(doc_at(doc, "power.valid")));
    // The mean of 100 + 10 t from 1 to 9 is 150 W.
    CHECK_NEAR(doc_number(doc, "power.gpus.0.energy_j"), 150 * 8, 1e-6);
    CHECK_NEAR(doc_number(doc, "power.gpus.1.energy_j"), 200 * 8, 1e-6);
    CHECK_NEAR(doc_number(doc, "power.total_gpu_energy_j"), 350 * 8, 1e-6);
    CHECK_NEAR(doc_number(doc, "power.avg_total_gpu_power_w"), 350, 1e-6);
    CHECK_NEAR(doc_number(doc, "power.avg_power_w"), 175, 1e-6);
    CHECK_NEAR(doc_number(doc, "power.joules_per_total_token"), 350 * 8 / 320.0, 1e-6);
    CHECK_NEAR(doc_number(doc, "power.joules_per_output_token"), 140, 1e-6);
    json_decref(doc);
    check_reason(&r, table.p, 4, "expected_gpu_count_mismatch");
    check_reason(&r, "", 2, "telemetry_file_empty");
    check_reason(&r, "time,gpu\n1786512000,0\n", 2, "power_column_missing");
    check_reason(&r, "gpu,power\n0,1\n", 2, "timestamp_column_missing");
    check_reason(&r, "time,power\n1786512000,0\n", 2, "gpu_identity_column_missing");
    check_reason(&r, "time,gpu,power\nsoon,0,5\n", 2, "invalid_timestamp_sample");
    check_reason(&r, "time,gpu,power\n1786512001,0,N/A\n", 2, "invalid_power_sample");
    check_reason(&r, "time,gpu,power\n1786512001,,5\n", 2, "gpu_identity_missing");
    check_reason(&r, "time,gpu,power\n1,0,5\n", 2, "no_usable_power_samples");
    check_reason(&r, "time,gpu,power\n1786512001,0,5\n", 2, "insufficient_power_samples");
    power_table(&table, 2, 10, 2);
    check_reason(&r, table.p, 2, "benchmark_window_not_bracketed");
    power_table(&table, 0, 12, 4);
    check_reason(&r, table.p, 2, "sampling_gap_exceeded");
    power_table(&table, 0, 10, 2);
    unlink(rig_path(&r, "agentic_power_timezone_offset.txt"));
    check_reason(&r, table.p, 2, "profile_timezone_offset_missing");
    rig_write(&r, "agentic_power_timezone_offset.txt", "local\n");
    check_reason(&r, table.p, 2, "profile_timezone_offset_invalid");
    // Two samples of one instant count as their mean.
    rig_write(&r, "agentic_power_timezone_offset.txt", "+0200\n");
    doc = run_power(&r,
                    "time,gpu,power\n1786512003,0,90\n1786512000,0,100\n1786512003,0,110\n"
                    "1786512006,0,100\n1786512009,0,100\n",
                    1);
    CHECK_NEAR(doc_number(doc, "power.total_gpu_energy_j"), 800, 1e-6);
    json_decref(doc);
    rig_done(&r);
    str_free(&table);
}

// --- evaluations -----------------------------------------------------------

static void test_evaluations(void)
{
    struct rig r;

    rig_init(&r);
    rig_write(&r, "results_a_conc16.json",
              "{\"results\":{\"gsm8k\":{\"exact_match,flexible-extract\":0.8,"
              "\"exact_match,strict-match\":0.9,\"exact_match_stderr,strict-match\":NaN},"
              "\"other\":{\"acc,none\":0.5,\"alias\":\"x\"}}}");
    rig_write(&r, "results_b.json", "{\"results\":{}}");
    rig_write(&r, "meta_env.json", "{\"eval_concs\":[16,32],\"tp\":8}");
    json_t *doc = rig_run(&r);
    CHECK_INT((int64_t)json_array_size(doc_at(doc, "evaluation.files")), 2);
    CHECK_INT(json_integer_value(doc_at(doc, "evaluation.files.0.conc")), 16);
    CHECK_NEAR(doc_number(doc, "evaluation.files.0.tasks.0.score"), 0.9, 0);
    CHECK_NEAR(doc_number(doc, "evaluation.files.0.tasks.0.lowest_exact_match"), 0.8, 0);
    CHECK_TEXT(doc_text(doc, "evaluation.files.0.tasks.1.score_metric"), "acc,none");
    CHECK(json_is_null(doc_at(doc, "evaluation.files.0.tasks.1.lowest_exact_match")));
    CHECK_INT(json_integer_value(doc_at(doc, "evaluation.meta.eval_concs.1")), 32);
    CHECK(doc_finding(doc, "results_b.json", "empty") != NULL);
    CHECK(doc_finding(doc, "results_a_conc16.json", "not_finite") != NULL);
    CHECK(!doc_finding(doc, "profile_export.jsonl", "missing"));
    json_decref(doc);
    rig_done(&r);
}

// --- acceptance ------------------------------------------------------------

// 1,000 requests of 330 tokens at a true length of 3.39, by simulation of the
// verify steps: three tokens, and a fourth with a chance of 0.39.
static void test_acceptance(void)
{
    enum { REQUESTS = 100 * 1000, TOKENS = 330 };
    uint64_t state = 3, calls = 0;
    struct rig r;
    char text[600];

    for (int i = 0; i < REQUESTS; i++) {
        for (int got = 1; got < TOKENS; calls++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            got += 3 + ((state >> 40) % 100 < 39);
        }
    }
    rig_init(&r);
    snprintf(text, sizeof(text),
             "{\"metrics\":{\"sglang:generation_tokens\":{\"series\":[{\"stats\":{\"total\":%d}}]},"
             "\"sglang:num_requests\":{\"series\":[{\"stats\":{\"total\":%d}}]},"
             "\"sglang:spec_verify_calls\":{\"series\":[{\"stats\":{\"total\":%llu}}]}}}",
             REQUESTS * TOKENS, REQUESTS, (unsigned long long)calls);
    rig_write(&r, "server_metrics_export.json", text);
    json_t *doc = rig_run(&r);
    CHECK_NEAR(doc_number(doc, "acceptance.counter_al"), 3.377, 0.001);
    CHECK_NEAR(doc_number(doc, "acceptance.counter_al_corrected"), 3.39, 0.001);
    json_decref(doc);
    rig_done(&r);
}

// --- server metrics and the summary ----------------------------------------

static void test_server_details(void)
{
    struct rig r;

    rig_init(&r);
    rig_write(&r, "server_metrics_export.json",
              "{\"metrics\":{"
              "\"sglang:prompt_tokens\":{\"series\":[{\"stats\":{\"total\":200}}]},"
              "\"sglang:realtime_tokens\":{\"series\":["
              "{\"labels\":{\"mode\":\"decode\"},\"stats\":{\"total\":1000}},"
              "{\"labels\":{\"mode\":\"prefill_compute\"},\"stats\":{\"total\":60}},"
              "{\"stats\":{\"total\":60},\"labels\":{\"mode\":\"prefill_compute\"}}]},"
              "\"sglang:cache_hit_rate\":{\"series\":[{\"stats\":{\"avg\":90,\"max\":99}},"
              "{\"stats\":{\"avg\":80}}]},"
              "\"sglang:token_usage\":{\"series\":[{\"stats\":{\"max\":63}},"
              "{\"stats\":{\"max\":0.5}}]},"
              "\"sglang:hicache_host_used_tokens\":{\"series\":[{\"stats\":{\"max\":30}}]},"
              "\"sglang:hicache_host_total_tokens\":{\"series\":[{\"stats\":{\"max\":40}}]},"
              "\"sglang:max_total_num_tokens\":{\"series\":[{\"stats\":{\"max\":7}},"
              "{\"stats\":{\"avg\":8}}]}},"
              "\"warmup_metrics\":{\"sglang:prompt_tokens\":{\"series\":[{\"stats\":{\"total\":"
              "999}}]}}}");
    json_t *doc = rig_run(&r);
    CHECK_NEAR(doc_number(doc, "server_metrics.tokens.prompt_total"), 200, 0);
    CHECK_NEAR(doc_number(doc, "server_metrics.tokens.prompt_by_source.computed"), 120, 0);
    // No cached tokens by source: the mean of the gauge, given in percent.
    CHECK_NEAR(doc_number(doc, "server_metrics.cache.overall_cache_hit_rate"), 0.85, 0);
    CHECK_NEAR(doc_number(doc, "server_metrics.kv_cache.gpu_usage_pct"), 0.63, 0);
    CHECK_NEAR(doc_number(doc, "server_metrics.kv_cache.cpu_usage_pct"), 0.75, 0);
    CHECK_NEAR(doc_number(doc, "server_metrics.kv_cache.cpu_total_tokens"), 40, 0);
    CHECK_NEAR(doc_number(doc, "kv_cache_pool_tokens"), 15, 0);
    json_decref(doc);
    // A cut file gives no numbers, however much of it could be read.
    rig_write(&r, "server_metrics_export.json",
              "{\"metrics\":{\"sglang:prompt_tokens\":{\"series\":[{\"stats\":{\"total\":200}}]}");
    doc = rig_run(&r);
    CHECK(doc_finding(doc, "server_metrics_export.json", "cut") != NULL);
    CHECK(json_is_false(doc_at(doc, "server_metrics.present")));
    CHECK(json_is_null(doc_at(doc, "server_metrics.tokens.prompt_total")));
    json_decref(doc);
    rig_done(&r);
}

static void test_consistency(void)
{
    struct rig r;

    rig_init(&r);
    rig_write(&r, "run/profile_export_aiperf.json",
              "{\"request_count\":{\"avg\":3},\"request_latency\":{\"avg\":2000,\"p50\":2500,"
              "\"p95\":1990},\"theoretical_prefix_cache_hit\":{\"unit\":\"%\",\"avg\":50}}");
    rig_write(&r, "run/profile_export.jsonl",
              "{\"metrics\":{\"request_latency\":{\"value\":2000}}}\n"
              "{\"metadata\":{\"benchmark_phase\":\"cooldown\"}}\n");
    json_t *doc = rig_run(&r);
    CHECK_INT(doc_finding_count(doc, "run/profile_export_aiperf.json", "inconsistent"), 2);
    CHECK_TEXT(json_string_value(json_object_get(
                   doc_finding(doc, "run/profile_export_aiperf.json", "inconsistent"), "severity")),
               "error"); // a log that lacks requests
    CHECK_TEXT(doc_text(doc, "consistency.0.name"), "request_count");
    CHECK(json_is_false(doc_at(doc, "consistency.0.agrees")));
    CHECK_TEXT(doc_text(doc, "consistency.2.name"), "e2el_mean");
    CHECK(json_is_true(doc_at(doc, "consistency.2.agrees")));
    CHECK(json_is_false(doc_at(doc, "consistency.3.agrees")));
    CHECK(json_is_true(doc_at(doc, "consistency.4.agrees"))); // within one percent
    CHECK_NEAR(doc_number(doc, "request_metrics.cache.theoretical_cache_hit_rate"), 0.5, 0);
    // A phase that is not the profile phase counts as warm-up.
    CHECK_INT(json_integer_value(doc_at(doc, "request_accounting.records_warmup_dropped")), 1);
    json_decref(doc);
    rig_done(&r);
}

int main(void)
{
    test_server_details();
    test_consistency();
    test_stats();
    test_round();
    test_utf8();
    test_filter();
    test_filter_limits();
    test_skip();
    test_paths();
    test_instants();
    test_pool();
    test_power();
    test_evaluations();
    test_acceptance();
    return tap_done();
}
