// SPDX-License-Identifier: GPL-2.0-or-later
// The recorded sessions that are replayed: 393 conversations of a coding agent
// with its sub-agents, made from the seed instead of read from a corpus. Sizes
// follow what is known of the corpus: prompts of 70k to 95k tokens in the
// median and 256k at most, outputs of 330 in the median with a long tail.
#ifndef STANDIN_REPLAY_TRACE_H
#define STANDIN_REPLAY_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "tests/standin/common_wire.h"

struct trace_turn {
    char conv[WIRE_CONV_MAX]; // "trace-004", "trace-004::sa:2"
    int index;                // within the conversation
    int depth;                // 0 the agent, 1 a sub-agent
    int64_t input;            // tokens of the whole prompt
    int64_t prefix;           // of these, known from the turn before
    int64_t output;
    double think_s; // from the end of the turn before to the start of this one
};

struct trace {
    struct trace_turn *turns; // in the order of replay
    size_t count;
    size_t first; // where a replay that starts within the session begins
};

struct trace_spec {
    uint64_t seed;
    int64_t context_max; // tokens
    double think_max_s;
    double start_min, start_max; // ratio of the session, for the first of a lane
};

// The caller owns the result and gives it to trace_free.
struct trace *trace_create(const struct trace_spec *spec, int number);
void trace_free(struct trace *t);

#endif
