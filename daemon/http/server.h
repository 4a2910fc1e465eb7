// SPDX-License-Identifier: GPL-2.0-or-later
// Inside the server: what http.c (sockets, loop, lifetime) and serve.c (one
// request from head to answer) share.
#ifndef SWEEPD_HTTP_SERVER_H
#define SWEEPD_HTTP_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "http/conn.h"
#include "http/guard.h"
#include "http/http.h"
#include "http/listen.h"
#include "http/page.h"

enum {
    REQUEST_PREFIX = 9, // 8 hexadecimal digits and the terminator
    BODIES_FACTOR = 8,  // bodies held at one time, in units of max_body
    RETRY_AFTER_S = 2,
};

enum { LISTENERS = 2 };

struct http {
    struct http_settings settings; // texts that outlive http_create are in policy
    struct guard_policy policy;
    char *tcp_name;
    char request_prefix[REQUEST_PREFIX]; // tells request ids of two runs apart
    http_on_request *on_request;
    void *ctx;
    void *library; // libmicrohttpd's daemon
    int epoll_fd;  // the listeners and the library's own epoll descriptor
    int library_fd;
    struct listener listeners[LISTENERS];
    struct conns conns;
    struct conn *accepting; // handed to the library, which has not said hello yet
    struct pages *pages;
    int64_t now_us;          // of this turn of the loop
    int64_t accept_again_us; // 0, or when to accept again after running out of descriptors
    bool run_due;            // a connection was woken up, which shows on no descriptor
    bool stopping;
};

// What the library calls for each request; see libmicrohttpd's manual for the
// order. serve_begin: the target was read. serve_head: the head is complete,
// nothing of the body has been asked for. serve_body: a piece of it. serve_whole: all is there.
// The last three return false when the connection is to be dropped without an
// answer. serve_end: answered, or the client is gone.
void serve_begin(struct conn *c, const char *target);
bool serve_head(struct http *h, struct conn *c, const char *method, const char *version);
bool serve_body(struct http *h, struct conn *c, const char *bytes, size_t len);
bool serve_whole(struct http *h, struct conn *c);
void serve_end(struct http *h, struct conn *c);

// The callback did not answer in time, or never will: 503.
void serve_give_up(struct http *h, struct conn *c);
// No further byte in or out; the library notices and lets the connection go.
void serve_cut(struct http *h, struct conn *c);

#endif
