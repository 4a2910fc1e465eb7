// SPDX-License-Identifier: GPL-2.0-or-later
// Artifacts whose content is broken or malicious: a finding with place and
// count each, never a crash, never a silent gap.
#include <stdbool.h>

#include "tests/unit/ingest_good.h"

static void test_good(void)
{
    struct rig r;

    good_folder(&r);
    json_t *doc = rig_run(&r);
    CHECK_INT((int64_t)json_array_size(doc_at(doc, "findings")), 0);
    doc_show_findings(doc);
    CHECK_INT(json_integer_value(doc_at(doc, "num_requests_successful")), 1);
    CHECK_NEAR(doc_number(doc, "request_metrics.latency.e2el.p50"), 1.0005, 0);
    CHECK_NEAR(doc_number(doc, "request_metrics.throughput.duration_seconds"), 1, 0);
    CHECK_NEAR(doc_number(doc, "request_metrics.throughput.per_gpu.total_tput_tps"), 27.5, 0);
    CHECK_INT(json_integer_value(doc_at(doc, "kv_cache_pool_tokens")), 5);
    json_decref(doc);
    rig_done(&r);
}

static void test_missing(void)
{
    struct rig r;

    rig_init(&r);
    json_t *doc = rig_run(&r);
    check_place(doc, summary_name, "missing", 0, 1);
    check_place(doc, log_name, "missing", 0, 1);
    check_place(doc, metrics_name, "missing", 0, 1);
    check_place(doc, "server_metrics_export.csv", "missing", 0, 1);
    check_place(doc, "server.log", "missing", 0, 1);
    CHECK_TEXT(doc_text(doc, "layout.kind"), "none");
    CHECK(json_is_null(doc_at(doc, "client.submission_valid")));
    CHECK(json_is_null(doc_at(doc, "client.error_rate")));
    CHECK(json_is_null(doc_at(doc, "dataset")));
    CHECK(json_is_false(doc_at(doc, "server_metrics.present")));
    CHECK_INT(json_integer_value(doc_at(doc, "num_requests_total")), 0);
    json_decref(doc);
    rig_done(&r);
}

static void test_bad_lines(void)
{
    struct rig r;

    good_folder(&r);
    rig_write(&r, log_name,
              RECORD("10") "\n"                             // 1
                           "\n"                             // 2: empty lines are nothing
                           "{\"metadata\":\n"               // 3: cut
                           "[1,2]\n"                        // 4: no record
                           "{} {}\n"                        // 5: two values
                           "}\n"                            // 6: no JSON
              RECORD("NaN") "\n"                            // 7: counts, without the value
              RECORD("20") "\n"                             // 8
                           "{\"error\":{\"type\":\"A\"}}\n" // 9
                           "\"text\"\n"                     // 10: no record
                           "{\"metadata\":{\"benchmark_phase\":\"profiling\"},\"metr"); // 11: cut
    json_t *doc = rig_run(&r);
    check_place(doc, log_name, "cut", 3, 2);
    check_place(doc, log_name, "not_a_record", 4, 2);
    check_place(doc, log_name, "syntax", 5, 2);
    check_place(doc, log_name, "not_finite", 7, 1);
    CHECK_INT(json_integer_value(doc_at(doc, "num_requests_total")), 4);
    CHECK_INT(json_integer_value(doc_at(doc, "num_requests_successful")), 3);
    CHECK_INT(json_integer_value(doc_at(doc, "request_accounting.error_categories.A")), 1);
    CHECK_NEAR(doc_number(doc, "request_metrics.tokens.output_actual.mean"), 15, 0);
    json_decref(doc);
    rig_done(&r);
}

static void test_last_line(void)
{
    struct rig r;
    json_t *doc;

    good_folder(&r); // whole, only without its line feed
    rig_write(&r, log_name, RECORD("10"));
    doc = rig_run(&r);
    CHECK_INT((int64_t)json_array_size(doc_at(doc, "findings")), 0);
    CHECK_INT(json_integer_value(doc_at(doc, "num_requests_total")), 1);
    json_decref(doc);
    rig_write(&r, log_name, "");
    doc = rig_run(&r);
    check_place(doc, log_name, "empty", 0, 1);
    json_decref(doc);
    rig_done(&r);
}

