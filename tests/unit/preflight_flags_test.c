// SPDX-License-Identifier: GPL-2.0-or-later
// Flag lists, the reading of a command by them, golden tables, and lines of a recipe.
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

#include "base/fsio.h"
#include "base/mem.h"
#include "base/str.h"
#include "preflight/arglist.h"
#include "preflight/flags.h"
#include "preflight/golden.h"
#include "preflight/render.h"
#include "tests/unit/tap.h"

enum { CURVE_FILE_MAX = 65536, AGENTX_FLAGS = 303 };

static struct err err;

// --- flag lists ----------------------------------------------------------------------

static void test_pinned_list(void)
{
    struct flags f = {0};

    CHECK_INT(flags_load("etc/flags/agentx-harness.txt", &f, &err), 0);
    CHECK_INT(f.count, AGENTX_FLAGS);
    CHECK(flags_find(&f, "--use-chat-template") == NULL);
    CHECK_TEXT(flags_nearest(&f, "--use-chat-template"), "--apply-chat-template");
    CHECK_TEXT(flags_nearest(&f, "--warmup-request-per-lane"), "--warmup-requests-per-lane");
    CHECK(flags_nearest(&f, "--nothing-that-looks-like-a-flag") == NULL);
    const struct flag *streaming = flags_find(&f, "--streaming");

    CHECK(streaming && streaming->arity == FLAG_BOOL);
    CHECK(flags_find(&f, "-m") && flags_find(&f, "-m")->arity == FLAG_MULTI);
    CHECK(flags_find(&f, "-m") == flags_find(&f, "--model"));
    CHECK(flags_find(&f, "-z") == NULL);
    CHECK(flags_find(&f, "streaming") == NULL);
    flags_free(&f);
}

static void test_bad_lists(void)
{
    static const char *const bad[] = {
        "",          "# nothing\n", "--x\n",         "--x\tmany\n",      "--x bool\n",
        "x\tbool\n", "--\tbool\n",  "--a=b\tbool\n", "--x\tbool\n--y\n",
    };
    static const char good[] = "--b\tvalue\tnote\n\n--a\tmulti";
    struct flags f = {0};

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        CHECK_INT(flags_parse(bad[i], strlen(bad[i]), &f, &err), -EINVAL);
    CHECK_HOLDS(err.text, "line 2");
    CHECK(f.list == NULL);
    CHECK_INT(flags_parse(good, strlen(good), &f, &err), 0);
    CHECK_INT(f.count, 2);
    CHECK_TEXT(f.list[0].name, "--a");
    flags_free(&f);
    CHECK_INT(flags_load("/nonexistent", &f, &err), -ENOENT);
}

// --- commands ------------------------------------------------------------------------

static void test_args(void)
{
    static const char list[] = "--on\tbool\n--one\tvalue\n--many\tmulti\n--model\tmulti\n";
    static const char *const text[] = {
        "client", "--early", "profile", "--on",    "--one",  "1",     "lost",
        "--many", "a",       "b",       "--one=x", "-m",     "name",  "--far",
        "y",      "z",       "--one",   "-5",      "--on=1", "--one", "--on",
    };
    struct words w = {0};
    struct flags f = {0};
    struct arglist a;

    w.list = mem_array(sizeof(text) / sizeof(text[0]), sizeof(*w.list));
    for (; w.count < sizeof(text) / sizeof(text[0]); w.count++)
        w.list[w.count] = mem_strdup(text[w.count]);
    CHECK_INT(flags_parse(list, strlen(list), &f, &err), 0);
    arglist_read(&w, &f, &a);
    CHECK_INT(a.start, 3);
    CHECK_INT(a.stray, 6);
    CHECK_INT(a.count, 10);
    CHECK_INT(a.list[2].values, 2);     // --many a b
    CHECK_TEXT(a.list[3].inlined, "x"); // --one=x
    CHECK(a.list[5].flag == NULL);      // --far
    CHECK_INT(a.list[5].values, 2);     // its words are not called stray
    CHECK_TEXT(w.list[a.list[6].first], "-5");
    CHECK_TEXT(arglist_value(&a, "--model"), "name");
    CHECK(arglist_value(&a, "--one") == NULL); // the last one has none
    CHECK(arglist_have(&a, "--on") && !arglist_have(&a, "--early"));
    arglist_free(&a);
    words_free(&w);
    flags_free(&f);
}

// --- golden --------------------------------------------------------------------------

