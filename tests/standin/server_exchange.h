// SPDX-License-Identifier: GPL-2.0-or-later
// A request that is answered at a later virtual instant: a completion in the
// engine, or a scrape that waits for its time.
#ifndef STANDIN_SERVER_EXCHANGE_H
#define STANDIN_SERVER_EXCHANGE_H

#include "tests/standin/server_clock.h"
#include "tests/standin/server_http.h"
#include "tests/standin/server_stream.h"

struct exchange {
    struct exchange *next; // all of them
    struct exchange **at;
    void *owner;
    struct http_call *call; // NULL when the client is gone
    struct request request;
    struct waiter waiter;
    struct stream_head head;
    bool in_engine;
    bool waiting;
    bool lane; // counts as one of the client's lanes
    bool stream;
    bool usage;   // the client asked for it at the stream's end
    bool metrics; // of a waiter: what to answer
};

struct exchange *exchange_create(struct exchange **list, void *owner, struct http_call *call);
void exchange_free(struct exchange *x);
struct exchange *exchange_of_request(struct request *r);
struct exchange *exchange_of_waiter(struct waiter *w);

#endif
