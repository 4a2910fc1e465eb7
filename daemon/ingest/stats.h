// SPDX-License-Identifier: GPL-2.0-or-later
// Distributions over a run's requests, by the formulas of the published
// aggregate: percentiles by linear interpolation at (n - 1) p / 100 of the
// sorted values, the population's standard deviation.
#ifndef SWEEPD_INGEST_STATS_H
#define SWEEPD_INGEST_STATS_H

#include <stdbool.h>
#include <stddef.h>

struct series {
    double *values;
    size_t count;
    size_t cap;
    bool sorted;
};

void series_add(struct series *s, double value);
void series_free(struct series *s);
double series_percentile(struct series *s, double p); // sorts; count must not be 0
double series_mean(const struct series *s);           // count must not be 0
double series_deviation(const struct series *s);      // 0 for a single value

struct stats {
    size_t count; // 0: there are no values, the rest means nothing
    double mean, p50, p75, p90, p95, std;
};

struct stats stats_of(struct series *s); // sorts the series

// 1 / x of each statistic, so that the percentiles name the slow tail; std is
// that of the single 1 / value. Values must be positive.
struct stats stats_inverse(struct series *s);

// As Python's round(value, 5): the nearest decimal, halves to even.
double round5(double value);

#endif
