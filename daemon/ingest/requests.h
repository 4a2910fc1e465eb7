// SPDX-License-Identifier: GPL-2.0-or-later
// The request log, profile_export.jsonl: one JSON object a line. Warm-up and
// failed requests are counted; of the others a few numbers each are kept.
#ifndef SWEEPD_INGEST_REQUESTS_H
#define SWEEPD_INGEST_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ingest/source.h"
#include "ingest/stats.h"

struct error_category {
    char name[ERROR_CATEGORY_MAX * 4 + 1]; // UTF-8
    int64_t count;
};

struct requests {
    bool read;        // the file was there
    int64_t total;    // whole records, of any kind
    int64_t profiled; // successful, of the profile phase
    int64_t warmup;
    int64_t errors; // warm-up ones too
    int64_t errors_profiled;
    int64_t cancelled; // of the profile phase
    struct error_category categories[ERROR_CATEGORIES_MAX];
    size_t category_count;
    int64_t bad_lines; // lines that are no record
    // Of the profiled ones, in seconds and tokens; each holds only the
    // requests that have the value.
    struct series ttft, latency, itl, full_itl;
    struct series latency_per_token;
    struct series input, output;
    struct series ends; // unix time
    int64_t input_sum, output_sum;
    bool has_input, has_output;
    int64_t first_start_ns, last_end_ns; // 0: none
};

// Reads to the end. Findings tell of every line that is not a record.
void requests_read(struct requests *r, struct source *s, struct findings *f);
void requests_free(struct requests *r);

#endif
