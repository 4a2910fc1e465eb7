// SPDX-License-Identifier: GPL-2.0-or-later
// Every rule of the configuration language, each broken once, with the line
// that the message must name.
#include <errno.h>
#include <stdlib.h>

#include "base/str.h"
#include "spec/config.h"
#include "tests/unit/tap.h"

// A good entry: the field lines of a case replace the line with the same key,
// or come before `scenarios:`. Lines are counted from 1.
#define HEAD                                                                                       \
    "k:\n"                                                                                         \
    "  image: i\n"                                                                                 \
    "  model: m\n"                                                                                 \
    "  model-prefix: p\n"                                                                          \
    "  precision: fp8\n"                                                                           \
    "  framework: sglang\n"
#define SINGLE HEAD "  runner: cluster:x\n  multinode: false\n"
#define MULTI HEAD "  runner: cluster:x\n  multinode: true\n"
#define AGENTIC "  scenarios:\n    agentic-coding:\n    - search-space:\n" // lines 9 to 11
#define FIXED "  scenarios:\n    fixed-seq-len:\n    - {isl: 1, osl: 1, search-space: [\n"
#define WORKER "{num-worker: 1, tp: 8, ep: 1, dp-attn: false"
#define ROW(fields) "      - {tp: 8, kv-offloading: none, " fields "}\n" // line 12

struct rule_case {
    const char *text;
    int line;
    const char *words;
};

