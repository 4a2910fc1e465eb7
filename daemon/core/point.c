// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/point.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

// Names become folder names, so a word from a configuration file is reduced to
// what is harmless in a path.
enum { SPELLING_MAX = 2 * POINT_NAME_MAX };

struct out {
    char *buf;
    size_t size;
    size_t len;
};

static void put(struct out *o, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void put(struct out *o, const char *fmt, ...)
{
    va_list ap;

    if (o->len + 1 >= o->size)
        return;
    va_start(ap, fmt);
    int n = vsnprintf(o->buf + o->len, o->size - o->len, fmt, ap);
    va_end(ap);
    if (n > 0)
        o->len += (size_t)n < o->size - o->len ? (size_t)n : o->size - o->len - 1;
}

static bool ends_with_dash(const struct out *o)
{
    return o->len && o->buf[o->len - 1] == '-';
}

static void put_word(struct out *o, const char *word)
{
    for (; *word; word++) {
        char c = (char)tolower((unsigned char)*word);

        if (isalnum((unsigned char)c) || c == '.')
            put(o, "%c", c);
        else if (!ends_with_dash(o))
            put(o, "-");
    }
    while (ends_with_dash(o))
        o->buf[--o->len] = '\0';
}

int point_gpus(const struct point *p)
{
    return p->tp * p->pp * p->pcp;
}

static void put_arm(struct out *o, const struct point *p)
{
    put(o, "tp%d", p->tp);
    if (p->ep != 1)
        put(o, "ep%d", p->ep);
    if (p->pp != 1)
        put(o, "-pp%d", p->pp);
    if (p->dcp != 1)
        put(o, "-dcp%d", p->dcp);
    if (p->pcp != 1)
        put(o, "-pcp%d", p->pcp);
    if (p->dp_attn)
        put(o, "-dpa");
    if (p->isl || p->osl)
        put(o, "-%dx%d", p->isl, p->osl);
    if (p->kv_offloading[0] && strcmp(p->kv_offloading, "none") != 0) {
        put(o, "-kv");
        put_word(o, p->kv_offloading);
        if (p->kv_backend[0]) {
            put(o, "-");
            put_word(o, p->kv_backend);
        }
    }
}

void point_arm(const struct point *p, char *buf, size_t size)
{
    struct out o = {.buf = buf, .size = size};

    if (!size)
        return;
    buf[0] = '\0';
    put_arm(&o, p);
}

void point_name(const struct point *p, char *buf, size_t size)
{
    struct out o = {.buf = buf, .size = size};

    if (!size)
        return;
    buf[0] = '\0';
    put_arm(&o, p);
    put(&o, "-c%d", p->conc);
    if (p->kind == POINT_EVAL)
        put(&o, "-eval");
}

const char *point_kind_name(enum point_kind kind)
{
    return kind == POINT_EVAL ? "eval" : "throughput";
}

// --- what people write -------------------------------------------------------

// The parts of a written name, each kept as its digits so that "tp04" is tp4.
struct spelling {
    long tp, ep, conc;
    bool eval;
    char middle[SPELLING_MAX]; // everything between, each word with its '-'
};

static bool is_separator(char c)
{
    return c == '-' || c == '/' || c == '_' || isspace((unsigned char)c);
}

// Eats `word` and the digits after it; *s stays where it was if they are not there.
static bool eat_number(const char **s, const char *word, long *ret)
{
    size_t len = strlen(word);
    char *end;

    if (strncmp(*s, word, len) != 0 || !isdigit((unsigned char)(*s)[len]))
        return false;
    *ret = strtol(*s + len, &end, 10);
    *s = end;
    return true;
}

static bool at_end_of_word(const char *s)
{
    return !*s || *s == '-';
}

// A concurrency ends its word: the "c8" in "kvdram-c8foo" is none.
static bool eat_conc(const char **s, struct spelling *sp)
{
    const char *p = *s;

    if (!eat_number(&p, "concurrency", &sp->conc) && !eat_number(&p, "conc", &sp->conc) &&
        !eat_number(&p, "c", &sp->conc))
        return false;
    if (!at_end_of_word(p)) {
        sp->conc = 0;
        return false;
    }
    *s = p;
    return true;
}

static bool eat_eval(const char **s, struct spelling *sp)
{
    if (strncmp(*s, "eval", 4) != 0 || !at_end_of_word(*s + 4))
        return false;
    *s += 4;
    return sp->eval = true;
}

static bool eat_sizes(const char **s, struct spelling *sp)
{
    if (eat_number(s, "tep", &sp->tp)) {
        sp->ep = sp->tp;
        return true;
    }
    return eat_number(s, "tp", &sp->tp) || eat_number(s, "ep", &sp->ep);
}

static void eat_other(const char **s, struct spelling *sp)
{
    static const struct {
        const char *written, *name;
    } lengths[] = {{"1k1k", "1024x1024"}, {"8k1k", "8192x1024"}};
    size_t len = strcspn(*s, "-");
    struct out o = {.buf = sp->middle, .size = sizeof(sp->middle), .len = strlen(sp->middle)};

    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
        if (len == strlen(lengths[i].written) && strncmp(*s, lengths[i].written, len) == 0) {
            put(&o, "-%s", lengths[i].name);
            *s += len;
            return;
        }
    put(&o, "-%.*s", (int)len, *s);
    *s += len;
}

static void normalize(const char *written, char *buf, size_t size)
{
    size_t len = 0;

    for (; *written && len + 1 < size; written++) {
        if (!is_separator(*written))
            buf[len++] = (char)tolower((unsigned char)*written);
        else if (len && buf[len - 1] != '-')
            buf[len++] = '-';
    }
    while (len && buf[len - 1] == '-')
        len--;
    buf[len] = '\0';
}

void point_name_canonical(const char *written, char *buf, size_t size)
{
    char text[SPELLING_MAX] = "";
    struct spelling sp = {0};
    struct out o = {.buf = buf, .size = size};

    if (!size)
        return;
    buf[0] = '\0';
    normalize(written, text, sizeof(text));
    for (const char *s = text; *s;) {
        if (*s == '-')
            s++;
        else if (!eat_sizes(&s, &sp) && !eat_conc(&s, &sp) && !eat_eval(&s, &sp))
            eat_other(&s, &sp);
    }
    if (sp.tp)
        put(&o, "tp%ld", sp.tp);
    if (sp.ep && (sp.ep != 1 || !sp.tp))
        put(&o, "ep%ld", sp.ep);
    put(&o, "%s", o.len || !sp.middle[0] ? sp.middle : sp.middle + 1);
    if (sp.conc)
        put(&o, o.len ? "-c%ld" : "c%ld", sp.conc);
    if (sp.eval)
        put(&o, o.len ? "-eval" : "eval");
}
