// SPDX-License-Identifier: GPL-2.0-or-later
#include "http/http.h"

#include <errno.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "http/problem.h"
#include "http/server.h"

enum {
    // Memory of a connection for the request head and the answer's head. A head
    // that does not fit is refused by the library (431, 414).
    CONNECTION_MEMORY = 24576,
    CONNECTION_SLACK = 16, // connections that the library has closed but not yet let go
    ACCEPT_BURST = 64,     // connections taken in one turn of the loop
};

#define ACCEPT_PAUSE_US (1 * US_PER_S)

// --- what the library calls --------------------------------------------------------

static void *on_target(void *ctx, const char *target, struct MHD_Connection *link)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(link, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct conn *c = info->socket_context;

    (void)ctx;
    serve_begin(c, target);
    return c;
}

// The target is decoded by target_parse, from what the client sent.
static size_t leave_escaped(void *ctx, struct MHD_Connection *link, char *text)
{
    (void)ctx;
    (void)link;
    return strlen(text);
}

static enum MHD_Result on_access(void *ctx, struct MHD_Connection *link, const char *url,
                                 const char *method, const char *version, const char *bytes,
                                 size_t *len, void **request)
{
    struct http *h = ctx;
    struct conn *c = *request;
    bool ok;

    (void)link;
    (void)url;
    if (c->x.stage == STAGE_HEAD) {
        ok = serve_head(h, c, method, version);
    } else if (*len > 0) {
        ok = serve_body(h, c, bytes, *len);
        *len = 0;
    } else {
        ok = serve_whole(h, c);
    }
    return ok ? MHD_YES : MHD_NO;
}

static void on_completed(void *ctx, struct MHD_Connection *link, void **request,
                         enum MHD_RequestTerminationCode how)
{
    (void)link;
    (void)how;
    if (*request)
        serve_end(ctx, *request);
}

static void on_connection(void *ctx, struct MHD_Connection *link, void **context,
                          enum MHD_ConnectionNotificationCode what)
{
    struct http *h = ctx;

    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        *context = h->accepting;
        h->accepting->x.link = link;
        h->accepting = NULL;
    } else {
        conn_remove(&h->conns, *context);
    }
}

static void on_log(void *ctx, const char *fmt, va_list ap) PRINTF_LIKE(2, 0);

static void on_log(void *ctx, const char *fmt, va_list ap)
{
    char text[LOG_LINE_MAX / 2];

    (void)ctx;
    vsnprintf(text, sizeof(text), fmt, ap);
    text[strcspn(text, "\n")] = '\0';
    log_debug("libmicrohttpd: %s", text);
}

// --- creation ----------------------------------------------------------------------

static int watch(struct http *h, int fd, struct err *e)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

    if (epoll_ctl(h->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0)
        return err_set(e, -errno, "cannot watch a socket: %s", strerror(errno));
    return 0;
}

static int check_settings(const struct http_settings *s, struct err *e)
{
    if (s->max_connections < 1 || s->max_connections > HTTP_CONNECTIONS_MAX)
        return err_set(e, -ERANGE, "connections in all must be 1 to %d, not %u",
                       HTTP_CONNECTIONS_MAX, s->max_connections);
    if (s->max_per_address < 1)
        return err_set(e, -ERANGE, "connections of one address must be 1 or more");
    if (s->idle_timeout_us <= 0 || s->reply_timeout_us <= 0 || s->send_timeout_us < 0)
        return err_set(e, -ERANGE, "the idle and reply timeouts must be over 0");
    if (!s->unix_path && !s->tcp_address)
        return err_set(e, -EINVAL, "neither a socket path nor a TCP address is set: set one");
    return 0;
}

static int open_listeners(struct http *h, struct err *e)
{
    const struct http_settings *s = &h->settings;
    int r = 0;

    if (s->unix_path)
        r = listen_unix(s->unix_path, s->unix_mode, &h->listeners[0], e);
    if (r == 0 && s->tcp_address)
        r = listen_tcp(s->tcp_address, &h->listeners[1], e);
    for (int i = 0; r == 0 && i < LISTENERS; i++)
        if (h->listeners[i].fd >= 0)
            r = watch(h, h->listeners[i].fd, e);
    return r;
}

