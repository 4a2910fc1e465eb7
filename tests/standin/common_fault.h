// SPDX-License-Identifier: GPL-2.0-or-later
// Faults on request. STANDIN_FAULTS names a file of lines
//   <point or *> <fault> [number] [times=N]
// A line holds for the point in SWEEPD_POINT, and with times=N only for the
// first N attempts (SWEEPD_ATTEMPT, 1 when absent). A file that is not there is
// an empty one: a test writes it when it wants a fault. README.md lists them.
#ifndef STANDIN_COMMON_FAULT_H
#define STANDIN_COMMON_FAULT_H

#include <stdbool.h>

#include "base/err.h"

enum fault {
    // of the server
    FAULT_SERVER_CRASH_AT_START,
    FAULT_SERVER_OOM_AT_START,
    FAULT_SERVER_NEVER_READY,
    FAULT_SERVER_CRASH,
    FAULT_STALL,
    FAULT_HTTP_ERRORS,
    FAULT_WARMUP_ERROR,
    FAULT_OVERFLOW,
    FAULT_AL_OFF,
    FAULT_NO_METRICS,
    FAULT_HOST_CACHE,
    FAULT_ARGS_DRIFT,
    // of the client
    FAULT_COVERAGE,
    FAULT_REPLAY_EXIT,
    FAULT_REPLAY_CRASH,
    FAULT_TRUNCATE_ARTIFACTS,
    FAULT_NO_SUMMARY,
    FAULT_HANG,
    FAULT_COUNT
};

struct faults {
    bool on[FAULT_COUNT];
    double number[FAULT_COUNT]; // the line's number, or the fault's default
};

// Reads the environment and the file. A line that is not understood is an
// error: a fault that silently does not happen would make a test pass.
int faults_load(struct faults *ret, struct err *e) MUST_CHECK;

#endif
