// SPDX-License-Identifier: GPL-2.0-or-later
#include "ingest/serverlog.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

enum { TAG_MAX = 48, DIGITS_MAX = 12 };

struct rank {
    char tag[TAG_MAX];
    int64_t tokens;
};

struct pool {
    struct findings *findings;
    const char *file;
    struct rank ranks[SERVER_LOG_RANKS_MAX];
    size_t rank_count;
    int64_t untagged_tokens;
    int64_t untagged_lines;
    int64_t dp_size; // the first one that the log names, -1: none yet
    int64_t line;
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

// The digits at p make a number that ends at a word's end; its length, else 0.
static size_t number_at(const char *p, int64_t *ret)
{
    size_t n = strspn(p, "0123456789");
    char digits[DIGITS_MAX + 1];

    if (n == 0 || n > DIGITS_MAX || is_word(p[n]))
        return 0;
    memcpy(digits, p, n);
    digits[n] = '\0';
    return str_to_i64(digits, 0, INT64_MAX, ret) ? 0 : n;
}

// Finds `name` followed by a number, at a word's beginning.
static bool find_setting(const char *line, const char *name, int64_t *ret)
{
    for (const char *p = line; (p = strstr(p, name)); p++) {
        if ((p == line || !is_word(p[-1])) && number_at(p + strlen(name), ret))
            return true;
    }
    return false;
}

static size_t tag_part(const char *p, const char *name, bool last)
{
    size_t n = strlen(name);
    size_t digits;

    if (strncmp(p, name, n))
        return 0;
    digits = strspn(p + n, "0123456789");
    if (!digits || (last && is_word(p[n + digits])))
        return 0;
    size_t space = strspn(p + n + digits, " \t");
    return last ? n + digits : space ? n + digits + space : 0;
}

// The tag "DP0 TP1 EP2" of a line; false when it has none.
static bool find_tag(const char *line, char tag[TAG_MAX])
{
    for (const char *p = line; (p = strstr(p, "DP")); p++) {
        size_t a, b, c;

        if (p > line && is_word(p[-1]))
            continue;
        a = tag_part(p, "DP", false);
        b = a ? tag_part(p + a, "TP", false) : 0;
        c = b ? tag_part(p + a + b, "EP", true) : 0;
        if (!c || a + b + c >= TAG_MAX)
            continue;
        memcpy(tag, p, a + b + c);
        tag[a + b + c] = '\0';
        return true;
    }
    return false;
}

static void note_rank(struct pool *p, const char *tag, int64_t tokens)
{
    for (size_t i = 0; i < p->rank_count; i++) {
        if (!strcmp(p->ranks[i].tag, tag)) {
            p->ranks[i].tokens = tokens; // the last one counts
            return;
        }
    }
    if (p->rank_count == SERVER_LOG_RANKS_MAX) {
        findings_add(p->findings, SEVERITY_WARNING, "too_many",
                     (struct place){p->file, p->line, -1}, "more than %d ranks",
                     SERVER_LOG_RANKS_MAX);
        return;
    }
    str_copy(p->ranks[p->rank_count].tag, TAG_MAX, tag);
    p->ranks[p->rank_count++].tokens = tokens;
}

static void look(struct pool *p, const char *line)
{
    char tag[TAG_MAX];
    int64_t tokens;

    if (p->dp_size < 0)
        find_setting(line, "dp_size=", &p->dp_size);
    if (!find_setting(line, "max_total_num_tokens=", &tokens) || tokens == 0)
        return;
    if (find_tag(line, tag)) {
        note_rank(p, tag, tokens);
        return;
    }
    p->untagged_tokens += tokens;
    p->untagged_lines++;
}

static int64_t result(const struct pool *p)
{
    int64_t replicas = p->dp_size > 1 ? p->dp_size : 1;
    int64_t sum = 0;

    if (p->rank_count == 1)
        return p->ranks[0].tokens * replicas;
    for (size_t i = 0; i < p->rank_count; i++)
        sum += p->ranks[i].tokens;
    if (p->rank_count)
        return sum;
    return p->untagged_lines == 1 ? p->untagged_tokens * replicas : p->untagged_tokens;
}

// --- lines -----------------------------------------------------------------

struct line {
    char text[SERVER_LOG_LINE_MAX + 1];
    size_t len;
};

static void line_end(struct pool *p, struct line *l)
{
    l->text[l->len] = '\0';
    p->line++;
    if (l->len)
        look(p, l->text);
    l->len = 0;
}

static void feed(struct pool *p, struct line *l, const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        char c = bytes[i];

        if (c == '\n' || c == '\r') {
            line_end(p, l);
        } else if (l->len == SERVER_LOG_LINE_MAX) {
            findings_add(p->findings, SEVERITY_NOTE, "line_too_long",
                         (struct place){p->file, p->line + 1, -1},
                         "a line of more than %d bytes: taken as several", SERVER_LOG_LINE_MAX);
            line_end(p, l);
            p->line--;
            i--;
        } else if (c != '\0') {
            l->text[l->len++] = c;
        }
    }
}

int64_t serverlog_pool_tokens(struct source *s, struct findings *f)
{
    enum { REPLICAS_MAX = 4096 };
    struct pool *p = mem_alloc(sizeof(*p));
    struct line *l = mem_alloc(sizeof(*l));
    const char *bytes;
    size_t n;

    p->findings = f;
    p->file = source_name(s);
    p->dp_size = -1;
    while ((n = source_read(s, &bytes)) > 0)
        feed(p, l, bytes, n);
    line_end(p, l);
    if (p->dp_size > REPLICAS_MAX)
        p->dp_size = -1;
    int64_t tokens = result(p);
    free(l);
    free(p);
    return tokens;
}
