// SPDX-License-Identifier: GPL-2.0-or-later
#include "http/guard.h"

#include <errno.h>

#include "tests/unit/tap.h"

static const struct guard_policy policy = {.tcp_name = "bench.example", .max_body = 100};
static const struct guard_policy open_policy = {.max_body = 100, .tcp_writes = true};

static struct guard_head head_of(const char *method, bool local)
{
    struct guard_head head = {.method = method, .version = "HTTP/1.1", .local = local};

    guard_add(&head, "host", 4, "localhost:6826");
    return head;
}

static int status_of(const struct guard_policy *p, struct guard_head head)
{
    const struct refusal *why = guard_check(p, &head);

    return why ? why->status : 0;
}

static void test_hosts(void)
{
    static const struct {
        const char *host;
        bool allowed;
    } cases[] = {
        {"localhost", true},
        {"LocalHost:80", true},
        {"127.0.0.1", true},
        {"127.0.0.1:6826", true},
        {"10.0.0.7:6826", true},
        {"[::1]", true},
        {"[::1]:6826", true},
        {"[fe80::1]:1", true},
        {"bench.example", true},
        {"BENCH.example:6826", true},
        {"evil.example", false},
        {"localhost.evil.example", false},
        {"127.0.0.1.evil.example", false},
        {"bench.example.evil", false},
        {"xlocalhost", false},
        {"", false},
        {":80", false},
        {"localhost:", false},
        {"localhost:x", false},
        {"localhost:123456", false},
        {"localhost:80:80", false},
        {"localhost@evil", false},
        {"[::1", false},
        {"[::1]x", false},
        {"[localhost]", false},
        {"[]", false},
        {"::1", false},
        {"127.1", false},
        {"0x7f000001", false},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        printf("# %s\n", cases[i].host);
        CHECK(guard_host_allowed(cases[i].host, "bench.example") == cases[i].allowed);
    }
    CHECK(!guard_host_allowed("bench.example", NULL));
}

static void test_host_rules(void)
{
    struct guard_head head = {.method = "GET", .version = "HTTP/1.1"};

    CHECK_INT(status_of(&policy, head), 400);
    guard_add(&head, "Host", 4, "evil.example");
    CHECK_INT(status_of(&policy, head), 421);
    head.local = true; // nobody's name points at a socket file
    CHECK_INT(status_of(&policy, head), 0);
    head = head_of("GET", false);
    CHECK_INT(status_of(&policy, head), 0);
    guard_add(&head, "HOST", 4, "localhost");
    CHECK_INT(status_of(&policy, head), 400);
}

static void test_framing(void)
{
    static const struct {
        const char *length;
        const char *length_again;
        const char *coding;
        const char *version;
        int status;
    } cases[] = {
        {"5", NULL, NULL, "HTTP/1.1", 0},
        {"100", NULL, NULL, "HTTP/1.1", 0},
        {"101", NULL, NULL, "HTTP/1.1", 413},
        {"99999999999999999999999", NULL, NULL, "HTTP/1.1", 400},
        {"5", "5", NULL, "HTTP/1.1", 400},
        {"5", "6", NULL, "HTTP/1.1", 400},
        {"5, 5", NULL, NULL, "HTTP/1.1", 400},
        {"+5", NULL, NULL, "HTTP/1.1", 400},
        {"-1", NULL, NULL, "HTTP/1.1", 400},
        {"0x5", NULL, NULL, "HTTP/1.1", 400},
        {" 5", NULL, NULL, "HTTP/1.1", 400},
        {"", NULL, NULL, "HTTP/1.1", 400},
        {NULL, NULL, "chunked", "HTTP/1.1", 0},
        {NULL, NULL, "Chunked", "HTTP/1.1", 0},
        {NULL, NULL, "chunked", "HTTP/1.0", 400},
        {NULL, NULL, "gzip, chunked", "HTTP/1.1", 400},
        {NULL, NULL, "identity", "HTTP/1.1", 400},
        {NULL, NULL, "xchunked", "HTTP/1.1", 400},
        {"5", NULL, "chunked", "HTTP/1.1", 400},
        {NULL, NULL, NULL, "HTTP/1.1", 0},
        {NULL, NULL, NULL, "HTTP/2.0", 505},
        {NULL, NULL, NULL, "HTTP/1.10", 505},
        {NULL, NULL, NULL, "", 505},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct guard_head head = head_of("POST", true);

        head.version = cases[i].version;
        if (cases[i].length)
            guard_add(&head, "Content-Length", 14, cases[i].length);
        if (cases[i].length_again)
            guard_add(&head, "content-length", 14, cases[i].length_again);
        if (cases[i].coding)
            guard_add(&head, "Transfer-Encoding", 17, cases[i].coding);
        printf("# case %zu\n", i);
        CHECK_INT(status_of(&policy, head), cases[i].status);
    }
}

