// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>

#include "base/str.h"
#include "spec/yaml.h"
#include "tests/unit/tap.h"

struct scalar_case {
    const char *written;
    enum yaml_type type;
    bool boolean;
    int64_t integer;
    double number;
};

// What python3-yaml 6.0.3 (safe_load) makes of each text as a list item.
static const struct scalar_case scalars[] = {
    {.written = "yes", .type = YAML_BOOL, .boolean = true},
    {.written = "Yes", .type = YAML_BOOL, .boolean = true},
    {.written = "YES", .type = YAML_BOOL, .boolean = true},
    {.written = "no", .type = YAML_BOOL, .boolean = false},
    {.written = "No", .type = YAML_BOOL, .boolean = false},
    {.written = "NO", .type = YAML_BOOL, .boolean = false},
    {.written = "on", .type = YAML_BOOL, .boolean = true},
    {.written = "On", .type = YAML_BOOL, .boolean = true},
    {.written = "ON", .type = YAML_BOOL, .boolean = true},
    {.written = "off", .type = YAML_BOOL, .boolean = false},
    {.written = "Off", .type = YAML_BOOL, .boolean = false},
    {.written = "OFF", .type = YAML_BOOL, .boolean = false},
    {.written = "true", .type = YAML_BOOL, .boolean = true},
    {.written = "True", .type = YAML_BOOL, .boolean = true},
    {.written = "TRUE", .type = YAML_BOOL, .boolean = true},
    {.written = "false", .type = YAML_BOOL, .boolean = false},
    {.written = "False", .type = YAML_BOOL, .boolean = false},
    {.written = "FALSE", .type = YAML_BOOL, .boolean = false},
    {.written = "y", .type = YAML_STRING},
    {.written = "n", .type = YAML_STRING},
    {.written = "Y", .type = YAML_STRING},
    {.written = "N", .type = YAML_STRING},
    {.written = "yES", .type = YAML_STRING},
    {.written = "tRUE", .type = YAML_STRING},
    {.written = "~", .type = YAML_NULL},
    {.written = "null", .type = YAML_NULL},
    {.written = "Null", .type = YAML_NULL},
    {.written = "NULL", .type = YAML_NULL},
    {.written = "nULL", .type = YAML_STRING},
    {.written = "0", .type = YAML_INT, .integer = 0},
    {.written = "1", .type = YAML_INT, .integer = 1},
    {.written = "-1", .type = YAML_INT, .integer = -1},
    {.written = "+1", .type = YAML_INT, .integer = 1},
    {.written = "42", .type = YAML_INT, .integer = 42},
    {.written = "3_091_589", .type = YAML_INT, .integer = 3091589},
    {.written = "1_000", .type = YAML_INT, .integer = 1000},
    {.written = "0_7", .type = YAML_INT, .integer = 7},
    {.written = "0_", .type = YAML_INT, .integer = 0},
    {.written = "00", .type = YAML_INT, .integer = 0},
    {.written = "07", .type = YAML_INT, .integer = 7},
    {.written = "010", .type = YAML_INT, .integer = 8},
    {.written = "0777", .type = YAML_INT, .integer = 511},
    {.written = "08", .type = YAML_STRING},
    {.written = "09", .type = YAML_STRING},
    {.written = "0o17", .type = YAML_STRING},
    {.written = "0b1010", .type = YAML_INT, .integer = 10},
    {.written = "0b1_0", .type = YAML_INT, .integer = 2},
    {.written = "-0b11", .type = YAML_INT, .integer = -3},
    {.written = "0x1F", .type = YAML_INT, .integer = 31},
    {.written = "0xdead_BEEF", .type = YAML_INT, .integer = 3735928559},
    {.written = "+0x10", .type = YAML_INT, .integer = 16},
    {.written = "-0x10", .type = YAML_INT, .integer = -16},
    {.written = "0X1F", .type = YAML_STRING},
    {.written = "0B1", .type = YAML_STRING},
    {.written = "1:30", .type = YAML_INT, .integer = 90},
    {.written = "1:30:45", .type = YAML_INT, .integer = 5445},
    {.written = "-1:30", .type = YAML_INT, .integer = -90},
    {.written = "60:00", .type = YAML_INT, .integer = 3600},
    {.written = "1:60", .type = YAML_STRING},
    {.written = "1:5", .type = YAML_INT, .integer = 65},
    {.written = "1_0:30", .type = YAML_INT, .integer = 630},
    {.written = "0:30", .type = YAML_STRING},
    {.written = "9223372036854775807", .type = YAML_INT, .integer = INT64_C(9223372036854775807)},
    {.written = "-9223372036854775807", .type = YAML_INT, .integer = -INT64_C(9223372036854775807)},
    {.written = "1__2", .type = YAML_INT, .integer = 12},
    {.written = "1_", .type = YAML_INT, .integer = 1},
    {.written = "_1", .type = YAML_STRING},
    {.written = "+_1", .type = YAML_STRING},
    {.written = "--1", .type = YAML_STRING},
    {.written = "+-1", .type = YAML_STRING},
    {.written = "1-2", .type = YAML_STRING},
    {.written = "1.5", .type = YAML_FLOAT, .number = 1.5},
    {.written = "-1.5", .type = YAML_FLOAT, .number = -1.5},
    {.written = "+1.5", .type = YAML_FLOAT, .number = 1.5},
    {.written = "1.", .type = YAML_FLOAT, .number = 1.0},
    {.written = ".5", .type = YAML_FLOAT, .number = 0.5},
    {.written = "-.5", .type = YAML_STRING},
    {.written = "0.80", .type = YAML_FLOAT, .number = 0.8},
    {.written = "0.21429", .type = YAML_FLOAT, .number = 0.21429},
    {.written = "1e3", .type = YAML_STRING},
    {.written = "1e+3", .type = YAML_STRING},
    {.written = "1.0e+3", .type = YAML_FLOAT, .number = 1000.0},
    {.written = "1.0e-3", .type = YAML_FLOAT, .number = 0.001},
    {.written = "1.5E+10", .type = YAML_FLOAT, .number = 15000000000.0},
    {.written = "1.e+5", .type = YAML_FLOAT, .number = 100000.0},
    {.written = "1.5e3", .type = YAML_STRING},
    {.written = "1_000.5", .type = YAML_FLOAT, .number = 1000.5},
    {.written = "1.5_0", .type = YAML_FLOAT, .number = 1.5},
    {.written = "._5", .type = YAML_STRING},
    {.written = ".5_0", .type = YAML_FLOAT, .number = 0.5},
    {.written = "1:30.5", .type = YAML_FLOAT, .number = 90.5},
    {.written = "-1:30.5", .type = YAML_FLOAT, .number = -90.5},
    {.written = "0:30.5", .type = YAML_FLOAT, .number = 30.5},
    {.written = "1:30.", .type = YAML_FLOAT, .number = 90.0},
    {.written = ".inf", .type = YAML_FLOAT, .number = INFINITY},
    {.written = "-.inf", .type = YAML_FLOAT, .number = -INFINITY},
    {.written = "+.inf", .type = YAML_FLOAT, .number = INFINITY},
    {.written = ".Inf", .type = YAML_FLOAT, .number = INFINITY},
    {.written = ".INF", .type = YAML_FLOAT, .number = INFINITY},
    {.written = ".iNF", .type = YAML_STRING},
    {.written = ".nan", .type = YAML_FLOAT, .number = NAN},
    {.written = ".NaN", .type = YAML_FLOAT, .number = NAN},
    {.written = ".NAN", .type = YAML_FLOAT, .number = NAN},
    {.written = "-.nan", .type = YAML_STRING},
    {.written = "1..2", .type = YAML_STRING},
    {.written = "1.2.3", .type = YAML_STRING},
    {.written = ".", .type = YAML_STRING},
    {.written = "..", .type = YAML_STRING},
    {.written = "0.5.3", .type = YAML_STRING},
    {.written = "1e400", .type = YAML_STRING},
    {.written = "1.0e+400", .type = YAML_FLOAT, .number = INFINITY},
    {.written = "2026-08-12", .type = YAML_TIME},
    {.written = "2026-8-12", .type = YAML_STRING},
    {.written = "2026-08-12T05:20:00Z", .type = YAML_TIME},
    {.written = "2026-8-1t5:20:00", .type = YAML_TIME},
    {.written = "2026-08-12T05:20:00.5+02:00", .type = YAML_TIME},
    {.written = "2026-08-12T05:20:00-2", .type = YAML_TIME},
    {.written = "2026-08-12T05:20", .type = YAML_STRING},
    {.written = "20260812", .type = YAML_INT, .integer = 20260812},
    {.written = "2026-08-12x", .type = YAML_STRING},
    {.written = "abc", .type = YAML_STRING},
    {.written = "mtp", .type = YAML_STRING},
    {.written = "13c59a3", .type = YAML_STRING},
    {.written = "v0.5.16", .type = YAML_STRING},
    {.written = "a=b", .type = YAML_STRING},
    {.written = "1a", .type = YAML_STRING},
    {.written = "0x", .type = YAML_STRING},
    {.written = "0b", .type = YAML_STRING},
    {.written = "0xg", .type = YAML_STRING},
    {.written = "0b2", .type = YAML_STRING},
    {.written = "x1", .type = YAML_STRING},
    {.written = "--", .type = YAML_STRING},
    {.written = "+", .type = YAML_STRING},
    {.written = "2026-08-12 05:20:00", .type = YAML_TIME},
    {.written = "2026-08-12 05:20:00 +01:00", .type = YAML_TIME},
    {.written = "2026-08-12  5:20:00Z", .type = YAML_TIME},
    {.written = "1 2", .type = YAML_STRING},
    {.written = "yes no", .type = YAML_STRING},
    {.written = "'yes'", .type = YAML_STRING},
    {.written = "\"1\"", .type = YAML_STRING},
    {.written = "'~'", .type = YAML_STRING},
    {.written = "\"1.5\"", .type = YAML_STRING},
    {.written = "''", .type = YAML_STRING},
};

