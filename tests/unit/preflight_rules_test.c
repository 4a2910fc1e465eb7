// SPDX-License-Identifier: GPL-2.0-or-later
// Recipes with one mistake each: the mistake is found, named and explained, and nothing else.
#include <errno.h>

#include "base/clock.h"
#include "preflight_rig.h"

enum { OFFICIAL_POINTS = 32, ALL = -1 };

struct mistake {
    const char *from, *to; // in the recipe
    const char *code;
    enum preflight_severity severity;
    int points; // that the finding names; ALL
    const char *says, *fix;
};

// Against the official sweep. An ignored EP concerns the 15 points with one and the 11 that would
// start the same server; a fixed TP all but the three of TP2, which get more of the memory.
static const struct mistake mistakes[] = {
    {"--apply-chat-template\n", "--use-chat-template\n", "replay-flag", PREFLIGHT_ERROR, ALL,
     "does not know --use-chat-template", "--apply-chat-template"},
    {"--apply-chat-template\n", "--aply-chat-template\n", "replay-flag", PREFLIGHT_ERROR, ALL,
     "--aply-chat-template", "did you mean --apply-chat-template?"},
    {"--apply-chat-template\n", "--no-apply-chat-template\n", "replay-flag", PREFLIGHT_WARNING, ALL,
     "negative form", "leave it out"},
    {"--random-seed 42", "--random-seed", "flag-arity", PREFLIGHT_ERROR, ALL,
     "--random-seed needs a value", "list"},
    {"--streaming ", "--streaming yes ", "flag-arity", PREFLIGHT_ERROR, ALL, "\"yes\"", "remove"},
    {"--streaming ", "--streaming=yes ", "flag-arity", PREFLIGHT_ERROR, ALL,
     "--streaming takes no value", "list"},
    {"profile --scenario", "measure --scenario", "replay-flag", PREFLIGHT_ERROR, ALL,
     "no `profile` run", "profile"},
    {"--benchmark-duration \"$seconds\"", "--benchmark-duration 899", "scenario-lock",
     PREFLIGHT_ERROR, ALL, "under 900 s", "DURATION"},
    {"--benchmark-duration \"$seconds\"", "--benchmark-duration 1800", "point-value",
     PREFLIGHT_ERROR, ALL, "is 1800, the point's is 3600", "DURATION"},
    {"--concurrency \"$CONC\"", "--concurrency \"$CONC,2\"", "scenario-lock", PREFLIGHT_ERROR, ALL,
     "list", "CONC"},
    {"--concurrency \"$CONC\"", "--concurrency 999", "point-value", PREFLIGHT_ERROR, ALL,
     "not the point's concurrency", "CONC"},
    {"--random-seed 42", "--random-seed 42 --cache-bust none", "scenario-lock", PREFLIGHT_ERROR,
     ALL, "--cache-bust with first_turn_prefix alone", "remove"},
    {"--random-seed 42", "--random-seed 42 --request-rate 3", "scenario-lock", PREFLIGHT_ERROR, ALL,
     "refuses --request-rate", "remove"},
    {"--random-seed 42", "--random-seed 42 --unsafe-override", "scenario-lock", PREFLIGHT_ERROR,
     ALL, "never valid", "remove"},
    {"--random-seed 42", "--random-seed 42 --synthesis-max-isl 9", "scenario-lock", PREFLIGHT_ERROR,
     ALL, "--synthesis-max-isl", "remove"},
    {"--scenario inferencex-agentx-mvp ", "", "scenario-lock", PREFLIGHT_ERROR, ALL,
     "does not run the agentic scenario", "--scenario"},
    {"CORPUS=semianalysis_cc_traces_weka_062126_256k", "CORPUS=sharegpt", "scenario-lock",
     PREFLIGHT_ERROR, ALL, "corpus", "--public-dataset"},
    {"$RESULT_DIR/aiperf_artifacts", "$RESULT_DIR/elsewhere", "point-value", PREFLIGHT_ERROR, ALL,
     "aiperf_artifacts", "--output-artifact-dir"},
    {"--ep-size \"$EP_SIZE\"", "--ep-size 1", "axis-ignored", PREFLIGHT_ERROR, 26,
     "EP_SIZE is ignored", "pass the value on"},
    {"--tp \"$TP\"", "--tp 8", "axis-ignored", PREFLIGHT_ERROR, 29, "TP is ignored", "pass"},
    {"GOLDEN_AL=3.39", "GOLDEN_AL=3.33", "golden-al", PREFLIGHT_ERROR, ALL,
     "is 3.33, golden is 3.39", "SGLANG_SIMULATE_ACC_LEN=3.39"},
    {"SGLANG_SIMULATE_ACC_LEN=\"$GOLDEN_AL\"", "SGLANG_SIMULATE_ACC_LEN=0", "golden-al",
     PREFLIGHT_ERROR, ALL, "is not set", "throughput"},
    {"ACC_METHOD=match-expected", "ACC_METHOD=multinomial", "golden-al", PREFLIGHT_ERROR, ALL,
     "must be match-expected, it is multinomial", "published"},
    {"TOKEN_MODE=real-draft-token", "TOKEN_MODE=fixed", "golden-al", PREFLIGHT_ERROR, ALL,
     "must be real-draft-token", "published"},
    {"'\"thinking\":\"on\"'", "'\"thinking\":\"off\"'", "golden-al", PREFLIGHT_ERROR, ALL,
     "with thinking off", "agree"},
    {"--speculative-num-steps \"$DRAFT_STEPS\"", "--speculative-num-steps 2", "golden-al",
     PREFLIGHT_ERROR, ALL, "golden is 2.73", "2.73"},
    {"--speculative-num-steps \"$DRAFT_STEPS\"", "", "golden-al", PREFLIGHT_ERROR, ALL,
     "would not speculate", "speculative"},
    {"--server-metrics \"$url/metrics\" ", "", "metrics-url", PREFLIGHT_ERROR, ALL,
     "no metrics URL", "--server-metrics"},
    {"--server-metrics \"$url/metrics\" ", "--server-metrics http://localhost:8888/metrics ",
     "metrics-url", PREFLIGHT_ERROR, ALL, "not the server's", "$PORT"},
    {"METRIC_PREFIX=sglang:", "METRIC_PREFIX=", "metrics-prefix", PREFLIGHT_ERROR, ALL,
     "not required", "sglang:"},
    {"--enable-metrics ", "", "metrics-off", PREFLIGHT_ERROR, ALL, "--enable-metrics", "pass"},
    {"build_server()\n{", "build_server()\n{ if", "script-syntax", PREFLIGHT_ERROR, 0,
     "does not understand", "bash -n"},
    {"#!/usr/bin/env bash", "#!/bin/sh", "script-shebang", PREFLIGHT_ERROR, 0, "first line",
     "#!/usr/bin/env bash"},
    {"recipe_main \"$@\"", "exit 3", "render", PREFLIGHT_ERROR, 0, "status 3", "--render"},
    {"recipe_main \"$@\"", "recipe_main \"$@\"; echo '{}'", "render", PREFLIGHT_ERROR, 0, "lines",
     "--render"},
    {"recipe_main \"$@\"", "recipe_main \"$@\" | sed 's/\"meta\"/\"mete\"/'", "render",
     PREFLIGHT_ERROR, ALL, "\"meta\" needs", "documented form"},
    {"recipe_build()\n{", "recipe_build()\n{ refuse 'not \"today\"'; return", "render-refused",
     PREFLIGHT_ERROR, ALL, "not \"today\"", "leave the point out"},
    {"\"client_flags\":\"agentx-harness\"", "\"client_flags\":\"other\"", "client-flags",
     PREFLIGHT_ERROR, ALL, "client build other", "own client"},
};

