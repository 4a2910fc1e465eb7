// SPDX-License-Identifier: GPL-2.0-or-later
// The HTTP server of the daemon: a unix socket, a TCP address or both, driven
// by the caller's event loop. Everything here is called on that one thread and
// nothing blocks.
//
// Two kinds of answers leave it. A *page* is immutable bytes under a path: a
// GET or HEAD without a query is answered from it with no call to anyone.
// Everything else goes to the request callback, which answers at once or, by
// the request's id, later. Those answers carry an X-Request-Id and are not to be
// stored by caches; pages carry an ETag, which is of their bytes.
//
// What the server refuses by itself, as problem documents (RFC 9457), before
// the callback sees anything: targets that are not plain percent-encoded
// UTF-8, "." and ".." segments, repeated query parameters (bad_request);
// over TCP a Host or Origin that names another machine (against DNS
// rebinding) and, unless tcp_writes is set, methods other than GET and HEAD
// (read_only); ambiguous framing (bad_request); bodies over max_body
// (too_large); methods it does not know (method_not_allowed). Bytes that are
// not HTTP at all get libmicrohttpd's own short 400 and the connection ends; so
// does a request head over 16 KiB or so (431, 414). Whatever is refused before
// the request's end closes the connection.
//
// A client that closes its sending half while the callback has its request
// counts as gone. libmicrohttpd does not tell that a waiting client has left:
// such a request keeps its place until it is answered or its time is over.
#ifndef SWEEPD_HTTP_HTTP_H
#define SWEEPD_HTTP_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct http;

enum {
    HTTP_CONNECTIONS_MAX = 16384, // the highest max_connections
    HTTP_PATH_MAX = 1024,         // bytes of a decoded path
    HTTP_QUERY_PARAMS_MAX = 16,
    HTTP_REQUEST_ID_MAX = 40,   // bytes of X-Request-Id as we write it
    HTTP_EXTRA_HEADERS_MAX = 4, // http_header_add on one answer
};

struct http_settings {
    const char *unix_path;    // NULL: no unix socket
    mode_t unix_mode;         // of the socket file
    const char *tcp_address;  // "127.0.0.1:6826", "[::1]:6826"; port 0: any; NULL: no TCP
    const char *tcp_name;     // accepted in Host beside addresses and localhost, or NULL
    unsigned max_connections; // in all; more are told 503 and closed
    unsigned max_per_address; // of one TCP address, or of one uid on the unix socket
    size_t max_body;          // bytes of a request body
    int64_t idle_timeout_us;  // a free connection must bring a whole request within it
    int64_t reply_timeout_us; // the callback's time to answer; past it the client gets 503
    int64_t send_timeout_us;  // the client's time to take a whole answer; 0: HTTP_SEND_TIMEOUT_US
    bool tcp_writes;          // methods other than GET and HEAD over TCP reach the callback
};

#define HTTP_SEND_TIMEOUT_US INT64_C(120000000)

struct http_exchange;

// A whole request. Everything it points to is the server's and lives until the
// callback returns; only the id may be kept.
struct http_request {
    uint64_t id;            // never 0, never used twice in one process
    const char *request_id; // the X-Request-Id of the answer, for the log
    const char *method;     // "GET", "HEAD", "POST", "PUT", "PATCH" or "DELETE"
    const char *path;       // decoded, valid UTF-8, begins with '/'
    const char *body;       // terminated by a zero that is not counted
    size_t body_len;
    const char *if_none_match; // or NULL
    const char *peer;          // "unix" or the client's address, for the log
    bool local;                // came over the unix socket: uid, gid and pid are the client's
    uid_t uid;
    gid_t gid;
    pid_t pid;
    const struct http_exchange *exchange; // for the two functions below
};

// The decoded value of a query parameter ("" when it has none), NULL when it
// is absent.
const char *http_query(const struct http_request *req, const char *name);
// The value of a request header, NULL when it is absent.
const char *http_header(const struct http_request *req, const char *name);

// Called once for each request that no page answers. Must be followed by
// exactly one http_reply, http_reply_page or http_problem with the id, in the
// callback or later.
typedef void http_on_request(void *ctx, const struct http_request *req);

// Opens the sockets and listens. The settings are copied. Errors name the
// socket: -EADDRINUSE when somebody listens there (a socket file that nobody
// listens on is replaced), -EINVAL for an address that is not numeric.
int http_create(const struct http_settings *settings, http_on_request *on_request, void *ctx,
                struct http **ret, struct err *e) MUST_CHECK;

// The event loop waits for http_fd to become readable, for no longer than
// http_timeout_us (microseconds from now, 0: at once, -1: no limit; to be
// asked before each wait), then calls http_run.
int http_fd(const struct http *h);
int64_t http_timeout_us(struct http *h);
void http_run(struct http *h);

// The port that TCP is served on, 0 without TCP.
unsigned http_tcp_port(const struct http *h);
// Open connections, for health and metrics.
unsigned http_connections(const struct http *h);

// Puts a page at path (a copy of the bytes), in place of the one there.
// Readers in the middle of the old one get the rest of the old one. wall_us is
// its Last-Modified. The same bytes and type again leave the page as it is.
// The number of pages is the caller's to bound.
void http_page_set(struct http *h, const char *path, const char *type, const void *bytes,
                   size_t len, int64_t wall_us);
void http_page_drop(struct http *h, const char *path); // absent is fine

// Adds a header to the answer that the request will get. Name and value are
// copied. Dropped with a log line when either holds control characters or
// there are HTTP_EXTRA_HEADERS_MAX already; nothing happens for unknown ids.
void http_header_add(struct http *h, uint64_t id, const char *name, const char *value);

// The answer to a request, with a copy of the bytes. -ENOENT when nobody waits
// for it: client gone, deadline passed, answered already. That is harmless.
int http_reply(struct http *h, uint64_t id, int status, const char *type, const void *bytes,
               size_t len);
// Answers with the page at path as a GET of it would (ETag, 304). -ENXIO, and
// the request still waits, when there is no such page.
int http_reply_page(struct http *h, uint64_t id, const char *path);
// Answers with a problem document. fix: what to do next, or NULL. extra: a
// JSON object as text whose members are added (they never replace ours), or
// NULL. 503 and 429 get a Retry-After. Unknown ids are harmless.
void http_problem(struct http *h, uint64_t id, int status, const char *code, const char *title,
                  const char *detail, const char *fix, const char *extra);

// Shutdown: closes the listening sockets, removes the socket file, answers
// every waiting request with 503. Go on calling http_run for as long as
// http_connections is not 0 and patience lasts: connections end with the
// answer under way, idle ones at once. Then http_free, which cuts the rest.
void http_stop_listening(struct http *h);
void http_free(struct http *h); // NULL is fine

#endif
