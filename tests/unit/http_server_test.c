// SPDX-License-Identifier: GPL-2.0-or-later
// One client at a time: pages, requests, and what each answer looks like on the
// wire. Loads, limits and lifetimes are in http_limits_test.c.
#include <jansson.h>
#include <time.h>

#include "tests/unit/http_rig.h"

#define PAGE_TYPE "application/json"
#define PAGE_TEXT "{\"sweeps\":[]}"
// The first 32 digits of what sha256sum says of PAGE_TEXT.
#define PAGE_ETAG "\"52f5003e8684c6eb886cca9035c0a1f5\""

static const int64_t page_time = INT64_C(784111777) * US_PER_S; // the example of RFC 9110, 5.6.7

static void on_request(void *ctx, const struct http_request *req)
{
    struct rig *rig = ctx;
    const char *after = http_query(req, "after");
    const char *token = http_header(req, "X-Token");
    struct str text = {0};

    rig_note(rig, req);
    if (strcmp(req->path, "/later") == 0)
        return;
    if (strcmp(req->path, "/none") == 0) {
        http_problem(rig->http, req->id, 404, "not_found", "No such thing", "no \"none\"\x80",
                     "look at /", "{\"sweep\":\"s1\",\"status\":1}");
    } else if (strcmp(req->path, "/busy") == 0) {
        http_problem(rig->http, req->id, 503, "busy", "Busy", "wait", NULL, NULL);
    } else if (strcmp(req->path, "/page") == 0) {
        if (http_reply_page(rig->http, req->id, "/p") < 0)
            http_problem(rig->http, req->id, 500, "internal", "x", "x", NULL, NULL);
    } else {
        str_addf(&text, "%s %s after=%s token=%s match=%s body=", req->method, req->path,
                 after ? after : "-", token ? token : "-",
                 req->if_none_match ? req->if_none_match : "-");
        str_add_bytes(&text, req->body, req->body_len);
        http_header_add(rig->http, req->id, "Location", "/api/v1/x");
        if (strcmp(req->path, "/p q") == 0) {
            http_header_add(rig->http, req->id, "X-Bad", "a\r\nSet-Cookie: b");
            http_header_add(rig->http, req->id, "X-Odd", "a\x01");
        }
        CHECK_INT(http_reply(rig->http, req->id, 201, "text/plain", text.p, text.len), 0);
        CHECK_INT(http_reply(rig->http, req->id, 200, "text/plain", "again", 5), -ENOENT);
    }
    str_free(&text);
}

static void test_page(struct rig *rig, struct client *c)
{
    struct reply r = {0};

    CHECK(client_ask(rig, c, "GET /p HTTP/1.1\r\nHost: localhost\r\n\r\n", &r));
    CHECK_INT(r.status, 200);
    CHECK_TEXT(str_text(&r.body), PAGE_TEXT);
    CHECK_TEXT(reply_header(&r, "Content-Type"), PAGE_TYPE);
    CHECK_TEXT(reply_header(&r, "Content-Length"), "13");
    CHECK_TEXT(reply_header(&r, "ETag"), PAGE_ETAG);
    CHECK_TEXT(reply_header(&r, "Cache-Control"), "no-cache");
    CHECK_TEXT(reply_header(&r, "Last-Modified"), "Sun, 06 Nov 1994 08:49:37 GMT");
    CHECK_TEXT(reply_header(&r, "X-Content-Type-Options"), "nosniff");
    CHECK(reply_header(&r, "Date")[0] != '\0');

    CHECK(client_ask(rig, c, "HEAD /p HTTP/1.1\r\nHost: localhost\r\n\r\n", &r));
    CHECK_INT(r.status, 200);
    CHECK_TEXT(reply_header(&r, "Content-Length"), "13");
    CHECK_TEXT(reply_header(&r, "ETag"), PAGE_ETAG);
    CHECK_INT((int64_t)c->in.len, 0);
    CHECK_INT(rig->requests, 0); // nobody was asked
    reply_free(&r);
}

