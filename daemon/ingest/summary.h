// SPDX-License-Identifier: GPL-2.0-or-later
// The client's own summary, profile_export_aiperf.json.
#ifndef SWEEPD_INGEST_SUMMARY_H
#define SWEEPD_INGEST_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ingest/out.h"
#include "ingest/source.h"

// Numbers that may be absent are NaN then.
struct coverage {
    char phase[SUMMARY_TEXT_MAX];
    double expected_s, required, ttft, itl, content;
};

enum summary_metric {
    SUMMARY_REQUEST_COUNT,
    SUMMARY_ERROR_COUNT,
    SUMMARY_COMPLETED_COUNT,
    SUMMARY_OVERFLOW_COUNT,
    SUMMARY_SKIPPED_OVERFLOW_COUNT,
    SUMMARY_CACHE_HIT,
    SUMMARY_LATENCY,
    SUMMARY_TTFT,
    SUMMARY_ITL,
    SUMMARY_DURATION,
    SUMMARY_METRICS,
};

enum summary_stat { STAT_AVG, STAT_P50, STAT_P75, STAT_P90, STAT_P95, STAT_COUNT, STAT_SUM, STATS };

struct summary_block {
    bool there;         // the member is there, and not null
    bool malformed;     // it is not an object, or a statistic of it is not a number
    bool percent;       // its unit is %
    double stat[STATS]; // NaN: absent
};

struct summary {
    bool read; // the file is there and was read to its end
    char schema_version[SUMMARY_TEXT_MAX];
    char client_version[SUMMARY_TEXT_MAX];
    char benchmark_id[SUMMARY_TEXT_MAX];
    char scenario[SUMMARY_TEXT_MAX];
    char start_time[SUMMARY_TEXT_MAX]; // ISO 8601, mostly without an offset
    char end_time[SUMMARY_TEXT_MAX];
    int submission_valid; // 1, 0, -1: not stamped
    int was_cancelled;    // 1, 0, -1: not said
    char reasons[SUMMARY_REASONS_MAX][SUMMARY_TEXT_MAX];
    size_t reason_count;
    struct coverage coverage[SUMMARY_COVERAGE_MAX];
    size_t coverage_count;
    int64_t error_kinds; // entries of error_summary
    struct summary_block block[SUMMARY_METRICS];
    struct out dataset; // metadata.dataset as it stands, empty: absent
};

void summary_read(struct summary *m, struct source *s, struct findings *f);
void summary_init(struct summary *m); // everything absent
void summary_free(struct summary *m);

// The counts of the error-rate rule. A missing number of errors is zero, a
// missing number of completed requests the sum. `problem` is NULL when the
// rate could be computed.
struct error_rate {
    double ok, errors, completed, rate; // NaN: unknown
    const char *problem;                // static text
};

struct error_rate summary_error_rate(const struct summary *m);

#endif
