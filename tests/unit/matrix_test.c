// SPDX-License-Identifier: GPL-2.0-or-later
// Filters, evaluation marks, memory shares, names and the rules for what is to
// be run, on small configurations.
#include <errno.h>
#include <stdlib.h>

#include "base/fsio.h"
#include "base/str.h"
#include "spec/dram.h"
#include "spec/matrix.h"
#include "tests/unit/tap.h"

#define OFFICIAL "qwen3.5-fp8-mi325x-sglang-agentic-mtp"

static const char runners[] = "labels:\n"
                              "  cluster:x: [x_00, x_01, y_00]\n"
                              "  fixed: [f_00]\n"
                              "hardware:\n"
                              "  cluster:x: {available-cpu-dram-mib: 3_091_589, gpus-per-node: 8}\n"
                              "  fixed: {available-cpu-dram-mib: 1_000, gpus-per-node: 8}\n";

#define ENTRY(key, runner, multi)                                                                  \
    key ":\n  image: i\n  model: m\n  model-prefix: p\n  precision: fp8\n  framework: s\n"         \
        "  runner: " runner "\n  multinode: " multi "\n  scenarios:\n"                             \
        ""
#define AGENTIC_SPACE "    agentic-coding:\n    - dram-utilization: 0.80\n      search-space:\n"
#define FIXED_SPACE(isl)                                                                           \
    "    fixed-seq-len:\n    - isl: " isl "\n      osl: 1024\n      search-space:\n"
#define AGENTIC(rows) ENTRY("a", "cluster:x", "false") AGENTIC_SPACE rows
#define FIXED(rows) ENTRY("f", "fixed", "false") FIXED_SPACE("8192") rows
#define WORKER(tp) "{num-worker: 1, tp: " tp ", ep: 1, dp-attn: false}"
#define WORKERS(tp) "prefill: " WORKER(tp) ", decode: " WORKER("8")

static struct config *load(const char *text)
{
    struct spec_source m = {.name = "m.yaml", .bytes = text, .len = strlen(text)};
    struct spec_source r = {.name = "r.yaml", .bytes = runners, .len = strlen(runners)};
    struct config *c = NULL;
    struct err e = {0};

    if (config_load(&m, 1, &r, &c, &e))
        printf("# %s\n", e.text);
    CHECK(c != NULL);
    return c;
}

static int expand(const char *text, struct matrix_filter f, struct matrix *m, struct err *e)
{
    struct config *c = load(text);
    int rc;

    *m = (struct matrix){0};
    *e = (struct err){0};
    if (!c)
        return -1;
    rc = matrix_expand(c, &f, m, e);
    config_free(c); // the matrix lives on without it
    if (rc)
        printf("# %s\n", e->text);
    return rc;
}

// Every row as "name" with marks: '!' evaluation after throughput, '?' alone.
static void shape(const struct matrix *m, struct str *s)
{
    str_clear(s);
    for (size_t i = 0; i < m->count; i++) {
        const struct matrix_row *r = &m->rows[i];

        str_add(s, i ? " " : "");
        if (r->multinode && !r->name[0]) {
            str_addf(s, "%dx%d:", r->prefill.num_worker, r->prefill.tp);
            for (size_t j = 0; j < r->conc_count; j++)
                str_addf(s, "%s%d", j ? "," : "", r->concs[j]);
            if (r->eval_conc)
                str_addf(s, "@%d", r->eval_conc);
            if (r->eval_all_concs)
                str_add(s, "*");
        } else {
            str_add(s, r->name);
        }
        if (r->run_eval)
            str_add_char(s, r->eval_only ? '?' : '!');
    }
}

static void check_shape(const char *text, struct matrix_filter f, const char *want)
{
    struct matrix m;
    struct err e;
    struct str s = {0};

    CHECK_INT(expand(text, f, &m, &e), 0);
    shape(&m, &s);
    CHECK_TEXT(str_text(&s), want);
    str_free(&s);
    matrix_free(&m);
}