static void test_header_names(void)
{
    static const char *const bad[] = {"Content-Length ", "Content Length", "X:", "", "X\x01", "X(",
                                      "\xc3\xa9"};

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct guard_head head = head_of("GET", true);

        guard_add(&head, bad[i], strlen(bad[i]), "1");
        CHECK_INT(status_of(&policy, head), 400);
    }
}

static void test_methods(void)
{
    static const char *const writes[] = {"POST", "PUT", "PATCH", "DELETE"};
    static const char *const unknown[] = {"TRACE", "CONNECT", "OPTIONS", "get", "FOO", ""};
    struct guard_head head;

    for (size_t i = 0; i < sizeof(writes) / sizeof(writes[0]); i++) {
        CHECK_INT(status_of(&policy, head_of(writes[i], true)), 0);
        CHECK_INT(status_of(&policy, head_of(writes[i], false)), 403);
        CHECK_INT(status_of(&open_policy, head_of(writes[i], false)), 0);
    }
    for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
        CHECK_INT(status_of(&policy, head_of(unknown[i], true)), 405);
        CHECK_INT(status_of(&policy, head_of(unknown[i], false)), 405);
    }
    CHECK_INT(status_of(&policy, head_of("HEAD", false)), 0);
    head = head_of("POST", false);
    CHECK_TEXT(guard_check(&policy, &head)->code, "read_only");
}

static void test_origin(void)
{
    static const struct {
        const char *origin;
        int status;
    } cases[] = {
        {"http://localhost:6826", 0},
        {"https://127.0.0.1", 0},
        {"http://evil.example", 403},
        {"null", 403},
        {"", 403},
        {"http://", 403},
        {"http://localhost.evil.example", 403},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct guard_head head = head_of("POST", false);

        guard_add(&head, "Origin", 6, cases[i].origin);
        printf("# %s\n", cases[i].origin);
        CHECK_INT(status_of(&open_policy, head), cases[i].status);
    }
}

static void test_reads_and_targets(void)
{
    struct guard_head head = head_of("GET", true);

    guard_add(&head, "Content-Length", 14, "1");
    CHECK_INT(status_of(&policy, head), 400);
    head = head_of("GET", true);
    guard_add(&head, "Content-Length", 14, "0");
    CHECK_INT(status_of(&policy, head), 0);
    head = head_of("HEAD", true);
    guard_add(&head, "Transfer-Encoding", 17, "chunked");
    CHECK_INT(status_of(&policy, head), 400);
    head = head_of("GET", true);
    head.target_error = -EINVAL;
    CHECK_INT(status_of(&policy, head), 400);
    head.target_error = -E2BIG;
    CHECK_INT(status_of(&policy, head), 414);
}

int main(void)
{
    test_hosts();
    test_host_rules();
    test_framing();
    test_header_names();
    test_methods();
    test_origin();
    test_reads_and_targets();
    return tap_done();
}