static int start_library(struct http *h, struct err *e)
{
    const union MHD_DaemonInfo *info;

    // Timeouts and the limit per address are ours (conn.c): the library's count
    // whole seconds of silence, so a client that sends a byte now and then
    // would stay for ever. Option values pass through varargs: the casts matter.
    h->library = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0,
        NULL, NULL, on_access, h, MHD_OPTION_EXTERNAL_LOGGER, on_log, NULL,
        MHD_OPTION_CONNECTION_LIMIT, h->settings.max_connections + CONNECTION_SLACK,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
        MHD_OPTION_CONNECTION_TIMEOUT, 0U, MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_URI_LOG_CALLBACK, on_target, h, MHD_OPTION_UNESCAPE_CALLBACK, leave_escaped,
        NULL, MHD_OPTION_NOTIFY_COMPLETED, on_completed, h, MHD_OPTION_NOTIFY_CONNECTION,
        on_connection, h, MHD_OPTION_END);
    if (!h->library)
        return err_set(e, -EIO, "cannot start the HTTP server: libmicrohttpd refuses: %s",
                       strerror(errno));
    info = MHD_get_daemon_info(h->library, MHD_DAEMON_INFO_EPOLL_FD);
    if (!info || info->epoll_fd < 0)
        return err_set(e, -EIO,
                       "cannot start the HTTP server: libmicrohttpd was built without "
                       "epoll");
    h->library_fd = info->epoll_fd;
    return watch(h, h->library_fd, e);
}

static void set_up(struct http *h, const struct http_settings *s)
{
    char token[TOKEN_HEX];

    h->settings = *s;
    h->tcp_name = mem_strdup(s->tcp_name);
    h->policy = (struct guard_policy){
        .tcp_name = h->tcp_name, .max_body = s->max_body, .tcp_writes = s->tcp_writes};
    token_make(token);
    snprintf(h->request_prefix, sizeof(h->request_prefix), "%.8s", token);
    for (int i = 0; i < LISTENERS; i++)
        listener_init(&h->listeners[i]);
    conns_init(&h->conns, s->max_connections);
    h->conns.timeout_us[CONN_RECEIVING] = s->idle_timeout_us;
    h->conns.timeout_us[CONN_WAITING] = s->reply_timeout_us;
    h->conns.timeout_us[CONN_SENDING] =
        s->send_timeout_us > 0 ? s->send_timeout_us : HTTP_SEND_TIMEOUT_US;
    h->pages = pages_create();
}

int http_create(const struct http_settings *settings, http_on_request *on_request, void *ctx,
                struct http **ret, struct err *e)
{
    struct http *h;
    int r = check_settings(settings, e);

    if (r < 0)
        return r;
    h = mem_alloc(sizeof(*h));
    h->on_request = on_request;
    h->ctx = ctx;
    set_up(h, settings);
    h->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (h->epoll_fd < 0)
        r = err_set(e, -errno, "cannot make an epoll descriptor: %s", strerror(errno));
    if (r == 0)
        r = start_library(h, e);
    if (r == 0)
        r = open_listeners(h, e);
    if (r < 0) {
        http_free(h);
        return r;
    }
    // The caller's texts end here.
    h->settings.unix_path = NULL;
    h->settings.tcp_address = NULL;
    h->settings.tcp_name = NULL;
    *ret = h;
    return 0;
}

// --- accepting -----------------------------------------------------------------------

// Whoever comes over a limit is told so, as far as one write can. A request that
// is here already is read away, since closing over unread bytes resets the
// connection and may take the answer with it.
static void turn_away(int fd)
{
    static const char doc[] = "{\"type\":\"about:blank\",\"title\":\"Too many connections\","
                              "\"status\":503,\"code\":\"busy\","
                              "\"detail\":\"The limit of open connections is reached.\","
                              "\"fix\":\"Close unused connections or try again later.\"}";
    char text[1024];
    char sink[4096];
    int n = snprintf(text, sizeof(text),
                     "HTTP/1.1 503 Service Unavailable\r\nContent-Type: " PROBLEM_TYPE "\r\n"
                     "Content-Length: %zu\r\nRetry-After: %d\r\nConnection: close\r\n\r\n%s",
                     sizeof(doc) - 1, RETRY_AFTER_S, doc);

    if (send(fd, text, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL) == n) {
        shutdown(fd, SHUT_WR);
        (void)recv(fd, sink, sizeof(sink), MSG_DONTWAIT);
    }
    close(fd);
}

static void admit(struct http *h, int fd, const struct peer *peer)
{
    struct conn *c = NULL;

    if (conns_of_peer(&h->conns, peer) < h->settings.max_per_address)
        c = conn_add(&h->conns, fd, peer, h->now_us);
    if (!c) {
        log_debug("peer=%s turned away: %u connections are open", peer->text, h->conns.count);
        turn_away(fd);
        return;
    }
    h->accepting = c;
    // The library closes the descriptor when it fails.
    if (MHD_add_connection(h->library, fd, (const struct sockaddr *)&peer->address,
                           peer->address_len) != MHD_YES)
        log_warn("peer=%s cannot be served: %s", peer->text, strerror(errno));
    if (h->accepting)
        conn_remove(&h->conns, c);
    h->accepting = NULL;
}