static const struct preflight_finding *finding_with(const struct rig *r, const struct mistake *m)
{
    for (size_t i = 0; i < r->report.count; i++)
        if (strcmp(r->report.findings[i].code, m->code) == 0 &&
            strstr(r->report.findings[i].text, m->says))
            return &r->report.findings[i];
    return NULL;
}

static void check_mistake(const struct mistake *m)
{
    struct rig r;

    printf("# %s: %s\n", m->code, m->says);
    rig_init(&r, m->from, m->to);
    rig_official(&r);
    rig_run(&r);
    const struct preflight_finding *f = finding_with(&r, m);

    if (CHECK(f != NULL)) {
        CHECK_INT(f->severity, m->severity);
        CHECK_INT(f->point_count, m->points == ALL ? OFFICIAL_POINTS : m->points);
        CHECK_HOLDS(f->fix, m->fix);
        CHECK_HOLDS(f->place, RECIPE);
        CHECK((f->cost[0] != '\0') == (m->severity == PREFLIGHT_ERROR));
    } else {
        rig_show(&r);
    }
    rig_done(&r);
}

// --- the official sweep --------------------------------------------------------------

static void test_clean(void)
{
    struct rig r;
    struct str text = {0};

    rig_init(&r, NULL, NULL);
    rig_official(&r);
    rig_point(&r, 8, 1, 80, POINT_EVAL);
    rig_run(&r);
    CHECK_INT(r.in.count, OFFICIAL_POINTS + 1);
    CHECK_INT(r.report.count, 0);
    rig_show(&r);
    CHECK_INT(r.report.rendered_count, OFFICIAL_POINTS + 1);
    CHECK_INT(r.report.rendered[0].draft_tokens, 3);
    CHECK_NEAR(r.report.rendered[0].golden_al, 3.39, 0);
    CHECK_NEAR(r.report.rendered[0].simulated_al, 3.39, 0);
    CHECK_NEAR(r.report.rendered[OFFICIAL_POINTS].simulated_al, 0, 0);
    CHECK_HOLDS(r.report.rendered[OFFICIAL_POINTS].json, "\"point\":\"tp8-c80-eval\"");
    preflight_to_text(&r.in, &r.report, &text);
    CHECK_TEXT(str_text(&text), "");
    preflight_to_json(&r.in, &r.report, &text);
    CHECK_HOLDS(str_text(&text), "{\"rule\":\"golden-al\",\"state\":\"ok\"}");
    CHECK(strstr(str_text(&text), "unknown") == NULL);
    str_free(&text);
    rig_done(&r);
}

