// SPDX-License-Identifier: GPL-2.0-or-later
// The connections: who, in which phase, until when; and the one request that
// each may have under way. No socket is touched here and nothing is sent.
//
// A connection is in one phase at a time and each phase has one timeout, so the
// connections of a phase, kept in the order in which they entered it, are in
// the order of their deadlines: every operation costs the same however many
// there are.
#ifndef SWEEPD_HTTP_CONN_H
#define SWEEPD_HTTP_CONN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "http/guard.h"
#include "http/http.h"
#include "http/listen.h"
#include "http/target.h"

enum conn_phase {
    CONN_RECEIVING, // free, or a request is coming in
    CONN_WAITING,   // the callback has the request
    CONN_SENDING,   // the answer is under way
    CONN_CUT,       // shut down by us; the library will let it go
    CONN_PHASES,
};

enum stage {
    STAGE_NONE,      // no request
    STAGE_HEAD,      // its target is known
    STAGE_BODY,      // its head is accepted
    STAGE_ASKING,    // the callback runs
    STAGE_SUSPENDED, // the callback will answer later
    STAGE_ANSWERED,
};

struct http_exchange {
    enum stage stage;
    uint64_t id; // 0: the callback does not know the request
    char request_id[HTTP_REQUEST_ID_MAX + 1];
    const char *method; // the library's, until the request ends
    struct target target;
    struct guard_head head;
    struct str body;
    uint64_t body_reserved; // counted in conns.body_bytes
    bool body_overflow;
    struct {
        char *name;
        char *value;
    } extra[HTTP_EXTRA_HEADERS_MAX];
    unsigned extras;
    void *link; // the library's connection
};

struct conn {
    unsigned slot;
    int fd; // the library's; only shutdown(2) is ours to call
    struct peer peer;
    enum conn_phase phase;
    int64_t deadline_us;
    struct conn *prev;
    struct conn *next;
    struct http_exchange x;
};

struct conns {
    struct conn **slots;
    unsigned max;
    unsigned count;
    unsigned *free_slots; // a stack of max - count
    uint64_t sequence;
    uint64_t body_bytes;             // of all bodies that are coming in or being looked at
    int64_t timeout_us[CONN_PHASES]; // 0: none
    struct {
        struct conn *first;
        struct conn *last;
    } phases[CONN_PHASES];
};

void conns_init(struct conns *t, unsigned max);
void conns_done(struct conns *t); // frees what is left

// NULL when there are `max` already.
struct conn *conn_add(struct conns *t, int fd, const struct peer *peer, int64_t now_us);
void conn_remove(struct conns *t, struct conn *c);
unsigned conns_of_peer(const struct conns *t, const struct peer *peer);

// Enters a phase; its timeout runs from now.
void conn_enter(struct conns *t, struct conn *c, enum conn_phase phase, int64_t now_us);
// A connection whose deadline has passed, or NULL.
struct conn *conns_expired(const struct conns *t, int64_t now_us);
int64_t conns_next_deadline(const struct conns *t); // INT64_MAX: none

// Gives the request under way an id that was never used before.
uint64_t conn_assign_id(struct conns *t, struct conn *c);
// The connection whose request has this id and no answer yet, or NULL.
struct conn *conn_by_id(const struct conns *t, uint64_t id);
// Forgets the request; the connection is free for the next one.
void conn_request_end(struct conns *t, struct conn *c);

#endif
