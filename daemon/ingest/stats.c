// SPDX-License-Identifier: GPL-2.0-or-later
#include "ingest/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

void series_add(struct series *s, double value)
{
    s->values = mem_room(s->values, s->count, &s->cap, sizeof(*s->values));
    s->values[s->count++] = value;
    s->sorted = false;
}

void series_free(struct series *s)
{
    free(s->values);
    *s = (struct series){0};
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double series_percentile(struct series *s, double p)
{
    if (!s->sorted)
        qsort(s->values, s->count, sizeof(*s->values), by_value);
    s->sorted = true;
    double at = (double)(s->count - 1) * (p / 100);
    size_t below = (size_t)at;

    if (below + 1 >= s->count)
        return s->values[s->count - 1];
    return s->values[below] + (at - (double)below) * (s->values[below + 1] - s->values[below]);
}

double series_mean(const struct series *s)
{
    long double sum = 0;

    for (size_t i = 0; i < s->count; i++)
        sum += (long double)s->values[i];
    return (double)(sum / (long double)s->count);
}

static double deviation(const struct series *s, double (*of)(double))
{
    long double mean = 0, squares = 0;

    if (s->count < 2)
        return 0;
    for (size_t i = 0; i < s->count; i++)
        mean += (long double)of(s->values[i]);
    mean /= (long double)s->count;
    for (size_t i = 0; i < s->count; i++) {
        long double d = (long double)of(s->values[i]) - mean;

        squares += d * d;
    }
    return (double)sqrtl(squares / (long double)s->count);
}

static double itself(double value)
{
    return value;
}

static double inverse(double value)
{
    return 1.0 / value;
}

double series_deviation(const struct series *s)
{
    return deviation(s, itself);
}

struct stats stats_of(struct series *s)
{
    struct stats r = {.count = s->count};

    if (!s->count)
        return r;
    r.mean = series_mean(s);
    r.p50 = series_percentile(s, 50);
    r.p75 = series_percentile(s, 75);
    r.p90 = series_percentile(s, 90);
    r.p95 = series_percentile(s, 95);
    r.std = series_deviation(s);
    return r;
}

struct stats stats_inverse(struct series *s)
{
    struct stats r = stats_of(s);

    if (!r.count)
        return r;
    r.mean = 1.0 / r.mean;
    r.p50 = 1.0 / r.p50;
    r.p75 = 1.0 / r.p75;
    r.p90 = 1.0 / r.p90;
    r.p95 = 1.0 / r.p95;
    r.std = deviation(s, inverse);
    return r;
}

double round5(double value)
{
    // printf rounds the exact binary value, as the definition asks for.
    enum { DIGITS_MAX = 340 };
    char text[DIGITS_MAX];

    if (!isfinite(value) || snprintf(text, sizeof(text), "%.5f", value) >= DIGITS_MAX)
        return value;
    return strtod(text, NULL);
}
