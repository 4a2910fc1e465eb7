// SPDX-License-Identifier: GPL-2.0-or-later
// HTTP to the server: a fixed number of slots, each with a connection of its
// own that stays open and one request at most under way. One thread.
#ifndef STANDIN_REPLAY_NET_H
#define STANDIN_REPLAY_NET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct net;

enum {
    NET_BODY_MAX = 16 << 20, // a longer answer breaks the request off
    NET_LINE_MAX = 65536,    // as does a longer line of an event stream
};

struct net_request { // copied
    const char *url;
    const char *body;    // NULL: GET
    const char *standin; // the header's value, NULL: none
};

struct net_answer {         // valid during the call
    int status;             // 0 when there was no answer
    int64_t stamp_ns;       // the server's virtual instant, -1 when not told
    const struct str *body; // of what is not an event stream
    const char *error;      // why the exchange broke off, NULL when it did not
};

struct net_events {
    void *context;
    // A line of an event stream, without its end.
    void (*line)(void *context, int slot, const char *line);
    // The exchange is over and the slot free; net_send may be called from here.
    void (*done)(void *context, int slot, const struct net_answer *answer);
};

int net_create(struct net **ret, int slots, const struct net_events *events,
               struct err *e) MUST_CHECK;
void net_free(struct net *n);                                         // closes all connections
void net_send(struct net *n, int slot, const struct net_request *rq); // the slot must be free
bool net_is_busy(const struct net *n, int slot);

// A descriptor that net_wait watches too; it returns true once it is readable.
void net_watch(struct net *n, int fd);
// Waits until something happened and calls the events. True when the watched
// descriptor is readable.
bool net_wait(struct net *n);

#endif
