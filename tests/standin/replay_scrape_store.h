// SPDX-License-Identifier: GPL-2.0-or-later
// How scrapes are kept; shared by the reader and the writer of them.
#ifndef STANDIN_REPLAY_SCRAPE_STORE_H
#define STANDIN_REPLAY_SCRAPE_STORE_H

#include "tests/standin/replay_scrape.h"

enum metric_kind { METRIC_UNKNOWN, METRIC_GAUGE, METRIC_COUNTER, METRIC_HISTOGRAM, METRIC_SUMMARY };
enum metric_part { PART_VALUE, PART_BUCKET, PART_SUM, PART_COUNT };

struct family {
    char *name; // as on the wire, without the parts' endings
    char *help;
    enum metric_kind kind;
};

struct series {
    char *key; // name and labels as on the wire
    size_t family;
    enum metric_part part;
    char *labels;   // a JSON object, without "le"
    char *le;       // of a bucket
    double *values; // one for each scrape, NAN where it was missing
    size_t cap;
};

struct scrape {
    char *url;
    struct family *families;
    size_t family_count, family_cap;
    struct series *series;
    size_t series_count, series_cap;
    size_t expected; // the series that the next line is likely to be of
    int64_t *times;
    size_t count, times_cap;
    size_t mark; // index of the reference
};

#endif
