// SPDX-License-Identifier: GPL-2.0-or-later
// The state of everything, the one function that changes it and the one that
// says what is due. Pure: no clock, descriptor, log or thread; time comes in
// events. Used by one thread.
#ifndef SWEEPD_CORE_CORE_H
#define SWEEPD_CORE_CORE_H

#include "base/err.h"
#include "core/effect.h"
#include "core/event.h"
#include "core/node.h"
#include "core/sweep.h"

// What happened, for the event log. Ids rise by one, without gaps while the
// process lives, and are chosen here so that a transaction can be repeated.
struct journal_entry {
    int64_t id;
    int64_t wall;
    struct ref ref;
    char sweep[SWEEP_ID_MAX];
    char point[POINT_NAME_MAX];
    const char *kind; // static: "sweep_created", "attempt_running", ...
    char text[ATTEMPT_REASON_MAX];
};

struct journal {
    struct journal_entry *list; // not yet durable, oldest first
    size_t count, cap;
    int64_t last_id;
};

// Times in microseconds. Every wait and every number of tries is bounded here.
struct policy {
    int64_t scan_interval; // between two looks into a running attempt's folder
    int64_t end_grace;     // for an end record to appear after Slurm says ended
    int64_t retry_first;   // backoff between tries of one effect; doubles
    int64_t retry_max;
    int absent_polls;     // polls without the job before its claim is asked for
    int infra_attempts;   // attempts of a point that may fail for infra reasons
    int lost_attempts;    // that may be lost before they ran
    int confirm_attempts; // further attempts after an unclear one
    int ingest_tries;
    int other_tries; // submits that fail for a reason that is no weather
};

struct policy policy_default(void);

struct core {
    struct policy policy;
    struct sweep **sweeps; // by seq
    size_t sweep_count, sweep_cap;
    struct node *nodes;
    size_t node_count;
    int foreign_pending;
    bool polled;        // nodes are known
    int64_t poll_began; // monotonic, of the last good poll
    struct journal journal;
    bool committing;
    int64_t commit_after; // monotonic, after a failed commit
    int commit_tries;
    uint64_t ranked_for; // what rank_update() last saw
    int64_t wall;        // of the last event
    int64_t now;
};

void core_init(struct core *c, const struct policy *policy);
void core_done(struct core *c);

// Changes state; nothing else. Events about objects that are gone are ignored.
void core_update(struct core *c, struct event *e);

// Lists what is due at `now`. Changes nothing: asked twice it says the same.
// While an object has uncommitted changes nothing is listed for it but the
// commit.
void core_plan(const struct core *c, int64_t now, struct effects *ret);

struct sweep *core_sweep(const struct core *c, int64_t seq);
struct sweep_point *core_point(const struct core *c, struct ref ref);
struct attempt *core_attempt(const struct core *c, struct ref ref);
struct sweep *core_active_of_key(const struct core *c, const char *key); // NULL: none
bool core_dirty(const struct core *c);

#endif
