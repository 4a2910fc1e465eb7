// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/standin/replay_net.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/mem.h"
#include "tests/standin/common_wire.h"

enum { EVENTS_AT_ONCE = 64, WAIT_MAX_MS = 1000 };

struct slot {
    struct net *net;
    CURL *easy;
    struct curl_slist *headers;
    int number;
    bool busy;
    bool stream; // the answer is an event stream
    int64_t stamp_ns;
    struct str body; // of a stream: the line under way
};

struct net {
    CURLM *multi;
    struct net_events events;
    struct slot *slots;
    int count;
    int epoll;
    int watched;
    bool timer; // the library wants to be called after so long
    long timer_ms;
};

static size_t on_header(char *data, size_t size, size_t n, void *context)
{
    static const char type[] = "content-type: text/event-stream";
    static const char stamp[] = WIRE_HEADER ":";
    struct slot *s = context;
    size_t len = size * n;

    if (len >= sizeof(type) - 1 && strncasecmp(data, type, sizeof(type) - 1) == 0)
        s->stream = true;
    if (len >= sizeof(stamp) - 1 && strncasecmp(data, stamp, sizeof(stamp) - 1) == 0)
        s->stamp_ns = strtoll(data + sizeof(stamp) - 1, NULL, 10);
    return len;
}

static size_t on_lines(struct slot *s, const char *data, size_t len)
{
    const char *at = data;
    const char *end;

    while ((end = memchr(at, '\n', len - (size_t)(at - data)))) {
        str_add_bytes(&s->body, at, (size_t)(end - at));
        if (s->body.len)
            s->net->events.line(s->net->events.context, s->number, s->body.p);
        str_clear(&s->body);
        at = end + 1;
    }
    str_add_bytes(&s->body, at, len - (size_t)(at - data));
    return s->body.len > NET_LINE_MAX ? 0 : len;
}

static size_t on_body(char *data, size_t size, size_t n, void *context)
{
    struct slot *s = context;
    size_t len = size * n;

    if (s->stream)
        return on_lines(s, data, len);
    str_add_bytes(&s->body, data, len);
    return s->body.len > NET_BODY_MAX ? 0 : len;
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *context, void *known)
{
    struct net *n = context;
    struct epoll_event ev = {.data.fd = fd};

    (void)easy;
    if (what == CURL_POLL_REMOVE) {
        epoll_ctl(n->epoll, EPOLL_CTL_DEL, fd, NULL);
        curl_multi_assign(n->multi, fd, NULL);
        return 0;
    }
    ev.events = ((what & CURL_POLL_IN) ? EPOLLIN : 0u) | ((what & CURL_POLL_OUT) ? EPOLLOUT : 0u);
    if (epoll_ctl(n->epoll, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &ev) < 0 && errno == EEXIST)
        epoll_ctl(n->epoll, EPOLL_CTL_MOD, fd, &ev);
    curl_multi_assign(n->multi, fd, n);
    return 0;
}

static int on_timer(CURLM *multi, long ms, void *context)
{
    struct net *n = context;

    (void)multi;
    n->timer = ms >= 0;
    n->timer_ms = ms;
    return 0;
}

