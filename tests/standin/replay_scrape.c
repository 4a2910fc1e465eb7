// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/standin/replay_scrape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/standin/replay_scrape_store.h"

enum { SERIES_MAX = 4096, SCRAPES_MAX = 100000 };

struct scrape *scrape_create(const char *url)
{
    struct scrape *s = mem_alloc(sizeof(*s));

    s->url = mem_strdup(url);
    return s;
}

void scrape_free(struct scrape *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->family_count; i++) {
        free(s->families[i].name);
        free(s->families[i].help);
    }
    for (size_t i = 0; i < s->series_count; i++) {
        free(s->series[i].key);
        free(s->series[i].labels);
        free(s->series[i].le);
        free(s->series[i].values);
    }
    free(s->families);
    free(s->series);
    free(s->times);
    free(s->url);
    free(s);
}

static struct family *find_family(struct scrape *s, const char *name, size_t len)
{
    for (size_t i = 0; i < s->family_count; i++)
        if (strlen(s->families[i].name) == len && strncmp(s->families[i].name, name, len) == 0)
            return &s->families[i];
    return NULL;
}

static struct family *need_family(struct scrape *s, const char *name, size_t len)
{
    struct family *f = find_family(s, name, len);

    if (f)
        return f;
    s->families = mem_room(s->families, s->family_count, &s->family_cap, sizeof(*s->families));
    f = &s->families[s->family_count++];
    *f = (struct family){.name = mem_strdup(name)};
    f->name[len] = '\0';
    return f;
}

static enum metric_kind kind_of(const char *word)
{
    static const char *const words[] = {"untyped", "gauge", "counter", "histogram", "summary"};

    for (int i = 0; i < 5; i++)
        if (strcmp(word, words[i]) == 0)
            return (enum metric_kind)i;
    return METRIC_UNKNOWN;
}

// "# TYPE name word" and "# HELP name text": the same at every scrape, so read
// for names that are new alone.
static void read_comment(struct scrape *s, const char *line)
{
    bool type = str_starts(line, "# TYPE ");

    if (!type && !str_starts(line, "# HELP "))
        return;
    const char *name = line + strlen("# TYPE ");
    size_t len = strcspn(name, " ");
    if (!len || !name[len] || s->family_count >= SERIES_MAX)
        return;
    struct family *f = need_family(s, name, len);
    if (type)
        f->kind = kind_of(name + len + 1);
    else if (!f->help)
        f->help = mem_strdup(name + len + 1);
}

static void add_label(struct series *r, struct writer *j, const char *name, size_t name_len,
                      const char *value, size_t value_len)
{
    char *n = mem_strdup(name);
    char *v = mem_strdup(value);

    n[name_len] = '\0';
    v[value_len] = '\0';
    if (strcmp(n, "le") == 0 && !r->le)
        r->le = mem_strdup(v);
    else
        writer_text(j, n, v);
    free(n);
    free(v);
}

// `a="b",c="d"}`
static void read_labels(struct series *r, const char *at)
{
    struct writer j = {0};

    writer_open(&j, NULL, '{');
    while (*at && *at != '}') {
        const char *name = at;
        size_t name_len = strcspn(at, "=");
        if (name[name_len] != '=' || name[name_len + 1] != '"')
            break;
        const char *value = name + name_len + 2;
        size_t value_len = strcspn(value, "\"");
        if (!value[value_len])
            break;
        add_label(r, &j, name, name_len, value, value_len);
        at = value + value_len + 1;
        at += *at == ',';
    }
    writer_close(&j, '}');
    r->labels = str_take(&j.out);
}

static size_t part_length(const char *name, size_t len, enum metric_part *part)
{
    static const struct {
        const char *ending;
        enum metric_part part;
    } parts[] = {{"_bucket", PART_BUCKET}, {"_sum", PART_SUM}, {"_count", PART_COUNT}};

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        size_t n = strlen(parts[i].ending);

        if (len > n && strncmp(name + len - n, parts[i].ending, n) == 0) {
            *part = parts[i].part;
            return len - n;
        }
    }
    *part = PART_VALUE;
    return len;
}

static struct series *add_series(struct scrape *s, const char *key)
{
    enum metric_part part;
    size_t len = strcspn(key, "{");
    size_t base = part_length(key, len, &part);
    struct family *f = find_family(s, key, base);

    if (s->series_count >= SERIES_MAX)
        return NULL;
    if (!f || f->kind != METRIC_HISTOGRAM) {
        part = PART_VALUE;
        f = need_family(s, key, len);
    }
    s->series = mem_room(s->series, s->series_count, &s->series_cap, sizeof(*s->series));
    struct series *r = &s->series[s->series_count++];
    *r = (struct series){.key = mem_strdup(key), .family = (size_t)(f - s->families), .part = part};
    read_labels(r, key[len] ? key + len + 1 : "");
    return r;
}

static struct series *need_series(struct scrape *s, const char *key)
{
    for (size_t tried = 0; tried < s->series_count; tried++) {
        size_t i = (s->expected + tried) % s->series_count;

        if (strcmp(s->series[i].key, key) == 0) {
            s->expected = i + 1;
            return &s->series[i];
        }
    }
    return add_series(s, key);
}

static void read_value(struct scrape *s, char *line)
{
    char *space = strrchr(line, ' ');
    char *end;

    if (!space)
        return;
    *space = '\0';
    double v = strtod(space + 1, &end);
    struct series *r = end == space + 1 ? NULL : need_series(s, line);
    if (!r)
        return;
    while (r->cap < s->count) {
        size_t old = r->cap;

        r->values = mem_room(r->values, r->cap, &r->cap, sizeof(*r->values));
        for (size_t i = old; i < r->cap; i++)
            r->values[i] = NAN;
    }
    r->values[s->count - 1] = v;
}

void scrape_add(struct scrape *s, const char *text, int64_t at_ns)
{
    char *copy = mem_strdup(text);
    char *rest = copy;
    char *line;

    if (s->count < SCRAPES_MAX) {
        s->times = mem_room(s->times, s->count, &s->times_cap, sizeof(*s->times));
        s->times[s->count++] = at_ns;
        s->expected = 0;
        while ((line = strsep(&rest, "\n"))) {
            if (line[0] == '#' && s->count == 1)
                read_comment(s, line);
            else if (line[0] && line[0] != '#')
                read_value(s, line);
        }
    }
    free(copy);
}

void scrape_mark(struct scrape *s)
{
    s->mark = s->count ? s->count - 1 : 0;
}

size_t scrape_count(const struct scrape *s)
{
    return s->count;
}

const char *scrape_url(const struct scrape *s)
{
    return s->url;
}

static double value_at(const struct series *r, size_t i)
{
    return i < r->cap ? r->values[i] : NAN;
}

double scrape_last(const struct scrape *s, const char *name)
{
    for (size_t i = 0; s->count && i < s->series_count; i++) {
        const struct series *r = &s->series[i];
        double v = value_at(r, s->count - 1);

        if (r->part == PART_VALUE && strcmp(s->families[r->family].name, name) == 0)
            return isfinite(v) ? v : 0;
    }
    return 0;
}

double scrape_increase(const struct scrape *s, const char *name)
{
    double sum = 0;

    for (size_t i = 0; s->count && i < s->series_count; i++) {
        const struct series *r = &s->series[i];
        double v = value_at(r, s->count - 1) - value_at(r, s->mark);

        if (r->part == PART_VALUE && strcmp(s->families[r->family].name, name) == 0 && v > 0)
            sum += v;
    }
    return sum;
}
