// SPDX-License-Identifier: GPL-2.0-or-later
#include "slurm/out.h"

#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd" // U+FFFD

// A value ends in a digit, a letter, a quote or a closing bracket, so the last
// byte written tells whether a comma is due.
static void comma(struct str *s)
{
    if (s->len && !strchr("{[:,", s->p[s->len - 1]))
        str_add_char(s, ',');
}

// Keys are our own words and need no escaping.
static void start(struct str *s, const char *key)
{
    comma(s);
    if (key) {
        str_add_char(s, '"');
        str_add(s, key);
        str_add(s, "\":");
    }
}

void out_object(struct str *s, const char *key)
{
    start(s, key);
    str_add_char(s, '{');
}

void out_array(struct str *s, const char *key)
{
    start(s, key);
    str_add_char(s, '[');
}

void out_end(struct str *s, char bracket)
{
    str_add_char(s, bracket);
}

void out_int(struct str *s, const char *key, int64_t value)
{
    start(s, key);
    str_addf(s, "%lld", (long long)value);
}

void out_bool(struct str *s, const char *key, bool value)
{
    start(s, key);
    str_add(s, value ? "true" : "false");
}

void out_ready(struct str *s, const struct str *piece)
{
    if (!piece->len)
        return;
    comma(s);
    str_add_bytes(s, piece->p, piece->len);
}

// The length of the well-formed UTF-8 sequence at p, 0 when there is none
// (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF).
static size_t sequence(const unsigned char *p, size_t left)
{
    size_t len = p[0] < 0x80                    ? 1
                 : p[0] >= 0xc2 && p[0] <= 0xdf ? 2
                 : p[0] >= 0xe0 && p[0] <= 0xef ? 3
                 : p[0] >= 0xf0 && p[0] <= 0xf4 ? 4
                                                : 0;

    if (!len || len > left)
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
        (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
        return 0;
    return len;
}

static void add_ascii(struct str *s, unsigned char c)
{
    if (c == '"' || c == '\\') {
        str_add_char(s, '\\');
        str_add_char(s, (char)c);
    } else if (c < 0x20 || c == 0x7f) {
        str_addf(s, "\\u%04x", c);
    } else {
        str_add_char(s, (char)c);
    }
}

void out_text(struct str *s, const char *key, const char *text)
{
    const unsigned char *p = (const unsigned char *)(text ? text : "");
    size_t left = strnlen((const char *)p, OUT_TEXT_MAX);

    start(s, key);
    str_add_char(s, '"');
    while (left) {
        size_t len = sequence(p, left);

        if (len == 1)
            add_ascii(s, *p);
        else if (len)
            str_add_bytes(s, p, len);
        else
            str_add(s, REPLACEMENT);
        p += len ? len : 1;
        left -= len ? len : 1;
    }
    str_add_char(s, '"');
}