static void test_exact_integers(void)
{
    struct rig r;
    json_t *doc;

    good_folder(&r);
    rig_write(&r, summary_name,
              "{\"metadata\":{\"dataset\":{\"a\":9007199254740993,\"b\":-9223372036854775808,"
              "\"c\":9223372036854775807,\"d\":0.123456789,\"e\":\"\\u0000\\ud800\\u00e9\","
              "\"f\":[1,[2.0,null,true]],\"g\":{}}},\"request_count\":{\"avg\":1.0}}");
    doc = rig_run(&r);
    CHECK_INT(json_integer_value(doc_at(doc, "dataset.a")), INT64_C(9007199254740993));
    CHECK_INT(json_integer_value(doc_at(doc, "dataset.b")), INT64_MIN);
    CHECK_INT(json_integer_value(doc_at(doc, "dataset.c")), INT64_MAX);
    CHECK_NEAR(doc_number(doc, "dataset.d"), 0.12346, 0);
    CHECK(json_is_integer(doc_at(doc, "dataset.f.1.0"))); // 2.0, as the aggregate writes it
    CHECK(json_is_true(doc_at(doc, "dataset.f.1.2")));
    CHECK(json_is_object(doc_at(doc, "dataset.g")));
    // Two times that differ by one nanosecond.
    json_decref(doc);
    rig_write(&r, log_name,
              "{\"metadata\":{\"request_start_ns\":1786500000000000001,"
              "\"request_end_ns\":1786500000000000003},\"metrics\":{\"output_sequence_length\":"
              "{\"value\":2}}}\n");
    doc = rig_run(&r);
    CHECK_NEAR(doc_number(doc, "request_metrics.throughput.output.tokens_per_second"), 1e9, 0);
    json_decref(doc);
    rig_done(&r);
}

static void test_bad_summary(void)
{
    static const struct {
        const char *text, *code;
    } cases[] = {
        {"", "empty"},
        {"  \n ", "empty"},
        {"{\"request_count\":", "cut"},
        {"{\"request_count\":{\"avg\":1}", "cut"},
        {"{\"a\":\"never ends", "cut"},
        {"{\"a\":nul", "cut"},
        {"{\"request_count\":1}}", "syntax"},
        {"{\"a\":01}", "syntax"},
        {"{\"a\":\"\n\"}", "syntax"},
        {"<html>", "syntax"},
        {"[]", "not_a_record"},
        {"7", "not_a_record"},
        {"{\"schema_version\":\"2.0\"}", "schema_version"},
        {"{\"request_count\":{\"avg\":\"12\"}}", "bad_value"},
    };
    struct rig r;

    good_folder(&r);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        printf("# summary: %s\n", cases[i].text);
        rig_write(&r, summary_name, cases[i].text);
        json_t *doc = rig_run(&r);
        json_t *one = doc_finding(doc, summary_name, cases[i].code);
        CHECK(one != NULL);
        CHECK_TEXT(json_string_value(json_object_get(one, "severity")), "error");
        CHECK(json_is_null(doc_at(doc, "client.error_rate")));
        if (!one)
            doc_show_findings(doc);
        json_decref(doc);
    }
    rig_done(&r);
}

static void test_counts(void)
{
    static const struct {
        const char *text;
        double rate; // NaN: none
        const char *problem;
    } cases[] = {
        {"{\"request_count\":{\"avg\":90},\"error_request_count\":{\"avg\":10}}", 0.1, NULL},
        {"{\"request_count\":{\"avg\":90}}", 0, NULL},
        {"{\"request_count\":{\"avg\":90},\"error_request_count\":{\"avg\":10},"
         "\"completed_request_count\":{\"avg\":200}}",
         0.05, NULL},
        {"{\"error_request_count\":{\"avg\":10}}", NAN, "request_count is missing"},
        {"{\"request_count\":{\"avg\":0}}", NAN, "no request completed"},
        {"{\"request_count\":{\"avg\":-1}}", NAN, "request_count is not a count"},
        {"{\"request_count\":{\"avg\":NaN}}", NAN, "request_count is not a count"},
        {"{\"request_count\":12}", NAN, "request_count is not a count"},
        {"{\"request_count\":{\"avg\":1},\"error_request_count\":{}}", NAN,
         "error_request_count is not a count"},
        {"{\"request_count\":{\"avg\":1e999}}", NAN, "request_count is not a count"},
    };
    struct rig r;

    good_folder(&r);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        printf("# counts: %s\n", cases[i].text);
        rig_write(&r, summary_name, cases[i].text);
        json_t *doc = rig_run(&r);
        CHECK_TEXT(doc_text(doc, "client.error_rate_problem"), cases[i].problem);
        if (isnan(cases[i].rate))
            CHECK(json_is_null(doc_at(doc, "client.error_rate")));
        else
            CHECK_NEAR(doc_number(doc, "client.error_rate"), cases[i].rate, 1e-15);
        json_decref(doc);
    }
    rig_done(&r);
}