static struct yaml_doc *parse(const char *text, struct err *e)
{
    struct yaml_doc *doc = NULL;

    *e = (struct err){0};
    if (yaml_doc_parse("f.yaml", text, strlen(text), &doc, e))
        return NULL;
    return doc;
}

static void check_scalar(const struct scalar_case *c)
{
    struct str text = {0};
    struct err e;

    str_addf(&text, "- %s\n", c->written);
    struct yaml_doc *doc = parse(str_text(&text), &e);
    str_free(&text);
    printf("# %s %s\n", c->written, e.text);
    if (!CHECK(doc != NULL))
        return;
    const struct yaml_value *v = yaml_doc_root(doc)->items[0];
    CHECK_TEXT(yaml_type_name(v->type), yaml_type_name(c->type));
    if (c->type == YAML_BOOL)
        CHECK(v->boolean == c->boolean);
    if (c->type == YAML_INT)
        CHECK_INT(v->integer, c->integer);
    if (c->type == YAML_FLOAT && !isnan(c->number))
        CHECK(v->number == c->number);
    if (c->type == YAML_FLOAT && isnan(c->number))
        CHECK(isnan(v->number));
    yaml_doc_free(doc);
}

static void test_scalars(void)
{
    for (size_t i = 0; i < sizeof(scalars) / sizeof(scalars[0]); i++)
        check_scalar(&scalars[i]);
}

