// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/standin/server_http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "tests/standin/common_wire.h"

enum { STREAM_BLOCK = 16384, CONNECTION_MEMORY = 32768 };

struct http_call {
    struct http_call *next; // all calls
    struct http_call **at;
    struct http *http;
    struct MHD_Connection *connection;
    struct str body;
    bool handled; // the handler has seen it
    bool suspended;
    bool stream;
    bool ended;
    bool broken;
    int status; // of a whole answer
    const char *type;
    int64_t stamp_ns;
    struct str out;
    size_t sent;
    void *ours;
};

struct http {
    struct MHD_Daemon *daemon;
    struct http_handler handler;
    struct http_call *calls;
    int fd;
    bool resumed; // since the last run: the library does not always ask for one by itself
};

static struct http_call *call_create(struct http *h, struct MHD_Connection *connection)
{
    struct http_call *call = mem_alloc(sizeof(*call));

    call->http = h;
    call->connection = connection;
    call->next = h->calls;
    call->at = &h->calls;
    if (call->next)
        call->next->at = &call->next;
    h->calls = call;
    return call;
}

static void call_free(struct http_call *call)
{
    *call->at = call->next;
    if (call->next)
        call->next->at = call->at;
    str_free(&call->body);
    str_free(&call->out);
    free(call);
}

static void suspend(struct http_call *call)
{
    call->suspended = true;
    MHD_suspend_connection(call->connection);
}

static void resume(struct http_call *call)
{
    if (!call->suspended)
        return;
    call->suspended = false;
    call->http->resumed = true;
    MHD_resume_connection(call->connection);
}

static ssize_t read_stream(void *context, uint64_t position, char *buf, size_t max)
{
    struct http_call *call = context;
    size_t left = call->out.len - call->sent;
    size_t n = left < max ? left : max;

    (void)position;
    if (!left && call->ended)
        return call->broken ? MHD_CONTENT_READER_END_WITH_ERROR : MHD_CONTENT_READER_END_OF_STREAM;
    if (!left) {
        suspend(call);
        return 0;
    }
    memcpy(buf, call->out.p + call->sent, n);
    call->sent += n;
    if (call->sent == call->out.len) {
        str_clear(&call->out);
        call->sent = 0;
    }
    return (ssize_t)n;
}

static enum MHD_Result queue_answer(struct http_call *call)
{
    struct MHD_Response *response;
    char stamp[32];

    if (call->stream)
        response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK, read_stream,
                                                     call, NULL);
    else
        response =
            MHD_create_response_from_buffer(call->out.len, call->out.p, MHD_RESPMEM_PERSISTENT);
    if (!response)
        return MHD_NO;
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, call->type);
    if (call->stamp_ns >= 0) {
        snprintf(stamp, sizeof(stamp), "%" PRId64, call->stamp_ns);
        MHD_add_response_header(response, WIRE_HEADER, stamp);
    }
    enum MHD_Result rc = MHD_queue_response(call->connection, (unsigned)call->status, response);
    MHD_destroy_response(response);
    return rc;
}

static void hand_over(struct http_call *call, const char *method, const char *path)
{
    struct http *h = call->http;
    struct http_request rq = {
        .method = method,
        .path = path,
        .body = str_text(&call->body),
        .body_len = call->body.len,
        .standin = MHD_lookup_connection_value(call->connection, MHD_HEADER_KIND, WIRE_HEADER),
    };

    call->handled = true;
    if (call->body.len > HTTP_BODY_MAX)
        http_answer(call, MHD_HTTP_CONTENT_TOO_LARGE, "text/plain", "too large\n", 10, -1);
    else
        call->ours = h->handler.request(h->handler.context, call, &rq);
}

// Called at a request's head, for each piece of its body, at its end, and once
// more after a resume.
static enum MHD_Result on_request(void *context, struct MHD_Connection *connection,
                                  const char *path, const char *method, const char *version,
                                  const char *data, size_t *size, void **ours)
{
    struct http_call *call = *ours;

    (void)version;
    if (!call) {
        *ours = call_create(context, connection);
        return MHD_YES;
    }
    if (*size) {
        if (call->body.len <= HTTP_BODY_MAX)
            str_add_bytes(&call->body, data, *size);
        *size = 0;
        return MHD_YES;
    }
    if (!call->handled)
        hand_over(call, method, path);
    if (call->status)
        return queue_answer(call);
    suspend(call);
    return MHD_YES;
}

static void on_completed(void *context, struct MHD_Connection *connection, void **ours,
                         enum MHD_RequestTerminationCode code)
{
    struct http *h = context;
    struct http_call *call = *ours;

    (void)connection;
    (void)code;
    if (!call)
        return;
    if (call->ours)
        h->handler.closed(h->handler.context, call->ours);
    call_free(call);
    *ours = NULL;
}

void http_answer(struct http_call *call, int status, const char *type, const char *body, size_t len,
                 int64_t stamp_ns)
{
    call->status = status;
    call->type = type;
    call->stamp_ns = stamp_ns;
    str_add_bytes(&call->out, body, len);
    resume(call);
}

static void begin_stream(struct http_call *call)
{
    if (call->status)
        return;
    call->stream = true;
    call->status = MHD_HTTP_OK;
    call->type = "text/event-stream";
    call->stamp_ns = -1;
}

void http_add(struct http_call *call, const char *bytes, size_t len)
{
    begin_stream(call);
    str_add_bytes(&call->out, bytes, len);
}

void http_end(struct http_call *call, bool broken)
{
    // A head is sent even of what is broken off: a client that gets not a byte
    // from a connection it used before takes it for stale and asks again.
    begin_stream(call);
    call->ended = true;
    call->broken = broken;
    resume(call);
}

void http_flush(struct http *h)
{
    for (struct http_call *call = h->calls; call; call = call->next)
        if (call->stream && call->out.len > call->sent)
            resume(call);
}

int http_start(struct http **ret, int port, const struct http_handler *handler, struct err *e)
{
    struct http *h = mem_alloc(sizeof(*h));
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    h->handler = *handler;
    errno = 0;
    h->daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, (uint16_t)port, NULL, NULL, on_request, h,
        MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_NOTIFY_COMPLETED, on_completed, h,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)HTTP_CALLS_MAX, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)CONNECTION_MEMORY, MHD_OPTION_END);
    if (!h->daemon) {
        int rc = errno ? -errno : -EIO;

        free(h);
        return err_set(e, rc, "cannot listen on 127.0.0.1:%d: %s", port, strerror(-rc));
    }
    h->fd = MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    *ret = h;
    return 0;
}

// The library forbids to stop while a connection is suspended.
void http_stop(struct http *h)
{
    if (!h)
        return;
    for (struct http_call *call = h->calls; call; call = call->next)
        http_end(call, true);
    MHD_run(h->daemon);
    MHD_stop_daemon(h->daemon);
    free(h);
}

int http_fd(const struct http *h)
{
    return h->fd;
}

int http_timeout_ms(struct http *h)
{
    MHD_UNSIGNED_LONG_LONG ms;

    if (h->resumed)
        return 0;
    if (MHD_get_timeout(h->daemon, &ms) != MHD_YES)
        return -1;
    return ms > 1000 ? 1000 : (int)ms;
}

void http_run(struct http *h)
{
    h->resumed = false;
    MHD_run(h->daemon);
}