static void test_depth_bomb(void)
{
    enum { LEVELS = 1000 * 1000 };
    struct rig r;
    FILE *f;
    json_t *doc;

    good_folder(&r);
    f = rig_open(&r, metrics_name);
    fputs("{\"bomb\":", f);
    repeat(f, "[", LEVELS);
    repeat(f, "]", LEVELS);
    fputs(",\"metrics\":{\"sglang:spec_accept_length\":{\"series\":[{\"timeslices\":", f);
    repeat(f, "{\"a\":[", LEVELS);
    repeat(f, "]}", LEVELS);
    fputs(",\"stats\":{\"avg\":3.25}}]}}}", f);
    fclose(f);
    doc = rig_run(&r);
    check_place(doc, metrics_name, "too_deep", 0, 2);
    CHECK_NEAR(doc_number(doc, "acceptance.gauge_mean"), 3.25, 0); // the rest is read
    json_decref(doc);
    f = rig_open(&r, metrics_name);
    repeat(f, "[", LEVELS); // never closed
    fclose(f);
    doc = rig_run(&r);
    CHECK(doc_finding(doc, metrics_name, "cut") != NULL);
    json_decref(doc);
    rig_done(&r);
}

static void test_not_finite(void)
{
    struct rig r;

    good_folder(&r);
    rig_write(&r, metrics_name,
              "{\"metrics\":{\"sglang:fwd_occupancy\":{\"series\":[{\"stats\":{\"avg\":NaN,"
              "\"max\":-Infinity,\"min\":Infinity},\"timeslices\":[{\"avg\":NaN},{\"avg\":"
              "Infinity,\"N\":\"NaN\"}]}]},\"sglang:spec_accept_length\":{\"series\":[{\"stats\":"
              "{\"avg\":3.5}},{\"stats\":{\"avg\":NaN}},{\"stats\":{\"avg\":3.0}}]}}}");
    json_t *doc = rig_run(&r);
    check_place(doc, metrics_name, "not_finite", 0, 6);
    CHECK_NEAR(doc_number(doc, "acceptance.gauge_mean"), 3.25, 0); // of those that are numbers
    CHECK_INT(json_integer_value(doc_at(doc, "server_metrics.metric_count")), 2);
    json_decref(doc);
    rig_done(&r);
}

static void test_encoding(void)
{
    struct rig r;

    good_folder(&r);
    rig_write(&r, log_name,
              "{\"error\":{\"type\":\"caf\xc3\xa9 \xff\xfe \xc0\xaf \xed\xa0\x80\"}}\n");
    rig_write(&r, metrics_name,
              "{\"metrics\":{\"sglang:cached_tokens\":{\"series\":[{\"labels\":{\"cache_source\":"
              "\"dev\xe2\x82\"},\"stats\":{\"total\":5},\"timeslices\":[\"\xff\"]}]}}}");
    json_t *doc = rig_run(&r);
    check_place(doc, log_name, "bad_utf8", 1, 7);
    check_place(doc, metrics_name, "bad_utf8", 0, 2);
    CHECK_INT(json_integer_value(
                  json_object_get(doc_at(doc, "request_accounting.error_categories"),
                                  "caf\xc3\xa9 \xEF\xBF\xBD\xEF\xBF\xBD \xEF\xBF\xBD\xEF\xBF\xBD "
                                  "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD")),
              1);
    json_decref(doc);
    rig_done(&r);
}

static void test_long_values(void)
{
    enum { LONG = 300 * 1000 };
    struct rig r;
    FILE *f;

    good_folder(&r);
    f = rig_open(&r, log_name);
    fputs("{\"error\":{\"message\":\"", f);
    repeat(f, "x", LONG);
    fputs("\"},\"metrics\":{\"output_sequence_length\":{\"value\":", f);
    repeat(f, "9", LONG);
    fputs("},\"", f);
    repeat(f, "k", LONG);
    fputs("\":{\"value\":1}}}\n" RECORD("10") "\n", f);
    fclose(f);
    json_t *doc = rig_run(&r);
    check_place(doc, log_name, "string_too_long", 1, 2);
    check_place(doc, log_name, "number_too_long", 1, 1);
    CHECK_INT(json_integer_value(doc_at(doc, "num_requests_total")), 2);
    json_decref(doc);
    rig_done(&r);
}