static void test_message(void)
{
    struct rig r;
    struct str text = {0};

    rig_init(&r, "--apply-chat-template\n", "--use-chat-template\n");
    rig_official(&r);
    rig_run(&r);
    CHECK_INT(r.report.errors, 1);
    preflight_to_text(&r.in, &r.report, &text);
    // 3 x 2 + 6 x 4 + 5 x 4 + 11 x 8 + 7 x 8 = 194 GPUs, two hours each.
    CHECK_HOLDS(str_text(&text), "32 points, 32 weight loads, 388 GPU-hours");
    CHECK_HOLDS(str_text(&text), ", replay command: error: ");
    CHECK_HOLDS(str_text(&text), "points: tp2ep2-c1, tp2ep2-c4, tp2ep2-c6, tp4-c1, ");
    CHECK_HOLDS(str_text(&text), " and 24 more\n");
    CHECK_HOLDS(str_text(&text), "fix: did you mean --apply-chat-template?\n");
    CHECK(str_ends(str_text(&text), "\nNothing submitted.\n"));
    str_clear(&text);
    preflight_to_json(&r.in, &r.report, &text);
    CHECK_HOLDS(str_text(&text), "{\"rule\":\"replay-flag\",\"state\":\"error\"}");
    CHECK_HOLDS(str_text(&text), "\"points\":[\"tp2ep2-c1\",");
    str_free(&text);
    rig_done(&r);
}

// --- what one edit of the recipe cannot show -------------------------------------------

static void test_evaluation(void)
{
    struct rig r;

    rig_init(&r, "\"${EVAL_ONLY:-false}\" = true", "\"${EVAL_ONLY:-false}\" = never");
    rig_point(&r, 8, 1, 80, POINT_EVAL);
    rig_run(&r);
    CHECK_INT(r.report.errors, 1);
    CHECK_TEXT(r.report.findings[0].code, "eval-simulates");
    CHECK_HOLDS(r.report.findings[0].fix, "EVAL_ONLY");
    rig_done(&r);
}

// The site's own environment comes with job.env, and the recipe does not unset it there.
static void test_evaluation_by_job_env(void)
{
    struct rig r;
    struct str env = {0};

    rig_init(&r, NULL, NULL);
    rig_point(&r, 8, 1, 80, POINT_EVAL);
    str_addf(&env, "%sSGLANG_SIMULATE_ACC_LEN=3.39\n", r.points[0].env);
    free((char *)r.points[0].env);
    r.points[0].env = str_take(&env);
    rig_run(&r);
    CHECK_INT(r.report.errors, 1);
    CHECK_TEXT(r.report.findings[0].code, "eval-simulates");
    rig_done(&r);
}

// No two points differ in EP, and still it is seen that the recipe does not look at it.
static void test_one_point_with_ignored_axis(void)
{
    struct rig r;

    rig_init(&r, "--ep-size \"$EP_SIZE\"", "");
    rig_point(&r, 8, 8, 64, POINT_THROUGHPUT);
    rig_run(&r);
    CHECK_INT(r.report.errors, 1);
    CHECK_TEXT(r.report.findings[0].code, "axis-ignored");
    CHECK_HOLDS(r.report.findings[0].text, "EP_SIZE");
    CHECK_INT(r.report.findings[0].point_count, 1);
    rig_done(&r);
}

static void test_ignored_concurrency(void)
{
    struct rig r;

    rig_init(&r, "--max-running-requests $((2 * CONC))", "--max-running-requests 128");
    rig_point(&r, 8, 1, 64, POINT_THROUGHPUT);
    rig_point(&r, 8, 1, 80, POINT_THROUGHPUT); // the graph batch is 64 for both
    rig_run(&r);
    CHECK_INT(r.report.errors, 1);
    CHECK_HOLDS(r.report.findings[0].text, "CONC is ignored");
    CHECK_INT(r.report.findings[0].point_count, 2);
    rig_done(&r);
}

