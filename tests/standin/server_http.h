// SPDX-License-Identifier: GPL-2.0-or-later
// The listener: requests in, answers out, whole or as a stream of bytes, at
// once or later. One thread; nothing here knows what is served.
#ifndef STANDIN_SERVER_HTTP_H
#define STANDIN_SERVER_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct http;
struct http_call; // one request and its answer

enum {
    HTTP_BODY_MAX = 1 << 20, // a longer request body is answered with 413
    HTTP_CALLS_MAX = 4200,   // connections; others wait to be accepted
};

struct http_request { // valid during the handler
    const char *method;
    const char *path; // without the query
    const char *body; // zero-terminated
    size_t body_len;
    const char *standin; // the header, NULL when absent
};

struct http_handler {
    void *context;
    // Answers with one of the functions below, in the handler or later. Returns
    // what it wants to be given to `closed`.
    void *(*request)(void *context, struct http_call *call, const struct http_request *rq);
    // The call is no longer valid: the answer was sent, or the client is gone.
    void (*closed)(void *context, void *ours);
};

// Listens on 127.0.0.1 alone, whatever --host says: stand-ins are not for a
// network. -EADDRINUSE when the port is taken.
int http_start(struct http **ret, int port, const struct http_handler *handler,
               struct err *e) MUST_CHECK;
void http_stop(struct http *h); // breaks off what is not answered

// A whole answer. `stamp_ns` >= 0 adds the header that tells the virtual
// instant; `type` must be a literal.
void http_answer(struct http_call *call, int status, const char *type, const char *body, size_t len,
                 int64_t stamp_ns);
// Bytes of a text/event-stream, sent by the next http_flush or http_end.
void http_add(struct http_call *call, const char *bytes, size_t len);
void http_end(struct http_call *call, bool broken);

int http_fd(const struct http *h);   // readable when http_run has work
int http_timeout_ms(struct http *h); // 0 when it has work now, -1 for none
void http_run(struct http *h);
void http_flush(struct http *h);

#endif
