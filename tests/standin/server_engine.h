// SPDX-License-Identifier: GPL-2.0-or-later
// The scheduler of the model server as a discrete-event simulation on virtual
// time: arrivals, prefix lookup, chunked prefill before decode, verify steps
// over the whole running batch, retraction when the KV pool is full. It knows
// no real clock and no socket; the same requests give the same answers.
#ifndef STANDIN_SERVER_ENGINE_H
#define STANDIN_SERVER_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/standin/common_wire.h"
#include "tests/standin/server_accept.h"
#include "tests/standin/server_cache.h"
#include "tests/standin/server_model.h"
#include "tests/standin/server_stats.h"

#define ENGINE_NEVER INT64_MAX

struct request {
    // Set before engine_submit, then read only.
    struct wire_turn turn;
    int64_t output; // tokens to make, at least 1
    int status;     // not 0: no work, answered with this HTTP status when it arrives
    // The engine's.
    struct request *next;
    struct cache_entry *entry;
    int64_t hit;  // tokens found in the pool when it was first admitted
    int64_t left; // tokens of the prompt still to compute
    int64_t take; // of these, in the step under way
    int64_t room; // output tokens that the pool has room for
    int64_t made; // output tokens made,
    int64_t sent; // and of these streamed
    int64_t gain; // tokens of the step under way
    int64_t verify_calls;
    int64_t admitted_ns;
    int64_t first_ns; // the first token, 0 before it
};

struct engine_config {
    struct model model;
    struct accept accept;
    int page_size;    // --page-size
    int chunk_tokens; // --chunked-prefill-size
    int max_running;  // --max-running-requests
    int stream_interval;
    int log_interval; // decode steps in an interval of the gauges
};

// Called from engine_advance and engine_cancel. The request stays valid until
// `done` has been called for it; whoever submitted it frees it.
struct engine_events {
    void *context;
    void (*chunk)(void *context, struct request *r, int64_t tokens, int64_t at_ns);
    void (*done)(void *context, struct request *r, int64_t at_ns);
};

struct engine;

struct engine *engine_create(const struct engine_config *config, const struct engine_events *ev);
void engine_free(struct engine *e); // frees no request

// The request begins at turn.start_ns, or now when that has passed.
void engine_submit(struct engine *e, struct request *r);
// The instant of the next event, ENGINE_NEVER when there is nothing to do. May
// begin a step, so that later arrivals wait for its end.
int64_t engine_next(struct engine *e);
void engine_advance(struct engine *e); // to engine_next()
void engine_cancel(struct engine *e);  // drops every request; `done` is not called

// Forgets what earlier requests left behind (pool, random draws, the gauges'
// interval), so that a replay does not depend on how often somebody probed the
// server before. Does nothing while there are requests.
void engine_renew(struct engine *e);

int64_t engine_now(const struct engine *e);
const struct stats *engine_stats(const struct engine *e);
int engine_running(const struct engine *e);
int engine_queued(const struct engine *e);
int64_t engine_used_tokens(const struct engine *e);

#endif