static void check_error(const char *text, struct matrix_filter f, int code, const char *words)
{
    struct matrix m;
    struct err e;

    CHECK_INT(expand(text, f, &m, &e), code);
    CHECK_HOLDS(e.text, words);
    matrix_free(&m);
}

static const char list[] =
    AGENTIC("      - {tp: 8, kv-offloading: none, conc-list: [4, 16, 64]}\n");
static const char range[] =
    AGENTIC("      - {tp: 8, kv-offloading: none, conc-start: 4, conc-end: 48}\n");
static const char fixed_range[] = FIXED("      - {tp: 8, conc-start: 4, conc-end: 64}\n");
static const char fixed_list[] = FIXED("      - {tp: 8, conc-list: [8, 4]}\n");

static void test_ranges(void)
{
    check_shape(range, (struct matrix_filter){0}, "tp8-c4 tp8-c8 tp8-c16 tp8-c32 tp8-c48");
    check_shape(AGENTIC("      - {tp: 8, kv-offloading: none, conc-start: 4, conc-end: 9}\n"),
                (struct matrix_filter){0}, "tp8-c4 tp8-c8 tp8-c9");
    check_shape(range, (struct matrix_filter){.step_size = 4}, "tp8-c4 tp8-c16 tp8-c48");
    check_shape(range, (struct matrix_filter){.min_conc = 8, .max_conc = 40},
                "tp8-c8 tp8-c16 tp8-c32");
    check_shape(range, (struct matrix_filter){.max_conc = 2}, "");
    check_shape(range, (struct matrix_filter){.step_size = 1000000000}, "tp8-c4 tp8-c48");
}

#define F(c) "tp8-8192x1024-c" c

// A fixed single-node range is cut, not filtered.
static void test_fixed_bounds(void)
{
    const struct matrix_filter none = {.evals = MATRIX_EVALS_NONE};
    struct matrix_filter f = none;

    f.min_conc = 6;
    check_shape(fixed_range, f, F("6") " " F("12") " " F("24") " " F("48") " " F("64"));
    f = none;
    f.max_conc = 10;
    check_shape(fixed_range, f, F("4") " " F("8") " " F("10"));
    f.max_conc = 2;
    check_shape(fixed_range, f, F("2"));
    check_shape(fixed_list, f, F("2"));
    f = none;
    f.min_conc = 65;
    check_shape(fixed_range, f, "");
    f.min_conc = 8;
    check_shape(fixed_list, f, F("8"));
}

static void test_conc_and_points(void)
{
    const int concs[] = {16, 64, 7};
    const char *const points[] = {"TP8 c64", "tp8/ep1-c4"};
    const char *const wrong[] = {"tp8-c5"};

    check_shape(list, (struct matrix_filter){.concs = concs, .conc_count = 3}, "tp8-c16 tp8-c64");
    check_shape(list, (struct matrix_filter){.points = points, .point_count = 2}, "tp8-c4 tp8-c64");
    check_error(list, (struct matrix_filter){.points = wrong, .point_count = 1}, -ENOENT,
                "did you mean 'tp8-c4'");
}

static void test_filter_errors(void)
{
    const int zero[] = {0};
    const char *const label[] = {"mi999"};

    check_error(list, (struct matrix_filter){.step_size = 1}, -EINVAL, "at least 2");
    check_error(list, (struct matrix_filter){.step_size = -2}, -EINVAL, "at least 2");
    check_error(list, (struct matrix_filter){.min_conc = 9, .max_conc = 8}, -EINVAL, "over");
    check_error(list, (struct matrix_filter){.min_conc = -1}, -EINVAL, "bounds");
    check_error(list, (struct matrix_filter){.concs = zero, .conc_count = 1}, -EINVAL,
                "not positive");
    check_error(list, (struct matrix_filter){.runners = label, .runner_count = 1}, -EINVAL,
                "no label 'mi999'");
    check_error(list, (struct matrix_filter){.node_filter = ""}, -EINVAL, "empty");
}

