// SPDX-License-Identifier: GPL-2.0-or-later
// Exchanges that are nobody's request: the server's clock, and scrapes made
// while it stands still. They share one slot.
#ifndef STANDIN_REPLAY_CONTROL_H
#define STANDIN_REPLAY_CONTROL_H

#include "tests/standin/replay_net.h"

enum { CONTROL_WAIT_S = 10 }; // real; longer than any answer of a clock at rest takes

struct control {
    struct net *net;
    int slot;
    const char *clock_url;
    int leaving;    // lanes that left and were not told yet
    bool signalled; // the watched descriptor became readable while we waited
    int status;     // of the last answer
    int64_t stamp_ns;
    struct str body;
};

void control_free(struct control *c);
// To be called when the slot's exchange is over.
void control_done(struct control *c, const struct net_answer *a);

// One exchange to its end; the HTTP status, 0 when there was no answer in
// time. Events of other slots are delivered meanwhile.
int control_call(struct control *c, const char *url, const char *body);
int control_set_lanes(struct control *c, int lanes);
int control_cancel(struct control *c); // everything that the server holds
// Tells the server about lanes that left, unless an exchange is under way.
void control_tell_leaving(struct control *c);

#endif
