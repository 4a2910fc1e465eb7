// SPDX-License-Identifier: GPL-2.0-or-later
// A server and its clients in one process and one thread: every wait turns the
// server's loop. The clients are raw sockets, so that a test can send what no
// HTTP library would.
#ifndef SWEEPD_TESTS_HTTP_RIG_H
#define SWEEPD_TESTS_HTTP_RIG_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "http/http.h"
#include "tests/unit/tap.h"
#include "tests/unit/tempdir.h"

enum { RIG_PATIENCE_MS = 10000, RIG_TURN_MS = 20 };

struct rig {
    struct http *http;
    char dir[64]; // short: a socket lies in it
    char socket_path[96];
    // What the callback saw last.
    unsigned requests;
    uint64_t id;
    char method[16];
    char path[1200];
    char request_id[64];
    struct str body;
    bool local;
    uid_t uid;
    pid_t pid;
};

struct reply {
    int status;      // 0: the connection ended without one
    struct str head; // status line and headers
    struct str body;
};

struct client {
    int fd;
    struct str in;
    bool ended; // end of file or an error
};

static inline struct http_settings rig_defaults(void)
{
    return (struct http_settings){
        .unix_mode = 0600,
        .tcp_address = "127.0.0.1:0",
        .tcp_name = "bench.example",
        .max_connections = 64,
        .max_per_address = 64,
        .max_body = 4096,
        .idle_timeout_us = 30 * US_PER_S,
        .reply_timeout_us = 30 * US_PER_S,
    };
}

static inline void rig_start(struct rig *rig, struct http_settings settings,
                             http_on_request *on_request)
{
    struct err e = {0};
    char dir[TEMPDIR_MAX];

    *rig = (struct rig){0};
    if (!tempdir_make(dir) || !str_copy(rig->dir, sizeof(rig->dir), dir)) {
        printf("Bail out! cannot make a folder with a short name for sockets: %s\n", dir);
        exit(1);
    }
    snprintf(rig->socket_path, sizeof(rig->socket_path), "%s/sock", rig->dir);
    settings.unix_path = rig->socket_path;
    if (http_create(&settings, on_request, rig, &rig->http, &e) < 0) {
        printf("Bail out! %s\n", e.text);
        exit(1);
    }
}

static inline void rig_stop(struct rig *rig)
{
    char lock[128];

    http_free(rig->http);
    snprintf(lock, sizeof(lock), "%s.lock", rig->socket_path);
    unlink(lock);
    CHECK(rmdir(rig->dir) == 0); // nothing left in it: the socket file is gone
    str_free(&rig->body);
}

static inline void rig_note(struct rig *rig, const struct http_request *req)
{
    rig->requests++;
    rig->id = req->id;
    str_copy(rig->method, sizeof(rig->method), req->method);
    str_copy(rig->path, sizeof(rig->path), req->path);
    str_copy(rig->request_id, sizeof(rig->request_id), req->request_id);
    str_clear(&rig->body);
    str_add_bytes(&rig->body, req->body, req->body_len);
    rig->local = req->local;
    rig->uid = req->uid;
    rig->pid = req->pid;
}

static inline void client_pump(struct client *c)
{
    char bytes[65536];
    ssize_t n;

    while (!c->ended && (n = recv(c->fd, bytes, sizeof(bytes), MSG_DONTWAIT)) != 0) {
        if (n < 0) {
            c->ended = errno != EAGAIN && errno != EINTR;
            return;
        }
        str_add_bytes(&c->in, bytes, (size_t)n);
    }
    c->ended = true;
}

// One turn: waits until the server or the client (or NULL) has something.
static inline void rig_turn(struct rig *rig, struct client *c)
{
    struct pollfd fds[2] = {{.fd = http_fd(rig->http), .events = POLLIN},
                            {.fd = c && !c->ended ? c->fd : -1, .events = POLLIN}};
    int64_t wait_us = http_timeout_us(rig->http);
    int wait_ms = wait_us < 0 || wait_us > RIG_TURN_MS * US_PER_MS
                      ? RIG_TURN_MS
                      : (int)((wait_us + US_PER_MS - 1) / US_PER_MS);

    poll(fds, 2, wait_ms);
    http_run(rig->http);
    if (c)
        client_pump(c);
}

static inline struct client client_tcp(const struct rig *rig)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)http_tcp_port(rig->http)),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct client c = {.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};

    if (c.fd < 0 || connect(c.fd, (struct sockaddr *)&to, sizeof(to)) < 0) {
        perror("connect");
        exit(1);
    }
    return c;
}