#define TWO_KEYS                                                                                   \
    ENTRY("dsr1-a", "cluster:x", "false")                                                          \
    AGENTIC_SPACE "      - {tp: 8, kv-offloading: none, conc-list: [1]}\n" ENTRY(                  \
        "dsr1-b", "cluster:x", "false") AGENTIC_SPACE                                              \
        "      - {tp: 4, kv-offloading: none, conc-list: [2]}\n" FIXED_SPACE(                      \
            "1024") "      - {tp: 2, conc-list: [3]}\n"

static void test_keys(void)
{
    const char *const glob[] = {"*-b", "dsr1-?"};
    const char *const twice[] = {"dsr1-b", "dsr1-b"};
    const char *const unknown[] = {"dsr1-bb"};
    const char *const nothing[] = {"x*"};
    const char *const prefix[] = {"dsr1-a"};

    check_shape(TWO_KEYS, (struct matrix_filter){0}, "tp8-c1 tp2-1024x1024-c3 tp4-c2");
    check_shape(TWO_KEYS, (struct matrix_filter){.keys = glob, .key_count = 2},
                "tp2-1024x1024-c3 tp4-c2 tp8-c1");
    check_shape(TWO_KEYS, (struct matrix_filter){.keys = twice, .key_count = 2},
                "tp2-1024x1024-c3 tp4-c2");
    check_shape(TWO_KEYS, (struct matrix_filter){.scenarios = MATRIX_AGENTIC}, "tp8-c1 tp4-c2");
    check_shape(TWO_KEYS, (struct matrix_filter){.nodes = MATRIX_MULTI_NODE}, "");
    check_shape(TWO_KEYS, (struct matrix_filter){.model_prefixes = prefix, .model_prefix_count = 1},
                "tp8-c1");
    check_error(TWO_KEYS, (struct matrix_filter){.keys = unknown, .key_count = 1}, -ENOENT,
                "there is no config key 'dsr1-bb'; did you mean 'dsr1-b'?");
    check_error(TWO_KEYS, (struct matrix_filter){.keys = nothing, .key_count = 1}, -ENOENT,
                "'x*' matches no config key");
}

static void check_runners(struct matrix_filter f, const char *want)
{
    struct matrix m;
    struct err e;
    struct str s = {0};

    CHECK_INT(expand(list, f, &m, &e), 0);
    for (size_t i = 0; i < m.count; i++) {
        str_addf(&s, "%s%s:%d", i ? " " : "", m.rows[i].runner, m.rows[i].conc);
        CHECK_TEXT(m.rows[i].label, "cluster:x");
    }
    CHECK_TEXT(str_text(&s), want);
    str_free(&s);
    matrix_free(&m);
}

static void test_node_filter(void)
{
    const char *const key[] = {"a"};
    const int one[] = {4};
    struct matrix_filter f = {.concs = one, .conc_count = 1};

    check_runners(f, "cluster:x:4");
    f.node_filter = "x_0";
    check_runners(f, "x_00:4 x_01:4");
    f.node_filter = "x";
    check_runners(f, "x_00:4 x_01:4");
    f.keys = key;
    f.key_count = 1; // keys by name: the label itself matches too
    check_runners(f, "cluster:x:4 x_00:4 x_01:4");
    f.node_filter = "none";
    check_runners(f, "");
    f.node_filter = "_00";
    f.conc_count = 0;
    check_runners(f, "x_00:4 y_00:4 x_00:16 y_00:16 x_00:64 y_00:64");
}

// --- evaluations -----------------------------------------------------------------

