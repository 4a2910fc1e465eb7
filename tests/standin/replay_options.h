// SPDX-License-Identifier: GPL-2.0-or-later
// What the command line asks for, and the rules that a scenario locks.
#ifndef STANDIN_REPLAY_OPTIONS_H
#define STANDIN_REPLAY_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "tests/standin/replay_flags.h"

enum { METRICS_URLS_MAX = 4, CONCURRENCY_MAX = 1024 };

struct options {          // texts point into argv
    const char *scenario; // NULL: none
    const char *url;      // without a slash at the end
    const char *endpoint;
    const char *model;
    const char *dataset;
    const char *folder; // of the artifacts
    const char *metrics[METRICS_URLS_MAX];
    int metrics_count;
    int concurrency;
    double duration_s;
    double grace_s;
    double warmup_grace_s;
    double stats_s;
    double slice_s;    // 0: none
    double failed_max; // ratio, below 0: no limit
    double start_min, start_max;
    double idle_cap_s;
    int64_t seed;
    int64_t warmup_requests; // of a lane
    int64_t dataset_entries;
    int64_t context_max; // tokens, 0: the corpus' own limit
    bool override_rules;
    bool server_metrics;
    bool broke_rules; // the scenario's, with the override
};

// -EINVAL names the flag whose value is not understood.
int options_read(const struct flags *f, struct options *ret, struct err *e) MUST_CHECK;

// All conflicts with the scenario at once: -EPERM, text for people in *e, when
// there is one and the override is not given (or does not help). Without a
// scenario there is nothing to check.
int options_check(const struct flags *f, struct options *o, struct err *e) MUST_CHECK;

#endif
