// SPDX-License-Identifier: GPL-2.0-or-later
// The application: turns completions of the adapters into core's events and
// core's effects into calls of the adapters. The only place where they meet.
#ifndef SWEEPD_APP_H
#define SWEEPD_APP_H

#include <stdbool.h>
#include <stdint.h>

#include "conf.h"
#include "core/core.h"
#include "http/http.h"
#include "loop.h"
#include "slurmc.h"
#include "store/store.h"
#include "worker.h"
#include "writers.h"

enum {
    APP_EVENTS_KEPT = 20000, // of the event log, for readers; older ones are in the database
    APP_WAITERS_MAX = 256,   // HTTP writes that wait for their commit
    APP_STORE_QUEUE = 4,
    APP_FILES_QUEUE = 512,
    APP_INGEST_QUEUE = 64,
    APP_PREFLIGHT_QUEUE = 8,
    APP_STOP_PATIENCE_MS = 3000, // for each worker at shutdown
};
// A database or spool that has not answered for this long is down.
#define APP_PEER_SILENCE_US INT64_C(10000000)

enum app_role {
    ROLE_STARTING, // no word from the database yet
    ROLE_STANDBY,  // another sweepd writes; we serve reads
    ROLE_ACTIVE,
};

struct app_event { // of the log, durable
    int64_t id, wall;
    char sweep[SWEEP_ID_MAX];
    char point[POINT_NAME_MAX];
    int attempt;
    char kind[ATTEMPT_WORD_MAX];
    char text[ATTEMPT_REASON_MAX];
};

struct app_waiter {   // an HTTP write whose change is not durable yet
    uint64_t request; // 0: free
    int64_t journal_id;
    int64_t sweep; // seq
    int status;
};

struct app_peer { // what health says of a dependency
    bool up;
    char detail[ERR_TEXT_MAX];
    int64_t last_ok;  // monotonic, 0: never
    int64_t asked_at; // monotonic, of the call that has not returned; 0: none
};

// Up, and not silent: a call that does not return says nothing for ever.
bool app_peer_up(const struct app_peer *p);

struct app {
    const struct conf *conf;
    struct loop *loop;
    struct core core;
    struct effects effects;
    struct store *store;
    struct worker *store_worker, *files_worker, *ingest_worker, *preflight_worker;
    struct slurmc *slurmc;
    struct http *http;
    struct writers *writers;
    enum app_role role;
    char me[96]; // "host pid 123"
    char lock_holder[256];
    int exit_code; // set before the loop is stopped
    bool stopping;

    struct app_peer database, spool;
    bool opening;    // the database is being opened or loaded
    bool pinging;    // an idle connection is being tried
    int64_t ping_at; // monotonic
    int64_t open_at; // monotonic, next try
    int open_tries;
    int64_t poll_at; // monotonic, next poll of Slurm
    int64_t spool_check_at;
    bool spool_checking;
    int64_t last_sweep_seq;
    int64_t committing_id; // last journal entry of the transaction under way

    struct app_event *events; // a ring
    size_t event_first, event_count;
    struct app_waiter waiters[APP_WAITERS_MAX];

    uint64_t *published; // per sweep: the sum of versions that its pages show
    size_t published_count;
    bool nodes_changed;
    int64_t publish_at; // monotonic, 0: nothing to publish
    int64_t health_at;

    int64_t started_wall, started_mono;
    size_t adopted;     // attempts found unfinished at start
    int64_t adopted_us; // from start until the first poll settled them
};

// Starts the adapters in order; the configuration must outlive the app.
int app_create(const struct conf *conf, struct loop *loop, struct app **ret,
               struct err *e) MUST_CHECK;
// Reverse teardown. Running jobs go on.
void app_free(struct app *a); // NULL is fine
void app_stop(struct app *a, int exit_code);

// --- shared by the app_*.c files --------------------------------------------------

struct event app_event(const struct app *a, enum event_kind kind, struct ref ref);
void app_feed(struct app *a, struct event *e); // core_update, and what follows from it
void app_fail(struct app *a, struct ref ref, enum effect_kind effect, enum failure failure,
              const char *text);

// app_store.c
void app_store_open(struct app *a);
void app_commit(struct app *a);
void app_store_ping(struct app *a); // does the database still answer, and are we the writer?
// app_files.c: true when the worker took it
bool app_prepare(struct app *a, struct ref ref);
bool app_scan(struct app *a, struct ref ref);
bool app_revoke(struct app *a, struct ref ref);
bool app_ingest(struct app *a, struct ref ref);
void app_spool_check(struct app *a);
// app_slurm.c
bool app_submit(struct app *a, struct ref ref);
bool app_cancel(struct app *a, struct ref ref);
void app_on_slurm(void *ctx, const struct slurmc_answer *answer);
void app_remember(struct app *a, const struct app_event *e);

// --- what readers and writers meet: api/ ---------------------------------------------

void api_on_request(void *ctx, const struct http_request *req); // http_on_request
// Answers the writes whose changes are durable up to this journal entry.
void api_answer_waiters(struct app *a, int64_t durable_id);
// Brings the pages in step with core: those of what changed, and health.
void api_publish(struct app *a);
void api_publish_health(struct app *a);
// Puts the dashboard's files up, if the settings name a folder. Blocks: at start only.
// Errors name the file.
int api_publish_web(struct app *a, struct err *e) MUST_CHECK;

#endif
