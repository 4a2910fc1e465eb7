// SPDX-License-Identifier: GPL-2.0-or-later
#include "loop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

enum { EVENTS_A_TURN = 64, TURNS_MAX = 8, WAIT_MAX_MS = 1000 };

struct watch {
    int fd;
    loop_on_fd *fn;
    void *ctx;
    struct watch *next;
};

struct loop {
    int epoll_fd;
    int signal_fd;
    struct watch *watches;
    loop_on_signal *on_signal;
    void *signal_ctx;
    struct {
        loop_on_turn *fn;
        void *ctx;
    } turns[TURNS_MAX];
    size_t turn_count;
    bool stopping;
};

int loop_create(struct loop **ret, struct err *e)
{
    int fd = epoll_create1(EPOLL_CLOEXEC);

    if (fd < 0)
        return err_set(e, -errno, "epoll: %s", strerror(errno));
    *ret = mem_alloc(sizeof(**ret));
    (*ret)->epoll_fd = fd;
    (*ret)->signal_fd = -1;
    return 0;
}

void loop_free(struct loop *l)
{
    if (!l)
        return;
    while (l->watches) {
        struct watch *w = l->watches;

        l->watches = w->next;
        free(w);
    }
    if (l->signal_fd >= 0)
        close(l->signal_fd);
    close(l->epoll_fd);
    free(l);
}

static struct watch *find(const struct loop *l, int fd)
{
    for (struct watch *w = l->watches; w; w = w->next)
        if (w->fd == fd)
            return w;
    return NULL;
}

int loop_watch(struct loop *l, int fd, uint32_t events, loop_on_fd *fn, void *ctx, struct err *e)
{
    struct epoll_event ev = {.events = events, .data.fd = fd};

    if (epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, fd, &ev) < 0)
        return err_set(e, -errno, "epoll: %s", strerror(errno));
    struct watch *w = mem_alloc(sizeof(*w));
    *w = (struct watch){fd, fn, ctx, l->watches};
    l->watches = w;
    return 0;
}

void loop_change(struct loop *l, int fd, uint32_t events)
{
    struct epoll_event ev = {.events = events, .data.fd = fd};

    epoll_ctl(l->epoll_fd, EPOLL_CTL_MOD, fd, &ev);
}

void loop_unwatch(struct loop *l, int fd)
{
    for (struct watch **p = &l->watches; *p; p = &(*p)->next) {
        struct watch *w = *p;

        if (w->fd != fd)
            continue;
        epoll_ctl(l->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
        *p = w->next;
        free(w);
        return;
    }
}

static void read_signals(void *ctx, uint32_t events)
{
    struct loop *l = ctx;
    struct signalfd_siginfo info;

    (void)events;
    while (read(l->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
        l->on_signal(l->signal_ctx, (int)info.ssi_signo);
}

int loop_signals(struct loop *l, const sigset_t *set, loop_on_signal *fn, void *ctx, struct err *e)
{
    sigprocmask(SIG_BLOCK, set, NULL);
    l->signal_fd = signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (l->signal_fd < 0)
        return err_set(e, -errno, "signalfd: %s", strerror(errno));
    l->on_signal = fn;
    l->signal_ctx = ctx;
    return loop_watch(l, l->signal_fd, EPOLLIN, read_signals, l, e);
}

void loop_add_turn(struct loop *l, loop_on_turn *fn, void *ctx)
{
    if (l->turn_count == TURNS_MAX)
        abort();
    l->turns[l->turn_count].fn = fn;
    l->turns[l->turn_count++].ctx = ctx;
}

static int wait_ms(struct loop *l)
{
    int64_t next = INT64_MAX;

    for (size_t i = 0; i < l->turn_count; i++) {
        int64_t wish = l->turns[i].fn(l->turns[i].ctx);

        if (wish < next)
            next = wish;
    }
    int64_t left = next - clock_mono_us();
    if (left <= 0)
        return 0;
    return left / US_PER_MS < WAIT_MAX_MS ? (int)(left / US_PER_MS) + 1 : WAIT_MAX_MS;
}

void loop_run(struct loop *l)
{
    struct epoll_event events[EVENTS_A_TURN];

    while (!l->stopping) {
        int wait = wait_ms(l);
        int n = l->stopping ? 0 : epoll_wait(l->epoll_fd, events, EVENTS_A_TURN, wait);

        for (int i = 0; i < n; i++) {
            // Looked up anew: an earlier callback of this turn may have ended it.
            struct watch *w = find(l, events[i].data.fd);

            if (w)
                w->fn(w->ctx, events[i].events);
        }
    }
}

void loop_stop(struct loop *l)
{
    l->stopping = true;
}
