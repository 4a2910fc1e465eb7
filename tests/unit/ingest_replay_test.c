// SPDX-License-Identifier: GPL-2.0-or-later
// Recorded runs against the aggregates that were published of them, member by
// member, and the conclusions that must be possible.
#include <stdbool.h>

#include "tests/unit/ingest_rig.h"

static const char replays[] = "tests/unit/data/replays/";

static json_t *run_case(const char *name, int64_t tp)
{
    char folder[256];

    snprintf(folder, sizeof(folder), "%s%s", replays, name);
    return rig_run_folder(folder, tp);
}

static json_t *aggregate_of(const char *name)
{
    char path[256];
    json_error_t error;

    snprintf(path, sizeof(path), "%s%s/aggregate.json", replays, name);
    json_t *a = json_load_file(path, 0, &error);
    if (!a)
        printf("# %s: %s\n", path, error.text);
    return a;
}

// Equal to the type: 1 is not 1.0.
static bool same(const char *where, json_t *got, json_t *want)
{
    if (json_equal(got, want))
        return true;
    if (json_is_object(got) && json_is_object(want)) {
        const char *name;
        json_t *value;

        json_object_foreach(want, name, value)
        {
            char path[512];

            snprintf(path, sizeof(path), "%s.%s", where, name);
            same(path, json_object_get(got, name), value);
        }
        json_object_foreach(got, name, value)
        {
            if (!json_object_get(want, name))
                printf("# %s.%s should not be there\n", where, name);
        }
        return false;
    }
    char *a = got ? json_dumps(got, JSON_ENCODE_ANY) : NULL;
    char *b = json_dumps(want, JSON_ENCODE_ANY);

    printf("# %s: got %s, expected %s\n", where, a ? a : "nothing", b);
    free(a);
    free(b);
    return false;
}

static void check_aggregate(const char *name, int64_t tp)
{
    static const char *const members[] = {
        "request_metrics", "server_metrics",     "request_accounting",      "kv_cache_pool_tokens",
        "dataset",         "num_requests_total", "num_requests_successful",
    };
    json_t *doc = run_case(name, tp);
    json_t *want = aggregate_of(name);

    printf("# %s\n", name);
    CHECK(want != NULL);
    for (size_t i = 0; want && i < sizeof(members) / sizeof(*members); i++)
        CHECK(
            same(members[i], json_object_get(doc, members[i]), json_object_get(want, members[i])));
    json_decref(doc);
    json_decref(want);
}

static bool has_error(json_t *doc)
{
    json_t *one;
    size_t i;

    json_array_foreach(json_object_get(doc, "findings"), i, one)
    {
        if (!strcmp(json_string_value(json_object_get(one, "severity")), "error"))
            return true;
    }
    return false;
}

static void test_pass(void)
{
    json_t *doc = run_case("pass-tp4-ep1-c16", 4);

    CHECK(json_is_true(doc_at(doc, "client.submission_valid")));
    CHECK(json_is_false(doc_at(doc, "client.was_cancelled")));
    CHECK_INT((int64_t)json_array_size(doc_at(doc, "client.reasons")), 0);
    CHECK_INT(json_integer_value(doc_at(doc, "client.request_count")), 240);
    CHECK_NEAR(doc_number(doc, "client.error_rate"), 1.0 / 241, 1e-15);
    CHECK_NEAR(doc_number(doc, "acceptance.gauge_mean"), 3.39, 0);
    CHECK_NEAR(doc_number(doc, "acceptance.gauge_samples_max"), 3.41, 0);
    CHECK(json_is_null(doc_at(doc, "acceptance.counter_al")));
    CHECK(json_is_true(doc_at(doc, "acceptance.has_sglang")));
    CHECK_TEXT(doc_text(doc, "layout.kind"), "direct");
    CHECK_TEXT(doc_text(doc, "layout.folder"), "results/aiperf_artifacts");
    CHECK(!has_error(doc));
    json_decref(doc);
}

