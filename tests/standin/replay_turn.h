// SPDX-License-Identifier: GPL-2.0-or-later
// One turn over HTTP: its request, the events of its answer, its end.
#ifndef STANDIN_REPLAY_TURN_H
#define STANDIN_REPLAY_TURN_H

#include "tests/standin/replay_lane.h"
#include "tests/standin/replay_net.h"

struct turn_target {
    const char *url; // of chat completions
    const char *model;
};

// Sends the lane's record in the lane's own slot.
void turn_send(struct net *n, struct lane *l, const struct turn_target *t);
void turn_line(struct lane *l, const char *line);
// Completes the record. `cancelling` says that we broke the request off at
// now_ns; otherwise a failure is the server's.
void turn_done(struct lane *l, const struct net_answer *a, bool cancelling, int64_t now_ns);

#endif
