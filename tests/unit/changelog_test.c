// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

#include "base/fsio.h"
#include "base/str.h"
#include "spec/changelog.h"
#include "tests/unit/tap.h"

#define LINK(n) "  pr-link: https://github.com/SemiAnalysisAI/InferenceX/pull/" n "\n"
#define ENTRY(key, more) "- config-keys:\n    - " key "\n  description:\n    - x\n" more LINK("7")

#define UNKNOWN                                                                                    \
    "X"                                                                                            \
    "XX"

enum { FILE_MAX = 1 << 20 };

static struct spec_source source(const char *name, const char *text)
{
    return (struct spec_source){.name = name, .bytes = text, .len = strlen(text)};
}

// --- reading -----------------------------------------------------------------

static void test_fields(void)
{
    static const char text[] = "- config-keys:\n"
                               "    - a-*\n"
                               "    - b\n"
                               "  scenario-type: [agentic-coding, fixed-seq-len]\n"
                               "  description:\n"
                               "    - one\n"
                               "    - |\n"
                               "      two\n"
                               "      lines\n"
                               "  evals-only: yes\n"
                               "  eval-min-prefill-ep: 8\n" LINK("12") "\n" ENTRY("c", "");
    struct spec_source s = source("c.yaml", text);
    struct changelog c = {0};
    struct err e = {0};

    if (!CHECK(changelog_parse(&s, &c, &e) == 0)) {
        printf("# %s\n", e.text);
        return;
    }
    CHECK_INT((int64_t)c.count, 2);
    CHECK_INT((int64_t)c.entries[0].key_count, 2);
    CHECK_TEXT(c.entries[0].keys[0], "a-*");
    CHECK_INT((int64_t)c.entries[0].description_count, 2);
    CHECK_TEXT(c.entries[0].description[1], "two\nlines\n");
    CHECK(c.entries[0].evals_only && !c.entries[0].all_evals && !c.entries[0].append_only);
    CHECK_INT(c.entries[0].eval_min_prefill_ep, 8);
    CHECK_INT(c.entries[0].scenarios, MATRIX_FIXED | MATRIX_AGENTIC);
    CHECK_INT(c.entries[1].scenarios, 0);
    CHECK_INT(c.entries[1].line, 14);
    CHECK_HOLDS(c.entries[0].pr_link, "/pull/12");
    changelog_free(&c);
    changelog_free(NULL);
}