static void test_tree(void)
{
    static const char text[] = "a: 1\n"
                               "b:\n"
                               "  - x\n"
                               "  - {c: \"yes\", d: yes}\n";
    struct err e;
    struct yaml_doc *doc = parse(text, &e);

    if (!CHECK(doc != NULL))
        return;
    const struct yaml_value *root = yaml_doc_root(doc), *b = yaml_value_get(root, "b");
    CHECK_INT((int64_t)root->count, 2);
    CHECK_INT(yaml_value_get(root, "a")->integer, 1);
    CHECK_INT(b->line, 3);
    CHECK_INT(b->column, 3);
    CHECK_INT((int64_t)b->count, 2);
    CHECK_TEXT(b->items[0]->text, "x");
    const struct yaml_value *c = yaml_value_get(b->items[1], "c");
    const struct yaml_value *d = yaml_value_get(b->items[1], "d");
    CHECK_INT(c->type, YAML_STRING);
    CHECK(!c->plain);
    CHECK_INT(d->type, YAML_BOOL);
    CHECK_INT(d->line, 4);
    CHECK_INT(d->column, 19);
    CHECK(yaml_value_get(root, "z") == NULL);
    CHECK(yaml_value_get(b, "c") == NULL); // not a map
    CHECK_TEXT(yaml_doc_name(doc), "f.yaml");
    yaml_doc_free(doc);
}

static void test_empty(void)
{
    static const char *const texts[] = {"", "\n\n", "# only a comment\n", "---\n", "---\n...\n"};
    struct err e;

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct yaml_doc *doc = parse(texts[i], &e);

        if (CHECK(doc != NULL))
            CHECK_INT(yaml_doc_root(doc)->type, YAML_NULL);
        yaml_doc_free(doc);
    }
    yaml_doc_free(NULL);
}