static void test_conditional(struct rig *rig, struct client *c)
{
    static const struct {
        const char *tags;
        int status;
    } cases[] = {
        {PAGE_ETAG, 304},
        {"W/" PAGE_ETAG, 304},
        {"\"x\", " PAGE_ETAG ", \"y\"", 304},
        {"*", 304},
        {"\"x\"", 200},
        {"\"\"", 200},
        {"52f5003e8684c6eb886cca9035c0a1f5", 200},
    };
    struct reply r = {0};
    char text[512];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        snprintf(text, sizeof(text),
                 "GET /p HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: %s\r\n\r\n", cases[i].tags);
        printf("# %s\n", cases[i].tags);
        CHECK(client_ask(rig, c, text, &r));
        CHECK_INT(r.status, cases[i].status);
        CHECK_TEXT(reply_header(&r, "ETag"), PAGE_ETAG);
        CHECK_TEXT(reply_header(&r, "Cache-Control"), "no-cache");
        CHECK_TEXT(str_text(&r.body), cases[i].status == 304 ? "" : PAGE_TEXT);
        CHECK_INT((int64_t)c->in.len, 0);
        CHECK_TEXT(reply_header(&r, "Content-Length"), cases[i].status == 304 ? "0" : "13");
    }
    reply_free(&r);
}

static void test_replace(struct rig *rig, struct client *c)
{
    static const char ask[] = "GET /p2 HTTP/1.1\r\nHost: localhost\r\n\r\n";
    struct reply r = {0};
    unsigned before = rig->requests;
    char etag[64];

    http_page_set(rig->http, "/p2", PAGE_TYPE, "one", 3, page_time);
    CHECK(client_ask(rig, c, ask, &r));
    CHECK_TEXT(str_text(&r.body), "one");
    str_copy(etag, sizeof(etag), reply_header(&r, "ETag"));
    http_page_set(rig->http, "/p2", PAGE_TYPE, "two", 3, page_time);
    CHECK(client_ask(rig, c, ask, &r));
    CHECK_TEXT(str_text(&r.body), "two");
    CHECK(strcmp(reply_header(&r, "ETag"), etag) != 0);
    // The same bytes again: the page keeps its time.
    http_page_set(rig->http, "/p2", PAGE_TYPE, "two", 3, page_time + 60 * US_PER_S);
    CHECK(client_ask(rig, c, ask, &r));
    CHECK_TEXT(reply_header(&r, "Last-Modified"), "Sun, 06 Nov 1994 08:49:37 GMT");
    http_page_set(rig->http, "/p2", "text/plain", "two", 3, page_time);
    CHECK(client_ask(rig, c, ask, &r));
    CHECK_TEXT(reply_header(&r, "Content-Type"), "text/plain");
    CHECK_INT(rig->requests, before);
    http_page_drop(rig->http, "/p2");
    http_page_drop(rig->http, "/p2");
    CHECK(client_ask(rig, c, ask, &r));
    CHECK_INT(r.status, 201); // now the callback is asked
    CHECK_INT(rig->requests, before + 1);
    reply_free(&r);
}