static void test_rules(void)
{
    static const struct {
        const char *text, *place, *words;
    } cases[] = {
        {"", ":1:1: ", "empty"},
        {"[]\n", ":1:1: ", "no entries"},
        {"a: b\n", ":1:1: ", "must be a list"},
        {"- config-keys:\n\t- a\n", ":2:1: ", "tab"},
        {"- config-keys:\r\n", ":1:15: ", "carriage return"},
        {"- config-keys: [a]", ":1:19: ", "line feed"},
        {"- config-keys: [\xff]\n", ":1:17: ", "UTF-8"},
        {"- config-keys: [a]\n  config-keys: [b]\n", ":2:3: ", "twice"},
        {"- config-keys: [a]\n  pr-link: x\n", ":1:3: ", "lacks the field 'description'"},
        {"- config-keys: []\n  description: [x]\n  pr-link: x\n", ":1:16: ", "is empty"},
        {"- config-keys: a\n  description: [x]\n  pr-link: x\n", ":1:16: ", "must be a list"},
        {"- config-keys: [1]\n  description: [x]\n  pr-link: x\n", ":1:17: ", "quotes"},
        {"- config-keys: [a]\n  description: []\n  pr-link: x\n", ":2:16: ", "is empty"},
        {"- config-keys: [a]\n  description: [1]\n  pr-link: x\n", ":2:17: ", "quotes"},
        {"- config-keys: [a]\n  description: [x]\n", ":1:3: ", "lacks the field 'pr-link'"},
        {"- config-keys: [a]\n  description: [x]\n  pr-link: x\n  pr_link: y\n",
         ":4:3: ", "did you mean 'pr-link'"},
        {ENTRY("a", "  evals-only: 1\n"), ":5:15: ", "true or false"},
        {ENTRY("a", "  eval-min-prefill-ep: 0\n"), ":5:24: ", "is 0"},
        {ENTRY("a", "  scenario-type: []\n"), ":5:18: ", "is empty"},
        {ENTRY("a", "  scenario-type: [agentic]\n"), ":5:19: ", "not one of"},
        {ENTRY("a", "  append-only: true\n  evals-only: true\n"), ":5:16: ", "does not go with"},
        {ENTRY("a", "  append-only: true\n  all-evals: true\n"), ":5:16: ", "does not go with"},
        {ENTRY("a", "  append-only: true\n  eval-min-prefill-ep: 2\n"),
         ":5:16: ", "does not go with"},
        {"- description: [x]\n  config-keys: [a]\n  pr-link: x\n", ":1:1: ", "0 lines begin"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct spec_source s = source("c", cases[i].text);
        struct changelog c = {0};
        struct err e = {0};
        struct str place = {0};

        CHECK_INT(changelog_parse(&s, &c, &e), -EINVAL);
        str_addf(&place, "c%s", cases[i].place);
        CHECK(str_starts(e.text, str_text(&place)));
        CHECK_HOLDS(e.text, cases[i].words);
        printf("# %s\n", e.text);
        str_free(&place);
        changelog_free(&c);
    }
}

static void test_zero_byte(void)
{
    static const char text[] = "- config-keys: [a\0]\n";
    struct spec_source s = {.name = "c", .bytes = text, .len = sizeof(text) - 1};
    struct changelog c = {0};
    struct err e = {0};

    CHECK_INT(changelog_parse(&s, &c, &e), -EINVAL);
    CHECK_TEXT(e.text, "c:1:18: a zero byte");
}

// --- additions ---------------------------------------------------------------

static const char old[] = ENTRY("a", "") "\n" ENTRY("b", "");

static int added(const char *head, const char *base, struct changelog *c, struct err *e)
{
    struct spec_source h = source("head", head), b = source("base", base ? base : "");

    *c = (struct changelog){0};
    *e = (struct err){0};
    return changelog_added(&h, base ? &b : NULL, c, e);
}

static void check_added_count(const char *head, const char *base, size_t want)
{
    struct changelog c;
    struct err e;

    CHECK_INT(added(head, base, &c, &e), 0);
    printf("# %s\n", e.text);
    CHECK_INT((int64_t)c.count, (int64_t)want);
    changelog_free(&c);
}

#define OLD ENTRY("a", "") "\n" ENTRY("b", "")
#define NEW ENTRY("c", "")

static void test_additions(void)
{
    struct changelog c;
    struct err e;

    CHECK_INT(added(OLD "\n" NEW, old, &c, &e), 0);
    CHECK_INT((int64_t)c.count, 1);
    CHECK_TEXT(c.count ? c.entries[0].keys[0] : "", "c");
    changelog_free(&c);
    check_added_count(OLD, NULL, 2);
    check_added_count(OLD, "", 2);
    check_added_count(OLD "\n" NEW "\n" NEW, old, 2);
    // Letters are fine as long as the number is not known.
    check_added_count(OLD "\n- config-keys: [c]\n  description: [x]\n" LINK(UNKNOWN), old, 1);
    check_added_count(OLD "\n- config-keys: [c]\n  description: [x]\n  pr-link: " UNKNOWN "\n", old,
                      1);
    // Link fixes alone measure nothing.
    check_added_count(ENTRY("a", "") "\n- config-keys: [b]\n  description: [x]\n" LINK("9"),
                      ENTRY("a", "") "\n- config-keys: [b]\n  description: [x]\n" LINK(UNKNOWN), 0);
}

static void test_bad_additions(void)
{
    static const struct {
        const char *head, *base, *want;
    } cases[] = {
        {OLD, OLD, "head: no entry was added"},
        {OLD NEW, OLD, "head:12:1: exactly one empty line"},
        {OLD "\n\n" NEW, OLD, "head:14:1: exactly one empty line"},
        {OLD "\n" NEW NEW, OLD, "head:18:1: exactly one empty line"},
        {OLD "\n" NEW "\n", OLD, "head:18:1: an empty line after"},
        {OLD "\n# a comment\n" NEW, OLD, "head:13:1: an empty line inside"},
        {OLD "\n- config-keys: [c]\n\n  description: [x]\n" LINK("1"), OLD,
         "head:15:1: an empty line inside"},
        {ENTRY("a", "") "\n" ENTRY("bb", "") "\n" NEW, OLD, "head:8:1: an entry that was there"},
        {ENTRY("a", ""), OLD, "head:6:1: an entry that was there"},
        {NEW "\n" OLD, OLD, "head:2:1: an entry that was there"},
        // A link fix beside an addition, and one to another form.
        {"- config-keys: [a]\n  description: [x]\n" LINK("9") "\n" NEW,
         "- config-keys: [a]\n  description: [x]\n" LINK("8"), "head:3:1: an entry that was there"},
        {"- config-keys: [a]\n  description: [x]\n  pr-link: none\n",
         "- config-keys: [a]\n  description: [x]\n" LINK("8"), "head:3:1: an entry that was there"},
        {OLD "\n- config-keys: [c]\n  description: [x]\n  pr-link: http://example.org/7\n", OLD,
         "head:13:1: the pr-link"},
        {OLD "\n- config-keys: [c]\n  description: [x]\n" LINK("07"), OLD,
         "head:13:1: the pr-link"},
        {OLD "\n- config-keys: [c]\n  description: [x]\n" LINK("7/files"), OLD,
         "head:13:1: the pr-link"},
        {OLD, "- config-keys: [a]", "base:1:19: "},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct changelog c;
        struct err e;

        CHECK_INT(added(cases[i].head, cases[i].base, &c, &e), -EINVAL);
        CHECK(str_starts(e.text, cases[i].want));
        printf("# %s\n", e.text);
        changelog_free(&c);
    }
}

// --- rows --------------------------------------------------------------------

#define HEAD(key, image)                                                                           \
    key ":\n  image: " image "\n  model: m\n  model-prefix: p\n  precision: fp8\n  framework: s\n" \
        "  runner: cluster:x\n  multinode: false\n  scenarios:\n"
#define SPACE "    agentic-coding:\n    - search-space:\n"
#define ROW(tp, concs) "      - {tp: " tp ", kv-offloading: none, conc-list: [" concs "]}\n"
#define FIXED                                                                                      \
    "    fixed-seq-len:\n    - {isl: 8192, osl: 1024, search-space: [{tp: 8, conc-list: [16]}]}\n"
#define WORKERS(ep)                                                                                \
    "prefill: {num-worker: 1, tp: 8, ep: " ep                                                      \
    ", dp-attn: false}, decode: {num-worker: 1, tp: 8, ep: 1, dp-attn: false}"

static struct config *load(const char *text)
{
    struct spec_source m = source("m.yaml", text);
    struct config *c = NULL;
    struct err e = {0};

    if (config_load(&m, 1, NULL, &c, &e))
        printf("# %s\n", e.text);
    CHECK(c != NULL);
    return c;
}

static int expand(const char *log, const char *head, const char *base, bool trim, struct matrix *m,
                  struct err *e)
{
    struct config *hc = load(head), *bc = base ? load(base) : NULL;
    struct changelog c;
    int rc = added(log, NULL, &c, e);

    *m = (struct matrix){0};
    if (!rc && hc)
        rc = changelog_expand(&c, hc, &(struct changelog_options){.trim = trim, .base = bc}, m, e);
    changelog_free(&c);
    config_free(hc);
    config_free(bc);
    return rc;
}

static void check_rows(const char *log, const char *head, const char *base, bool trim,
                       const char *want)
{
    struct matrix m;
    struct err e;
    struct str s = {0};

    CHECK_INT(expand(log, head, base, trim, &m, &e), 0);
    printf("# %s\n", e.text);
    for (size_t i = 0; i < m.count; i++) {
        const struct matrix_row *r = &m.rows[i];

        str_addf(&s, "%s%s/%s", i ? " " : "", r->key, r->name);
        if (r->multinode)
            str_addf(&s, "ep%d%s", r->prefill.ep, r->eval_only ? "?" : "");
        for (size_t j = 0; j < r->conc_count; j++)
            str_addf(&s, "%s%d", j ? "," : ":", r->concs[j]);
        CHECK(r->fingerprinted == !r->eval_only);
    }
    CHECK_TEXT(str_text(&s), want);
    str_free(&s);
    matrix_free(&m);
}

static void check_refused(const char *log, const char *head, const char *base, const char *words)
{
    struct matrix m;
    struct err e;

    CHECK(expand(log, head, base, false, &m, &e) < 0);
    CHECK_HOLDS(e.text, words);
    printf("# %s\n", e.text);
    matrix_free(&m);
}

static const char two[] = HEAD("a-1", "i") SPACE ROW("8", "1, 4") FIXED //
    HEAD("a-2", "i") SPACE ROW("4", "2") ROW("8", "3");

static void test_rows(void)
{
    check_rows(ENTRY("a-1", "  scenario-type: [agentic-coding]\n"), two, NULL, false,
               "a-1/tp8-c1 a-1/tp8-c4 a-1/tp8-c4-eval");
    check_rows(ENTRY("a-1", ""), two, NULL, false,
               "a-1/tp8-8192x1024-c16 a-1/tp8-c1 a-1/tp8-c4 a-1/tp8-8192x1024-c16-eval "
               "a-1/tp8-c4-eval");
    // One evaluation for the keys of an entry that share a model on one fleet.
    check_rows(ENTRY("a-*", "  scenario-type: [agentic-coding]\n"), two, NULL, false,
               "a-1/tp8-c1 a-1/tp8-c4 a-2/tp4-c2 a-2/tp8-c3 a-1/tp8-c4-eval");
    check_rows(ENTRY("a-*", "  scenario-type: [agentic-coding]\n"), two, NULL, true,
               "a-1/tp8-c1 a-2/tp4-c2 a-1/tp8-c4-eval"); // equal recipes of two keys are one
    check_rows(ENTRY("a-2", "  evals-only: true\n"), two, NULL, false, "a-2/tp8-c3-eval");
    check_rows(ENTRY("a-2", "  all-evals: true\n"), two, NULL, false,
               "a-2/tp4-c2-eval a-2/tp8-c3-eval");
    // Each scenario of a key once; all-evals entries first.
    check_rows(ENTRY("a-1", "  scenario-type: [fixed-seq-len]\n") "\n" ENTRY("a-1", ""), two, NULL,
               false,
               "a-1/tp8-8192x1024-c16 a-1/tp8-c1 a-1/tp8-c4 a-1/tp8-8192x1024-c16-eval "
               "a-1/tp8-c4-eval");
    check_rows(ENTRY("a-2", "") "\n" ENTRY("a-2", "  all-evals: true\n"), two, NULL, false,
               "a-2/tp4-c2 a-2/tp8-c3 a-2/tp4-c2-eval a-2/tp8-c3-eval");
    check_refused(ENTRY("b", ""), two, NULL, "no config key 'b'");
    check_refused(ENTRY("a-3", ""), two, NULL, "did you mean 'a-");
    check_refused(ENTRY("b*", ""), two, NULL, "head:1:1: the pattern");
    check_refused(ENTRY("a-?", ""), two, NULL, "no config key 'a-?'"); // only '*' is a wildcard
}

static void test_min_prefill(void)
{
    static const char multi[] =
        "k:\n  image: i\n  model: m\n  model-prefix: p\n  precision: fp8\n  framework: s\n"
        "  runner: r\n  multinode: true\n  scenarios:\n    fixed-seq-len:\n    - isl: 8192\n"
        "      osl: 1024\n      search-space:\n      - {conc-list: [16], " WORKERS(
            "1") "}\n"
                 "      - {conc-list: [16, 32], " WORKERS("8") "}\n";

    check_rows(ENTRY("k", "  eval-min-prefill-ep: 8\n"), multi, NULL, false,
               "k/ep1:16 k/ep8:16,32 k/ep8?:16,32");
    check_rows(ENTRY("k", "  evals-only: true\n"), multi, NULL, false, "k/ep1?:16 k/ep8?:16,32");
}

#define APPEND(key) ENTRY(key, "  append-only: true\n")
#define APPEND_AGENTIC(key) ENTRY(key, "  append-only: true\n  scenario-type: [agentic-coding]\n")

static void test_append_only(void)
{
    static const char base[] = HEAD("a", "i") SPACE ROW("8", "1, 4");

    check_rows(APPEND("a"), HEAD("a", "i") SPACE ROW("8", "2, 1, 4, 8"), base, false,
               "a/tp8-c2 a/tp8-c8");
    check_rows(APPEND("a"), HEAD("a", "i") SPACE ROW("8", "1, 4") ROW("4", "1"), base, false,
               "a/tp4-c1"); // a recipe beside the old ones
    check_refused(APPEND("a"), base, base, "no point that the base lacks");
    check_refused(APPEND("a"), HEAD("a", "i") SPACE ROW("8", "1, 8"), base,
                  "concurrency 4 of p_tp8_conc4_kvnone");
    check_refused(APPEND("a"), HEAD("a", "i") SPACE ROW("4", "1, 4, 8"), base, "gone or changed");
    check_refused(APPEND("a"), HEAD("a", "j") SPACE ROW("8", "1, 4, 8"), base, "gone or changed");
    check_refused(APPEND("a"), HEAD("a", "i") SPACE ROW("8", "1, 8"), NULL,
                  "needs the configuration before");
    check_refused(APPEND("b"),
                  HEAD("a", "i") SPACE ROW("8", "1, 4") //
                  HEAD("b", "i") SPACE ROW("8", "1"),
                  base, "'b' is new");
    check_refused(APPEND("a") "\n" ENTRY("a", ""), base, base, "cannot be added together");
}

static void test_append_only_scope(void)
{
    static const char base[] = HEAD("a", "i") SPACE ROW("8", "1") FIXED //
        HEAD("b", "i") SPACE ROW("8", "1");

    check_rows(APPEND_AGENTIC("a"),
               HEAD("a", "i") SPACE ROW("8", "1, 2") FIXED //
                   HEAD("b", "i") SPACE ROW("8", "1"),
               base, false, "a/tp8-c2");
    check_refused(APPEND("a"),
                  HEAD("a", "i") SPACE ROW("8", "1, 2") FIXED //
                      HEAD("b", "i") SPACE ROW("8", "1, 2"),
                  base, "the entry of 'b' changed");
    check_refused(APPEND("a"), HEAD("a", "i") SPACE ROW("8", "1, 2") FIXED, base,
                  "the existence of 'b' changed");
    check_refused(APPEND("a"),
                  HEAD("a", "i") SPACE ROW("8", "1, 2") //
                  HEAD("b", "i") SPACE ROW("8", "1"),
                  base, "the set of scenarios of 'a' changed");
    check_refused(
        APPEND_AGENTIC("a"),
        HEAD("a", "i") SPACE ROW(
            "8", "1, 2") "    fixed-seq-len:\n    - {isl: 8192, osl: 1024, search-space: [{tp: 8, "
                         "conc-list: [16, 32]}]}\n" //
        HEAD("b", "i") SPACE ROW("8", "1"),
        base, "a scenario outside its scope of 'a' changed");
    check_refused(APPEND_AGENTIC("a"),
                  HEAD("a", "j") SPACE ROW("8", "1, 2") FIXED //
                      HEAD("b", "i") SPACE ROW("8", "1"),
                  base, "a field of the whole entry of 'a' changed");
}

// --- the published changelog ---------------------------------------------------

static char *official_parts(const char *text, char **ret_base)
{
    const char *key = strstr(text, "qwen3.5-fp8-mi325x-sglang-agentic-mtp");
    const char *start = key, *end = strstr(key, "\n\n- config-keys:");

    while (strncmp(start, "\n\n- config-keys:", 16) != 0)
        start--;
    *ret_base = strndup(text, (size_t)(start + 1 - text));
    return strndup(text, (size_t)(end + 1 - text));
}

static void check_official(const struct config *config, const struct changelog *c, bool trim,
                           const char *file)
{
    struct matrix m = {0};
    struct err e = {0};
    struct str got = {0}, path = {0};
    json_error_t je;

    str_addf(&path, "tests/unit/data/expected/%s", file);
    CHECK_INT(changelog_expand(c, config, &(struct changelog_options){.trim = trim, .strict = true},
                               &m, &e),
              0);
    printf("# %s\n", e.text);
    CHECK_INT((int64_t)m.count, trim ? 6 : 33);
    changelog_to_json(c, &m, "4506c8423^", "4506c8423", &got);
    json_t *want = json_load_file(str_text(&path), 0, &je);
    json_t *parsed = json_loads(str_text(&got), 0, &je);
    char *a = json_dumps(parsed, JSON_COMPACT), *b = json_dumps(want, JSON_COMPACT);
    CHECK_TEXT(a, b);
    free(a);
    free(b);
    json_decref(want);
    json_decref(parsed);
    str_free(&got);
    str_free(&path);
    matrix_free(&m);
}

static void test_official(void)
{
    const char *root = getenv("SWEEPD_TEST_DATA");
    struct str text = {0}, path = {0}, master = {0}, runners = {0};
    struct config *config = NULL;
    struct changelog c = {0};
    struct err e = {0};
    char *head, *base;

    if (!CHECK(root != NULL))
        return;
    str_addf(&path, "%s/configs/perf-changelog.yaml", root);
    str_addf(&master, "%s/configs/amd-master.yaml", root);
    str_addf(&runners, "%s/configs/runners.yaml", root);
    const char *file = str_text(&master);
    CHECK_INT(fs_read(str_text(&path), FILE_MAX, &text, &e), 0);
    CHECK_INT(config_load_files(&file, 1, str_text(&runners), &config, &e), 0);
    struct spec_source all = source("perf-changelog.yaml", str_text(&text));
    CHECK_INT(changelog_parse(&all, &c, &e), 0);
    CHECK_INT((int64_t)c.count, 772);
    changelog_free(&c);
    head = official_parts(str_text(&text), &base);
    CHECK_INT(added(head, base, &c, &e), 0);
    CHECK_INT((int64_t)c.count, 1);
    CHECK_INT(c.count ? c.entries[0].line : 0, 5871);
    check_official(config, &c, false, "changelog-processed-pr2566.json");
    check_official(config, &c, true, "changelog-processed-pr2566-trimmed.json");
    changelog_free(&c);
    config_free(config);
    free(head);
    free(base);
    str_free(&text);
    str_free(&path);
    str_free(&master);
    str_free(&runners);
}

int main(void)
{
    test_fields();
    test_rules();
    test_zero_byte();
    test_additions();
    test_bad_additions();
    test_rows();
    test_min_prefill();
    test_append_only();
    test_append_only_scope();
    test_official();
    return tap_done();
}
