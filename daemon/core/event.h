// SPDX-License-Identifier: GPL-2.0-or-later
// Everything that can happen to core. A closed list: nothing else goes in.
#ifndef SWEEPD_CORE_EVENT_H
#define SWEEPD_CORE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/effect.h"
#include "core/jobstate.h"
#include "core/node.h"
#include "core/sweep.h"

enum event_kind {
    EVENT_TICK,           // time has passed
    EVENT_SWEEP_CREATED,  // sweep: ownership goes to core
    EVENT_SWEEP_RESTORED, // sweep as the database had it: ownership goes to core
    EVENT_SWEEP_CANCEL,   // ref.sweep, text: reason
    EVENT_OPEN,           // ref.sweep, ref.point, token: answers EFFECT_OPEN
    EVENT_ISSUED,         // ref, effect: an adapter has taken it
    EVENT_FAILED,         // ref, effect, failure, text: it did not work
    EVENT_COMMITTED,      // journal_id: the transaction under way is durable
    EVENT_PREPARED,       // ref
    EVENT_SUBMITTED,      // ref, job_id
    EVENT_POLLED,         // jobs, nodes, began_at: one whole look at Slurm
    EVENT_SCANNED,        // ref, scan: a look into an attempt's folder
    EVENT_REVOKED,        // ref, claim: who owns the claim now
    EVENT_CANCELLED,      // ref: Slurm took the cancel, or has no such live job
    EVENT_INGESTED,       // ref, facts, metrics, summary (ownership goes to core)
};

enum failure {
    FAILURE_DOWN,    // the peer cannot be reached: nothing happened
    FAILURE_UNCLEAR, // it may have happened
    FAILURE_LIMIT,   // back-pressure: again later
    FAILURE_REFUSED, // will not work however often
    FAILURE_OTHER,
};

enum claim { CLAIM_NONE, CLAIM_OURS_REVOKED, CLAIM_JOB };

struct scan {
    char phase[ATTEMPT_PHASE_MAX]; // "" when there is no phase file
    enum claim claim;
    uint32_t claim_job_id; // with CLAIM_JOB
    bool has_end;
    bool end_bad; // there, but cut or not ours; `end.detail` says why
    struct end_record end;
};

struct event {
    enum event_kind kind;
    int64_t now; // monotonic
    int64_t wall;
    struct ref ref;
    enum effect_kind effect;
    enum failure failure;
    const char *text;
    char token[TOKEN_HEX];
    uint32_t job_id;
    int64_t journal_id;
    int64_t began_at; // monotonic, when the poll was sent
    struct sweep *sweep;
    const struct job *jobs;
    size_t job_count;
    const struct node *nodes;
    size_t node_count;
    int foreign_pending;
    const struct scan *scan;
    enum claim claim;
    const struct facts *facts;
    const struct metrics *metrics;
    char *summary;
};

#endif
