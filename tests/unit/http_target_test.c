// SPDX-License-Identifier: GPL-2.0-or-later
#include "http/target.h"

#include <errno.h>

#include "base/utf8.h"
#include "http/http.h"
#include "tests/unit/tap.h"

static struct target target;

static void test_paths(void)
{
    static const struct {
        const char *text;
        const char *path; // NULL: refused
    } cases[] = {
        {"/", "/"},
        {"/api/v1/sweeps", "/api/v1/sweeps"},
        {"/a%20b", "/a b"},
        {"/%41%7a", "/Az"},
        {"/caf%C3%A9", "/caf\xc3\xa9"},
        {"/a%25b", "/a%b"},
        {"/a;b=c,d:e@f!$&'()*~", "/a;b=c,d:e@f!$&'()*~"},
        {"/a+b", "/a+b"},
        {"/...", "/..."},
        {"/.hidden", "/.hidden"},
        {"//", "//"},
        {"/a/", "/a/"},
        {"/a%3Fb", "/a?b"},
        {"", NULL},
        {"*", NULL},
        {"api", NULL},
        {"http://host/api", NULL},
        {"/.", NULL},
        {"/..", NULL},
        {"/../etc/passwd", NULL},
        {"/a/../b", NULL},
        {"/a/./b", NULL},
        {"/a/%2e%2E/b", NULL},
        {"/a/.%2e", NULL},
        {"/a%2Fb", NULL},
        {"/a%2fb", NULL},
        {"/a%00b", NULL},
        {"/a%0ab", NULL},
        {"/a%7Fb", NULL},
        {"/a%", NULL},
        {"/a%4", NULL},
        {"/a%4g", NULL},
        {"/a%zz", NULL},
        {"/a b", NULL},
        {"/a\tb", NULL},
        {"/a\\b", NULL},
        {"/a#b", NULL},
        {"/a\"b", NULL},
        {"/caf\xc3\xa9", NULL},
        {"/%C3", NULL},
        {"/%C0%AF", NULL},
        {"/%ED%A0%80", NULL},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int r = target_parse(&target, cases[i].text);

        printf("# %s\n", cases[i].text);
        CHECK_INT(r, cases[i].path ? 0 : -EINVAL);
        if (cases[i].path)
            CHECK_TEXT(str_text(&target.path), cases[i].path);
    }
}

static void test_query(void)
{
    CHECK_INT(target_parse(&target, "/e?after=10&limit=5&sweep=s1%26x&flag&empty=&a+b=c+d%2B"), 0);
    CHECK_TEXT(str_text(&target.path), "/e");
    CHECK_INT(target.params, 6);
    CHECK_TEXT(target_query(&target, "after"), "10");
    CHECK_TEXT(target_query(&target, "limit"), "5");
    CHECK_TEXT(target_query(&target, "sweep"), "s1&x");
    CHECK_TEXT(target_query(&target, "flag"), "");
    CHECK_TEXT(target_query(&target, "empty"), "");
    CHECK_TEXT(target_query(&target, "a b"), "c d+");
    CHECK(target_query(&target, "10") == NULL);
    CHECK(target_query(&target, "nothing") == NULL);

    CHECK_INT(target_parse(&target, "/e?k=a=b/?c"), 0);
    CHECK_TEXT(target_query(&target, "k"), "a=b/?c");
    CHECK_INT(target_parse(&target, "/e?"), 0);
    CHECK_INT(target.params, 0);
    CHECK(target_query(&target, "after") == NULL);
}

static void test_bad_queries(void)
{
    static const char *const bad[] = {
        "/e?a=1&a=2",  "/e?a&a",        "/e?a=1&%61=2", "/e?=1",    "/e?&",        "/e?a=1&",
        "/e?a=1&&b=2", "/e?a=%",        "/e?a=%00",     "/e?%00=1", "/e?a=%C0%AF", "/e?a=\x80",
        "/e?a=1#frag", "/e?a=<script>", "/e?a=%0d%0aX", "/e?a\x01",
    };
    struct str many = {0};

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        printf("# %s\n", bad[i]);
        CHECK_INT(target_parse(&target, bad[i]), -EINVAL);
    }
    str_add(&many, "/e?p0=0");
    for (int i = 1; i < HTTP_QUERY_PARAMS_MAX; i++)
        str_addf(&many, "&p%d=%d", i, i);
    CHECK_INT(target_parse(&target, many.p), 0);
    CHECK_TEXT(target_query(&target, "p15"), "15");
    str_add(&many, "&one=more");
    CHECK_INT(target_parse(&target, many.p), -EINVAL);
    str_free(&many);
}

static void test_lengths(void)
{
    struct str text = {0};

    str_add(&text, "/");
    while (text.len < HTTP_PATH_MAX)
        str_add(&text, "x");
    CHECK_INT(target_parse(&target, text.p), 0);
    CHECK(target.path.len == HTTP_PATH_MAX);
    str_add(&text, "x");
    CHECK_INT(target_parse(&target, text.p), -E2BIG);
    str_clear(&text);
    str_add(&text, "/?q=");
    while (text.len < TARGET_MAX)
        str_add(&text, "y");
    CHECK_INT(target_parse(&target, text.p), 0);
    str_add(&text, "y");
    CHECK_INT(target_parse(&target, text.p), -E2BIG);
    // A long one leaves nothing behind for the short one after it.
    CHECK_INT(target_parse(&target, "/z"), 0);
    CHECK_TEXT(str_text(&target.path), "/z");
    CHECK(target_query(&target, "q") == NULL);
    str_free(&text);
}

// The published vectors of FNV-1a, 64 bits.
static void test_hash(void)
{
    CHECK(target_hash("", 0) == UINT64_C(0xcbf29ce484222325));
    CHECK(target_hash("a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
    CHECK(target_hash("foobar", 6) == UINT64_C(0x85944171f73967e8));
}

// The boundaries of RFC 3629 section 4.
static void test_utf8(void)
{
    static const struct {
        const char *text;
        bool valid;
    } cases[] = {
        {"\x7f", true},
        {"\x80", false},
        {"\xc1\xbf", false},
        {"\xc2\x80", true},
        {"\xdf\xbf", true},
        {"\xe0\x9f\xbf", false},
        {"\xe0\xa0\x80", true},
        {"\xed\x9f\xbf", true},
        {"\xed\xa0\x80", false},
        {"\xee\x80\x80", true},
        {"\xef\xbf\xbf", true},
        {"\xf0\x8f\xbf\xbf", false},
        {"\xf0\x90\x80\x80", true},
        {"\xf4\x8f\xbf\xbf", true},
        {"\xf4\x90\x80\x80", false},
        {"\xf5\x80\x80\x80", false},
        {"\xe2\x82", false},
        {"\xe2\x82\x41", false},
        {"\xf0\x90\x80", false},
        {"\xff", false},
    };
    char text[] = "a\xff"
                  "b\xe2\x82\xac\xe2\x82";

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        printf("# case %zu\n", i);
        CHECK(utf8_valid(cases[i].text, strlen(cases[i].text)) == cases[i].valid);
    }
    utf8_clean(text);
    CHECK_TEXT(text, "a?b\xe2\x82\xac??");
}

int main(void)
{
    test_paths();
    test_query();
    test_bad_queries();
    test_lengths();
    test_hash();
    test_utf8();
    target_free(&target);
    return tap_done();
}
