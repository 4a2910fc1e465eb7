// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/standin/common_wire.h"
#include "tests/standin/replay_sample.h"
#include "tests/standin/replay_scrape_store.h"

// A run with slices of a second for an hour fills gigabytes with them; readers
// have to skip slices anyway, and so many are enough to skip.
enum { SLICES_MAX = 60 };

static const char *const kind_names[] = {"unknown", "gauge", "counter", "histogram", "summary"};

struct span { // of scrapes: [first, last]
    size_t first;
    size_t last;
};

static double at(const struct series *r, size_t i)
{
    return i < r->cap ? r->values[i] : NAN;
}

// A counter that went back was reset: no increase.
static double increase(const struct series *r, const struct span *w)
{
    double v = at(r, w->last) - at(r, w->first);

    return v > 0 ? v : 0;
}

static double seconds(const struct scrape *s, const struct span *w)
{
    return (double)(s->times[w->last] - s->times[w->first]) / NS_PER_S;
}

static void collect(const struct series *r, const struct span *w, struct sample *ret)
{
    for (size_t i = w->first; i <= w->last; i++)
        sample_add(ret, at(r, i));
}

static void name_without_total(const struct family *f, char *buf, size_t size)
{
    size_t len = strlen(f->name);

    str_copy(buf, size, f->name);
    if (f->kind == METRIC_COUNTER && str_ends(f->name, "_total") && len < size)
        buf[len - strlen("_total")] = '\0';
}

static const struct series *sibling(const struct scrape *s, const struct series *count,
                                    enum metric_part part)
{
    for (size_t i = 0; i < s->series_count; i++) {
        const struct series *r = &s->series[i];

        if (r->family == count->family && r->part == part && strcmp(r->labels, count->labels) == 0)
            return r;
    }
    return NULL;
}

static void gauge_stats(const struct series *r, const struct span *w, struct writer *j)
{
    struct sample all = {0};

    collect(r, w, &all);
    sample_json(&all, j, false);
    sample_free(&all);
}

static void counter_stats(const struct scrape *s, const struct series *r, const struct span *w,
                          struct writer *j)
{
    double time = seconds(s, w);

    writer_double(j, "total", increase(r, w));
    writer_double(j, "rate", time > 0 ? increase(r, w) / time : 0);
}

// The bound below which a share of the observations lies, by interpolation
// within its bucket.
static double estimate(const struct scrape *s, const struct series *count, const struct span *w,
                       double share)
{
    double want = increase(count, w) * share;
    double below = 0;
    double bound = 0;

    for (size_t i = 0; i < s->series_count; i++) {
        const struct series *r = &s->series[i];

        if (r->family != count->family || r->part != PART_BUCKET ||
            strcmp(r->labels, count->labels) != 0)
            continue;
        double upper = strtod(r->le ? r->le : "0", NULL);
        double n = increase(r, w);
        if (n >= want && n > below)
            return isfinite(upper) ? bound + (upper - bound) * (want - below) / (n - below) : bound;
        below = n;
        bound = upper;
    }
    return bound;
}

static void histogram_stats(const struct scrape *s, const struct series *count,
                            const struct span *w, struct writer *j)
{
    static const int percents[] = {1, 5, 10, 25, 50, 75, 90, 95, 99};
    const struct series *sum = sibling(s, count, PART_SUM);
    double n = increase(count, w);
    double total = sum ? increase(sum, w) : 0;
    double time = seconds(s, w);
    char key[24];

    writer_double(j, "count", n);
    if (n <= 0)
        return;
    writer_double(j, "sum", total);
    writer_double(j, "avg", total / n);
    writer_double(j, "count_rate", time > 0 ? n / time : 0);
    writer_double(j, "sum_rate", time > 0 ? total / time : 0);
    for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
        snprintf(key, sizeof(key), "p%d_estimate", percents[i]);
        writer_double(j, key, estimate(s, count, w, percents[i] / 100.0));
    }
}

static void buckets(const struct scrape *s, const struct series *count, const struct span *w,
                    struct writer *j)
{
    writer_open(j, "buckets", '{');
    for (size_t i = 0; i < s->series_count; i++) {
        const struct series *r = &s->series[i];

        if (r->family == count->family && r->part == PART_BUCKET && r->le &&
            strcmp(r->labels, count->labels) == 0)
            writer_double(j, r->le, increase(r, w));
    }
    writer_close(j, '}');
}

static void slice_values(const struct scrape *s, const struct series *r, enum metric_kind kind,
                         const struct span *w, struct writer *j)
{
    struct sample all = {0};
    const struct series *sum = kind == METRIC_HISTOGRAM ? sibling(s, r, PART_SUM) : NULL;

    if (kind == METRIC_COUNTER) {
        counter_stats(s, r, w, j);
    } else if (kind == METRIC_HISTOGRAM) {
        writer_double(j, "count", increase(r, w));
        writer_double(j, "sum", sum ? increase(sum, w) : 0);
    } else {
        collect(r, w, &all);
        sample_sort(&all);
        double total = 0;
        for (size_t i = 0; i < all.count; i++)
            total += all.values[i];
        writer_double(j, "avg", all.count ? total / (double)all.count : NAN);
        writer_double(j, "min", all.count ? all.values[0] : NAN);
        writer_double(j, "max", all.count ? all.values[all.count - 1] : NAN);
        sample_free(&all);
    }
}