// Errors have names, and there may be very many of them.
static void test_categories(void)
{
    static const struct {
        const char *error, *category;
    } cases[] = {
        {"{\"type\":\"T\",\"code\":5,\"message\":\"m\"}", "T"},
        {"{\"type\":null,\"code\":500}", "500"},
        {"{\"type\":\"\",\"error_type\":\"E\"}", "E"},
        {"{\"message\":\"503 Service: down\\nmore\"}", "503 Service"},
        {"\"plain: text\"", "plain"},
        {"{\"cause\":1}", "unknown"},
        {"true", "unknown"},
        {"{\"message\":\": x\"}", "unknown"},
    };
    struct rig r;
    json_t *doc;

    good_folder(&r);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char line[256], path[64];

        snprintf(line, sizeof(line), "{\"error\":%s}\n", cases[i].error);
        rig_write(&r, log_name, line);
        doc = rig_run(&r);
        printf("# %s", line);
        snprintf(path, sizeof(path), "%s", cases[i].category);
        CHECK_INT(json_integer_value(
                      json_object_get(doc_at(doc, "request_accounting.error_categories"), path)),
                  1);
        json_decref(doc);
    }
    FILE *f = rig_open(&r, log_name);
    for (int i = 0; i < 1000; i++)
        fprintf(f, "{\"error\":\"kind %d\"}\n", i);
    fprintf(f, "{\"error\":{}}\n{\"error\":false}\n{\"error\":\"\"}\n"); // none of them is one
    fclose(f);
    doc = rig_run(&r);
    CHECK_INT(json_integer_value(doc_at(doc, "request_accounting.records_error_dropped")), 1000);
    CHECK_INT((int64_t)json_object_size(doc_at(doc, "request_accounting.error_categories")), 64);
    check_place(doc, log_name, "too_many_categories", 65, 936);
    CHECK_INT(json_integer_value(doc_at(doc, "num_requests_successful")), 3);
    json_decref(doc);
    rig_done(&r);
}

static void test_old_names(void)
{
    struct rig r;

    good_folder(&r);
    rig_write(&r, log_name,
              "{\"metadata\":{\"credit_phase\":\"warmup\"},\"metrics\":{}}\n"
              "{\"metadata\":{\"credit_phase\":\"profiling\",\"timestamp_ns\":1000000000,"
              "\"request_end_ns\":3000000000},\"metrics\":{\"ttft\":{\"value\":250,\"unit\":"
              "\"ms\"}}}\n"
              "{\"metrics\":{\"request_latency\":2000}}\n"); // no phase: profiling
    json_t *doc = rig_run(&r);
    CHECK_INT(json_integer_value(doc_at(doc, "request_accounting.records_warmup_dropped")), 1);
    CHECK_INT(json_integer_value(doc_at(doc, "num_requests_successful")), 2);
    CHECK_NEAR(doc_number(doc, "request_metrics.latency.ttft.mean"), 0.25, 0);
    CHECK_NEAR(doc_number(doc, "request_metrics.latency.e2el.mean"), 2, 0);
    CHECK_NEAR(doc_number(doc, "request_metrics.throughput.duration_seconds"), 2, 0);
    json_decref(doc);
    rig_done(&r);
}

// Instants at the ends of the range, and values that cannot be.
static void test_absurd_numbers(void)
{
    struct rig r;

    good_folder(&r);
    rig_write(
        &r, log_name,
        "{\"metadata\":{\"request_start_ns\":1,\"request_end_ns\":9223372036854775807},"
        "\"metrics\":{\"output_sequence_length\":{\"value\":1e300},\"request_latency\":"
        "{\"value\":1e308},\"time_to_first_token\":{\"value\":\"fast\"}}}\n"
        "{\"metadata\":{\"request_start_ns\":-5,\"request_end_ns\":2},\"metrics\":"
        "{\"request_latency\":{\"value\":1e308},\"inter_token_latency\":{\"value\":5e-324}}}\n");
    json_t *doc = rig_run(&r);
    check_place(doc, log_name, "bad_value", 1, 2);
    CHECK(doc_finding(doc, log_name, "span_too_long") != NULL);
    CHECK_INT((int64_t)json_object_size(doc_at(doc, "request_metrics.qps")), 0);
    CHECK_INT((int64_t)json_object_size(doc_at(doc, "request_metrics.tokens.output_actual")), 0);
    json_decref(doc);
    rig_done(&r);
}

int main(void)
{
    test_good();
    test_missing();
    test_bad_lines();
    test_last_line();
    test_exact_integers();
    test_bad_summary();
    test_counts();
    test_depth_bomb();
    test_not_finite();
    test_encoding();
    test_long_values();
    test_categories();
    test_old_names();
    test_absurd_numbers();
    return tap_done();
}
