// SPDX-License-Identifier: GPL-2.0-or-later
// The world of one seed: true time, a cluster, a shared file system, a
// database, and sweepd's core with the adapters played. Everything happens on
// one timeline and every choice comes from the seed.
#ifndef SWEEPD_TESTS_SIM_WORLD_H
#define SWEEPD_TESTS_SIM_WORLD_H

#include <stdio.h>

#include "base/hash.h"
#include "base/str.h"
#include "core/core.h"
#include "rng.h"
#include "timeline.h"

#define SECOND INT64_C(1000000)
#define HOUR (3600 * SECOND)

enum {
    NODES_MAX = 4,
    NODE_GPUS = 8,
    POINTS_MAX = 12,
    SWEEPS_MAX = 2,
    POLL_JOBS_MAX = 256,
};

// A class of faults that can be switched off, to find which ones a failure needs.
enum fault {
    FAULT_CRASH,       // sweepd dies, between any two of its acts
    FAULT_BOOT,        // and its machine with it: the monotonic clock begins anew
    FAULT_COMMIT,      // a transaction fails
    FAULT_COMMIT_LOST, // it is durable, and the answer says that it is not
    FAULT_DATABASE,    // the database is away for a while
    FAULT_CTLD,        // slurmctld is stopped and started
    FAULT_CTLD_KILL,   // it forgets what it had not yet saved
    FAULT_UNCLEAR,     // a submit without an answer
    FAULT_LATE,        // it arrives long after the caller gave it up
    FAULT_REFUSE,      // a submit is delayed or refused
    FAULT_CALL,        // a poll or a cancel fails
    FAULT_HIDDEN,      // a new job is not listed for a while
    FAULT_ODD_STATE,   // a job in a state that nobody knows, or suspended
    FAULT_STRANGER,    // jobs of somebody else's sweepd
    FAULT_FOREIGN,     // other users' jobs
    FAULT_HAND,        // somebody cancels a job
    FAULT_REQUEUE,     // somebody requeues a job
    FAULT_JOB,         // Slurm ends a job: memory, time, preemption, boot
    FAULT_NODE,        // a node dies with what runs on it
    FAULT_SLURMD,      // a slurmd dies and its payload lives on
    FAULT_DRAIN,       // a node is drained
    FAULT_SPOOL,       // the shared file system answers with errors
    FAULT_SPOOL_SLOW,  // it answers late
    FAULT_QUEUE,       // the adapters have little room
    FAULT_CLOCK,       // the wall clock jumps
    FAULT_OPERATOR,    // a sweep is cancelled
    FAULT_RESULT,      // a payload does not end well
    FAULT_RECORD,      // an end record is cut, or missing
    FAULT_COUNT
};

const char *fault_name(enum fault f);

// What a payload comes to.
enum ending {
    END_GOOD,
    END_COVERAGE,
    END_AL_OFF,
    END_ERRORS,
    END_NO_SUMMARY,
    END_UNREADABLE, // its artifacts break the reader
    END_SERVER_DIED,
    END_SERVER_START,
    END_GPU_DIRTY,
    END_DISK,
    END_PORT,
    END_OOM,
    END_IMAGE,
    END_CONFIG,
    END_TERMINATED,
    END_TIME_LIMIT,
    END_COUNT
};

// An attempt's folder, and what truly became of the attempt.
struct folder {
    char token[TOKEN_HEX];
    struct ref ref;
    enum claim claim;
    uint32_t claim_job_id;
    const char *phase; // NULL: no file yet
    bool prepared;
    bool has_end, end_cut;
    int64_t end_at; // true time
    enum ending ending;
    int begun;                // payloads that ever began
    int running;              // payloads that run
    bool refused;             // Slurm said for certain that no job of it will run
    int sends;                // submits that are, or may become, a job
    unsigned usable;          // nodes, a bit each, when it was opened
    int since;                // attempts before its point began anew with all nodes
    int left;                 // how many of its payloads outlived what Slurm knows
    enum attempt_state known; // where core was when last looked at
};

// slurmctld's job record.
enum job_state {
    JOB_PENDING,
    JOB_RUNNING,
    JOB_COMPLETE,
    JOB_CANCELLED,
    JOB_FAILED,
    JOB_TIMEOUT,
    JOB_NODE_FAIL,
    JOB_PREEMPTED,
    JOB_BOOT_FAIL,
    JOB_DEADLINE,
    JOB_OOM,
};

struct ctld_job {
    int serial; // of ours: ids come again
    uint32_t id;
    int folder; // -1: not of this sweepd
    bool stranger;
    enum job_state state;
    unsigned flags; // enum job_flag
    int node;       // -1: none
    int gpus;
    bool exclusive, held, to_requeue;
    unsigned exclude; // bit per node
    int run;          // its batch script, -1: none
    int64_t created_at, submit_time, visible_at, odd_until, over_at;
    const char *odd;       // the state that is shown until then
    enum job_state before; // what is on slurmctld's disk until it saves
    int64_t changed_at;    // when the state became what it is
    int64_t ends_at;       // of a foreign job
};