static const struct rule_case rules[] = {
    // the file and its keys
    {"- a\n", 1, "map of config keys"},
    {"", 1, "map of config keys"},
    {"a*b:\n  x: 1\n", 1, "wildcard"},
    {"8: {}\n", 1, "a config key must be a text"},
    {"k: 1\n", 1, "must be a map"},
    {SINGLE AGENTIC ROW("conc-list: [1]") "k: {}\n", 13, "twice"},
    // the entry
    {SINGLE "  trace-source: x\n" AGENTIC ROW("conc-list: [1]"), 9, "unknown field 'trace-source'"},
    {SINGLE "  rooter: x\n" AGENTIC ROW("conc-list: [1]"), 9, "did you mean 'router'?"},
    {"k:\n  model: m\n  model-prefix: p\n  precision: fp8\n  framework: s\n  runner: cluster:x\n"
     "  multinode: false\n" AGENTIC ROW("conc-list: [1]"),
     2, "lacks the field 'image'"},
    {HEAD "  runner: cluster:x\n  multinode: 1\n" AGENTIC ROW("conc-list: [1]"), 8,
     "multinode must be true or false"},
    {HEAD "  runner: cluster:x\n  multinode: ~\n" AGENTIC ROW("conc-list: [1]"), 8,
     "multinode must be true or false"},
    {"k:\n  image: ''\n", 2, "must not be empty"},
    {"k:\n  image: 2026-08-12\n", 2, "put it in quotes"},
    {"k:\n  image: \"a\\nb\"\n", 2, "line breaks"},
    {SINGLE "  disagg: true\n" AGENTIC ROW("conc-list: [1]"), 9, "multinode: true"},
    {SINGLE "  scenarios: {}\n", 9, "no scenario"},
    {SINGLE "  scenarios: {agentic-coding: []}\n", 9, "no scenario"},
    {SINGLE "  scenarios: {agentic-coding: ~}\n", 9, "no scenario"},
    {SINGLE "  scenarios: {agentic: []}\n", 9, "unknown field 'agentic'"},
    {SINGLE, 2, "lacks the field 'scenarios'"},
    {HEAD "  runner: mi325x\n  multinode: false\n" AGENTIC ROW("conc-list: [1]"), 7, "cluster:"},
    {HEAD "  runner: mi325x\n  multinode: true\n" AGENTIC "      - {prefill: " WORKER
          "}, decode: " WORKER "}, conc-list: [1]}\n",
     7, "cluster:"},
    {SINGLE "  router: {name: a, version: b}\n" AGENTIC ROW(
         "conc-list: [1], router: {name: a, version: b}"),
     13, "stands at the top level too"},
    {MULTI "  kv-p2p-transfer: nixl\n" AGENTIC "      - {prefill: " WORKER "}, decode: " WORKER
           "}, conc-list: [1], kv-p2p-transfer: mori}\n",
     13, "stands at the top level too"},
    {SINGLE "  kv-p2p-transfer: nixl\n" AGENTIC ROW("conc-list: [1]"), 9, "multinode: true"},
    {SINGLE AGENTIC ROW("conc-list: [1], kv-p2p-transfer: nixl"), 12, "multinode: true"},
    {SINGLE FIXED "      {tp: 8, conc-list: [1], kv-p2p-transfer: nixl}]}\n", 12,
     "multinode: true"},
    {MULTI "  disagg: true\n" AGENTIC "      - {prefill: " WORKER "}, decode: " WORKER
           "}, conc-list: [1], kv-p2p-transfer: x}\n      - {prefill: " WORKER "}, decode: " WORKER
           "}, conc-list: [1]}\n",
     14, "needs kv-p2p-transfer"},
    {SINGLE "  router: {name: a, version: 'image:b'}\n" AGENTIC ROW("conc-list: [1]"), 9,
     "must not begin with 'image:'"},
    {SINGLE "  router: {name: ''}\n" AGENTIC ROW("conc-list: [1]"), 9, "must not be empty"},
    {SINGLE "  router: {name: a, version: ''}\n" AGENTIC ROW("conc-list: [1]"), 9,
     "must not be empty"},
    {SINGLE "  router: {version: b}\n" AGENTIC ROW("conc-list: [1]"), 9, "lacks the field 'name'"},
    {SINGLE "  router: {name: a, tag: b}\n" AGENTIC ROW("conc-list: [1]"), 9,
     "unknown field 'tag'"},
    {SINGLE "  router: {name: a, version: 0.5}\n" AGENTIC ROW("conc-list: [1]"), 9,
     "put it in quotes"},
    // the scenario
    {SINGLE "  scenarios:\n    agentic-coding:\n    - {search-space: []}\n", 11, "is empty"},
    {SINGLE "  scenarios:\n    agentic-coding:\n    - {search-space: 1}\n", 11, "must be a list"},
    {SINGLE "  scenarios:\n    agentic-coding:\n    - {duration: 60, search-space: []}\n", 11,
     "unknown field 'duration'"},
    {SINGLE
     "  scenarios:\n    agentic-coding:\n    - dram-utilization: 0\n      search-space: []\n",
     11, "over 0 and at most 1"},
    {SINGLE
     "  scenarios:\n    agentic-coding:\n    - dram-utilization: 1.01\n      search-space: []\n",
     11, "over 0 and at most 1"},
    {SINGLE
     "  scenarios:\n    agentic-coding:\n    - dram-utilization: .nan\n      search-space: []\n",
     11, "over 0 and at most 1"},
    {SINGLE "  scenarios:\n    agentic-coding:\n    - dram-utilization: '0.8'\n      search-space: "
            "[]\n",
     11, "must be a number"},
    {SINGLE AGENTIC "      - {tp: 8, conc-list: [1], kv-offload-backend: {name: x}, "
                    "kv-offloading: dram}\n",
     12, "dram-utilization"},
    {SINGLE "  scenarios:\n    fixed-seq-len:\n    - {osl: 1, search-space: []}\n", 11,
     "lacks the field 'isl'"},
    {SINGLE "  scenarios:\n    fixed-seq-len:\n    - {isl: 0, osl: 1, search-space: []}\n", 11,
     "isl is 0"},
    // concurrencies
    {SINGLE AGENTIC ROW("ep: 1"), 12, "no concurrency"},
    {SINGLE AGENTIC ROW("conc-list: []"), 12, "no concurrency"},
    {SINGLE AGENTIC ROW("conc-list: ~"), 12, "no concurrency"},
    {SINGLE AGENTIC ROW("conc-list: [1], conc-start: 1, conc-end: 2"), 12, "side by side"},
    {SINGLE AGENTIC ROW("conc-start: 1"), 12, "'conc-end' is missing"},
    {SINGLE AGENTIC ROW("conc-end: 1"), 12, "'conc-start' is missing"},
    {SINGLE AGENTIC ROW("conc-list: [1], conc-end: 1"), 12, "side by side"},
    {SINGLE AGENTIC ROW("conc-start: 0, conc-end: 2"), 12, "conc-start is 0"},
    {SINGLE AGENTIC ROW("conc-start: 1, conc-end: -2"), 12, "conc-end is -2"},
    {SINGLE AGENTIC ROW("conc-start: 4, conc-end: 2"), 12, "greater than conc-end"},
    {SINGLE AGENTIC ROW("conc-list: [4,\n  0]"), 13, "a concurrency is 0"},
    {SINGLE AGENTIC ROW("conc-list: [4, '8']"), 12, "must be a whole number"},
    {SINGLE AGENTIC ROW("conc-list: [true]"), 12, "must be a whole number"},
    {SINGLE AGENTIC ROW("conc-list: 4"), 12, "conc-list must be a list"},
    // words
    {SINGLE AGENTIC ROW("conc-list: [1], spec-decoding: eagle"), 12, "mtp, draft_model, none"},
    {SINGLE AGENTIC ROW("conc-list: [1], spec-decoding: mpt"), 12, "did you mean 'mtp'?"},
    {SINGLE AGENTIC "      - {tp: 8, conc-list: [1], kv-offloading: disk}\n", 12, "none, dram"},
    // KV offloading
    {SINGLE AGENTIC "      - {tp: 8, conc-list: [1]}\n", 12, "'kv-offloading'"},
    {SINGLE AGENTIC ROW("conc-list: [1], kv-offload-backend: {name: x}"), 12, "without offloading"},
    {MULTI AGENTIC "      - {prefill: " WORKER "}, decode: " WORKER
                   "}, conc-list: [1], kv-offload-backend: {name: x}}\n",
     12, "without offloading"},
    {SINGLE AGENTIC "      - {tp: 8, conc-list: [1], kv-offloading: dram}\n", 12,
     "needs a kv-offload-backend"},
    {SINGLE AGENTIC
     "      - tp: 8\n        kv-offloading: dram\n        kv-offload-backend: {name: "
     "''}\n        conc-list: [1]\n",
     14, "must not be empty"},
    {SINGLE AGENTIC
     "      - tp: 8\n        kv-offloading: dram\n        kv-offload-backend: {name: "
     "a, version: 'image:x'}\n        conc-list: [1]\n",
     14, "must not begin with"},
    {SINGLE AGENTIC "      - tp: 8\n        kv-offloading: dram\n        kv-offload-backend: "
                    "{name: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa}\n"
                    "        conc-list: [1]\n",
     14, "over 48 bytes"},
    // parallelism
    {SINGLE AGENTIC ROW("conc-list: [1], pp: 0"), 12, "pp is 0"},
    {SINGLE AGENTIC ROW("conc-list: [1], dcp-size: -1"), 12, "dcp-size is -1"},
    {SINGLE AGENTIC ROW("conc-list: [1], pcp-size: '2'"), 12, "pcp-size must be a whole number"},
    {SINGLE AGENTIC ROW("conc-list: [1], pp: true"), 12, "pp must be a whole number"},
    {SINGLE AGENTIC ROW("conc-list: [1], pp: 2.0"), 12, "pp must be a whole number"},
    {SINGLE AGENTIC ROW("conc-list: [1], pp: 1025"), 12, "from 1 to 1024"},
    {SINGLE AGENTIC ROW("conc-list: [1], ep: 0"), 12, "ep is 0"},
    {SINGLE AGENTIC ROW("conc-list: [1], dp-attn: 1"), 12, "dp-attn must be true or false"},
    {SINGLE AGENTIC ROW("conc-list: [1], dcp-size: 3"), 12, "not divisible by dcp-size 3"},
    {SINGLE AGENTIC ROW("conc-list: [1], users: 3"), 12, "unknown field 'users'"},
    {SINGLE FIXED "      {tp: 8, conc-list: [1], dcp-size: 3}]}\n", 12, "not divisible"},
    {SINGLE FIXED "      {tp: 8, conc-list: [1], kv-offloading: none}]}\n", 12, "unknown field"},
    {SINGLE FIXED "      {conc-list: [1]}]}\n", 12, "lacks the field 'tp'"},
    {SINGLE FIXED "      {tp: 8, conc-list: [1], prefill: {}}]}\n", 12, "unknown field 'prefill'"},
    // single or several nodes
    {SINGLE AGENTIC "      - {kv-offloading: none, conc-list: [1]}\n", 12, "neither 'tp' nor"},
    {SINGLE AGENTIC ROW("conc-list: [1], prefill: " WORKER "}, decode: " WORKER "}"), 12,
     "beside prefill and decode"},
    {SINGLE AGENTIC "      - {kv-offloading: none, conc-list: [1], prefill: " WORKER
                    "}, decode: " WORKER "}}\n",
     12, "multinode: true"},
    {MULTI AGENTIC ROW("conc-list: [1]"), 12, "instead of 'tp'"},
    {MULTI AGENTIC "      - {conc-list: [1], prefill: " WORKER "}}\n", 12, "stands alone"},
    {MULTI AGENTIC "      - conc-list: [1]\n        decode: " WORKER "}\n", 13, "stands alone"},
    {MULTI AGENTIC "      - conc-list: [1]\n        pp: 1\n        prefill: " WORKER
                   "}\n        decode: " WORKER "}\n",
     13, "'pp' beside prefill and decode"},
    {MULTI AGENTIC "      - conc-list: [1]\n        prefill: " WORKER
                   ", hardware: a}\n        decode: " WORKER "}\n",
     14, "in both prefill and decode"},
    {MULTI AGENTIC "      - conc-list: [1]\n        prefill: " WORKER
                   "}\n        decode: {num-worker: -1, tp: 1, ep: 1, dp-attn: no}\n",
     14, "num-worker is -1"},
    {MULTI AGENTIC "      - conc-list: [1]\n        prefill: {num-worker: 0, tp: 1, ep: 1, "
                   "dp-attn: no}\n        decode: " WORKER "}\n",
     13, "at least one worker"},
    {MULTI AGENTIC "      - conc-list: [1]\n        prefill: " WORKER
                   ", dcp-size: 3}\n        decode: " WORKER "}\n",
     13, "not divisible"},
    {MULTI AGENTIC "      - conc-list: [1]\n        prefill: " WORKER
                   ", additional-settings: [a, 7]}\n        decode: " WORKER "}\n",
     13, "put it in quotes"},
    {MULTI AGENTIC "      - conc-list: [1]\n        prefill: " WORKER
                   ", gpus: 7}\n        decode: " WORKER "}\n",
     13, "unknown field 'gpus' in prefill"},
    {MULTI FIXED "      {conc-list: [1], prefill: " WORKER "}}]}\n", 12,
     "lacks the field 'decode'"},
};

