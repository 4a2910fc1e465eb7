// SPDX-License-Identifier: GPL-2.0-or-later
#include "http/target.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"
#include "http/http.h"

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

// Bytes that may stand in a target unescaped: printable ASCII without the
// fragment sign and the characters that RFC 3986 leaves out.
static bool plain(char c)
{
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z'))
        return true;
    return c > ' ' && c < 0x7f && !strchr("#\"<>\\^`{|}", c);
}

// Takes one character, decoded, from *p. Returns -EINVAL for a broken escape or
// a control character.
static int next_char(const char **p, bool *ret_escaped, char *ret)
{
    const char *s = *p;
    int high, low;

    *ret_escaped = *s == '%';
    if (!*ret_escaped) {
        if (!plain(*s))
            return -EINVAL;
        *ret = *s;
        *p = s + 1;
        return 0;
    }
    high = hex_digit(s[1]);
    low = high < 0 ? -1 : hex_digit(s[2]);
    if (low < 0)
        return -EINVAL;
    if (high * 16 + low < ' ' || high * 16 + low == 0x7f)
        return -EINVAL;
    *ret = (char)(unsigned char)(high * 16 + low);
    *p = s + 3;
    return 0;
}

// A segment named "." or ".." would mean a folder to whoever opened the path.
static bool dot_segment(const char *segment, size_t len)
{
    return (len == 1 && segment[0] == '.') || (len == 2 && segment[0] == '.' && segment[1] == '.');
}

// One segment, up to the next '/', '?' or the terminator. Runs of plain
// characters are copied whole: this is on the way of every request.
static int parse_segment(struct target *t, const char **p)
{
    size_t start = t->path.len;
    bool escaped;
    char c;

    while (**p && **p != '/' && **p != '?') {
        size_t run = 0;

        while (plain((*p)[run]) && !strchr("/?%", (*p)[run]))
            run++;
        str_add_bytes(&t->path, *p, run);
        *p += run;
        if (run > 0)
            continue;
        if (next_char(p, &escaped, &c) < 0 || c == '/')
            return -EINVAL;
        str_add_char(&t->path, c);
    }
    return dot_segment(t->path.p + start, t->path.len - start) ? -EINVAL : 0;
}

static int parse_path(struct target *t, const char **p)
{
    if (**p != '/')
        return -EINVAL;
    while (**p == '/') {
        str_add_char(&t->path, '/');
        (*p)++;
        if (parse_segment(t, p) < 0)
            return -EINVAL;
    }
    if (t->path.len > HTTP_PATH_MAX)
        return -E2BIG;
    return utf8_valid(t->path.p, t->path.len) ? 0 : -EINVAL;
}

// One "name=value" or "name"; *p is left at its end, '&' or the terminator.
static int parse_param(struct target *t, const char **p)
{
    size_t start = t->query.len;
    size_t name_len;
    bool in_value = false;
    bool escaped;
    char c;

    while (**p && **p != '&') {
        if (next_char(p, &escaped, &c) < 0)
            return -EINVAL;
        if (!escaped && c == '=' && !in_value) {
            in_value = true;
            c = '\0';
        } else if (!escaped && c == '+') {
            c = ' ';
        }
        str_add_char(&t->query, c);
    }
    if (!in_value)
        str_add_char(&t->query, '\0');
    str_add_char(&t->query, '\0');
    name_len = strlen(t->query.p + start);
    if (name_len == 0 || !utf8_valid(t->query.p + start, t->query.len - start))
        return -EINVAL;
    return 0;
}

static const char *find_param(const struct target *t, const char *name, unsigned count)
{
    const char *p = t->query.p;

    for (unsigned i = 0; i < count; i++) {
        const char *value = p + strlen(p) + 1;

        if (strcmp(p, name) == 0)
            return value;
        p = value + strlen(value) + 1;
    }
    return NULL;
}

static int parse_query(struct target *t, const char *s)
{
    while (*s) {
        size_t start = t->query.len;

        if (t->params >= HTTP_QUERY_PARAMS_MAX || parse_param(t, &s) < 0)
            return -EINVAL;
        if (find_param(t, t->query.p + start, t->params))
            return -EINVAL;
        t->params++;
        if (*s == '&' && *++s == '\0')
            return -EINVAL;
    }
    return 0;
}

int target_parse(struct target *t, const char *text)
{
    int r;

    str_clear(&t->path);
    str_clear(&t->query);
    t->params = 0;
    if (strnlen(text, TARGET_MAX + 1) > TARGET_MAX)
        return -E2BIG;
    r = parse_path(t, &text);
    if (r < 0)
        return r;
    t->path_hash = target_hash(t->path.p, t->path.len);
    return *text == '?' ? parse_query(t, text + 1) : 0;
}

const char *target_query(const struct target *t, const char *name)
{
    return find_param(t, name, t->params);
}

void target_free(struct target *t)
{
    str_free(&t->path);
    str_free(&t->query);
    t->params = 0;
}

uint64_t target_hash(const char *bytes, size_t len)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}