static void test_coverage(void)
{
    json_t *doc = run_case("fail-coverage-tp2-ep2-c1", 2);

    CHECK(json_is_false(doc_at(doc, "client.submission_valid")));
    CHECK_INT((int64_t)json_array_size(doc_at(doc, "client.reasons")), 1);
    CHECK_TEXT(doc_text(doc, "client.reasons.0"), "insufficient_profile_metric_coverage");
    CHECK_NEAR(doc_number(doc, "client.coverage.0.ttft_ratio"), 0.9241, 0);
    CHECK_NEAR(doc_number(doc, "client.coverage.0.inter_token_latency_ratio"), 0.9308, 0);
    CHECK_NEAR(doc_number(doc, "client.coverage.0.required_ratio"), 0.95, 0);
    CHECK_NEAR(doc_number(doc, "client.error_rate"), 0, 0);
    CHECK(!has_error(doc)); // the metrics are complete
    json_decref(doc);
}

static void test_error_rate(void)
{
    json_t *doc = run_case("fail-error-rate-tp8-c80", 8);

    CHECK_INT(json_integer_value(doc_at(doc, "client.error_count")), 40);
    CHECK_INT(json_integer_value(doc_at(doc, "client.completed_count")), 100);
    CHECK_NEAR(doc_number(doc, "client.error_rate"), 0.4, 0);
    CHECK(json_is_true(doc_at(doc, "client.submission_valid")));
    CHECK_INT(json_integer_value(doc_at(doc, "request_accounting.error_categories."
                                             "HTTPStatusError")),
              40);
    json_decref(doc);
}

static void test_no_engine_metrics(void)
{
    json_t *doc = run_case("fail-no-sglang-metrics", 4);

    CHECK(json_is_false(doc_at(doc, "acceptance.has_sglang")));
    CHECK(json_is_null(doc_at(doc, "acceptance.gauge_mean")));
    CHECK_TEXT(doc_text(doc, "server_metrics.adapter"), "unknown");
    CHECK(json_is_true(doc_at(doc, "server_metrics.present")));
    CHECK_INT(json_integer_value(doc_at(doc, "server_metrics.metric_count")), 1);
    CHECK_INT(json_integer_value(doc_at(doc, "num_requests_successful")), 120);
    json_decref(doc);
}

static void test_acceptance_off(void)
{
    json_t *doc = run_case("suspect-al-off-tp8-c16", 8);

    CHECK_NEAR(doc_number(doc, "acceptance.gauge_mean"), 2.61, 0);
    CHECK(json_is_true(doc_at(doc, "client.submission_valid")));
    json_decref(doc);
}

static void check_evaluation(const char *name, double strict)
{
    json_t *doc = run_case(name, 0);

    CHECK_INT((int64_t)json_array_size(doc_at(doc, "evaluation.files")), 1);
    CHECK_TEXT(doc_text(doc, "evaluation.files.0.tasks.0.task"), "gsm8k");
    CHECK_TEXT(doc_text(doc, "evaluation.files.0.tasks.0.score_metric"),
               "exact_match,strict-match");
    CHECK_NEAR(doc_number(doc, "evaluation.files.0.tasks.0.score"), strict, 0);
    CHECK_NEAR(doc_number(doc, "evaluation.files.0.tasks.0.lowest_exact_match"), strict, 0);
    CHECK_INT(json_integer_value(doc_at(doc, "evaluation.files.0.tasks.0.samples")), 1319);
    CHECK_TEXT(doc_text(doc, "evaluation.meta.infmax_model_prefix"), "qwen3.5");
    CHECK_INT(json_integer_value(doc_at(doc, "evaluation.meta.conc")), 80);
    CHECK(!has_error(doc)); // it needs no request log
    json_decref(doc);
}

