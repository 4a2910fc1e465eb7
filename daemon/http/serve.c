// SPDX-License-Identifier: GPL-2.0-or-later
#include "http/server.h"

#include <errno.h>
#include <inttypes.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "http/problem.h"

// --- answers ------------------------------------------------------------------

// Sends on the connection's request, now (in the callback) or by waking it up.
static bool send_answer(struct http *h, struct conn *c, const struct answer *a, int status)
{
    bool suspended = c->x.stage == STAGE_SUSPENDED;
    bool ok = answer_send(a, c->x.link, status) == 0;

    c->x.stage = STAGE_ANSWERED;
    conn_enter(&h->conns, c, CONN_SENDING, h->now_us);
    // An unsent answer must wake the connection as well: serve_whole is called
    // once more and ends it.
    if (suspended) {
        MHD_resume_connection(c->x.link);
        h->run_due = true;
    }
    return ok;
}

static void set_header(struct answer *a, const char *name, const char *value)
{
    if (answer_header(a, name, value) < 0)
        log_warn("a header was left out of an answer: \"%s: %s\" is not valid", name, value);
}

static void add_status_headers(struct answer *a, int status)
{
    char text[16];

    if (status == 405)
        set_header(a, "Allow", "GET, HEAD, POST, PUT, PATCH, DELETE");
    if (status != 503 && status != 429)
        return;
    snprintf(text, sizeof(text), "%d", RETRY_AFTER_S);
    set_header(a, "Retry-After", text);
}

static bool has_extra(const struct http_exchange *x, const char *name)
{
    for (unsigned i = 0; i < x->extras; i++)
        if (strcasecmp(x->extra[i].name, name) == 0)
            return true;
    return false;
}

static bool send_bytes(struct http *h, struct conn *c, int status, const char *type,
                       const void *bytes, size_t len)
{
    struct answer *a = answer_create(type, bytes, len);
    struct http_exchange *x = &c->x;
    bool ok;

    set_header(a, "X-Request-Id", x->request_id);
    if (!has_extra(x, "Cache-Control"))
        set_header(a, "Cache-Control", "no-store");
    if (!(status == 405 && has_extra(x, "Allow")))
        add_status_headers(a, status);
    for (unsigned i = 0; i < x->extras; i++)
        set_header(a, x->extra[i].name, x->extra[i].value);
    ok = send_answer(h, c, a, status);
    answer_free(a);
    return ok;
}

static bool send_problem(struct http *h, struct conn *c, int status, const char *code,
                         const char *title, const char *detail, const char *fix, const char *extra)
{
    struct str doc = {0};
    bool ok;

    if (!problem_write(&doc, status, code, title, detail, fix, extra))
        log_error("request=%s: the members of a problem document are no JSON object",
                  c->x.request_id);
    ok = send_bytes(h, c, status, PROBLEM_TYPE, str_text(&doc), doc.len);
    str_free(&doc);
    return ok;
}

static bool send_page(struct http *h, struct conn *c, const struct page *page)
{
    bool same = page_matches(page, c->x.head.if_none_match);

    return same ? send_answer(h, c, page->unchanged, 304) : send_answer(h, c, page->answer, 200);
}

static void name_request(struct http *h, struct conn *c)
{
    uint64_t id = conn_assign_id(&h->conns, c);

    snprintf(c->x.request_id, sizeof(c->x.request_id), "%s-%" PRIx64, h->request_prefix, id);
}

static bool refuse(struct http *h, struct conn *c, const struct refusal *why)
{
    name_request(h, c);
    log_debug("request=%s peer=%s refused status=%d code=%s: %s", c->x.request_id, c->peer.text,
              why->status, why->code, why->title);
    return send_problem(h, c, why->status, why->code, why->title, why->detail, why->fix, NULL);
}

// --- one request ----------------------------------------------------------------

void serve_begin(struct conn *c, const char *target)
{
    c->x.stage = STAGE_HEAD;
    c->x.head.target_error = target_parse(&c->x.target, target);
}

static enum MHD_Result take_header(void *ctx, enum MHD_ValueKind kind, const char *name,
                                   size_t name_len, const char *value, size_t value_len)
{
    (void)kind;
    (void)value_len;
    guard_add(ctx, name, name_len, value ? value : "");
    return MHD_YES;
}

static const struct refusal bodies_full = {503, "busy", "Too many request bodies at a time",
                                           "The daemon holds as many request bodies as it may.",
                                           "Send the request again."};

// Counts bytes of a body before they are kept.
static bool reserve_body(struct http *h, struct conn *c, uint64_t bytes)
{
    uint64_t limit = (uint64_t)h->settings.max_body * BODIES_FACTOR;

    if (h->conns.body_bytes + bytes > limit)
        return false;
    h->conns.body_bytes += bytes;
    c->x.body_reserved += bytes;
    return true;
}

bool serve_head(struct http *h, struct conn *c, const char *method, const char *version)
{
    struct http_exchange *x = &c->x;
    const struct refusal *why;

    x->stage = STAGE_BODY;
    x->method = method;
    x->head.method = method;
    x->head.version = version;
    x->head.local = c->peer.local;
    MHD_get_connection_values_n(x->link, MHD_HEADER_KIND, take_header, &x->head);
    why = guard_check(&h->policy, &x->head);
    if (!why && !reserve_body(h, c, x->head.body_len))
        why = &bodies_full;
    return why ? refuse(h, c, why) : true;
}

