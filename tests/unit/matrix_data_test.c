// SPDX-License-Identifier: GPL-2.0-or-later
// Both published master files expand to what their own generator makes of them:
// every key, and the whole, row for row.
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

#include "base/fsio.h"
#include "base/hash.h"
#include "spec/matrix.h"
#include "tests/unit/tap.h"

enum { EXPECTED_MAX = 1 << 20, LINE_PARTS = 3 };

#define OFFICIAL "qwen3.5-fp8-mi325x-sglang-agentic-mtp"

static const char data[] = "tests/unit/data/expected/";

static struct config *load_published(void)
{
    const char *root = getenv("SWEEPD_TEST_DATA");
    struct str amd = {0}, nvidia = {0}, runners = {0};
    struct config *c = NULL;
    struct err e = {0};

    if (!root)
        return NULL;
    str_addf(&amd, "%s/configs/amd-master.yaml", root);
    str_addf(&nvidia, "%s/configs/nvidia-master.yaml", root);
    str_addf(&runners, "%s/configs/runners.yaml", root);
    const char *files[] = {str_text(&amd), str_text(&nvidia)};
    if (config_load_files(files, 2, str_text(&runners), &c, &e))
        printf("# %s\n", e.text);
    str_free(&amd);
    str_free(&nvidia);
    str_free(&runners);
    return c;
}

static json_t *load_json(const char *name)
{
    struct str path = {0};
    json_error_t e;
    json_t *root;

    str_addf(&path, "%s%s", data, name);
    root = json_load_file(str_text(&path), 0, &e);
    if (!root)
        printf("# %s: %s\n", str_text(&path), e.text);
    str_free(&path);
    return root;
}

// Compares with the order of members.
static void check_same_json(const char *got, const json_t *want, const char *what)
{
    json_error_t e;
    json_t *parsed = json_loads(got, 0, &e);
    char *a = parsed ? json_dumps(parsed, JSON_COMPACT) : NULL;
    char *b = json_dumps(want, JSON_COMPACT);

    printf("# %s\n", what);
    CHECK_TEXT(a, b);
    free(a);
    free(b);
    json_decref(parsed);
}

static void hash_rows(const struct matrix *m, char hex[HASH_HEX])
{
    struct str all = {0};

    for (size_t i = 0; i < m->count; i++) {
        if (i)
            str_add_char(&all, '\n');
        matrix_row_to_json(&m->rows[i], true, &all);
    }
    hash_bytes(str_text(&all), all.len, hex);
    str_free(&all);
}

static void check_key(const struct config *c, const char *key, size_t rows, const char *sha)
{
    struct matrix_filter f = {.keys = &key, .key_count = strcmp(key, "FULL") ? 1 : 0};
    struct matrix m = {0};
    struct err e = {0};
    char hex[HASH_HEX] = "";

    if (matrix_expand(c, &f, &m, &e))
        printf("# %s\n", e.text);
    hash_rows(&m, hex);
    printf("# %s\n", key);
    CHECK_INT((int64_t)m.count, (int64_t)rows);
    CHECK_TEXT(hex, sha);
    matrix_free(&m);
}

static void test_every_key(const struct config *c)
{
    struct str text = {0}, path = {0};
    struct err e = {0};
    char *rest = NULL;
    size_t keys = 0;

    str_addf(&path, "%srows-per-key.tsv", data);
    CHECK_INT(fs_read(str_text(&path), EXPECTED_MAX, &text, &e), 0);
    for (char *line = strtok_r(text.p, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *part[LINE_PARTS] = {0}, *more = NULL;

        for (int i = 0; i < LINE_PARTS; i++)
            part[i] = strtok_r(i ? NULL : line, "\t", &more);
        if (!CHECK(part[2] != NULL))
            break;
        check_key(c, part[0], (size_t)atoi(part[1]), part[2]);
        keys++;
    }
    CHECK_INT((int64_t)keys, 209); // 56 + 152 keys and the whole
    CHECK_INT((int64_t)config_key_count(c), 208);
    str_free(&path);
    str_free(&text);
}

static void expand_to_json(const struct config *c, const char *key, struct matrix_filter f,
                           struct str *out)
{
    struct matrix m = {0};
    struct err e = {0};

    f.keys = &key;
    f.key_count = 1;
    CHECK_INT(matrix_expand(c, &f, &m, &e), 0);
    matrix_to_json(&m, out);
    matrix_free(&m);
}

static void test_files(const struct config *c)
{
    struct str got = {0};
    json_t *want = load_json("matrix-32-generator.json");

    expand_to_json(c, OFFICIAL, (struct matrix_filter){.evals = MATRIX_EVALS_NONE}, &got);
    check_same_json(str_text(&got), want, "the official 32 rows");
    json_decref(want);

    str_clear(&got);
    want = load_json("matrix-fixedseq-mi325x-mtp.json");
    expand_to_json(c, "qwen3.5-fp8-mi325x-sglang-mtp", (struct matrix_filter){0}, &got);
    check_same_json(str_text(&got), want, "a fixed-sequence range with evaluation marks");
    json_decref(want);
    str_free(&got);
}

// What the file calls a kind.
static void kind_of(const struct matrix_row *r, struct str *s)
{
    str_clear(s);
    str_addf(s, "%s node, %s, run-eval %s", r->multinode ? "multi" : "single",
             r->agentic ? "agentic-coding" : "fixed-seq-len", r->run_eval ? "True" : "False");
}

static void check_kind(const struct matrix *m, const json_t *kind)
{
    const char *name = json_string_value(json_object_get(kind, "kind"));
    const json_t *want = json_object_get(kind, "row");
    struct str s = {0}, row = {0};
    int64_t count = 0;

    for (size_t i = 0; i < m->count; i++) {
        kind_of(&m->rows[i], &s);
        if (strcmp(str_text(&s), name) != 0)
            continue;
        if (!count++)
            matrix_row_to_json(&m->rows[i], false, &row);
    }
    CHECK_INT(count, json_integer_value(json_object_get(kind, "count")));
    check_same_json(str_text(&row), want, name);
    str_free(&s);
    str_free(&row);
}

static void test_kinds(const struct config *c)
{
    struct matrix_filter f = {0};
    struct matrix m = {0};
    struct err e = {0};
    json_t *kinds = load_json("rows-by-kind.json");

    CHECK_INT(matrix_expand(c, &f, &m, &e), 0);
    CHECK_INT((int64_t)json_array_size(kinds), 6);
    for (size_t i = 0; i < json_array_size(kinds); i++)
        check_kind(&m, json_array_get(kinds, i));
    json_decref(kinds);
    matrix_free(&m);
}

int main(void)
{
    struct config *c = load_published();

    if (!CHECK(c != NULL))
        return tap_done();
    test_every_key(c);
    test_files(c);
    test_kinds(c);
    config_free(c);
    return tap_done();
}
