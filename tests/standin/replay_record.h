// SPDX-License-Identifier: GPL-2.0-or-later
// One request as the client saw it, on virtual time.
#ifndef STANDIN_REPLAY_RECORD_H
#define STANDIN_REPLAY_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "tests/standin/replay_trace.h"

enum { RECORD_CHUNKS_MAX = 512, RECORD_ID_MAX = 40 };

struct record_error {
    int code;      // HTTP status, 499 for a cancelled request, 0: none
    char type[48]; // empty: no error
    char message[200];
};

struct record {
    int lane;
    int session; // number of the session within the run
    bool warmup;
    struct trace_turn turn;
    char request_id[RECORD_ID_MAX];
    char session_id[RECORD_ID_MAX]; // of the conversation's replay
    char root_id[RECORD_ID_MAX];    // of the session that it belongs to
    int64_t start_ns;
    int64_t end_ns;
    int64_t chunks[RECORD_CHUNKS_MAX]; // instants of the events with text
    int chunk_count;                   // of a longer stream the first ones are kept
    int64_t input, output, cached;     // tokens, as the server counted them
    bool cancelled;
    bool overflow; // the prompt was longer than the model's context
    struct record_error error;
};

bool record_is_ok(const struct record *r);
// In milliseconds, NAN when there is no such thing.
double record_latency(const struct record *r);
double record_ttft(const struct record *r);
double record_ttst(const struct record *r); // from the first event to the second
double record_itl(const struct record *r);

// A line of profile_export.jsonl with its end; epoch_ns is the wall time of
// the virtual instant 0.
void record_line(const struct record *r, int64_t epoch_ns, struct str *out);

#endif
