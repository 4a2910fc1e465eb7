// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/standin/replay_sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

static const int percents[] = {1, 5, 10, 25, 50, 75, 90, 95, 99};
enum { PERCENTS = sizeof(percents) / sizeof(percents[0]) };

const char sample_csv_head[] = ",avg,min,max,p1,p5,p10,p25,p50,p75,p90,p95,p99,std";

struct summary {
    double avg, min, max, std, sum;
    double at[PERCENTS];
};

void sample_free(struct sample *s)
{
    free(s->values);
    *s = (struct sample){0};
}

void sample_add(struct sample *s, double v)
{
    if (!isfinite(v))
        return;
    s->values = mem_room(s->values, s->count, &s->cap, sizeof(*s->values));
    s->values[s->count++] = v;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

void sample_sort(struct sample *s)
{
    if (s->count)
        qsort(s->values, s->count, sizeof(*s->values), compare);
}

static double percentile(const struct sample *s, double p)
{
    double at = (double)(s->count - 1) * p / 100;
    size_t below = (size_t)at;

    if (below + 1 >= s->count)
        return s->values[s->count - 1];
    return s->values[below] + (s->values[below + 1] - s->values[below]) * (at - (double)below);
}

static void summarize(struct sample *s, struct summary *ret)
{
    double n = (double)s->count;
    double squares = 0;

    *ret = (struct summary){0};
    sample_sort(s);
    for (size_t i = 0; i < s->count; i++)
        ret->sum += s->values[i];
    ret->avg = ret->sum / n;
    for (size_t i = 0; i < s->count; i++)
        squares += (s->values[i] - ret->avg) * (s->values[i] - ret->avg);
    ret->std = sqrt(squares / n);
    ret->min = s->values[0];
    ret->max = s->values[s->count - 1];
    for (int i = 0; i < PERCENTS; i++)
        ret->at[i] = percentile(s, percents[i]);
}

void sample_json(struct sample *s, struct writer *j, bool sums)
{
    struct summary all;
    char key[8];

    if (!s->count)
        return;
    summarize(s, &all);
    writer_double(j, "avg", all.avg);
    for (int i = 0; i < PERCENTS; i++) {
        snprintf(key, sizeof(key), "p%d", percents[i]);
        writer_double(j, key, all.at[i]);
    }
    writer_double(j, "min", all.min);
    writer_double(j, "max", all.max);
    writer_double(j, "std", all.std);
    if (sums) {
        writer_int(j, "count", (int64_t)s->count);
        writer_double(j, "sum", all.sum);
    }
}

void sample_csv(struct sample *s, struct str *out)
{
    struct summary all;

    if (!s->count)
        return;
    summarize(s, &all);
    str_addf(out, ",%.6f,%.6f,%.6f", all.avg, all.min, all.max);
    for (int i = 0; i < PERCENTS; i++)
        str_addf(out, ",%.6f", all.at[i]);
    str_addf(out, ",%.6f", all.std);
}
