// SPDX-License-Identifier: GPL-2.0-or-later
// Limits, deadlines, sockets and shutdown.
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "tests/unit/http_rig.h"

#define PAGE "GET /p HTTP/1.1\r\nHost: localhost\r\n\r\n"
#define LATER "GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n"

enum { CROWD = 60 };

static uint64_t waiting[CROWD];
static unsigned waiting_count;

static void on_request(void *ctx, const struct http_request *req)
{
    struct rig *rig = ctx;

    rig_note(rig, req);
    if (strcmp(req->path, "/later") == 0) {
        if (waiting_count < CROWD)
            waiting[waiting_count++] = req->id;
        return;
    }
    CHECK_INT(http_reply(rig->http, req->id, 200, "text/plain", "ok", 2), 0);
}

static void start(struct rig *rig, struct http_settings settings)
{
    waiting_count = 0;
    rig_start(rig, settings, on_request);
    http_page_set(rig->http, "/p", "text/plain", "page", 4, US_PER_S);
}

static void test_reply_deadline(void)
{
    struct http_settings settings = rig_defaults();
    struct reply r = {0};
    struct client c;
    struct rig rig;
    int64_t began;
    int64_t took;

    settings.reply_timeout_us = 100 * US_PER_MS;
    start(&rig, settings);
    c = client_tcp(&rig);
    began = clock_mono_us();
    CHECK(client_ask(&rig, &c, LATER, &r));
    took = clock_mono_us() - began;
    CHECK_INT(r.status, 503);
    CHECK_TEXT(reply_header(&r, "Retry-After"), "2");
    CHECK_TEXT(reply_header(&r, "Content-Type"), "application/problem+json");
    CHECK_HOLDS(str_text(&r.body), "\"code\":\"busy\"");
    CHECK(took >= 100 * US_PER_MS && took < 5 * US_PER_S);
    CHECK_INT(http_reply(rig.http, rig.id, 200, "text/plain", "x", 1), -ENOENT);
    // The connection is still good, and the late answer did not reach it.
    CHECK(client_ask(&rig, &c, PAGE, &r));
    CHECK_TEXT(str_text(&r.body), "page");
    client_close(&c);
    reply_free(&r);
    rig_stop(&rig);
}

