// SPDX-License-Identifier: GPL-2.0-or-later
// The artifacts that are written when a run is over.
#ifndef STANDIN_REPLAY_EXPORT_H
#define STANDIN_REPLAY_EXPORT_H

#include "base/err.h"
#include "tests/standin/replay_run.h"

struct export_run {
    const struct options *options;
    const struct run_report *report;
    char id[40];            // benchmark_id
    const char *command;    // the command line as one text
    const char *reasons[4]; // why the result may not be submitted
    int reason_count;
    double ttft_ratio, itl_ratio; // time coverage
    bool summary;                 // false: leave the summary out (every request failed, or a fault)
};

// Each writes its files into options->folder; -errno.
int export_summary(const struct export_run *x, struct err *e) MUST_CHECK;
int export_server_metrics(const struct export_run *x, struct err *e) MUST_CHECK;
int export_inputs(const struct export_run *x, struct err *e) MUST_CHECK;

// "2026-08-12T05:20:00.123456": local wall time without an offset, as the
// client writes it. buf of at least EXPORT_TIME_MAX bytes.
enum { EXPORT_TIME_MAX = 40 };
void export_time(int64_t wall_ns, char *buf, size_t size);
int export_write(const struct export_run *x, const char *name, const struct str *text,
                 struct err *e) MUST_CHECK;

#define CLIENT_VERSION "0.14.0"

#endif