struct ctld_node {
    bool up;   // as slurmctld sees it
    bool dead; // its slurmd does not answer
    bool drained;
    double bad; // chance that a payload fails on it
};

struct ctld {
    bool up;
    struct ctld_job *jobs;
    size_t count, cap;
    uint32_t next_id;
    int last_serial;
    bool pass_due;
    int64_t min_job_age;
    struct ctld_node nodes[NODES_MAX];
    int node_count;
};

// A batch script on a node.
enum run_step { RUN_LAUNCH, RUN_WORK, RUN_RECORD, RUN_KILL, RUN_EXIT, RUN_GONE };

struct run {
    int job; // serial
    int folder;
    int node;
    enum run_step step;
    bool payload; // runs
    bool silent;  // will leave no end record
    bool told;    // was told to end
    bool hangs;   // its work is done and it does not leave
    bool left;    // Slurm does not hold it any more
    bool unknown; // slurmctld has forgotten that it runs
    bool ended_well;
    enum ending ending;
    int phase, last_phase;
    int64_t phase_time;
    unsigned version;
};

// One request to an adapter.
enum op_kind { OP_EFFECT, OP_COMMIT, OP_POLL };

struct poll {
    struct job jobs[POLL_JOBS_MAX];
    size_t job_count;
    struct node nodes[NODES_MAX];
    int foreign_pending;
};

struct op {
    bool used;
    bool orphan; // its sweepd is dead
    bool acted;
    enum op_kind kind;
    enum effect_kind effect;
    struct ref ref;
    int folder;
    int64_t began_at; // monotonic, for core
    int64_t acted_at; // true time
    uint32_t job_id;  // to be cancelled, or submitted
    int64_t submit_time;
    unsigned exclude;
    int gpus;
    bool exclusive;
    bool ok;
    enum failure failure;
    struct scan scan;
    int64_t journal_id;
    unsigned version;
};

// sweepd: core, and the shell around it as app.c has it.
struct shell {
    bool up;
    struct core core;
    struct effects effects, again;
    bool database_up, slurm_up, polling;
    int64_t poll_at; // true time
    int64_t poll_interval;
    int files_room, ingest_room, slurm_room;
    int files, ingest, slurm; // under way
    unsigned wake;            // version of the turn that is on the timeline
    int crashes;
    int64_t scan_read_at; // true time; of the look that core is told of
};

struct ledger;   // ledger.h
struct coverage; // coverage.h

struct world {
    uint64_t seed;
    uint32_t mask; // faults that are switched off
    struct rng rng;
    double rate[FAULT_COUNT];
    struct timeline timeline;
    int64_t now;        // true time, microseconds
    int64_t wall_ahead; // of sweepd's wall clock
    int64_t booted_at;  // of sweepd's machine
    int64_t calm_at;    // no more faults
    bool calm;
    int64_t spool_until; // it is away until then
    int64_t spool_slow_until;
    int64_t database_until;
    struct policy policy;
    struct ctld ctld;
    struct folder *folders;
    size_t folder_count, folder_cap;
    struct run *runs;
    size_t run_count, run_cap;
    struct op *ops;
    size_t op_count, op_cap;
    struct poll poll; // the one poll under way
    struct shell shell;
    struct ledger *ledger;
    struct coverage *coverage; // of all seeds
    int sweep_count;
    bool submitted[SWEEPS_MAX]; // the client has seen it accepted
    double bad_recipe;          // chance that a point never works
    bool bad_point[SWEEPS_MAX][POINTS_MAX];
    uint64_t events, outlived;
    bool tracing;
    struct str trace;
    char broken[256]; // the first invariant that did not hold, "" for none
    struct ref broken_ref;
    int64_t broken_at;
};

int64_t world_mono(const struct world *w); // what sweepd's clocks show
int64_t world_wall(const struct world *w);
int64_t after(struct world *w, int64_t low, int64_t high); // a moment so long from now

// Does a fault happen now? `probability` is that of a seed with many of it.
bool fault(struct world *w, enum fault f, double probability);

struct folder *folder_open(struct world *w, struct ref ref);        // makes the token
struct folder *folder_of(const struct world *w, const char *token); // NULL: not ours
int folder_index(const struct world *w, const struct folder *f);

// An invariant does not hold. Only the first one of a seed is kept.
void broken(struct world *w, struct ref ref, const char *fmt, ...) PRINTF_LIKE(3, 4);
// A line for people. A ref with sweep 0 concerns everybody.
void trace(struct world *w, struct ref ref, const char *fmt, ...) PRINTF_LIKE(3, 4);
static const struct ref ALL = {0, -1, 0};

#endif