// Slices from one scrape to a later one, as long as was asked for or longer.
static void slices(const struct scrape *s, const struct series *r, enum metric_kind kind,
                   const struct scrape_window *w, struct writer *j)
{
    double whole = (double)(s->times[s->count - 1] - s->times[s->mark]) / NS_PER_S;
    double length = w->slice_s > whole / SLICES_MAX ? w->slice_s : whole / SLICES_MAX;
    struct span span = {s->mark, s->mark};

    writer_open(j, "timeslices", '[');
    for (span.last = span.first + 1; span.last < s->count; span.last++) {
        bool complete = seconds(s, &span) >= length;

        if (!complete && span.last + 1 < s->count)
            continue;
        writer_open(j, NULL, '{');
        writer_int(j, "start_ns", w->epoch_ns + s->times[span.first]);
        writer_int(j, "end_ns", w->epoch_ns + s->times[span.last]);
        if (!complete)
            writer_bool(j, "is_complete", false);
        slice_values(s, r, kind, &span, j);
        writer_close(j, '}');
        span.first = span.last;
    }
    writer_close(j, ']');
}

static void add_raw(struct writer *j, const char *key, const char *value)
{
    writer_open(j, key, '{');
    str_add(&j->out, value + 1); // an object as text; its own brace closes it
    j->depth--;
    j->comma = true;
}

static void one_series(const struct scrape *s, const struct series *r, enum metric_kind kind,
                       const struct scrape_window *w, struct writer *j)
{
    struct span all = {s->mark, s->count - 1};

    writer_open(j, NULL, '{');
    writer_text(j, "endpoint_url", s->url);
    add_raw(j, "labels", r->labels);
    writer_open(j, "stats", '{');
    if (kind == METRIC_COUNTER)
        counter_stats(s, r, &all, j);
    else if (kind == METRIC_HISTOGRAM)
        histogram_stats(s, r, &all, j);
    else
        gauge_stats(r, &all, j);
    writer_close(j, '}');
    if (kind == METRIC_HISTOGRAM)
        buckets(s, r, &all, j);
    if (w->slice_s > 0 && s->count > s->mark + 1)
        slices(s, r, kind, w, j);
    writer_close(j, '}');
}

static bool is_head(const struct series *r, enum metric_kind kind)
{
    return r->part == (kind == METRIC_HISTOGRAM ? PART_COUNT : PART_VALUE);
}

void scrape_json_metrics(struct scrape *s, const struct scrape_window *w, struct writer *j)
{
    char name[256];

    for (size_t f = 0; f < s->family_count; f++) {
        const struct family *family = &s->families[f];

        if (family->kind == METRIC_SUMMARY)
            continue;
        name_without_total(family, name, sizeof(name));
        writer_open(j, name, '{');
        writer_text(j, "type", kind_names[family->kind]);
        writer_text(j, "description", family->help ? family->help : "");
        writer_open(j, "series", '[');
        for (size_t i = 0; i < s->series_count; i++)
            if (s->series[i].family == f && is_head(&s->series[i], family->kind))
                one_series(s, &s->series[i], family->kind, w, j);
        writer_close(j, ']');
        writer_close(j, '}');
    }
}

void scrape_json_info(const struct scrape *s, const struct scrape_window *w, struct writer *j)
{
    struct span all = {0, s->count - 1};

    writer_open(j, s->url, '{');
    writer_int(j, "total_fetches", (int64_t)s->count);
    writer_int(j, "first_fetch_ns", w->epoch_ns + s->times[0]);
    writer_int(j, "last_fetch_ns", w->epoch_ns + s->times[s->count - 1]);
    writer_int(j, "unique_updates", (int64_t)s->count);
    writer_double(j, "duration_seconds", seconds(s, &all));
    writer_close(j, '}');
}

static void csv_labels(const struct series *r, struct str *out)
{
    for (const char *c = r->labels; *c; c++) {
        str_add_char(out, *c);
        if (*c == '"') // doubled, as the format wants it
            str_add_char(out, *c);
    }
}

static void csv_section(struct scrape *s, enum metric_kind kind, const char *head, struct str *out)
{
    struct span all = {s->mark, s->count - 1};
    char name[256];

    str_addf(out, "endpoint,type,metric,labels%s\n", head);
    for (size_t i = 0; i < s->series_count; i++) {
        const struct series *r = &s->series[i];
        const struct family *f = &s->families[r->family];
        struct sample sample = {0};

        if (f->kind != kind || !is_head(r, kind))
            continue;
        name_without_total(f, name, sizeof(name));
        str_addf(out, "%s,%s,%s,\"", s->url, kind_names[kind], name);
        csv_labels(r, out);
        str_add_char(out, '"');
        if (kind == METRIC_GAUGE || kind == METRIC_UNKNOWN) {
            collect(r, &all, &sample);
            sample_csv(&sample, out);
        } else {
            double time = seconds(s, &all);

            str_addf(out, ",%.6f,%.6f", increase(r, &all), time > 0 ? increase(r, &all) / time : 0);
        }
        str_add_char(out, '\n');
        sample_free(&sample);
    }
    str_add_char(out, '\n');
}

void scrape_csv(struct scrape *s, struct str *out)
{
    csv_section(s, METRIC_GAUGE, sample_csv_head, out);
    csv_section(s, METRIC_COUNTER, ",total,rate", out);
    csv_section(s, METRIC_HISTOGRAM, ",count,count_rate", out);
}