static const struct rule_case runner_rules[] = {
    {"hardware: {}\n", 1, "lacks the field 'labels'"},
    {"labels: [a]\n", 1, "'labels' must be a map"},
    {"labels:\n  a: b\n", 2, "must be a list"},
    {"labels:\n  a: [b, 7]\n", 2, "a runner must be a text"},
    {"labels:\n  a: []\n", 2, "has no runners"},
    {"labels: {}\nhardware:\n  a: {available-cpu-dram-mib: 0, gpus-per-node: 8}\n", 3,
     "available-cpu-dram-mib is 0"},
    {"labels: {}\nhardware:\n  a: {available-cpu-dram-mib: 1, gpus-per-node: -8}\n", 3,
     "gpus-per-node is -8"},
    {"labels: {}\nhardware:\n  a: {available-cpu-dram-mib: 1}\n", 3, "lacks the field"},
    {"labels: {}\nhardware:\n  a: {available-cpu-dram-mib: 1, gpus-per-node: 8, cpus: 1}\n", 3,
     "unknown field 'cpus'"},
    {"labels: {}\nrunners: {}\n", 2, "unknown field 'runners'"},
    {"- a\n", 1, "must be a map"},
};

static int load(const char *master, const char *runners, struct config **ret, struct err *e)
{
    struct spec_source m = {.name = "m.yaml", .bytes = master, .len = strlen(master)};
    struct spec_source r = {
        .name = "r.yaml", .bytes = runners, .len = runners ? strlen(runners) : 0};

    *e = (struct err){0};
    *ret = NULL;
    return config_load(&m, 1, runners ? &r : NULL, ret, e);
}