static inline struct client client_unix(const struct rig *rig)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    struct client c = {.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};

    str_copy(to.sun_path, sizeof(to.sun_path), rig->socket_path);
    if (c.fd < 0 || connect(c.fd, (struct sockaddr *)&to, sizeof(to)) < 0) {
        perror("connect");
        exit(1);
    }
    return c;
}

static inline void client_close(struct client *c)
{
    close(c->fd);
    str_free(&c->in);
    c->fd = -1;
}

// Sends all of it, turning the server when its buffers are full. False when the
// server has closed.
static inline bool client_send_bytes(struct rig *rig, struct client *c, const char *bytes,
                                     size_t len)
{
    int64_t end = clock_mono_us() + RIG_PATIENCE_MS * US_PER_MS;
    size_t sent = 0;

    while (sent < len && clock_mono_us() < end) {
        ssize_t n = send(c->fd, bytes + sent, len - sent, MSG_DONTWAIT | MSG_NOSIGNAL);

        if (n > 0)
            sent += (size_t)n;
        else if (errno != EAGAIN)
            return false;
        else
            rig_turn(rig, c);
    }
    return sent == len;
}

static inline bool client_send(struct rig *rig, struct client *c, const char *text)
{
    return client_send_bytes(rig, c, text, strlen(text));
}

// The value of a header, copied to a static buffer; "" when it is absent.
static inline const char *reply_header(const struct reply *r, const char *name)
{
    static char value[512];
    size_t len = strlen(name);

    for (const char *line = strstr(str_text(&r->head), "\r\n"); line; line = strstr(line, "\r\n")) {
        line += 2;
        if (strncasecmp(line, name, len) == 0 && line[len] == ':') {
            const char *text = line + len + 1 + strspn(line + len + 1, " ");

            snprintf(value, sizeof(value), "%.*s", (int)strcspn(text, "\r"), text);
            return value;
        }
    }
    return "";
}

static inline void reply_free(struct reply *r)
{
    str_free(&r->head);
    str_free(&r->body);
    r->status = 0;
}

// Takes one complete answer from what the client has received.
static inline bool take_reply(struct client *c, bool no_body, struct reply *r)
{
    const char *end = strstr(str_text(&c->in), "\r\n\r\n");
    size_t head_len;
    size_t body_len = 0;

    if (!end)
        return false;
    head_len = (size_t)(end - c->in.p) + 4;
    str_clear(&r->head);
    str_clear(&r->body);
    str_add_bytes(&r->head, c->in.p, head_len - 2);
    r->status = atoi(r->head.p + strlen("HTTP/1.1 "));
    if (!no_body && r->status != 304 && r->status >= 200)
        body_len = (size_t)atoi(reply_header(r, "Content-Length"));
    if (c->in.len < head_len + body_len)
        return false;
    str_add_bytes(&r->body, c->in.p + head_len, body_len);
    memmove(c->in.p, c->in.p + head_len + body_len, c->in.len - head_len - body_len);
    c->in.len -= head_len + body_len;
    c->in.p[c->in.len] = '\0';
    return true;
}

// Turns the loop until one answer is complete, the connection ends or patience does.
static inline bool client_wait(struct rig *rig, struct client *c, bool no_body, struct reply *r)
{
    int64_t end = clock_mono_us() + RIG_PATIENCE_MS * US_PER_MS;

    reply_free(r);
    while (!take_reply(c, no_body, r)) {
        if (c->ended || clock_mono_us() > end) {
            reply_free(r);
            return false;
        }
        rig_turn(rig, c);
    }
    return true;
}

static inline bool client_ask(struct rig *rig, struct client *c, const char *text, struct reply *r)
{
    return client_send(rig, c, text) && client_wait(rig, c, strncmp(text, "HEAD ", 5) == 0, r);
}

static inline bool client_wait_end(struct rig *rig, struct client *c)
{
    int64_t end = clock_mono_us() + RIG_PATIENCE_MS * US_PER_MS;

    while (!c->ended && clock_mono_us() < end)
        rig_turn(rig, c);
    return c->ended;
}

// Turns the loop until the callback has seen `count` requests in all.
static inline bool rig_wait_requests(struct rig *rig, unsigned count)
{
    int64_t end = clock_mono_us() + RIG_PATIENCE_MS * US_PER_MS;

    while (rig->requests < count && clock_mono_us() < end)
        rig_turn(rig, NULL);
    return rig->requests == count;
}

static inline bool rig_wait_connections(struct rig *rig, unsigned count)
{
    int64_t end = clock_mono_us() + RIG_PATIENCE_MS * US_PER_MS;

    while (http_connections(rig->http) != count && clock_mono_us() < end)
        rig_turn(rig, NULL);
    return http_connections(rig->http) == count;
}

#endif