// Reads "  <n>: <value>" lines below `section` of a published table.
static double published(const char *text, const char *section, int draft)
{
    const char *at = strstr(text, section);
    char key[16];

    snprintf(key, sizeof(key), "    %d: ", draft);
    if (!at)
        return 0;
    const char *end = strstr(at + strlen(section), "thinking_");
    const char *value = strstr(at, key);

    return value && (!end || value < end) ? strtod(value + strlen(key), NULL) : 0;
}

static void test_golden(void)
{
    const char *folder = getenv("SWEEPD_TEST_DATA");

    CHECK_NEAR(golden_value(golden_find("qwen3.5"), true, 3), 3.39, 0);
    CHECK_NEAR(golden_value(golden_find("qwen3.5"), false, 3), 3.33, 0);
    CHECK(golden_find("qwen3") == NULL);
    CHECK_NEAR(golden_value(golden_find("qwen3.5"), true, 9), 0, 0);
    CHECK_NEAR(golden_value(golden_find("qwen3.5"), true, 0), 0, 0);
    CHECK_NEAR(golden_value(NULL, true, 3), 0, 0);
    for (size_t i = 0; folder && i < golden_curve_count; i++) {
        const struct golden_curve *c = &golden_curves[i];
        struct str text = {0};
        char path[512];

        snprintf(path, sizeof(path), "%s/golden_al/%s.yaml", folder, c->source);
        CHECK_INT(fs_read(path, CURVE_FILE_MAX, &text, &err), 0);
        CHECK_HOLDS(str_text(&text), c->model);
        for (int n = 1; n <= GOLDEN_DRAFT_MAX; n++) {
            CHECK_NEAR(golden_value(c, true, n), published(str_text(&text), "\n  thinking_on:", n),
                       0);
            CHECK_NEAR(golden_value(c, false, n),
                       published(str_text(&text), "\n  thinking_off:", n), 0);
        }
        str_free(&text);
    }
}

// --- lines of a recipe ------------------------------------------------------------------

static void test_render_parse(void)
{
#define SIDE "{\"argv\":[\"a\",\"b\"],\"env\":{\"X\":\"1\"}}"
#define META "{\"draft_tokens\":3,\"thinking\":\"on\",\"golden_al\":3.39,\"client_flags\":\"f\"}"
    static const char good[] =
        "{\"point\":\"p\",\"server\":" SIDE ",\"replay\":" SIDE ",\"meta\":" META "}";
    static const char *const bad[] = {
        "",
        "[]",
        "{}",
        "{\"point\":1}",
        "{\"point\":\"p\"}",
        "{\"point\":\"p\",\"point\":\"p\"}",
        "{\"point\":\"p\",\"server\":{\"argv\":[],\"env\":{}},\"replay\":" SIDE ",\"meta\":" META
        "}",
        "{\"point\":\"p\",\"server\":{\"argv\":[1],\"env\":{}},\"replay\":" SIDE ",\"meta\":" META
        "}",
        "{\"point\":\"p\",\"server\":{\"argv\":[\"a\"],\"env\":{\"X\":1}},\"replay\":" SIDE
        ",\"meta\":" META "}",
        "{\"point\":\"p\",\"server\":" SIDE ",\"replay\":" SIDE ",\"meta\":{}}",
        "{\"point\":\"p\",\"server\":" SIDE ",\"replay\":" SIDE ",\"meta\":" META "",
    };
    struct rendering *r = mem_array(1, sizeof(*r));

    render_parse(good, strlen(good), r);
    CHECK_TEXT(r->json, good);
    CHECK_TEXT(r->point, "p");
    CHECK_INT(r->server.count, 2);
    CHECK_TEXT(pairs_value(&r->replay_env, "X"), "1");
    CHECK_TEXT(r->thinking, "on");
    rendering_free(r, 1);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        r = mem_array(1, sizeof(*r));
        render_parse(bad[i], strlen(bad[i]), r);
        CHECK(r->json == NULL && r->refusal != NULL && !r->refused);
        rendering_free(r, 1);
    }
    r = mem_array(1, sizeof(*r));
    render_parse("{\"point\":\"p\",\"error\":\"no\"}", 26, r);
    CHECK(r->refused && r->json == NULL);
    CHECK_TEXT(r->refusal, "no");
    rendering_free(r, 1);
}

int main(void)
{
    test_pinned_list();
    test_bad_lists();
    test_args();
    test_golden();
    test_render_parse();
    return tap_done();
}