static void check_rule(const struct rule_case *c, const char *file, int rc, const struct err *e)
{
    struct str place = {0};

    str_addf(&place, "%s:%d:", file, c->line);
    printf("# %s\n", e->text);
    CHECK_INT(rc, -EINVAL);
    CHECK_HOLDS(e->text, str_text(&place));
    CHECK_HOLDS(e->text, c->words);
    str_free(&place);
}

static void test_rules(void)
{
    struct config *c;
    struct err e;

    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        int rc = load(rules[i].text, NULL, &c, &e);

        check_rule(&rules[i], "m.yaml", rc, &e);
        config_free(c);
    }
    for (size_t i = 0; i < sizeof(runner_rules) / sizeof(runner_rules[0]); i++) {
        int rc = load(SINGLE AGENTIC ROW("conc-list: [1]"), runner_rules[i].text, &c, &e);

        check_rule(&runner_rules[i], "r.yaml", rc, &e);
        config_free(c);
    }
}

// What the broken examples are made of is good by itself.
static void test_good(void)
{
    static const char *const good[] = {
        SINGLE AGENTIC ROW("conc-list: [1]"),
        SINGLE AGENTIC ROW("conc-list: [], conc-start: 1, conc-end: 1"),
        SINGLE AGENTIC ROW("conc-list: [1], ep: ~, dp-attn: ~"),
        SINGLE "  disagg: false\n" AGENTIC ROW("conc-start: 4, conc-end: 4"),
        SINGLE FIXED "      {tp: 8, conc-list: [1], router: {name: a, version: b}}]}\n",
        HEAD "  runner: mi325x\n  multinode: false\n" FIXED "      {tp: 8, conc-list: [1]}]}\n",
        MULTI "  disagg: true\n  kv-p2p-transfer: x\n" AGENTIC "      - {prefill: " WORKER
              "}, decode: " WORKER "}, conc-list: [1]}\n",
        SINGLE "  scenarios:\n    agentic-coding:\n    - dram-utilization: 1\n      search-space:\n"
               "      - {tp: 8, kv-offloading: dram, kv-offload-backend: {name: x}, conc-list: "
               "[1]}\n",
        "{}",
    };
    struct config *c;
    struct err e;

    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        CHECK_INT(load(good[i], NULL, &c, &e), 0);
        printf("# %s\n", e.text);
        config_free(c);
    }
    config_free(NULL);
}