// The given samples; figures read off the files.
static void test_samples(void)
{
    const char *root = getenv("SWEEPD_TEST_DATA");
    char folder[512];

    if (!root) {
        printf("# SWEEPD_TEST_DATA is not set: samples left out\n");
        return;
    }
    snprintf(folder, sizeof(folder), "%s/sample_artifacts", root);
    json_t *doc = rig_run_folder(folder, 4);
    CHECK_INT(json_integer_value(doc_at(doc, "request_accounting.records_profiled")), 31);
    CHECK_INT(json_integer_value(doc_at(doc, "request_accounting.records_warmup_dropped")), 6);
    CHECK_INT(json_integer_value(doc_at(doc, "request_accounting.records_error_dropped")), 3);
    CHECK_NEAR(doc_number(doc, "client.error_rate"), 3.0 / 34, 1e-15);
    CHECK_NEAR(doc_number(doc, "server_metrics.cache.gpu_cache_hit_rate"), 0.857, 0.0005);
    CHECK_NEAR(doc_number(doc, "server_metrics.cache.overall_cache_hit_rate"), 0.950, 0.0005);
    CHECK_NEAR(doc_number(doc, "acceptance.gauge_mean"), 3.3926, 0.00005);
    CHECK_NEAR(doc_number(doc, "acceptance.counter_al"), (10950.0 - 31) / 3230, 0.000005);
    CHECK_NEAR(doc_number(doc, "acceptance.counter_al_corrected"), 3.392, 0.001);
    CHECK(!doc_finding(doc, "profile_export_aiperf.json", "inconsistent"));
    json_decref(doc);
    snprintf(folder, sizeof(folder), "%s/sample_artifacts/per_run_layout", root);
    doc = rig_run_folder(folder, 4);
    CHECK_TEXT(doc_text(doc, "layout.kind"), "per_run");
    CHECK_TEXT(doc_text(doc, "layout.folder"), "run_0");
    json_decref(doc);
}

static void sample_summary(struct rig *r, const char *root, const char *name)
{
    char path[512];

    snprintf(path, sizeof(path), "%s/sample_artifacts/%s", root, name);
    rig_copy(r, path, "profile_export_aiperf.json");
}

static void test_sample_summaries(void)
{
    const char *root = getenv("SWEEPD_TEST_DATA");
    struct rig r;
    json_t *doc;

    if (!root)
        return;
    rig_init(&r);
    sample_summary(&r, root, "profile_export_aiperf.cancelled.json");
    doc = rig_run(&r);
    CHECK(json_is_true(doc_at(doc, "client.was_cancelled")));
    CHECK_TEXT(doc_text(doc, "client.reasons.0"), "run_cancelled");
    CHECK_INT((int64_t)json_array_size(doc_at(doc, "client.coverage")), 0);
    json_decref(doc);
    sample_summary(&r, root, "profile_export_aiperf.high_error.json");
    doc = rig_run(&r);
    CHECK_NEAR(doc_number(doc, "client.error_rate"), 41.0 / 159, 1e-15);
    json_decref(doc);
    sample_summary(&r, root, "profile_export_aiperf.coverage_invalid.json");
    doc = rig_run(&r);
    CHECK_NEAR(doc_number(doc, "client.error_rate"), 0, 0); // no key is no error
    CHECK_TEXT(doc_text(doc, "client.reasons.0"), "insufficient_profile_metric_coverage");
    json_decref(doc);
    sample_summary(&r, root, "profile_export_aiperf.nan.json");
    doc = rig_run(&r);
    CHECK(doc_finding(doc, "profile_export_aiperf.json", "not_finite") != NULL);
    json_decref(doc);
    rig_done(&r);
}

int main(void)
{
    check_aggregate("pass-tp4-ep1-c16", 4);
    check_aggregate("fail-coverage-tp2-ep2-c1", 2);
    check_aggregate("fail-error-rate-tp8-c80", 8);
    check_aggregate("suspect-al-off-tp8-c16", 8);
    test_pass();
    test_coverage();
    test_error_rate();
    test_no_engine_metrics();
    test_acceptance_off();
    check_evaluation("eval-pass-gsm8k", 0.9522);
    check_evaluation("eval-fail-gsm8k", 0.9371);
    test_samples();
    test_sample_summaries();
    return tap_done();
}
