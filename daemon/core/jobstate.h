// SPDX-License-Identifier: GPL-2.0-or-later
// What Slurm says of a job, reduced to what sweepd may conclude from it.
// Decided by base state, then flags, then exit code and signal; a reason text
// is shown to people and never acted on.
#ifndef SWEEPD_CORE_JOBSTATE_H
#define SWEEPD_CORE_JOBSTATE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/outcome.h"

enum {
    JOB_STATE_MAX = 32,
    JOB_REASON_MAX = 64,
    JOB_NODE_MAX = 256,
    JOB_TOKEN_MAX = 40,
};

enum job_flag {
    JOB_COMPLETING = 1 << 0, // its processes are still being ended
    JOB_REQUEUED = 1 << 1,   // REQUEUE, REQUEUE_HOLD, SPECIAL_EXIT: it goes back to the queue
    JOB_CONFIGURING = 1 << 2,
    JOB_RESIZING = 1 << 3,
    JOB_REVOKED = 1 << 4, // started on another cluster of a federation
    JOB_LAUNCH_FAILED = 1 << 5,
    JOB_OTHER_FLAG = 1 << 6, // a flag that changes nothing here, or an unknown one
};

struct job {
    char token[JOB_TOKEN_MAX]; // from the comment
    uint32_t job_id;
    char state[JOB_STATE_MAX]; // base state, by Slurm's name
    unsigned flags;            // enum job_flag
    int exit_code;
    int signal;
    char node[JOB_NODE_MAX];
    char reason[JOB_REASON_MAX];
    int64_t submit_time; // seconds since the epoch; 0: unknown
    int64_t start_time;
    int64_t end_time;
};

enum job_fate {
    FATE_UNKNOWN, // a state we do not know: keep what we have, warn, look again
    FATE_PENDING,
    FATE_RUNNING,
    FATE_ENDED,
};

struct job_view {
    enum job_fate fate;
    // For FATE_ENDED: what it means when the attempt left no end record.
    enum outcome outcome;
};

struct job_view job_view(const struct job *job);

// The flag of Slurm's name for it, JOB_OTHER_FLAG for names that change nothing.
unsigned job_flag_from_name(const char *name);

#endif