static void test_fast_mode(void)
{
    struct rig r;
    struct str env = {0};

    rig_init(&r, NULL, NULL);
    rig_point(&r, 4, 4, 40, POINT_THROUGHPUT);
    char *block = (char *)r.points[0].env;
    char *fast = strstr(block, "EXPERIMENTAL_FAST=0");

    fast[strlen("EXPERIMENTAL_FAST=")] = '1';
    r.points[0].axes.duration_s = 1200;
    rig_run(&r);
    CHECK_INT(r.report.count, 0);
    CHECK_HOLDS(r.report.rendered[0].json, "\"--benchmark-duration\",\"1200\"");
    CHECK_HOLDS(r.report.rendered[0].json, "\"--warmup-requests-per-lane\",\"1\"");
    CHECK_HOLDS(r.report.rendered[0].json, "\"official\":false");
    str_free(&env);
    rig_done(&r);
}

static void test_unknown_model(void)
{
    struct rig r;
    struct str env = {0};

    rig_init(&r, NULL, NULL);
    rig_point(&r, 4, 4, 40, POINT_THROUGHPUT);
    char *version = strstr((char *)r.points[0].env, "MODEL_PREFIX=qwen3.5");

    version[strlen("MODEL_PREFIX=qwen")] = '9';
    rig_run(&r);
    CHECK_INT(r.report.errors, 1);
    CHECK_HOLDS(r.report.findings[0].text, "no golden acceptance length for qwen9.5 with 3");
    str_free(&env);
    rig_done(&r);
}

static void test_not_executable(void)
{
    struct rig r;

    rig_init(&r, NULL, NULL);
    rig_point(&r, 8, 1, 1, POINT_THROUGHPUT);
    CHECK_INT(chmod(r.recipe, 0644), 0);
    rig_run(&r);
    CHECK_INT(r.report.errors, 1);
    CHECK_TEXT(r.report.findings[0].code, "script-executable");
    CHECK_HOLDS(r.report.findings[0].cost, "1 point, 1 weight load, 16 GPU-hours");
    rig_done(&r);
}

static void test_broken_library(void)
{
    struct rig r;
    char path[RIG_PATH_MAX];

    rig_init(&r, NULL, NULL);
    rig_point(&r, 8, 1, 1, POINT_THROUGHPUT);
    snprintf(path, sizeof(path), "%s/lib.sh", r.folder);
    CHECK_INT(fs_write_atomic(path, "((\n", 3, 0644, &r.err), 0);
    rig_run(&r);
    CHECK_INT(r.report.errors, 1);
    CHECK_TEXT(r.report.findings[0].code, "script-syntax");
    CHECK_HOLDS(r.report.findings[0].text, "lib.sh");
    CHECK(r.report.rendered[0].json == NULL);
    rig_done(&r);
}

static void test_endless_recipe(void)
{
    struct rig r;

    rig_init(&r, "recipe_main \"$@\"", "while :; do read -t 1 < /dev/zero; done");
    rig_point(&r, 8, 1, 1, POINT_THROUGHPUT);
    r.in.timeout_us = 300 * US_PER_MS;
    rig_run(&r);
    CHECK_INT(r.report.errors, 1);
    CHECK_TEXT(r.report.findings[0].code, "render");
    rig_done(&r);
}

static void test_bad_input(void)
{
    struct rig r;

    rig_init(&r, NULL, NULL);
    CHECK_INT(preflight_run(&r.in, &r.report, &r.err), -EINVAL); // no point
    rig_point(&r, 8, 1, 1, POINT_THROUGHPUT);
    r.in.flags = "/nonexistent/flags.txt";
    CHECK_INT(preflight_run(&r.in, &r.report, &r.err), -ENOENT);
    r.in.flags = FLAGS;
    free((char *)r.points[0].env);
    r.points[0].env = mem_strdup("TP=8\n\nCONC=1\n"); // an empty line would end the block
    CHECK_INT(preflight_run(&r.in, &r.report, &r.err), -EINVAL);
    CHECK_HOLDS(r.err.text, "tp8-c1");
    r.in.recipe = "/nonexistent/recipe.sh";
    free((char *)r.points[0].env);
    r.points[0].env = mem_strdup("TP=8\n");
    rig_run(&r);
    CHECK_TEXT(r.report.findings[0].code, "script-syntax");
    CHECK_INT(r.report.findings[0].point_count, 0);
    rig_done(&r);
}

int main(void)
{
    test_clean();
    test_message();
    for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++)
        check_mistake(&mistakes[i]);
    test_evaluation();
    test_evaluation_by_job_env();
    test_one_point_with_ignored_axis();
    test_ignored_concurrency();
    test_fast_mode();
    test_unknown_model();
    test_not_executable();
    test_broken_library();
    test_endless_recipe();
    test_bad_input();
    return tap_done();
}
