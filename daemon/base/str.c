// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/str.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { STR_FIRST_CAP = 64, DISTANCE_WORD_MAX = 128 };

static void reserve(struct str *s, size_t more)
{
    size_t need = s->len + more + 1;

    if (need <= s->cap)
        return;
    size_t cap = s->cap ? s->cap : STR_FIRST_CAP;
    while (cap < need)
        cap *= 2;
    s->p = mem_grow(s->p, cap, 1);
    s->cap = cap;
}

void str_free(struct str *s)
{
    free(s->p);
    *s = (struct str){0};
}

void str_clear(struct str *s)
{
    s->len = 0;
    if (s->p)
        s->p[0] = '\0';
}

void str_add_bytes(struct str *s, const void *bytes, size_t len)
{
    reserve(s, len);
    if (len)
        memcpy(s->p + s->len, bytes, len);
    s->len += len;
    s->p[s->len] = '\0';
}

void str_add(struct str *s, const char *text)
{
    str_add_bytes(s, text, strlen(text));
}

void str_add_char(struct str *s, char c)
{
    str_add_bytes(s, &c, 1);
}

void str_addf(struct str *s, const char *fmt, ...)
{
    va_list ap;
    va_list again;

    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n > 0) {
        reserve(s, (size_t)n);
        vsnprintf(s->p + s->len, (size_t)n + 1, fmt, again);
        s->len += (size_t)n;
    }
    va_end(again);
}

const char *str_text(const struct str *s)
{
    return s->p ? s->p : "";
}

char *str_take(struct str *s)
{
    char *p = s->p ? s->p : mem_strdup("");

    *s = (struct str){0};
    return p;
}

bool str_copy(char *dst, size_t size, const char *src)
{
    size_t len = strlen(src);
    bool fits = len < size;

    if (!fits)
        len = size - 1;
    memcpy(dst, src, len);
    dst[len] = '\0';
    return fits;
}

bool str_starts(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool str_ends(const char *s, const char *suffix)
{
    size_t a = strlen(s);
    size_t b = strlen(suffix);

    return a >= b && strcmp(s + a - b, suffix) == 0;
}

int str_to_i64(const char *text, int64_t min, int64_t max, int64_t *ret)
{
    const char *digits = text[0] == '-' || text[0] == '+' ? text + 1 : text;
    char *end;

    if (digits[0] < '0' || digits[0] > '9')
        return -EINVAL;
    errno = 0;
    long long v = strtoll(text, &end, 10);
    if (*end)
        return -EINVAL;
    if (errno || v < min || v > max)
        return -ERANGE;
    *ret = v;
    return 0;
}

int str_to_double(const char *text, double *ret)
{
    char *end;

    if (!text[0] || strspn(text, "+-.0123456789eE") != strlen(text))
        return -EINVAL;
    double v = strtod(text, &end);
    if (*end || end == text || !isfinite(v))
        return -EINVAL;
    *ret = v;
    return 0;
}

static int min3(int a, int b, int c)
{
    int m = a < b ? a : b;

    return m < c ? m : c;
}

int str_distance(const char *a, const char *b, int limit)
{
    size_t la = strlen(a);
    size_t lb = strlen(b);
    int row[DISTANCE_WORD_MAX + 1];

    if (la > DISTANCE_WORD_MAX || lb > DISTANCE_WORD_MAX)
        return limit + 1;
    for (size_t j = 0; j <= lb; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= la; i++) {
        int diagonal = row[0];

        row[0] = (int)i;
        for (size_t j = 1; j <= lb; j++) {
            int cost = a[i - 1] == b[j - 1] ? 0 : 1;
            int best = min3(row[j] + 1, row[j - 1] + 1, diagonal + cost);

            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[lb] <= limit ? row[lb] : limit + 1;
}