// Neither silence nor a byte now and then keeps a connection.
static void test_idle(void)
{
    struct http_settings settings = rig_defaults();
    struct client quiet;
    struct client served;
    struct client slow;
    struct client body;
    struct reply r = {0};
    struct rig rig;
    int64_t began;
    int64_t next = 0;

    settings.idle_timeout_us = 200 * US_PER_MS;
    start(&rig, settings);
    quiet = client_tcp(&rig);
    served = client_tcp(&rig);
    slow = client_tcp(&rig);
    body = client_unix(&rig);
    CHECK(client_ask(&rig, &served, PAGE, &r));
    CHECK_INT(r.status, 200);
    CHECK(client_send(&rig, &slow, "GET /p HTTP/1.1\r\n"));
    CHECK(
        client_send(&rig, &body, "POST /w HTTP/1.1\r\nHost: x\r\nContent-Length: 4000\r\n\r\nabc"));
    CHECK(rig_wait_connections(&rig, 4));
    began = clock_mono_us();
    while (http_connections(rig.http) > 0 && clock_mono_us() < began + 5 * US_PER_S) {
        if (clock_mono_us() >= next) {
            send(slow.fd, "X", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
            send(body.fd, "X", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
            next = clock_mono_us() + 10 * US_PER_MS;
        }
        rig_turn(&rig, NULL);
    }
    CHECK_INT(http_connections(rig.http), 0);
    CHECK(clock_mono_us() - began < 2 * US_PER_S);
    CHECK_INT(rig.requests, 0);
    CHECK_INT(http_timeout_us(rig.http), -1); // nothing left to wait for
    client_close(&quiet);
    client_close(&served);
    reply_free(&r);
    client_close(&slow);
    client_close(&body);
    rig_stop(&rig);
}

// A client that asks for much and never reads.
static void test_stuck_reader(void)
{
    struct http_settings settings = rig_defaults();
    struct client c;
    struct rig rig;
    char *bytes = calloc(1, 8000000);

    settings.send_timeout_us = 200 * US_PER_MS;
    start(&rig, settings);
    http_page_set(rig.http, "/big", "text/plain", bytes, 8000000, US_PER_S);
    c = client_tcp(&rig);
    CHECK(client_send(&rig, &c, "GET /big HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    CHECK(rig_wait_connections(&rig, 1));
    http_page_drop(rig.http, "/big");
    CHECK(rig_wait_connections(&rig, 0));
    client_close(&c);
    free(bytes);
    rig_stop(&rig);
}

static void test_chunked_over_limit(void)
{
    struct http_settings settings = rig_defaults();
    struct reply r = {0};
    struct client c;
    struct rig rig;

    start(&rig, settings);
    c = client_unix(&rig);
    CHECK(
        client_send(&rig, &c, "POST /w HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"));
    for (int i = 0; i < 40; i++)
        CHECK(client_send(&rig, &c,
                          "80\r\n"
                          "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
                          "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\r\n"));
    CHECK(client_send(&rig, &c, "0\r\n\r\n"));
    CHECK(client_wait(&rig, &c, false, &r));
    CHECK_INT(r.status, 413);
    CHECK_HOLDS(str_text(&r.body), "\"code\":\"too_large\"");
    CHECK_INT(rig.requests, 0);
    client_close(&c);
    reply_free(&r);
    rig_stop(&rig);
}

// All bodies together are bounded, and the space comes back.
static void test_bodies_together(void)
{
    static const char head[] = "POST /w HTTP/1.1\r\nHost: x\r\nContent-Length: 4096\r\n\r\n";
    struct http_settings settings = rig_defaults();
    struct client c[9];
    struct reply r = {0};
    struct rig rig;
    char *bytes = calloc(1, 4096);

    start(&rig, settings);
    for (int i = 0; i < 8; i++) {
        c[i] = client_unix(&rig);
        CHECK(client_send(&rig, &c[i], head));
        CHECK(rig_wait_connections(&rig, (unsigned)i + 1));
        rig_turn(&rig, NULL);
    }
    c[8] = client_unix(&rig);
    CHECK(client_ask(&rig, &c[8], head, &r));
    CHECK_INT(r.status, 503);
    client_close(&c[8]);
    CHECK(client_send_bytes(&rig, &c[0], bytes, 4096));
    CHECK(client_wait(&rig, &c[0], false, &r));
    CHECK_INT(r.status, 200);
    c[8] = client_unix(&rig);
    CHECK(client_send(&rig, &c[8], head));
    CHECK(client_send_bytes(&rig, &c[8], bytes, 4096));
    CHECK(client_wait(&rig, &c[8], false, &r));
    CHECK_INT(r.status, 200);
    for (int i = 0; i < 9; i++)
        client_close(&c[i]);
    free(bytes);
    reply_free(&r);
    rig_stop(&rig);
}

static void check_turned_away(struct rig *rig, struct client *c)
{
    struct reply r = {0};

    CHECK(client_wait(rig, c, false, &r));
    CHECK_INT(r.status, 503);
    CHECK_HOLDS(str_text(&r.body), "\"fix\":");
    CHECK(r.body.len > 0 && r.body.p[r.body.len - 1] == '}');
    CHECK_INT((int64_t)c->in.len, 0);
    CHECK(client_wait_end(rig, c));
    client_close(c);
    reply_free(&r);
}

static void test_connection_limits(void)
{
    struct http_settings settings = rig_defaults();
    struct client tcp[3];
    struct client local[3];
    struct client extra;
    struct reply r = {0};
    struct rig rig;

    settings.max_connections = 5;
    settings.max_per_address = 3;
    start(&rig, settings);
    for (int i = 0; i < 3; i++)
        tcp[i] = client_tcp(&rig);
    CHECK(rig_wait_connections(&rig, 3));
    extra = client_tcp(&rig);
    check_turned_away(&rig, &extra);
    // Another address, here another kind of socket, has its own share of the whole.
    local[0] = client_unix(&rig);
    local[1] = client_unix(&rig);
    CHECK(rig_wait_connections(&rig, 5));
    local[2] = client_unix(&rig);
    check_turned_away(&rig, &local[2]);
    for (int i = 0; i < 3; i++) {
        CHECK(client_ask(&rig, &tcp[i], PAGE, &r));
        CHECK_INT(r.status, 200);
    }
    client_close(&tcp[0]);
    CHECK(rig_wait_connections(&rig, 4));
    tcp[0] = client_tcp(&rig);
    CHECK(client_ask(&rig, &tcp[0], PAGE, &r));
    CHECK_INT(r.status, 200);
    for (int i = 0; i < 3; i++)
        client_close(&tcp[i]);
    client_close(&local[0]);
    client_close(&local[1]);
    CHECK(rig_wait_connections(&rig, 0));
    reply_free(&r);
    rig_stop(&rig);
}

// Sixty clients at once, answered out of order; each gets its own.
static void test_crowd(void)
{
    struct client c[CROWD];
    struct reply r = {0};
    struct rig rig;
    char text[32];
    int right = 0;

    start(&rig, rig_defaults());
    for (int i = 0; i < CROWD; i++) {
        c[i] = i % 2 ? client_unix(&rig) : client_tcp(&rig);
        CHECK(client_send(&rig, &c[i], PAGE LATER));
        CHECK(rig_wait_requests(&rig, (unsigned)i + 1));
    }
    for (int i = CROWD - 1; i >= 0; i--) {
        int n = snprintf(text, sizeof(text), "for %d", i);

        if (i % 3) // every third waits until the others are answered
            CHECK_INT(http_reply(rig.http, waiting[i], 200, "text/plain", text, (size_t)n), 0);
    }
    for (int i = 0; i < CROWD; i += 3) {
        int n = snprintf(text, sizeof(text), "for %d", i);

        CHECK_INT(http_reply(rig.http, waiting[i], 200, "text/plain", text, (size_t)n), 0);
    }
    for (int i = 0; i < CROWD; i++) {
        snprintf(text, sizeof(text), "for %d", i);
        right += client_wait(&rig, &c[i], false, &r) && strcmp(r.body.p, "page") == 0 &&
                 client_wait(&rig, &c[i], false, &r) && strcmp(r.body.p, text) == 0;
        client_close(&c[i]);
    }
    CHECK_INT(right, CROWD);
    CHECK(rig_wait_connections(&rig, 0));
    reply_free(&r);
    rig_stop(&rig);
}

// The client goes while its request waits; its place is used by another.
static void test_gone_while_waiting(void)
{
    struct reply r = {0};
    struct client c;
    struct rig rig;
    uint64_t old;

    start(&rig, rig_defaults());
    c = client_unix(&rig);
    CHECK(client_send(&rig, &c, LATER));
    CHECK(rig_wait_requests(&rig, 1));
    old = rig.id;
    client_close(&c);
    rig_turn(&rig, NULL);
    CHECK_INT(http_reply(rig.http, old, 200, "text/plain", "x", 1), 0); // not known yet
    CHECK(rig_wait_connections(&rig, 0));
    c = client_unix(&rig);
    CHECK(client_send(&rig, &c, LATER));
    CHECK(rig_wait_requests(&rig, 2));
    CHECK(rig.id != old);
    CHECK_INT(http_reply(rig.http, old, 200, "text/plain", "wrong", 5), -ENOENT);
    CHECK_INT(http_reply(rig.http, rig.id, 200, "text/plain", "right", 5), 0);
    CHECK(client_wait(&rig, &c, false, &r));
    CHECK_TEXT(str_text(&r.body), "right");
    client_close(&c);
    reply_free(&r);
    rig_stop(&rig);
}

static void test_tcp_writes(void)
{
    struct http_settings settings = rig_defaults();
    struct reply r = {0};
    struct client c;
    struct rig rig;

    settings.tcp_writes = true;
    start(&rig, settings);
    c = client_tcp(&rig);
    CHECK(client_ask(&rig, &c,
                     "POST /w HTTP/1.1\r\nHost: bench.example\r\nContent-Length: 2\r\n\r\nhi", &r));
    CHECK_INT(r.status, 200);
    CHECK_TEXT(str_text(&rig.body), "hi");
    CHECK(!rig.local);
    CHECK(client_ask(&rig, &c,
                     "POST /w HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n"
                     "Content-Length: 2\r\n\r\nhi",
                     &r));
    CHECK_INT(r.status, 403);
    client_close(&c);
    reply_free(&r);
    rig_stop(&rig);
}

static void test_shutdown(void)
{
    struct reply r = {0};
    struct client wait;
    struct client idle;
    struct client half;
    struct client reader;
    struct rig rig;
    size_t len = 3000000;
    char *bytes = calloc(1, len);
    unsigned port;

    start(&rig, rig_defaults());
    port = http_tcp_port(rig.http);
    CHECK(port > 0);
    http_page_set(rig.http, "/big", "text/plain", bytes, len, US_PER_S);
    wait = client_tcp(&rig);
    idle = client_tcp(&rig);
    half = client_unix(&rig);
    reader = client_unix(&rig);
    CHECK(client_send(&rig, &wait, LATER));
    CHECK(client_send(&rig, &half, "POST /w HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nab"));
    CHECK(client_send(&rig, &reader, "GET /big HTTP/1.1\r\nHost: x\r\n\r\n"));
    CHECK(rig_wait_connections(&rig, 4));
    CHECK(rig_wait_requests(&rig, 1));
    while (reader.in.len == 0)
        rig_turn(&rig, &reader);
    http_stop_listening(rig.http);
    http_stop_listening(rig.http);
    CHECK_INT(http_tcp_port(rig.http), 0);
    CHECK(access(rig.socket_path, F_OK) < 0);
    CHECK_INT(http_reply(rig.http, rig.id, 200, "text/plain", "x", 1), -ENOENT);
    CHECK(client_wait(&rig, &wait, false, &r));
    CHECK_INT(r.status, 503);
    CHECK(client_wait_end(&rig, &wait));
    CHECK(client_wait_end(&rig, &idle));
    CHECK_INT((int64_t)idle.in.len, 0);
    CHECK(client_ask(&rig, &half, "cd", &r));
    CHECK_INT(r.status, 503);
    CHECK(client_wait(&rig, &reader, false, &r));
    CHECK(r.body.len == len);
    CHECK(rig_wait_connections(&rig, 0));
    CHECK_INT(rig.requests, 1);
    client_close(&wait);
    client_close(&idle);
    client_close(&half);
    client_close(&reader);
    free(bytes);
    reply_free(&r);
    rig_stop(&rig);
}

// No time for manners: everything is still open and waiting.
static void test_free_at_once(void)
{
    struct client c[3];
    struct rig rig;

    start(&rig, rig_defaults());
    for (int i = 0; i < 3; i++)
        c[i] = client_unix(&rig);
    CHECK(client_send(&rig, &c[0], LATER));
    CHECK(client_send(&rig, &c[1], "POST /w HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nab"));
    CHECK(rig_wait_requests(&rig, 1));
    http_header_add(rig.http, rig.id, "X-Left", "over");
    rig_stop(&rig);
    for (int i = 0; i < 3; i++)
        client_close(&c[i]);
    http_free(NULL);
}

static int try_create(struct http_settings settings, struct err *e)
{
    struct http *h = NULL;
    int r = http_create(&settings, on_request, NULL, &h, e);

    if (r == 0)
        http_free(h);
    return r;
}

static void test_socket_file(void)
{
    struct http_settings settings = rig_defaults();
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    struct err e = {0};
    struct stat st;
    struct rig rig;
    char path[128];
    char lock[160];
    char longer[200];
    int fd;

    start(&rig, settings);
    CHECK(stat(rig.socket_path, &st) == 0 && S_ISSOCK(st.st_mode));
    CHECK_INT(st.st_mode & 0777, 0600);
    // A second daemon on the same path.
    settings.unix_path = rig.socket_path;
    CHECK_INT(try_create(settings, &e), -EADDRINUSE);
    CHECK_HOLDS(e.text, rig.socket_path);
    CHECK(access(rig.socket_path, F_OK) == 0);

    // Another program's living socket, which has no lock file; then a dead one.
    snprintf(path, sizeof(path), "%s/other", rig.dir);
    snprintf(lock, sizeof(lock), "%s.lock", path);
    str_copy(to.sun_path, sizeof(to.sun_path), path);
    fd = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(bind(fd, (struct sockaddr *)&to, sizeof(to)) == 0 && listen(fd, 1) == 0);
    settings.unix_path = path;
    settings.unix_mode = 0660;
    CHECK_INT(try_create(settings, &e), -EADDRINUSE);
    CHECK_HOLDS(e.text, path);
    CHECK(access(path, F_OK) == 0);
    close(fd);
    // Dead, but a daemon that is just starting holds the lock.
    fd = open(lock, O_RDWR | O_CREAT, 0600);
    CHECK(flock(fd, LOCK_EX | LOCK_NB) == 0);
    CHECK_INT(try_create(settings, &e), -EADDRINUSE);
    close(fd);
    CHECK_INT(try_create(settings, &e), 0);
    CHECK(access(path, F_OK) < 0);

    // No socket at all.
    fd = open(path, O_CREAT | O_WRONLY, 0600);
    close(fd);
    CHECK_INT(try_create(settings, &e), -EEXIST);
    CHECK_HOLDS(e.text, path);
    CHECK(access(path, F_OK) == 0);
    unlink(path);
    unlink(lock);
    snprintf(longer, sizeof(longer), "%s/%0120d", rig.dir, 0);
    settings.unix_path = longer;
    CHECK_INT(try_create(settings, &e), -ENAMETOOLONG);
    settings.unix_path = "/nowhere/at/all/sock";
    CHECK_INT(try_create(settings, &e), -ENOENT);
    CHECK_HOLDS(e.text, "/nowhere/at/all/sock");
    rig_stop(&rig);
}

// The mode holds whatever the umask is, also where it adds bits.
static void test_socket_mode(void)
{
    struct http_settings settings = rig_defaults();
    mode_t old = umask(0077);
    struct stat st;
    struct rig rig;

    settings.unix_mode = 0666;
    start(&rig, settings);
    umask(old);
    CHECK(stat(rig.socket_path, &st) == 0);
    CHECK_INT(st.st_mode & 0777, 0666);
    rig_stop(&rig);
}

static void test_tcp_addresses(void)
{
    static const char *const bad[] = {"localhost:80", "127.0.0.1",   "127.0.0.1:",     ":80",
                                      "::1:80x",      "[::1:80",     "127.0.0.1:x",    "[]:80",
                                      "127.0.0.1:-1", "256.0.0.1:1", "127.0.0.1:65536"};
    struct http_settings settings = rig_defaults();
    struct err e = {0};
    struct rig rig;
    char taken[32];

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        printf("# %s\n", bad[i]);
        settings.tcp_address = bad[i];
        CHECK_INT(try_create(settings, &e), -EINVAL);
        CHECK_HOLDS(e.text, bad[i]);
    }
    start(&rig, rig_defaults());
    snprintf(taken, sizeof(taken), "127.0.0.1:%u", http_tcp_port(rig.http));
    settings.tcp_address = taken;
    CHECK_INT(try_create(settings, &e), -EADDRINUSE);
    CHECK_HOLDS(e.text, taken);
    settings.tcp_address = NULL;
    CHECK_INT(try_create(settings, &e), -EINVAL); // nothing to listen on
    settings = rig_defaults();
    settings.max_connections = 0;
    CHECK_INT(try_create(settings, &e), -ERANGE);
    rig_stop(&rig);
}

// Out of descriptors the server waits a moment instead of turning for nothing.
static void test_out_of_descriptors(void)
{
    struct rlimit old;
    struct rlimit low;
    struct pollfd loop = {.events = POLLIN};
    struct reply r = {0};
    struct client c;
    struct rig rig;
    int next;

    start(&rig, rig_defaults());
    c = client_tcp(&rig);
    next = dup(0);
    close(next);
    CHECK(getrlimit(RLIMIT_NOFILE, &old) == 0);
    low = (struct rlimit){.rlim_cur = (rlim_t)next, .rlim_max = old.rlim_max};
    CHECK(setrlimit(RLIMIT_NOFILE, &low) == 0);
    loop.fd = http_fd(rig.http);
    CHECK(poll(&loop, 1, RIG_PATIENCE_MS) == 1);
    http_run(rig.http);
    CHECK_INT(http_connections(rig.http), 0);
    CHECK_INT(poll(&loop, 1, 0), 0);
    CHECK(http_timeout_us(rig.http) > 0 && http_timeout_us(rig.http) <= US_PER_S);
    CHECK(setrlimit(RLIMIT_NOFILE, &old) == 0);
    CHECK(client_ask(&rig, &c, PAGE, &r));
    CHECK_INT(r.status, 200);
    client_close(&c);
    reply_free(&r);
    rig_stop(&rig);
}

int main(void)
{
    test_reply_deadline();
    test_idle();
    test_stuck_reader();
    test_chunked_over_limit();
    test_bodies_together();
    test_connection_limits();
    test_crowd();
    test_gone_while_waiting();
    test_tcp_writes();
    test_shutdown();
    test_free_at_once();
    test_socket_file();
    test_socket_mode();
    test_tcp_addresses();
    test_out_of_descriptors();
    return tap_done();
}