static void test_many_pages(struct rig *rig, struct client *c)
{
    struct reply r = {0};
    char path[64];
    char ask[128];
    int wrong = 0;

    // Twice: so that pages are also replaced in the middle of a bucket.
    for (int i = 0; i < 1000; i++) {
        snprintf(path, sizeof(path), "/many/%d", i % 500);
        http_page_set(rig->http, path, PAGE_TYPE, path, i < 500 ? 3 : strlen(path), page_time);
    }
    for (int i = 0; i < 500; i += 2) {
        snprintf(path, sizeof(path), "/many/%d", i);
        http_page_drop(rig->http, path);
    }
    for (int i = 0; i < 500; i += 7) {
        snprintf(path, sizeof(path), "/many/%d", i);
        snprintf(ask, sizeof(ask), "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path);
        if (!client_ask(rig, c, ask, &r) || r.status != (i % 2 ? 200 : 201) ||
            (i % 2 && strcmp(str_text(&r.body), path) != 0))
            wrong++;
    }
    CHECK_INT(wrong, 0);
    reply_free(&r);
}

static void test_callback(struct rig *rig, struct client *c, bool local)
{
    struct reply r = {0};

    CHECK(client_ask(rig, c,
                     "GET /p%20q?after=7 HTTP/1.1\r\nHost: localhost\r\nx-token: t\r\n"
                     "If-None-Match: \"a\"\r\n\r\n",
                     &r));
    CHECK_INT(r.status, 201);
    CHECK_TEXT(str_text(&r.body), "GET /p q after=7 token=t match=\"a\" body=");
    CHECK_TEXT(reply_header(&r, "Location"), "/api/v1/x");
    CHECK_TEXT(reply_header(&r, "X-Request-Id"), rig->request_id);
    CHECK_TEXT(reply_header(&r, "Cache-Control"), "no-store");
    CHECK_TEXT(reply_header(&r, "Set-Cookie"), "");
    CHECK_TEXT(reply_header(&r, "X-Odd"), "");
    CHECK(rig->local == local);
    if (local) {
        CHECK_INT(rig->uid, getuid());
        CHECK_INT(rig->pid, getpid());
    }
    // A page's path with a query is the callback's; it may send the page.
    CHECK(client_ask(rig, c, "GET /p?x=1 HTTP/1.1\r\nHost: localhost\r\n\r\n", &r));
    CHECK_INT(r.status, 201);
    CHECK(client_ask(rig, c, "GET /page?x=1 HTTP/1.1\r\nHost: localhost\r\n\r\n", &r));
    CHECK_INT(r.status, 200);
    CHECK_TEXT(str_text(&r.body), PAGE_TEXT);
    CHECK(client_ask(
        rig, c, "GET /page HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: " PAGE_ETAG "\r\n\r\n",
        &r));
    CHECK_INT(r.status, 304);
    reply_free(&r);
}

static void check_problem(const struct reply *r, int status, const char *code)
{
    json_t *doc = json_loads(str_text(&r->body), JSON_REJECT_DUPLICATES, NULL);

    CHECK_INT(r->status, status);
    CHECK_TEXT(reply_header(r, "Content-Type"), "application/problem+json");
    CHECK_TEXT(json_string_value(json_object_get(doc, "type")), "about:blank");
    CHECK_INT(json_integer_value(json_object_get(doc, "status")), status);
    CHECK_TEXT(json_string_value(json_object_get(doc, "code")), code);
    CHECK(json_string_length(json_object_get(doc, "title")) > 0);
    CHECK(json_string_length(json_object_get(doc, "detail")) > 0);
    CHECK(reply_header(r, "X-Request-Id")[0] != '\0');
    json_decref(doc);
}

static void test_problem(struct rig *rig, struct client *c)
{
    struct reply r = {0};
    json_t *doc;

    CHECK(client_ask(rig, c, "GET /none HTTP/1.1\r\nHost: localhost\r\n\r\n", &r));
    check_problem(&r, 404, "not_found");
    doc = json_loads(str_text(&r.body), 0, NULL);
    CHECK_TEXT(json_string_value(json_object_get(doc, "detail")), "no \"none\"?");
    CHECK_TEXT(json_string_value(json_object_get(doc, "fix")), "look at /");
    CHECK_TEXT(json_string_value(json_object_get(doc, "sweep")), "s1");
    json_decref(doc);
    CHECK_TEXT(reply_header(&r, "Retry-After"), "");
    CHECK(client_ask(rig, c, "GET /busy HTTP/1.1\r\nHost: localhost\r\n\r\n", &r));
    check_problem(&r, 503, "busy");
    CHECK_TEXT(reply_header(&r, "Retry-After"), "2");
    reply_free(&r);
}

static void test_later(struct rig *rig, struct client *c)
{
    struct reply r = {0};
    unsigned seen = rig->requests;
    uint64_t id;

    CHECK(client_send(rig, c, "GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    CHECK(rig_wait_requests(rig, seen + 1));
    id = rig->id;
    rig_turn(rig, c);
    CHECK_INT((int64_t)c->in.len, 0);
    CHECK_INT(http_reply(rig->http, id + HTTP_CONNECTIONS_MAX, 200, "text/plain", "x", 1), -ENOENT);
    CHECK_INT(http_reply(rig->http, 0, 200, "text/plain", "x", 1), -ENOENT);
    CHECK_INT(http_reply(rig->http, UINT64_MAX, 200, "text/plain", "x", 1), -ENOENT);
    CHECK_INT(http_reply(rig->http, id, 200, "text/plain", "late", 4), 0);
    CHECK_INT(http_timeout_us(rig->http), 0); // it must go out without waiting for anything
    CHECK_INT(http_reply(rig->http, id, 200, "text/plain", "twice", 5), -ENOENT);
    CHECK(client_wait(rig, c, false, &r));
    CHECK_INT(r.status, 200);
    CHECK_TEXT(str_text(&r.body), "late");
    http_problem(rig->http, id, 500, "internal", "x", "x", NULL, NULL);
    // The connection lives on, and nothing of the old answers is in it.
    CHECK(client_ask(rig, c, "GET /p HTTP/1.1\r\nHost: localhost\r\n\r\n", &r));
    CHECK_TEXT(str_text(&r.body), PAGE_TEXT);
    CHECK_INT((int64_t)c->in.len, 0);
    reply_free(&r);
}

static void test_bodies(struct rig *rig, struct client *c)
{
    struct reply r = {0};
    struct str text = {0};
    char body[4096];

    CHECK(client_ask(rig, c,
                     "POST /w HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello", &r));
    CHECK_TEXT(str_text(&r.body), "POST /w after=- token=- match=- body=hello");
    CHECK(client_ask(rig, c,
                     "POST /w HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
                     "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
                     &r));
    CHECK_TEXT(str_text(&r.body), "POST /w after=- token=- match=- body=abcde");
    CHECK(
        client_ask(rig, c, "POST /w HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n", &r));
    CHECK_TEXT(str_text(&r.body), "POST /w after=- token=- match=- body=");
    // Exactly the limit, in pieces, with a zero byte in it.
    memset(body, 'b', sizeof(body));
    body[7] = '\0';
    CHECK(
        client_send(rig, c, "PUT /w HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4096\r\n\r\n"));
    CHECK(client_send_bytes(rig, c, body, 100));
    rig_turn(rig, c);
    CHECK(client_send_bytes(rig, c, body + 100, sizeof(body) - 100));
    CHECK(client_wait(rig, c, false, &r));
    CHECK_INT(r.status, 201);
    CHECK(rig->body.len == sizeof(body) && memcmp(rig->body.p, body, sizeof(body)) == 0);
    // Expect: 100-continue is answered before the body is sent.
    CHECK(client_ask(rig, c,
                     "POST /w HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"
                     "Expect: 100-continue\r\n\r\n",
                     &r));
    CHECK_INT(r.status, 100);
    CHECK(client_ask(rig, c, "ok", &r));
    CHECK_TEXT(str_text(&r.body), "POST /w after=- token=- match=- body=ok");
    str_free(&text);
    reply_free(&r);
}

static void test_pipelined(struct rig *rig, struct client *c)
{
    struct reply r = {0};
    unsigned seen = rig->requests;

    CHECK(client_send(rig, c,
                      "GET /p HTTP/1.1\r\nHost: localhost\r\n\r\n"
                      "GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n"
                      "GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n"
                      "GET /p HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    CHECK(client_wait(rig, c, false, &r));
    CHECK_TEXT(str_text(&r.body), PAGE_TEXT);
    CHECK(rig_wait_requests(rig, seen + 1)); // the third waits behind the second
    CHECK_INT(http_reply(rig->http, rig->id, 200, "text/plain", "second", 6), 0);
    CHECK(client_wait(rig, c, false, &r));
    CHECK_TEXT(str_text(&r.body), "second");
    CHECK(client_wait(rig, c, false, &r));
    CHECK_TEXT(str_text(&r.body), "GET /a after=- token=- match=- body=");
    CHECK(client_wait(rig, c, false, &r));
    CHECK_TEXT(str_text(&r.body), PAGE_TEXT);
    CHECK_INT((int64_t)c->in.len, 0);
    reply_free(&r);
}

// A client may close its sending half after the request and still read a page. If
// its request waits in the callback it counts as gone, as for most servers.
static void test_half_closed(struct rig *rig)
{
    struct reply r = {0};

    for (int i = 0; i < 4; i++) {
        struct client c = i < 2 ? client_unix(rig) : client_tcp(rig);
        unsigned seen = rig->requests;
        bool later = i % 2 == 1;

        CHECK(client_send(rig, &c,
                          later ? "GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n"
                                : "GET /p HTTP/1.1\r\nHost: localhost\r\n\r\n"));
        shutdown(c.fd, SHUT_WR);
        if (later) {
            CHECK(rig_wait_requests(rig, seen + 1));
            CHECK_INT(http_reply(rig->http, rig->id, 200, "text/plain", "x", 1), 0);
            CHECK(client_wait_end(rig, &c));
            CHECK_INT(http_reply(rig->http, rig->id, 200, "text/plain", "x", 1), -ENOENT);
        } else {
            CHECK(client_wait(rig, &c, false, &r));
            CHECK_TEXT(str_text(&r.body), PAGE_TEXT);
        }
        client_close(&c);
    }
    reply_free(&r);
}

// A fresh connection each: what is refused before its end closes it.
static void test_refused(struct rig *rig)
{
    static const struct {
        bool tcp;
        const char *text;
        int status;
        const char *code;
    } cases[] = {
        {true, "POST /w HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n", 403,
         "read_only"},
        {true, "DELETE /p HTTP/1.1\r\nHost: localhost\r\n\r\n", 403, "read_only"},
        {true, "GET /p HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421, "bad_request"},
        {true, "GET /p HTTP/1.0\r\n\r\n", 400, "bad_request"},
        {false, "POST /w HTTP/1.1\r\nHost: x\r\nContent-Length: 4097\r\n\r\n", 413, "too_large"},
        {false,
         "POST /w HTTP/1.1\r\nHost: x\r\nContent-Length: 4097\r\nExpect: 100-continue\r\n\r\n", 413,
         "too_large"},
        {false, "GET /../p HTTP/1.1\r\nHost: x\r\n\r\n", 400, "bad_request"},
        {false, "GET /%2e%2e/p HTTP/1.1\r\nHost: x\r\n\r\n", 400, "bad_request"},
        {false, "GET /p%00 HTTP/1.1\r\nHost: x\r\n\r\n", 400, "bad_request"},
        {false, "GET /p%zz HTTP/1.1\r\nHost: x\r\n\r\n", 400, "bad_request"},
        {false, "GET p HTTP/1.1\r\nHost: x\r\n\r\n", 400, "bad_request"},
        {false, "GET http://x/p HTTP/1.1\r\nHost: x\r\n\r\n", 400, "bad_request"},
        {false, "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", 400, "bad_request"},
        {false, "TRACE /p HTTP/1.1\r\nHost: x\r\n\r\n", 405, "method_not_allowed"},
        {false, "FOO /p HTTP/1.1\r\nHost: x\r\n\r\n", 405, "method_not_allowed"},
        {false, "GET /p HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", 400, "bad_request"},
        {false, "POST /w HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
         400, "bad_request"},
        {false,
         "POST /w HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
         "0\r\n\r\n",
         400, "bad_request"},
        {false, "POST /w HTTP/1.1\r\nHost: x\r\nContent-Length : 3\r\n\r\nabc", 400, "bad_request"},
    };
    unsigned seen = rig->requests;
    struct reply r = {0};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct client c = cases[i].tcp ? client_tcp(rig) : client_unix(rig);

        printf("# %.60s\n", cases[i].text);
        if (CHECK(client_ask(rig, &c, cases[i].text, &r)))
            check_problem(&r, cases[i].status, cases[i].code);
        CHECK((cases[i].status == 405) == (reply_header(&r, "Allow")[0] != '\0'));
        CHECK(client_wait_end(rig, &c));
        CHECK_INT((int64_t)c.in.len, 0);
        client_close(&c);
    }
    CHECK_INT(rig->requests, seen);
    reply_free(&r);
}

// Not HTTP, or not ours to answer in detail: an error or the end, never a page,
// never a call, and the server goes on.
static void test_malformed(struct rig *rig)
{
    static const char *const texts[] = {
        "GET\r\n\r\n",
        "GET /p\r\n\r\n",
        "GET /p q HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /p HTTP/9.9\r\nHost: x\r\n\r\n",
        "GET /p FTP/1.1\r\nHost: x\r\n\r\n",
        "GET /p HTTP/1.1\r\n\r\n",
        "GET /p HTTP/1.1\r\nHost x\r\n\r\n",
        "POST /w HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n",
        ("POST /w HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
         "ffffffffffffffffff\r\nabc\r\n0\r\n\r\n"),
        "POST /w HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\nabcde",
    };
    unsigned seen = rig->requests;
    struct reply r = {0};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct client c = client_unix(rig);

        printf("# %zu: %.30s\n", i, texts[i]);
        CHECK(client_send(rig, &c, texts[i]));
        CHECK(client_wait_end(rig, &c));
        CHECK(c.in.len == 0 || strncmp(c.in.p, "HTTP/1.1 4", 10) == 0 ||
              strncmp(c.in.p, "HTTP/1.1 5", 10) == 0);
        client_close(&c);
    }
    CHECK_INT(rig->requests, seen);
    reply_free(&r);
}

// The beginning of something, then the client is gone.
static void test_broken_off(struct rig *rig)
{
    static const char *const texts[] = {
        "\r\n\r\n\r\n",
        "\x16\x03\x01\x02",
        "GET /p HTT",
        "GET /p HTTP/1.1\r\nHost: x\r\n",
        "POST /w HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\nabcde",
        "POST /w HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
    };
    unsigned seen = rig->requests;
    unsigned open = http_connections(rig->http);

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct client c = i == 1 || i == 3 ? client_tcp(rig) : client_unix(rig);

        CHECK(client_send(rig, &c, texts[i]));
        CHECK(rig_wait_connections(rig, open + 1));
        rig_turn(rig, &c);
        client_close(&c);
        CHECK(rig_wait_connections(rig, open));
    }
    CHECK_INT(rig->requests, seen);
}

static void test_big_heads(struct rig *rig)
{
    static const char *const starts[] = {"GET /", "GET /p HTTP/1.1\r\nHost: x\r\nX-Big: ", ""};
    struct str text = {0};

    for (int i = 0; i < 3; i++) {
        struct client c = client_unix(rig);

        str_clear(&text);
        str_add(&text, starts[i]);
        while (text.len < 100000)
            str_add(&text, i == 2 ? "GET" : "xxxxxxxx");
        client_send_bytes(rig, &c, text.p, text.len);
        CHECK(client_wait_end(rig, &c));
        CHECK(c.in.len == 0 || strncmp(c.in.p, "HTTP/1.1 4", 10) == 0);
        client_close(&c);
    }
    str_free(&text);
}

// A page of many times the socket's buffer, replaced while it is being read.
static void test_big_page(struct rig *rig)
{
    struct client c = client_unix(rig);
    struct reply r = {0};
    size_t len = 3000000;
    char *bytes = malloc(len);
    size_t right = 0;

    for (size_t i = 0; i < len; i++)
        bytes[i] = (char)('a' + i % 23);
    http_page_set(rig->http, "/big", "text/plain", bytes, len, page_time);
    CHECK(client_send(rig, &c, "GET /big HTTP/1.1\r\nHost: x\r\n\r\n"));
    while (c.in.len == 0)
        rig_turn(rig, &c);
    CHECK(c.in.len < len);
    http_page_set(rig->http, "/big", "text/plain", "new", 3, page_time);
    CHECK(client_wait(rig, &c, false, &r));
    for (size_t i = 0; i < r.body.len; i++)
        right += r.body.p[i] == bytes[i];
    CHECK(r.body.len == len && right == len);
    CHECK(client_ask(rig, &c, "GET /big HTTP/1.1\r\nHost: x\r\n\r\n", &r));
    CHECK_TEXT(str_text(&r.body), "new");
    free(bytes);
    reply_free(&r);
    client_close(&c);
}

int main(void)
{
    struct client local;
    struct client tcp;
    struct rig rig;

    rig_start(&rig, rig_defaults(), on_request);
    http_page_set(rig.http, "/p", PAGE_TYPE, PAGE_TEXT, strlen(PAGE_TEXT), page_time);
    local = client_unix(&rig);
    tcp = client_tcp(&rig);
    test_page(&rig, &local);
    test_page(&rig, &tcp);
    test_conditional(&rig, &tcp);
    test_replace(&rig, &local);
    test_many_pages(&rig, &tcp);
    test_callback(&rig, &local, true);
    test_callback(&rig, &tcp, false);
    test_problem(&rig, &tcp);
    test_later(&rig, &local);
    test_later(&rig, &tcp);
    test_bodies(&rig, &local);
    test_pipelined(&rig, &local);
    test_pipelined(&rig, &tcp);
    test_half_closed(&rig);
    test_refused(&rig);
    test_malformed(&rig);
    test_broken_off(&rig);
    test_big_heads(&rig);
    test_big_page(&rig);
    client_close(&local);
    client_close(&tcp);
    rig_stop(&rig);
    return tap_done();
}