// Out of descriptors or memory: look again in a moment, not at once, since the
// listening socket stays readable.
static void pause_accepting(struct http *h, int error)
{
    log_warn("cannot accept connections, trying again in %d s: %s",
             (int)(ACCEPT_PAUSE_US / US_PER_S), strerror(error));
    h->accept_again_us = h->now_us + ACCEPT_PAUSE_US;
    for (int i = 0; i < LISTENERS; i++)
        if (h->listeners[i].fd >= 0)
            epoll_ctl(h->epoll_fd, EPOLL_CTL_DEL, h->listeners[i].fd, NULL);
}

static void resume_accepting(struct http *h)
{
    struct err e;

    h->accept_again_us = 0;
    for (int i = 0; i < LISTENERS; i++)
        if (h->listeners[i].fd >= 0 && watch(h, h->listeners[i].fd, &e) < 0)
            log_error("%s", e.text);
}

static void accept_from(struct http *h, const struct listener *l)
{
    struct peer peer;

    for (int i = 0; i < ACCEPT_BURST; i++) {
        int fd = listener_accept(l, &peer);

        if (fd >= 0) {
            admit(h, fd, &peer);
        } else if (fd == -EMFILE || fd == -ENFILE || fd == -ENOBUFS || fd == -ENOMEM) {
            pause_accepting(h, -fd);
            return;
        } else if (fd == -EAGAIN) {
            return;
        }
        // Anything else concerns that one connection, which is gone.
    }
}

static void accept_ready(struct http *h)
{
    struct epoll_event events[LISTENERS + 1];
    int n = epoll_wait(h->epoll_fd, events, LISTENERS + 1, 0);

    for (int i = 0; i < n; i++)
        for (int k = 0; k < LISTENERS; k++)
            if (h->listeners[k].fd >= 0 && events[i].data.fd == h->listeners[k].fd)
                accept_from(h, &h->listeners[k]);
}

// --- the loop ------------------------------------------------------------------------

int http_fd(const struct http *h)
{
    return h->epoll_fd;
}

int64_t http_timeout_us(struct http *h)
{
    MHD_UNSIGNED_LONG_LONG library_ms = 0;
    int64_t next = conns_next_deadline(&h->conns);
    int64_t wait = -1;

    if (h->run_due)
        return 0;
    if (h->accept_again_us > 0 && h->accept_again_us < next)
        next = h->accept_again_us;
    if (next != INT64_MAX) {
        wait = next - clock_mono_us();
        if (wait < 0)
            wait = 0;
    }
    // The library may have read data that it has not looked at yet.
    if (MHD_get_timeout(h->library, &library_ms) == MHD_YES &&
        (wait < 0 || library_ms < (MHD_UNSIGNED_LONG_LONG)(wait / US_PER_MS)))
        wait = (int64_t)library_ms * US_PER_MS;
    return wait;
}

static void end_overdue(struct http *h)
{
    struct conn *c;

    while ((c = conns_expired(&h->conns, h->now_us)) != NULL) {
        if (c->phase == CONN_WAITING)
            serve_give_up(h, c);
        else
            serve_cut(h, c);
    }
}

void http_run(struct http *h)
{
    h->now_us = clock_mono_us();
    h->run_due = false;
    end_overdue(h);
    if (h->accept_again_us > 0 && h->accept_again_us <= h->now_us)
        resume_accepting(h);
    accept_ready(h);
    MHD_run(h->library);
}

unsigned http_tcp_port(const struct http *h)
{
    return h->listeners[1].port;
}

unsigned http_connections(const struct http *h)
{
    return h->conns.count;
}

void http_page_set(struct http *h, const char *path, const char *type, const void *bytes,
                   size_t len, int64_t wall_us)
{
    pages_set(h->pages, path, type, bytes, len, wall_us);
}

void http_page_drop(struct http *h, const char *path)
{
    pages_drop(h->pages, path);
}

// --- the end -------------------------------------------------------------------------

void http_stop_listening(struct http *h)
{
    if (h->stopping)
        return;
    h->stopping = true;
    h->now_us = clock_mono_us();
    h->accept_again_us = 0;
    for (int i = 0; i < LISTENERS; i++)
        listener_close(&h->listeners[i]);
    for (unsigned i = 0; i < h->conns.max; i++) {
        struct conn *c = h->conns.slots[i];

        if (c && c->x.stage == STAGE_SUSPENDED)
            serve_give_up(h, c);
        else if (c && c->x.stage == STAGE_NONE)
            serve_cut(h, c);
    }
}

void http_free(struct http *h)
{
    if (!h)
        return;
    // The library must not be stopped with a connection suspended.
    http_stop_listening(h);
    if (h->library) {
        MHD_run(h->library);
        MHD_stop_daemon(h->library);
    }
    if (h->epoll_fd >= 0)
        close(h->epoll_fd);
    conns_done(&h->conns);
    pages_free(h->pages);
    free(h->tcp_name);
    free(h);
}