static void test_fixed_evals(void)
{
    struct matrix_filter f = {0};

    // 16, 32, 64 take part: the highest and the middle one.
    check_shape(fixed_range, f, F("4") " " F("8") " " F("16") " " F("32") "! " F("64") "!");
    f.evals = MATRIX_EVALS_ONLY;
    check_shape(fixed_range, f, F("32") "-eval? " F("64") "-eval?");
    f.evals = MATRIX_EVALS_ALL;
    f.max_conc = 8;
    check_shape(fixed_range, f, F("4") "-eval? " F("8") "-eval?");
    f = (struct matrix_filter){0};
    check_shape(FIXED("      - {tp: 8, conc-list: [15]}\n"), f, F("15"));
    check_shape(FIXED("      - {tp: 8, conc-list: [16, 32]}\n"), f, F("16") " " F("32") "!");
    check_shape(ENTRY("f", "fixed", "false")
                    FIXED_SPACE("1024") "      - {tp: 8, conc-list: [64]}\n",
                f, "tp8-1024x1024-c64");
    // All TP at a marked concurrency; speculation makes a group of its own.
    check_shape(FIXED("      - {tp: 4, conc-list: [16, 64]}\n"
                      "      - {tp: 8, conc-list: [16, 64]}\n"
                      "      - {tp: 2, conc-list: [16], spec-decoding: mtp}\n"),
                f,
                "tp4-8192x1024-c16 tp4-8192x1024-c64! tp8-8192x1024-c16 tp8-8192x1024-c64! "
                "tp2-8192x1024-c16!");
}

static void test_agentic_evals(void)
{
    struct matrix_filter f = {0};

    check_shape(list, f, "tp8-c4 tp8-c16 tp8-c64");
    f.evals = MATRIX_EVALS_ONLY;
    check_shape(list, f, "tp8-c64-eval?");
    // The first of the highest, and no lower bound.
    check_shape(AGENTIC("      - {tp: 4, kv-offloading: none, conc-list: [1, 2]}\n"
                        "      - {tp: 8, kv-offloading: none, conc-list: [2, 1]}\n"),
                f, "tp4-c2-eval?");
    f.evals = MATRIX_EVALS_ALL;
    check_shape(list, f, "tp8-c4-eval? tp8-c16-eval? tp8-c64-eval?");
    f.evals = MATRIX_EVALS_SEPARATE;
    check_shape(list, f, "tp8-c4 tp8-c16 tp8-c64 tp8-c64-eval?");
    f.trim = true; // evaluations are not trimmed
    check_shape(list, f, "tp8-c4 tp8-c64-eval?");
    f.evals = MATRIX_EVALS_SEPARATE_ALL;
    check_shape(list, f, "tp8-c4 tp8-c4-eval? tp8-c16-eval? tp8-c64-eval?");
}

static const char multi_fixed[] = ENTRY("f", "fixed", "true") FIXED_SPACE("8192") //
    "      - {conc-list: [32, 8, 16], " WORKERS(
        "8") "}\n"
             "      - {conc-list: [64, 16], " WORKERS("8") "}\n"
                                                           "      - {conc-list: [1, 2], " WORKERS(
                                                               "4") "}\n";
static const char multi_agentic[] = ENTRY("f", "cluster:x", "true") AGENTIC_SPACE //
    "      - {conc-list: [32, 8], " WORKERS("8") "}\n"
                                                 "      - {conc-list: [1, 2], " WORKERS("4") "}\n";

static void test_multi_node_evals(void)
{
    struct matrix_filter f = {0};

    check_shape(multi_fixed, f, "1x8:32,8,16 1x8:64,16@64! 1x4:1,2");
    f.evals = MATRIX_EVALS_ONLY;
    check_shape(multi_fixed, f, "1x8:64,16@64?");
    check_shape(multi_agentic, f, "1x8:32@32?");
    f.evals = MATRIX_EVALS_ALL;
    check_shape(multi_fixed, f, "1x8:8,16,32,64*? 1x4:1,2*?");
    check_shape(multi_agentic, f, "1x8:8,32@32? 1x4:1,2@2?");
    f.evals = MATRIX_EVALS_NONE;
    check_shape(multi_agentic, f, "1x8:32 1x8:8 1x4:1 1x4:2");
    f.trim = true;
    check_shape(multi_agentic, f, "1x8:8 1x4:1");
    check_shape(multi_fixed, f, "1x8:8 1x4:1");
    f.evals = MATRIX_EVALS_MARKED;
    f.trim = false;
    f.max_conc = 4;
    check_shape(multi_fixed, f, "1x8:4 1x8:4 1x4:1,2");
}

