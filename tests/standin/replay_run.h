// SPDX-License-Identifier: GPL-2.0-or-later
// A run against a server: warm-up, profiling, and what was seen. The server
// holds the virtual clock (see common_wire.h); nothing here sleeps or reads the
// real one to measure.
#ifndef STANDIN_REPLAY_RUN_H
#define STANDIN_REPLAY_RUN_H

#include "base/err.h"
#include "tests/standin/common_fault.h"
#include "tests/standin/replay_options.h"
#include "tests/standin/replay_results.h"
#include "tests/standin/replay_scrape.h"

enum { ENDPOINTS_MAX = METRICS_URLS_MAX + 1 };

struct run_report {
    struct results warmup;
    struct results profile;
    struct scrape *endpoints[ENDPOINTS_MAX]; // those that answered
    int endpoint_count;
    const char *configured[ENDPOINTS_MAX]; // URLs, those that did not answer too
    int configured_count;
    int64_t epoch_ns; // wall time of the virtual instant 0
    int64_t start_ns; // of the profiling phase, 0 when it was not reached
    int64_t end_ns;   // the last virtual instant seen
    bool cancelled;
    char fatal[512];       // why the run broke off; empty when it did not
    int signal;            // that ended it, 0 for none
    int64_t subagents;     // conversations of sub-agents begun while profiling
    char *default_metrics; // owned: <url>/metrics
};

struct run_setup {
    const struct options *options;
    const struct faults *faults;
    int signals;      // a descriptor that is readable once the run has to end
    int records;      // a file descriptor: profile_export.jsonl
    int64_t epoch_ns; // wall time of the start
};

// 0 when there is a report, though it may tell of failure; negative when there
// was no server to speak to. The report is given to run_report_free in both.
int run_replay(const struct run_setup *setup, struct run_report *ret, struct err *e) MUST_CHECK;
void run_report_free(struct run_report *r);

#endif
