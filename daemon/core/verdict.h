// SPDX-License-Identifier: GPL-2.0-or-later
// From measured facts to an outcome, by an ordered table of rules. Every rule
// is evaluated and its evidence kept; the first that does not hold names the
// outcome. Pure.
#ifndef SWEEPD_CORE_VERDICT_H
#define SWEEPD_CORE_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/outcome.h"

enum {
    VERDICT_RULES_MAX = 16,
    VERDICT_TEXT_MAX = 96,
    VERDICT_REASONS_MAX = 8,
    VERDICT_REASON_MAX = 64,
};

// Limits that judge; kept apart from what is measured, so that a new limit
// judges the stored evidence again.
struct limits {
    double error_rate_max; // share of completed requests, the limit itself passes
    double al_target;      // 0: the rule does not apply (real acceptance)
    double al_tolerance;   // of the gauge's mean
    double coverage_stall; // below this ratio a coverage failure is a stall
    int64_t requests_min;
};

struct limits limits_default(void); // 0.10, 3.39 off, 0.05, 0.85, 1

// What sweep-ingest found. NaN: not there.
struct facts {
    bool has_summary;   // a readable summary file
    bool has_requests;  // a readable request log
    bool artifacts_bad; // cut, inconsistent or not to be parsed
    char bad_detail[VERDICT_TEXT_MAX];
    bool has_engine_metrics; // server metrics with the required prefix
    int submission_valid;    // 1, 0, or -1 when the client did not stamp it
    char reasons[VERDICT_REASONS_MAX][VERDICT_REASON_MAX]; // the client's
    size_t reason_count;
    bool was_cancelled;
    double error_rate; // by the gate's formula
    int64_t requests_ok;
    int64_t requests_failed;
    double coverage_ttft, coverage_itl, coverage_required;
    double al_gauge; // mean of the gauge over the profile phase
    double al_counter;
    int exit_code; // of the replay client
};

// The few numbers that tables show; the whole summary is kept beside them.
struct metrics {
    double al;
    double total_tps_per_gpu;
    double output_tps_per_gpu;
    double output_tps_per_user; // 1 / median inter-token latency
    double ttft_p90_s;
    double cache_hit_rate;
    int64_t requests;
};

void metrics_clear(struct metrics *m); // all unknown

struct evidence {
    const char *rule; // a name of the table, static
    bool holds;
    char value[VERDICT_TEXT_MAX];
    char limit[VERDICT_TEXT_MAX];
    const char *source; // file, static
};

struct verdict {
    enum outcome outcome;
    struct evidence evidence[VERDICT_RULES_MAX];
    size_t count;
};

void verdict_judge(const struct facts *f, const struct limits *l, struct verdict *ret);

// The evidence of the rule that named the outcome, NULL for a pass.
const struct evidence *verdict_cause(const struct verdict *v);

#endif