// --- memory ----------------------------------------------------------------------

static void test_dram_formula(void)
{
    // Computed with exact fractions: floor(min(mib, 2861022) * 2^20 * u * gpus / per / 10^9).
    CHECK_INT(dram_gb(3091589, 0.80, 8, 8), 2399);
    CHECK_INT(dram_gb(3091589, 0.80, 4, 8), 1199);
    CHECK_INT(dram_gb(3091589, 0.80, 2, 8), 599);
    CHECK_INT(dram_gb(3095781, 0.80, 8, 8), 2399);
    CHECK_INT(dram_gb(860160, 0.21429, 4, 4), 193);
    CHECK_INT(dram_gb(860160, 0.1065, 4, 4), 96);
    CHECK_INT(dram_gb(2861022, 1.0, 8, 8), 2999);
    CHECK_INT(dram_gb(1, 1.0, 1, 1), 0);
    CHECK_INT(dram_gb(1, 5e-324, 1, 1), 0);
    CHECK_INT(dram_gb(953674, 0.3, 8, 8), 299); // 299.9999...
    CHECK_INT(dram_gb(1953125, 0.7, 1, 1024), 1);
    // 1024 exactly, while the binary number nearest to 0.3 is a little less than 0.3.
    CHECK_INT(dram_gb(1953125, 0.3, 5, 3), 1024);
    CHECK_INT(dram_gb(1953125, 0.29999999999999993, 5, 3), 1023);
    CHECK_INT(dram_worker_gpus(8, 8), 8);
    CHECK_INT(dram_worker_gpus(16, 8), 8);
    CHECK_INT(dram_worker_gpus(2, 8), 2);
    CHECK_INT(dram_worker_gpus(12, 8), 0);
    CHECK_INT(dram_worker_gpus(3, 8), 0);
}

#define DRAM "kv-offloading: dram, kv-offload-backend: {name: hicache}, conc-list: [4]"

static void test_dram_rows(void)
{
    struct matrix m;
    struct err e;

    CHECK_INT(
        expand(AGENTIC("      - {tp: 4, pp: 2, " DRAM "}\n"), (struct matrix_filter){0}, &m, &e),
        0);
    CHECK_INT(m.rows[0].total_cpu_dram_gb, 2399);
    CHECK_TEXT(m.rows[0].name, "tp4-pp2-kvdram-hicache-c4");
    CHECK_TEXT(m.rows[0].exp_name, "p_tp4_conc4_kvdram-hicache");
    matrix_free(&m);
    check_error(AGENTIC("      - {tp: 16, " DRAM "}\n"), (struct matrix_filter){0}, -EINVAL,
                "m.yaml:13:33: the row needs 16 GPUs (tp 16 x pp 1 x pcp 1), a node of "
                "'cluster:x' has 8");
    check_error(ENTRY("a", "cluster:z", "false") AGENTIC_SPACE "      - {tp: 8, " DRAM "}\n",
                (struct matrix_filter){0}, -EINVAL, "r.yaml has no hardware entry");
    check_error(ENTRY("a", "cluster:x", "true") AGENTIC_SPACE "      - {" WORKERS("6") ", " DRAM
                                                                                       "}\n",
                (struct matrix_filter){0}, -EINVAL, "does not tile nodes of 8");
}

// --- what is to be run -------------------------------------------------------------

#define STRICT ((struct matrix_filter){.strict = true})

