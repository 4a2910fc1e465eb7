// SPDX-License-Identifier: GPL-2.0-or-later
#include "tap.h"

#include <jansson.h>

#include "base/hash.h"
#include "slurm/out.c"

static void check_text(const char *text, const char *want)
{
    struct str s = {0};

    out_text(&s, NULL, text);
    CHECK_TEXT(str_text(&s), want);
    str_free(&s);
}

static void test_structure(void)
{
    struct str s = {0};
    struct str empty = {0};
    struct str piece = {0};

    out_int(&piece, NULL, 5);
    out_text(&piece, NULL, "ends in a comma,");
    out_object(&s, NULL);
    out_int(&s, "a", -9223372036854775807LL);
    out_array(&s, "b");
    out_ready(&s, &empty);
    out_ready(&s, &piece);
    out_object(&s, NULL);
    out_end(&s, '}');
    out_end(&s, ']');
    out_bool(&s, "c", false);
    out_text(&s, "d", NULL);
    out_object(&s, "e");
    out_end(&s, '}');
    out_end(&s, '}');
    CHECK_TEXT(str_text(&s), "{\"a\":-9223372036854775807,\"b\":[5,\"ends in a comma,\",{}],"
                             "\"c\":false,\"d\":\"\",\"e\":{}}");
    str_free(&s);
    str_free(&piece);
}

// The cases of RFC 3629 and of Unicode's table 3-7.
static void test_texts(void)
{
    check_text("plain", "\"plain\"");
    check_text("a\"b\\c/d", "\"a\\\"b\\\\c/d\"");
    check_text("\n\t\r\x01\x1f\x7f", "\"\\u000a\\u0009\\u000d\\u0001\\u001f\\u007f\"");
    check_text("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
    check_text("\xef\xbf\xbf\xf4\x8f\xbf\xbf", "\"\xef\xbf\xbf\xf4\x8f\xbf\xbf\"");
    check_text("x\x80y", "\"x" REPLACEMENT "y\"");
    check_text("\xff\xfe", "\"" REPLACEMENT REPLACEMENT "\"");
    check_text("\xc0\xaf", "\"" REPLACEMENT REPLACEMENT "\"");
    check_text("\xe0\x9f\xbf", "\"" REPLACEMENT REPLACEMENT REPLACEMENT "\"");
    check_text("\xed\xa0\x80", "\"" REPLACEMENT REPLACEMENT REPLACEMENT "\"");
    check_text("\xf4\x90\x80\x80", "\"" REPLACEMENT REPLACEMENT REPLACEMENT REPLACEMENT "\"");
    check_text("\xf5", "\"" REPLACEMENT "\"");
    check_text("cut\xe2\x82", "\"cut" REPLACEMENT REPLACEMENT "\"");
    check_text("\xc3\"", "\"" REPLACEMENT "\\\"\"");
}

// Whatever the bytes, another reader of JSON takes the line. The bytes come from
// a chain of hashes, so that a failure comes again.
static void test_any_bytes(void)
{
    char hex[HASH_HEX] = "start";
    bool good = true;

    for (int round = 0; round < 2000; round++) {
        char bytes[HASH_HEX / 2 + 1] = {0};
        struct str s = {0};

        hash_bytes(hex, strlen(hex), hex);
        for (size_t i = 0; i < sizeof(bytes) - 1; i++) {
            unsigned v;

            sscanf(hex + 2 * i, "%2x", &v);
            // Few distinct values, so that long sequences are often nearly right.
            bytes[i] = "\x01\x22\x5c\x7f\x80\x8f\x90\x9f\xa0\xbf\xc2\xe0\xed\xf0\xf4\xff"[v % 16];
        }
        out_text(&s, NULL, bytes);
        json_t *value = json_loadb(s.p, s.len, JSON_DECODE_ANY, NULL);
        good = good && value && !memchr(s.p, '\n', s.len);
        json_decref(value);
        str_free(&s);
    }
    CHECK(good);
}

static void test_long_text(void)
{
    static char text[OUT_TEXT_MAX * 2];
    struct str s = {0};

    memset(text, 'x', sizeof(text) - 1);
    text[OUT_TEXT_MAX - 1] = '\xc3';
    text[OUT_TEXT_MAX] = '\xa9';
    out_text(&s, NULL, text);
    CHECK_INT((int64_t)s.len, 1 + OUT_TEXT_MAX - 1 + (int64_t)strlen(REPLACEMENT) + 1);
    CHECK(str_ends(s.p, "x" REPLACEMENT "\""));
    str_free(&s);
}

int main(void)
{
    test_structure();
    test_texts();
    test_any_bytes();
    test_long_text();
    return tap_done();
}