static void test_aliases(void)
{
    struct err e;
    struct yaml_doc *doc = parse("a: &x {tp: 8}\nb: *x\nc: [*x, *x]\n", &e);

    if (!CHECK(doc != NULL))
        return;
    const struct yaml_value *root = yaml_doc_root(doc);
    CHECK_INT(yaml_value_get(yaml_value_get(root, "b"), "tp")->integer, 8);
    CHECK(yaml_value_equal(yaml_value_get(root, "a"), yaml_value_get(root, "b")));
    CHECK_INT((int64_t)yaml_value_get(root, "c")->count, 2);
    yaml_doc_free(doc);
}

// Merged keys give way to the map's own and to earlier maps of a list.
static void test_merge(void)
{
    static const char text[] = "x: &x {a: 1, b: 1}\n"
                               "y: &y {b: 2, c: 2}\n"
                               "m: {b: 3, <<: *x}\n"
                               "n: {<<: [*x, *y], d: 4}\n"
                               "o: {\"<<\": 5}\n";
    struct err e;
    struct yaml_doc *doc = parse(text, &e);

    if (!CHECK(doc != NULL))
        return;
    const struct yaml_value *m = yaml_value_get(yaml_doc_root(doc), "m");
    const struct yaml_value *n = yaml_value_get(yaml_doc_root(doc), "n");
    CHECK_INT(yaml_value_get(m, "a")->integer, 1);
    CHECK_INT(yaml_value_get(m, "b")->integer, 3);
    CHECK_INT((int64_t)m->count, 2);
    CHECK_INT(yaml_value_get(n, "b")->integer, 1);
    CHECK_INT(yaml_value_get(n, "c")->integer, 2);
    CHECK_INT((int64_t)n->count, 4);
    CHECK_INT(yaml_value_get(yaml_value_get(yaml_doc_root(doc), "o"), "<<")->integer, 5);
    yaml_doc_free(doc);
}

static void test_equal(void)
{
    static const struct {
        const char *a, *b;
        bool equal;
    } cases[] = {
        {"{a: 1, b: [x, 2.0]}", "{b: [x, 2], a: 0x1}", true},
        {"{a: 1}", "{a: 1, b: 2}", false},
        {"{a: 1, c: 2}", "{a: 1, b: 2}", false},
        {"[1, 2]", "[2, 1]", false},
        {"'1'", "1", false},
        {"yes", "on", true},
        {"yes", "no", false},
        {"~", "null", true},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct err e;
        struct yaml_doc *a = parse(cases[i].a, &e), *b = parse(cases[i].b, &e);

        printf("# %s %s\n", cases[i].a, cases[i].b);
        if (CHECK(a && b))
            CHECK(yaml_value_equal(yaml_doc_root(a), yaml_doc_root(b)) == cases[i].equal);
        yaml_doc_free(a);
        yaml_doc_free(b);
    }
}