static void test_strict(void)
{
    check_error(AGENTIC("      - {tp: 4, ep: 8, kv-offloading: none, conc-list: [1]}\n"), STRICT,
                -EINVAL, "m.yaml:13:21: ep 8 does not fit tp 4");
    check_error(AGENTIC("      - {tp: 4, ep: 3, kv-offloading: none, conc-list: [1]}\n"), STRICT,
                -EINVAL, "ep must divide tp");
    check_error(AGENTIC("      - {tp: 8, pp: 2, kv-offloading: none, conc-list: [1]}\n"), STRICT,
                -EINVAL, "m.yaml:13:14: the row needs 16 GPUs (tp 8 x pp 2 x pcp 1)");
    check_error(ENTRY("a", "cluster:xx", "false") AGENTIC_SPACE
                "      - {tp: 4, kv-offloading: none, conc-list: [1]}\n",
                STRICT, -EINVAL, "m.yaml:7:11: r.yaml has no label 'cluster:xx'");
    check_error(ENTRY("a", "cluster:xx", "false") AGENTIC_SPACE
                "      - {tp: 4, kv-offloading: none, conc-list: [1]}\n",
                STRICT, -EINVAL, "did you mean 'cluster:x'?");
    check_error(ENTRY("f", "x", "false") FIXED_SPACE("8192") "      - {tp: 4, conc-list: [1]}\n",
                STRICT, -EINVAL, "did you mean 'cluster:x'?");
    check_error(list, (struct matrix_filter){.strict = true, .min_conc = 100}, -EINVAL,
                "the matrix is empty");
    check_error(AGENTIC("      - {tp: 4, kv-offloading: none, conc-list: [1]}\n"
                        "      - {tp: 4, kv-offloading: none, conc-list: [1]}\n"),
                STRICT, -EINVAL,
                "m.yaml:14: two points are named tp4-c1 in a (the other is in "
                "line 13)");
    check_error(list, (struct matrix_filter){.strict = true, .node_filter = "x_"}, -EINVAL,
                "the runner filter makes several rows of the point tp8-c16");
    // The same rows are fine for whoever only lists them.
    check_shape(AGENTIC("      - {tp: 4, ep: 8, kv-offloading: none, conc-list: [1, 1]}\n"),
                (struct matrix_filter){0}, "tp4ep8-c1 tp4ep8-c1");
}

static void test_strict_words(void)
{
    static const char prefix[] = "a:\n  image: i\n  model: m\n  model-prefix: ../p\n"
                                 "  precision: fp8\n  framework: s\n  runner: cluster:x\n"
                                 "  multinode: false\n  scenarios:\n" AGENTIC_SPACE
                                 "      - {tp: 4, kv-offloading: none, conc-list: [1]}\n";

    check_error(prefix, STRICT, -EINVAL, "m.yaml:4:17: model-prefix '../p' may hold only");
}

static void test_warnings(void)
{
    struct matrix m;
    struct err e;
    struct str s = {0};

    CHECK_INT(expand(AGENTIC("      - {tp: 4, kv-offloading: none, conc-list: [8, 4]}\n"
                             "      - {tp: 8, kv-offloading: none, conc-list: [4, 8, 4]}\n"),
                     STRICT, &m, &e),
              0);
    CHECK_INT((int64_t)m.warning_count, 2);
    CHECK_HOLDS(m.warnings[0], "m.yaml:13:53: conc-list is not in rising order (4 after 8)");
    CHECK_HOLDS(m.warnings[1], "m.yaml:14:56: concurrency 4 stands twice");
    shape(&m, &s);
    CHECK_TEXT(str_text(&s), "tp4-c8 tp4-c4 tp8-c4 tp8-c8"); // the repeat is measured once
    matrix_free(&m);
    CHECK_INT(expand(ENTRY("f", "other", "false")
                         FIXED_SPACE("8192") "      - {tp: 64, conc-list: [8]}\n",
                     (struct matrix_filter){0}, &m, &e),
              0);
    CHECK_INT((int64_t)m.warning_count, 0);
    matrix_free(&m);
    str_free(&s);
}

