// SPDX-License-Identifier: GPL-2.0-or-later
// A lane replays sessions one after the other, one request at a time. Which
// sessions is settled by its number alone, so lanes do not race for them.
#ifndef STANDIN_REPLAY_LANE_H
#define STANDIN_REPLAY_LANE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/standin/replay_record.h"
#include "tests/standin/replay_trace.h"

struct lane_plan { // the same for all lanes
    struct trace_spec spec;
    int lanes;
    int sessions; // of the corpus; used again from the beginning when they run out
};

struct lane {
    int number;
    int round; // sessions begun
    struct trace *trace;
    size_t next;          // turn
    int64_t warmups;      // requests done
    struct record record; // of the request under way
    bool complete;        // the stream ended as it should
    int64_t stamp_ns;     // of the event whose comment line was read last
};

// The turn to replay next; begins another session as needed.
const struct trace_turn *lane_peek(struct lane *l, const struct lane_plan *p);
// Fills the record with that turn, starting at start_ns, and moves on.
void lane_take(struct lane *l, const struct lane_plan *p, bool warmup, int64_t start_ns);
void lane_end_session(struct lane *l);
void lane_free(struct lane *l);

#endif