static void test_two_files(void)
{
    static const char text[] = SINGLE AGENTIC ROW("conc-list: [1]");
    struct spec_source files[2] = {{.name = "a.yaml", .bytes = text, .len = sizeof(text) - 1},
                                   {.name = "b.yaml", .bytes = text, .len = sizeof(text) - 1}};
    struct config *c = NULL;
    struct err e = {0};

    CHECK_INT(config_load(files, 2, NULL, &c, &e), -EINVAL);
    CHECK_TEXT(e.text, "b.yaml:1:1: the config key 'k' is in a.yaml too, line 1");
    CHECK_INT(config_load(files, 0, NULL, &c, &e), -EINVAL);
    CHECK_INT(config_load(files, CONFIG_FILES_MAX + 1, NULL, &c, &e), -EINVAL);
    const char *missing = "/nonexistent/master.yaml";
    CHECK_INT(config_load_files(&missing, 1, NULL, &c, &e), -ENOENT);
    CHECK_HOLDS(e.text, missing);
}

static void test_look_ups(void)
{
    static const char runners[] = "labels:\n  cluster:x: [x_00, x_01]\n"
                                  "hardware:\n  cluster:x: {available-cpu-dram-mib: 3_091_589, "
                                  "gpus-per-node: 8}\n";
    struct config_key_info info;
    struct config_hardware h;
    struct config *c;
    struct err e;
    size_t n;

    if (!CHECK(load(SINGLE AGENTIC ROW("conc-list: [1]") "", runners, &c, &e) == 0))
        return;
    CHECK_INT((int64_t)config_key_count(c), 1);
    CHECK_TEXT(config_key(c, 0), "k");
    CHECK(config_key(c, 1) == NULL);
    CHECK(config_key_find(c, "k", &info));
    CHECK_TEXT(info.runner, "cluster:x");
    CHECK_TEXT(info.file, "m.yaml");
    CHECK_INT(info.line, 1);
    CHECK(info.has_agentic && !info.has_fixed && info.label_known && !info.multinode);
    CHECK(!config_key_find(c, "q", &info));
    CHECK_TEXT(config_key_suggest(c, "kk"), "k");
    CHECK(config_key_suggest(c, "") == NULL);
    CHECK(config_key_suggest(c, "something-else") == NULL);
    const char *const *names = config_label_runners(c, "cluster:x", &n);
    CHECK_INT((int64_t)n, 2);
    CHECK_TEXT(names[1], "x_01");
    CHECK(config_label_runners(c, "y", &n) == NULL && n == 0);
    CHECK(config_hardware(c, "cluster:x", &h));
    CHECK_INT(h.available_cpu_dram_mib, 3091589);
    CHECK(!config_hardware(c, "y", &h));
    config_free(c);
}

int main(void)
{
    test_rules();
    test_good();
    test_two_files();
    test_look_ups();
    return tap_done();
}
