// SPDX-License-Identifier: GPL-2.0-or-later
// The client's export of the server's metrics, server_metrics_export.json: sums
// over the series of the families that matter. Slices are passed over, so a
// file of several GiB needs no more memory than a small one.
#ifndef SWEEPD_INGEST_METRICS_H
#define SWEEPD_INGEST_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ingest/source.h"

enum family {
    FAMILY_PROMPT_TOKENS,
    FAMILY_GENERATION_TOKENS,
    FAMILY_CACHED_TOKENS,
    FAMILY_CACHE_HIT_RATE,
    FAMILY_TOKEN_USAGE,
    FAMILY_POOL_TOKENS,
    FAMILY_HOST_USED,
    FAMILY_HOST_TOTAL,
    FAMILY_PREFILL_COMPUTE, // realtime_tokens with mode="prefill_compute"
    FAMILY_ACCEPT_LENGTH,
    FAMILY_VERIFY_CALLS,
    FAMILY_REQUESTS,
    FAMILY_RUNNING,
    FAMILY_QUEUED,
    FAMILY_RETRACTED,
    FAMILY_ABORTED,
    FAMILIES,
};

// Over the series of a family; NaN when no series has a usable statistic. The
// lists name the statistics of a series in order of preference.
struct family_sums {
    int64_t series;
    double counter;    // sum of total | sum | max | avg
    double capacity;   // sum of max | avg | total | sum
    double highest;    // greatest of max | avg | total
    double mean;       // mean of avg | max | total
    double gauge_mean; // mean of avg alone
    double gauge_max;  // greatest of max alone
};

struct metric_source { // cached tokens by where they came from
    char name[JSON_KEY_MAX];
    double tokens;
};

struct metrics {
    bool there;       // the file is there
    bool read;        // it was read to its end; nothing below is set otherwise, save the prefixes
    int64_t families; // members of `metrics`
    bool has_sglang, has_vllm, has_dynamo, has_atom; // some family has the prefix
    struct family_sums family[FAMILIES];
    struct metric_source source[METRIC_SOURCES_MAX];
    size_t source_count;
};

void metrics_init(struct metrics *m); // everything absent
void metrics_read(struct metrics *m, struct source *s, struct findings *f);

#endif
