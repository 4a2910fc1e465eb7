// SPDX-License-Identifier: GPL-2.0-or-later
// One try of a point: a token, a job, an outcome. Pure.
#ifndef SWEEPD_CORE_ATTEMPT_H
#define SWEEPD_CORE_ATTEMPT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "core/jobstate.h"
#include "core/outcome.h"
#include "core/verdict.h"

enum {
    ATTEMPT_PHASE_MAX = 16,
    ATTEMPT_REASON_MAX = 256,
    ATTEMPT_WORD_MAX = 32,
};

enum attempt_state {
    ATTEMPT_INTENT,    // decided; no job id yet, and perhaps no job
    ATTEMPT_SUBMITTED, // Slurm gave a job id
    ATTEMPT_PENDING,   // Slurm has it in the queue
    ATTEMPT_RUNNING,
    ATTEMPT_ENDED,  // by its end record, or by Slurm's word
    ATTEMPT_JUDGED, // has an outcome
    ATTEMPT_LOST,   // never ran and never will: its claim was revoked
    ATTEMPT_STATE_COUNT
};

const char *attempt_state_name(enum attempt_state s);
enum attempt_state attempt_state_from_name(const char *name); // ATTEMPT_STATE_COUNT when unknown

// What the job's last file says.
struct end_record {
    char token[TOKEN_HEX];
    char reason[ATTEMPT_WORD_MAX]; // "done", "server_died", ...
    char phase[ATTEMPT_PHASE_MAX];
    char detail[ATTEMPT_REASON_MAX];
    int exit_code;
    int signal;
    int64_t ended_at; // seconds since the epoch
};

// How often an object changed, and how much of that the database has. The
// object is clean, and may be acted on, when both are equal.
struct versions {
    uint32_t now;
    uint32_t storing; // what the transaction under way holds; 0: none
    uint32_t stored;
};

struct attempt {
    int number; // from 1
    char token[TOKEN_HEX];
    enum attempt_state state;
    bool cancel_wanted;
    uint32_t job_id;     // 0: none known
    int64_t submit_time; // Slurm's, seconds since the epoch
    char node[JOB_NODE_MAX];
    char slurm_state[JOB_STATE_MAX];
    char slurm_reason[JOB_REASON_MAX];
    char phase[ATTEMPT_PHASE_MAX];
    char end_reason[ATTEMPT_WORD_MAX];
    int exit_code;
    int signal;
    enum outcome outcome;
    enum blame blame;
    char reason[ATTEMPT_REASON_MAX]; // for people
    struct verdict verdict;          // evidence, when judged
    struct metrics metrics;
    char *summary; // JSON of sweep-ingest, owned; NULL until judged
    // Wall time in microseconds; 0: not yet.
    int64_t intent_at, submitted_at, started_at, ended_at, judged_at;
    struct versions v;

    // Not stored: what this process is doing about it and what it waits for,
    // in monotonic time.
    unsigned issued;     // bit per enum effect_kind
    bool prepared;       // its folder and job.env are there
    bool doubtful;       // a job may exist that we have no id of
    bool claim_taken;    // the job owns the claim: it ran, or runs
    bool stray_job;      // a job outlived the attempt and is to be ended
    int64_t doubt_since; // only polls begun later count
    int absent_polls;
    int64_t gone_since; // Slurm has ended or forgotten it; the end record is awaited
    enum outcome gone_as;
    int64_t over_since; // it has its outcome, as far as this process knows
    int64_t next_try;   // of the effect that its state asks for
    int64_t next_scan;
    int64_t scan_began; // of the last look into its folder
    int tries;
    int faults; // of these, failures that were neither weather nor back-pressure
};

#endif
