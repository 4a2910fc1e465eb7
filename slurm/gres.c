// SPDX-License-Identifier: GPL-2.0-or-later
#include "slurm/gres.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

// Far above what a node can have; keeps a sum of entries from overflowing.
enum { GRES_COUNT_MAX = 1 << 24, GRES_NUMBER_MAX = 16 };

struct piece {
    const char *p;
    size_t len;
};

struct entry {
    struct piece name;
    struct piece type;
    struct piece count;
};

// Cuts the next entry off *text. A comma inside brackets, as in "(IDX:0,2)" or
// "[0,2]", separates nothing.
static bool next_entry(const char **text, struct piece *ret)
{
    const char *p = *text;
    int depth = 0;

    if (!*p)
        return false;
    for (; *p && (*p != ',' || depth > 0); p++) {
        if (*p == '(' || *p == '[')
            depth++;
        else if (*p == ')' || *p == ']')
            depth--;
    }
    *ret = (struct piece){*text, (size_t)(p - *text)};
    *text = *p ? p + 1 : p;
    return true;
}

// "name", "name:count", "name:type" or "name:type:count", and notes in "(…)"
// behind it. A part that begins with a digit and comes last is the count.
static struct entry split(struct piece text)
{
    struct entry e = {{"", 0}, {"", 0}, {"1", 1}};
    const char *notes = memchr(text.p, '(', text.len);
    const char *end = notes ? notes : text.p + text.len;
    const char *colon = memchr(text.p, ':', (size_t)(end - text.p));
    const char *last = end;

    e.name = (struct piece){text.p, (size_t)((colon ? colon : end) - text.p)};
    if (!colon)
        return e;
    while (last > colon && last[-1] != ':')
        last--;
    if (last < end && *last >= '0' && *last <= '9') {
        e.count = (struct piece){last, (size_t)(end - last)};
        end = last - 1;
    }
    if (end > colon)
        e.type = (struct piece){colon + 1, (size_t)(end - colon - 1)};
    return e;
}

static bool same(struct piece a, const char *b)
{
    return strlen(b) == a.len && memcmp(a.p, b, a.len) == 0;
}

static int64_t number(struct piece text)
{
    char digits[GRES_NUMBER_MAX];
    int64_t value;

    if (text.len >= sizeof(digits))
        return 0;
    memcpy(digits, text.p, text.len);
    digits[text.len] = '\0';
    return str_to_i64(digits, 0, GRES_COUNT_MAX, &value) ? 0 : value;
}

void gres_type(const char *gres, const char *name, char *ret, size_t size)
{
    const char *rest = gres ? gres : "";
    struct piece piece;

    ret[0] = '\0';
    while (next_entry(&rest, &piece)) {
        struct entry e = split(piece);

        if (!same(e.name, name))
            continue;
        snprintf(ret, size, "%.*s", (int)e.type.len, e.type.p);
        return;
    }
}

int64_t gres_count(const char *gres, const char *name, const char *type)
{
    const char *rest = gres ? gres : "";
    struct piece piece;
    int64_t sum = 0;

    while (next_entry(&rest, &piece)) {
        struct entry e = split(piece);

        if (same(e.name, name) && same(e.type, type) && sum < GRES_COUNT_MAX)
            sum += number(e.count);
    }
    return sum;
}