bool serve_body(struct http *h, struct conn *c, const char *bytes, size_t len)
{
    struct http_exchange *x = &c->x;
    uint64_t need = x->body.len + len;

    // An announced length was checked and counted with the head. A chunked body
    // shows its length as it comes, and no answer can be sent before its end.
    if (x->body_overflow)
        return true;
    if (need > h->settings.max_body ||
        (need > x->body_reserved && !reserve_body(h, c, need - x->body_reserved))) {
        x->body_overflow = true;
        str_free(&x->body);
        return true;
    }
    str_add_bytes(&x->body, bytes, len);
    return true;
}

static void fill_request(const struct conn *c, struct http_request *req)
{
    const struct http_exchange *x = &c->x;

    *req = (struct http_request){
        .id = x->id,
        .request_id = x->request_id,
        .method = x->method,
        .path = str_text(&x->target.path),
        .body = str_text(&x->body),
        .body_len = x->body.len,
        .if_none_match = x->head.if_none_match,
        .peer = c->peer.text,
        .local = c->peer.local,
        .uid = c->peer.uid,
        .gid = c->peer.gid,
        .pid = c->peer.pid,
        .exchange = x,
    };
}

static bool ask(struct http *h, struct conn *c)
{
    struct http_request req;

    name_request(h, c);
    fill_request(c, &req);
    c->x.stage = STAGE_ASKING;
    conn_enter(&h->conns, c, CONN_WAITING, h->now_us);
    h->on_request(h->ctx, &req);
    if (c->x.stage == STAGE_ASKING) {
        c->x.stage = STAGE_SUSPENDED;
        MHD_suspend_connection(c->x.link);
    }
    return true;
}

bool serve_whole(struct http *h, struct conn *c)
{
    struct http_exchange *x = &c->x;
    const struct page *page;

    if (x->stage != STAGE_BODY)
        return false;
    if (x->body_overflow)
        return refuse(h, c, guard_too_large());
    if (h->stopping) {
        name_request(h, c);
        serve_give_up(h, c);
        return true;
    }
    if (guard_is_read(x->method) && x->target.params == 0) {
        page = pages_find(h->pages, x->target.path.p, x->target.path_hash);
        if (page)
            return send_page(h, c, page);
    }
    return ask(h, c);
}

void serve_end(struct http *h, struct conn *c)
{
    conn_request_end(&h->conns, c);
    if (h->stopping)
        serve_cut(h, c);
    else if (c->phase != CONN_CUT)
        conn_enter(&h->conns, c, CONN_RECEIVING, h->now_us);
}

void serve_give_up(struct http *h, struct conn *c)
{
    const char *title = h->stopping ? "The daemon is being stopped" : "No answer in time";

    log_warn("request=%s method=%s path=%s peer=%s: given up: %s", c->x.request_id, c->x.method,
             str_text(&c->x.target.path), c->peer.text, title);
    (void)send_problem(h, c, 503, "busy", title, "A change that was asked for may still be made.",
                       "Look whether the change was made before sending it again.", NULL);
}

void serve_cut(struct http *h, struct conn *c)
{
    shutdown(c->fd, SHUT_RDWR);
    conn_enter(&h->conns, c, CONN_CUT, h->now_us);
}

// --- the public half --------------------------------------------------------------

const char *http_query(const struct http_request *req, const char *name)
{
    return target_query(&req->exchange->target, name);
}

const char *http_header(const struct http_request *req, const char *name)
{
    return MHD_lookup_connection_value(req->exchange->link, MHD_HEADER_KIND, name);
}

static bool printable(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            return false;
    return true;
}

void http_header_add(struct http *h, uint64_t id, const char *name, const char *value)
{
    struct conn *c = conn_by_id(&h->conns, id);

    if (!c)
        return;
    if (c->x.extras == HTTP_EXTRA_HEADERS_MAX || !printable(name) || !printable(value)) {
        log_error("request=%s: header %s was left out of the answer", c->x.request_id, name);
        return;
    }
    c->x.extra[c->x.extras].name = mem_strdup(name);
    c->x.extra[c->x.extras].value = mem_strdup(value);
    c->x.extras++;
}

int http_reply(struct http *h, uint64_t id, int status, const char *type, const void *bytes,
               size_t len)
{
    struct conn *c = conn_by_id(&h->conns, id);

    if (!c)
        return -ENOENT;
    h->now_us = clock_mono_us();
    (void)send_bytes(h, c, status, type, bytes, len);
    return 0;
}

int http_reply_page(struct http *h, uint64_t id, const char *path)
{
    struct conn *c = conn_by_id(&h->conns, id);
    const struct page *page;

    if (!c)
        return -ENOENT;
    page = pages_find(h->pages, path, target_hash(path, strlen(path)));
    if (!page)
        return -ENXIO;
    h->now_us = clock_mono_us();
    (void)send_page(h, c, page);
    return 0;
}

void http_problem(struct http *h, uint64_t id, int status, const char *code, const char *title,
                  const char *detail, const char *fix, const char *extra)
{
    struct conn *c = conn_by_id(&h->conns, id);

    if (!c)
        return;
    h->now_us = clock_mono_us();
    (void)send_problem(h, c, status, code, title, detail, fix, extra);
}