static bool set_up(struct slot *s)
{
    s->easy = curl_easy_init();
    if (!s->easy)
        return false;
    curl_easy_setopt(s->easy, CURLOPT_PRIVATE, s);
    curl_easy_setopt(s->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(s->easy, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(s->easy, CURLOPT_IPRESOLVE, (long)CURL_IPRESOLVE_V4);
    curl_easy_setopt(s->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(s->easy, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(s->easy, CURLOPT_HEADERDATA, s);
    curl_easy_setopt(s->easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(s->easy, CURLOPT_WRITEDATA, s);
    return true;
}

int net_create(struct net **ret, int slots, const struct net_events *events, struct err *e)
{
    struct net *n = mem_alloc(sizeof(*n));

    n->events = *events;
    n->watched = -1;
    n->count = slots;
    n->slots = mem_array((size_t)slots, sizeof(*n->slots));
    n->epoll = epoll_create1(EPOLL_CLOEXEC);
    curl_global_init(CURL_GLOBAL_NOTHING);
    n->multi = curl_multi_init();
    bool good = n->epoll >= 0 && n->multi;
    for (int i = 0; good && i < slots; i++) {
        n->slots[i].net = n;
        n->slots[i].number = i;
        good = set_up(&n->slots[i]);
    }
    if (!good) {
        net_free(n);
        return err_set(e, -ENOMEM, "cannot set up the HTTP client");
    }
    curl_multi_setopt(n->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(n->multi, CURLMOPT_SOCKETDATA, n);
    curl_multi_setopt(n->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(n->multi, CURLMOPT_TIMERDATA, n);
    curl_multi_setopt(n->multi, CURLMOPT_MAXCONNECTS, (long)slots);
    *ret = n;
    return 0;
}

void net_free(struct net *n)
{
    if (!n)
        return;
    for (int i = 0; i < n->count; i++) {
        struct slot *s = &n->slots[i];

        if (s->busy)
            curl_multi_remove_handle(n->multi, s->easy);
        curl_easy_cleanup(s->easy);
        curl_slist_free_all(s->headers);
        str_free(&s->body);
    }
    curl_multi_cleanup(n->multi);
    curl_global_cleanup();
    if (n->epoll >= 0)
        close(n->epoll);
    free(n->slots);
    free(n);
}

bool net_is_busy(const struct net *n, int slot)
{
    return n->slots[slot].busy;
}

static void set_headers(struct slot *s, const struct net_request *rq)
{
    char line[WIRE_HEADER_MAX + sizeof(WIRE_HEADER) + 2];

    curl_slist_free_all(s->headers);
    s->headers = curl_slist_append(NULL, "Expect:");
    if (rq->body)
        s->headers = curl_slist_append(s->headers, "Content-Type: application/json");
    if (rq->standin) {
        str_copy(line, sizeof(line), WIRE_HEADER ": ");
        str_copy(line + sizeof(WIRE_HEADER) + 1, sizeof(line) - sizeof(WIRE_HEADER) - 1,
                 rq->standin);
        s->headers = curl_slist_append(s->headers, line);
    }
    curl_easy_setopt(s->easy, CURLOPT_HTTPHEADER, s->headers);
}

void net_send(struct net *n, int slot, const struct net_request *rq)
{
    struct slot *s = &n->slots[slot];

    str_clear(&s->body);
    s->stream = false;
    s->stamp_ns = -1;
    s->busy = true;
    set_headers(s, rq);
    curl_easy_setopt(s->easy, CURLOPT_URL, rq->url);
    if (rq->body)
        curl_easy_setopt(s->easy, CURLOPT_COPYPOSTFIELDS, rq->body);
    else
        curl_easy_setopt(s->easy, CURLOPT_HTTPGET, 1L);
    curl_multi_add_handle(n->multi, s->easy);
}

static void finish(struct net *n, CURL *easy, CURLcode code)
{
    struct slot *s = NULL;
    struct net_answer a = {0};
    long status = 0;

    curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)(void *)&s);
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    curl_multi_remove_handle(n->multi, easy);
    a.status = (int)status;
    a.stamp_ns = s->stamp_ns;
    a.body = &s->body;
    a.error = code == CURLE_OK ? NULL : curl_easy_strerror(code);
    s->busy = false;
    n->events.done(n->events.context, s->number, &a);
}

static bool take_finished(struct net *n)
{
    bool any = false;
    CURLMsg *m;
    int left;

    while ((m = curl_multi_info_read(n->multi, &left))) {
        if (m->msg != CURLMSG_DONE)
            continue;
        finish(n, m->easy_handle, m->data.result);
        any = true;
    }
    return any;
}

void net_watch(struct net *n, int fd)
{
    struct epoll_event ev = {.events = EPOLLIN, .data.fd = fd};

    n->watched = fd;
    epoll_ctl(n->epoll, EPOLL_CTL_ADD, fd, &ev);
}

bool net_wait(struct net *n)
{
    struct epoll_event events[EVENTS_AT_ONCE];
    bool watched = false;
    int running;

    if (n->timer && n->timer_ms == 0) {
        n->timer = false;
        curl_multi_socket_action(n->multi, CURL_SOCKET_TIMEOUT, 0, &running);
        if (take_finished(n))
            return false;
    }
    int ms = n->timer && n->timer_ms < WAIT_MAX_MS ? (int)n->timer_ms : WAIT_MAX_MS;
    int count = epoll_wait(n->epoll, events, EVENTS_AT_ONCE, ms);

    for (int i = 0; i < count; i++) {
        unsigned ev = events[i].events;
        int what = ((ev & (EPOLLIN | EPOLLHUP)) ? CURL_CSELECT_IN : 0) |
                   ((ev & EPOLLOUT) ? CURL_CSELECT_OUT : 0) |
                   ((ev & EPOLLERR) ? CURL_CSELECT_ERR : 0);

        if (events[i].data.fd == n->watched)
            watched = true;
        else
            curl_multi_socket_action(n->multi, events[i].data.fd, what, &running);
    }
    if (count <= 0 && n->timer) {
        n->timer = false;
        curl_multi_socket_action(n->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
    take_finished(n);
    return watched;
}