static void test_errors(void)
{
    static const struct {
        const char *text, *place, *words;
    } cases[] = {
        {"a: 1\nb: 2\na: 3\n", "f.yaml:3:1: ", "twice, first in line 1"},
        {"1: x\n0x1: y\n", "f.yaml:2:1: ", "twice"},
        {"a: [1, 2\nb: 3\n", "f.yaml:2:", "line 1"},
        {"a: b: c\n", "f.yaml:1:5: ", "mapping values"},
        {"a:\n\t- 1\n", "f.yaml:2:1: ", "token"},
        {"a: \"open\n", "f.yaml:2:1: ", "end of stream"},
        {"a: *none\n", "f.yaml:1:4: ", "no anchor before it"},
        {"a: &x [1, *x]\n", "f.yaml:1:11: ", "inside its own anchor"},
        {"a: &x 1\nb: &x 2\n", "f.yaml:2:4: ", "set twice"},
        {"? [1]\n: 2\n", "f.yaml:1:3: ", "single value"},
        {"a: !foo 1\n", "f.yaml:1:4: ", "tag"},
        {"a: !!int x\n", "f.yaml:1:4: ", "does not fit its tag"},
        {"a: !!set {x}\n", "f.yaml:1:4: ", "tag"},
        {"a: 9223372036854775808\n", "f.yaml:1:4: ", "64 bits"},
        {"a: 0b_\n", "f.yaml:1:4: ", "not usable"},
        {"a: =\n", "f.yaml:1:4: ", "quotes"},
        {"a: 1\n---\nb: 2\n", "f.yaml:2:1: ", "second document"},
        {"a: {<<: 1}\n", "f.yaml:1:5: ", "merged"},
        {"a: \"\\0\"\n", "f.yaml:1:4: ", "zero byte"},
        {"a: 1\nb: \xff\n", "f.yaml:2:4: ", "UTF-8"},
        {"a: \xc3\n", "f.yaml:1:5: ", "UTF-8"},
        {"a: \xed\xa0\x80\n", "f.yaml:1:4: ", ""}, // a surrogate
        {"a: \x01\n", "f.yaml:1:4: ", "control"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct err e;
        struct yaml_doc *doc = parse(cases[i].text, &e);

        printf("# %s", cases[i].text);
        CHECK(doc == NULL);
        CHECK(str_starts(e.text, cases[i].place));
        CHECK_HOLDS(e.text, cases[i].words);
        printf("# %s\n", e.text);
        yaml_doc_free(doc);
    }
}

static void test_tags(void)
{
    struct err e;
    struct yaml_doc *doc = parse("[!!str 1, !!int 7, ! yes, !!float 1.5, !!map {}, !!seq []]", &e);

    if (!CHECK(doc != NULL))
        return;
    const struct yaml_value *v = yaml_doc_root(doc);
    CHECK_INT(v->items[0]->type, YAML_STRING);
    CHECK_INT(v->items[1]->integer, 7);
    CHECK_INT(v->items[2]->type, YAML_STRING);
    CHECK_INT(v->items[3]->type, YAML_FLOAT);
    yaml_doc_free(doc);
}

static void repeat(struct str *s, const char *text, int n)
{
    for (int i = 0; i < n; i++)
        str_add(s, text);
}

static int parse_code(const struct str *s, struct err *e)
{
    struct yaml_doc *doc = NULL;
    int rc = yaml_doc_parse("f.yaml", str_text(s), s->len, &doc, e);

    yaml_doc_free(doc);
    return rc;
}

// Each level doubles or more what the one before stands for.
static void add_bomb(struct str *s, int levels, int width)
{
    str_add(s, "a0: &a0 [x]\n");
    for (int i = 1; i <= levels; i++) {
        str_addf(s, "a%d: &a%d [", i, i);
        for (int j = 0; j < width; j++)
            str_addf(s, "%s*a%d", j ? ", " : "", i - 1);
        str_add(s, "]\n");
    }
}

static void test_limits(void)
{
    struct str s = {0};
    struct err e = {0};

    repeat(&s, "[", YAML_DEPTH_MAX);
    repeat(&s, "]", YAML_DEPTH_MAX);
    CHECK_INT(parse_code(&s, &e), 0);
    str_clear(&s);
    repeat(&s, "[", YAML_DEPTH_MAX + 1);
    repeat(&s, "]", YAML_DEPTH_MAX + 1);
    CHECK_INT(parse_code(&s, &e), -E2BIG);
    CHECK_HOLDS(e.text, "f.yaml:1:65: nested more than 64");

    str_clear(&s);
    repeat(&s, "[", 200000); // more than the library's own stack would bear
    CHECK(parse_code(&s, &e) < 0);

    str_clear(&s);
    add_bomb(&s, 3, 9);
    CHECK_INT(parse_code(&s, &e), 0);
    str_clear(&s);
    add_bomb(&s, 20, 9); // 9^20 values in 1.2 kB
    CHECK_INT(parse_code(&s, &e), -E2BIG);
    CHECK_HOLDS(e.text, "aliases included");

    str_clear(&s);
    for (int i = 0; i <= YAML_ANCHORS_MAX; i++)
        str_addf(&s, "- &n%d x\n", i);
    CHECK_INT(parse_code(&s, &e), -E2BIG);
    CHECK_HOLDS(e.text, "f.yaml:1001:");

    str_clear(&s);
    repeat(&s, "#\n", YAML_BYTES_MAX / 2 + 1);
    CHECK_INT(parse_code(&s, &e), -E2BIG);
    str_free(&s);
}

int main(void)
{
    test_scalars();
    test_tree();
    test_empty();
    test_aliases();
    test_merge();
    test_equal();
    test_errors();
    test_tags();
    test_limits();
    return tap_done();
}