// Points that differ in their speculation mode alone say it in their names.
static void test_mixed_speculation(void)
{
    check_shape(AGENTIC("      - {tp: 4, kv-offloading: none, conc-list: [1, 2]}\n"
                        "      - {tp: 4, spec-decoding: mtp, kv-offloading: none, conc-list: [1]}\n"
                        "      - {tp: 4, spec-decoding: draft_model, kv-offloading: none, "
                        "conc-list: [1]}\n"),
                STRICT, "tp4-nospec-c1 tp4-c2 tp4-mtp-c1 tp4-draft-c1");
}

static void test_points(void)
{
    struct matrix m;
    struct point p;
    struct err e;

    CHECK_INT(expand(AGENTIC("      - {tp: 4, ep: 4, pcp-size: 2, spec-decoding: mtp, "
                             "kv-offloading: none, conc-list: [8]}\n"),
                     (struct matrix_filter){.evals = MATRIX_EVALS_ONLY}, &m, &e),
              0);
    CHECK_INT(matrix_row_point(&m.rows[0], &p, &e), 0);
    CHECK_TEXT(p.name, "tp4ep4-pcp2-c8-eval");
    CHECK_INT(p.kind, POINT_EVAL);
    CHECK_INT(p.conc, 8);
    CHECK_INT(p.duration_s, 3600);
    CHECK_INT(point_gpus(&p), 8);
    CHECK_INT(matrix_row_gpus(&m.rows[0]), 8);
    CHECK_TEXT(p.spec_decoding, "mtp");
    CHECK_TEXT(p.exp_name, "p_tp4_conc8_kvnone_spec-mtp");
    CHECK_TEXT(m.rows[0].fingerprint, "");
    matrix_free(&m);
    CHECK_INT(expand(multi_agentic, STRICT, &m, &e), 0);
    CHECK_INT(matrix_row_point(&m.rows[0], &p, &e), -ENOTSUP);
    CHECK_HOLDS(e.text, "spans several nodes");
    matrix_free(&m);
    matrix_free(NULL);
}

// Our own matrix: 32 points and one evaluation, with the names people know.
static void test_official(void)
{
    static const char *const file = "etc/matrices/" OFFICIAL ".yaml";
    static const char *const key = OFFICIAL;
    const struct matrix_filter f = {
        .keys = &key, .key_count = 1, .evals = MATRIX_EVALS_SEPARATE, .strict = true};
    struct config *c = NULL;
    struct matrix m = {0};
    struct err e = {0};
    struct str s = {0};

    CHECK_INT(config_load_files(&file, 1, "etc/matrices/runners.yaml", &c, &e), 0);
    if (!c || !CHECK(matrix_expand(c, &f, &m, &e) == 0))
        return;
    shape(&m, &s);
    CHECK_TEXT(str_text(&s),
               "tp2ep2-c1 tp2ep2-c4 tp2ep2-c6 "
               "tp4-c1 tp4-c8 tp4-c16 tp4-c32 tp4-c40 tp4-c48 "
               "tp4ep4-c4 tp4ep4-c16 tp4ep4-c32 tp4ep4-c40 tp4ep4-c48 "
               "tp8-c1 tp8-c4 tp8-c8 tp8-c12 tp8-c16 tp8-c24 tp8-c32 tp8-c40 tp8-c48 tp8-c64 "
               "tp8-c80 tp8ep8-c4 tp8ep8-c16 tp8ep8-c24 tp8ep8-c32 tp8ep8-c40 tp8ep8-c48 "
               "tp8ep8-c64 tp8-c80-eval?");
    CHECK_INT((int64_t)m.warning_count, 0);
    CHECK_INT((int64_t)m.count, 33);
    str_free(&s);
    matrix_free(&m);
    config_free(c);
}

int main(void)
{
    test_ranges();
    test_fixed_bounds();
    test_conc_and_points();
    test_filter_errors();
    test_keys();
    test_node_filter();
    test_fixed_evals();
    test_agentic_evals();
    test_multi_node_evals();
    test_dram_formula();
    test_dram_rows();
    test_strict();
    test_strict_words();
    test_warnings();
    test_mixed_speculation();
    test_points();
    test_official();
    return tap_done();
}
