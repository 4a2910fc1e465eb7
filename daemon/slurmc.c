// SPDX-License-Identifier: GPL-2.0-or-later
#include "slurmc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "slurmwire.h"

enum {
    QUEUE_MAX = 256,
    ANSWER_MAX = 64 * 1024 * 1024,
    READ_CHUNK = 65536,
    CHILD_FD = 3, // where the child expects its end of the socket pair
    EXIT_BAD_CONFIG = 3,
};
#define RESTART_FIRST (200 * US_PER_MS)
#define RESTART_MAX (10 * US_PER_S)
#define EXIT_PATIENCE (2 * US_PER_S) // for a child that closed its socket to be gone

struct request {
    uint64_t id;
    enum slurmc_op op;
    struct ref ref;
    char *line; // owned
    size_t len;
    struct request *next;
};

struct slurmc {
    const struct conf *conf;
    struct loop *loop;
    slurmc_on_answer *fn;
    void *ctx;
    char program[PATH_MAX];
    pid_t pid;         // 0: no child
    int fd;            // -1: no child
    int64_t closed_at; // the child closed its end and is not reaped yet; 0: no
    struct request *head, *tail;
    size_t count;
    size_t sent;  // bytes of the head that the socket has taken
    bool waiting; // the head is with the child
    int64_t began_at, deadline;
    struct str input;
    uint64_t last_id;
    int64_t restart_at;
    int64_t restart_wait;
    bool polling;
    struct slurmc_status status;
};

int slurmc_create(const struct conf *conf, struct loop *loop, slurmc_on_answer *fn, void *ctx,
                  struct slurmc **ret, struct err *e)
{
    struct slurmc *c = mem_alloc(sizeof(*c));

    c->conf = conf;
    c->loop = loop;
    c->fn = fn;
    c->ctx = ctx;
    c->fd = -1;
    c->restart_wait = RESTART_FIRST;
    str_copy(c->status.detail, sizeof(c->status.detail), "starting");
    int n = snprintf(c->program, sizeof(c->program), "%s/sweep-slurm", conf->programs);
    if (n >= (int)sizeof(c->program) || access(c->program, X_OK) < 0) {
        free(c);
        return err_set(e, -ENOENT, "%s/sweep-slurm cannot be run: %s", conf->programs,
                       strerror(errno));
    }
    // For the child. Set here, before other threads do anything.
    setenv("SLURM_CONF", conf->slurm_conf, 1);
    *ret = c;
    return 0;
}

static void drop_head(struct slurmc *c)
{
    struct request *r = c->head;

    c->head = r->next;
    if (!c->head)
        c->tail = NULL;
    c->count--;
    c->sent = 0;
    c->waiting = false;
    if (r->op == SLURMC_POLL)
        c->polling = false;
    free(r->line);
    free(r);
}

static void push(struct slurmc *c, enum slurmc_op op, struct ref ref, uint64_t id, struct str *line)
{
    struct request *r = mem_alloc(sizeof(*r));

    r->id = id;
    r->op = op;
    r->ref = ref;
    r->len = line->len;
    r->line = str_take(line);
    if (op == SLURMC_HELLO) { // the first thing that a new child hears
        r->next = c->head;
        c->head = r;
        if (!c->tail)
            c->tail = r;
    } else {
        if (c->tail)
            c->tail->next = r;
        else
            c->head = r;
        c->tail = r;
    }
    c->count++;
}

// The head of the queue has its answer, good or bad.
static void finish(struct slurmc *c, struct slurmc_answer *a)
{
    a->op = c->head->op;
    a->ref = c->head->ref;
    a->began_at = c->began_at;
    drop_head(c);
    if (a->op != SLURMC_HELLO || !a->ok)
        c->fn(c->ctx, a);
}

// The child is gone or will be. A submit that it had may have happened.
static void fail_head(struct slurmc *c, const char *why)
{
    struct slurmc_answer a = {.text = why, .failure = FAILURE_DOWN};

    if (!c->head || (!c->waiting && !c->sent))
        return;
    if (c->head->op == SLURMC_SUBMIT)
        a.failure = FAILURE_UNCLEAR;
    finish(c, &a);
}

static void close_socket(struct slurmc *c)
{
    if (c->fd < 0)
        return;
    loop_unwatch(c->loop, c->fd);
    close(c->fd);
    c->fd = -1;
    str_clear(&c->input);
    c->closed_at = clock_mono_us();
}

static void describe_exit(struct slurmc *c, int status)
{
    c->status.bad_config = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_BAD_CONFIG;
    c->status.up = false;
    if (c->status.bad_config)
        snprintf(c->status.detail, sizeof(c->status.detail),
                 "sweep-slurm cannot use %s; its message stands in the log above",
                 c->conf->slurm_conf);
    else if (WIFEXITED(status))
        snprintf(c->status.detail, sizeof(c->status.detail), "sweep-slurm ended with code %d",
                 WEXITSTATUS(status));
    else
        snprintf(c->status.detail, sizeof(c->status.detail), "sweep-slurm was ended by signal %d",
                 WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

// Reaps a child that has closed its socket. Returns false while it lingers.
static bool reap(struct slurmc *c)
{
    int status = 0;
    int64_t now = clock_mono_us();

    if (!c->pid)
        return true;
    pid_t done = waitpid(c->pid, &status, WNOHANG);
    if (done == 0) {
        if (now - c->closed_at < EXIT_PATIENCE)
            return false;
        kill(c->pid, SIGKILL);
        waitpid(c->pid, &status, 0);
    }
    c->pid = 0;
    describe_exit(c, status);
    log_warn("%s", c->status.detail);
    fail_head(c, c->status.detail);
    c->restart_at = now + c->restart_wait;
    c->restart_wait = c->restart_wait * 2 < RESTART_MAX ? c->restart_wait * 2 : RESTART_MAX;
    return true;
}

static void answer_line(struct slurmc *c, const char *line, size_t len)
{
    struct slurmwire_answer answer;
    struct err e;

    if (slurmwire_parse(line, len, c->conf, &answer, &e)) {
        log_error("%s", e.text);
        kill(c->pid, SIGKILL);
        return;
    }
    if (!c->head || !c->waiting || c->head->id != answer.id) {
        log_error("sweep-slurm answered a question that was not asked");
        kill(c->pid, SIGKILL);
        slurmwire_answer_done(&answer);
        return;
    }
    answer.a.text = answer.text;
    c->status.rpcs += answer.a.rpcs;
    if (c->head->op == SLURMC_HELLO && answer.a.ok) {
        c->status.min_job_age_s = answer.min_job_age_s;
        str_copy(c->status.version, sizeof(c->status.version), answer.version);
        str_copy(c->status.cluster, sizeof(c->status.cluster), answer.cluster);
    }
    if (c->head->op == SLURMC_POLL || c->head->op == SLURMC_HELLO) {
        c->status.up = answer.a.ok;
        str_copy(c->status.detail, sizeof(c->status.detail), answer.a.ok ? "" : answer.text);
    }
    if (answer.a.ok) {
        c->status.last_ok = clock_mono_us();
        c->restart_wait = RESTART_FIRST;
    }
    finish(c, &answer.a);
    slurmwire_answer_done(&answer);
}

static void take_lines(struct slurmc *c)
{
    char *end;

    while (c->fd >= 0 && c->input.len && (end = memchr(c->input.p, '\n', c->input.len))) {
        size_t len = (size_t)(end - c->input.p);
        size_t rest = c->input.len - len - 1;

        *end = '\0';
        answer_line(c, c->input.p, len);
        memmove(c->input.p, end + 1, rest);
        c->input.len = rest;
        c->input.p[rest] = '\0';
    }
}

static void send_head(struct slurmc *c)
{
    if (c->fd < 0 || !c->head || c->waiting)
        return;
    if (!c->sent) {
        c->began_at = clock_mono_us();
        c->deadline = c->began_at + c->conf->slurm_timeout;
    }
    ssize_t n = send(c->fd, c->head->line + c->sent, c->head->len - c->sent, MSG_NOSIGNAL);
    if (n > 0)
        c->sent += (size_t)n;
    c->waiting = c->sent == c->head->len;
    loop_change(c->loop, c->fd, c->waiting ? EPOLLIN : EPOLLIN | EPOLLOUT);
}

static void on_socket(void *ctx, uint32_t events)
{
    struct slurmc *c = ctx;
    char chunk[READ_CHUNK];
    ssize_t n = 0;

    if (events & EPOLLOUT)
        send_head(c);
    if (!(events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
        return;
    while ((n = recv(c->fd, chunk, sizeof(chunk), MSG_DONTWAIT)) > 0) {
        str_add_bytes(&c->input, chunk, (size_t)n);
        if (c->input.len > ANSWER_MAX) {
            log_error("sweep-slurm answers with more than %d bytes", ANSWER_MAX);
            kill(c->pid, SIGKILL);
            n = 0;
            break;
        }
    }
    bool ended = n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
    take_lines(c);
    if (ended)
        close_socket(c);
    else
        send_head(c);
}

static void child_start(const struct slurmc *c, int fd, pid_t parent)
{
    sigset_t none;
    char *const argv[] = {(char *)(uintptr_t)c->program, NULL};

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(0);
    if (dup2(fd, CHILD_FD) < 0)
        _exit(1);
    if (fd == CHILD_FD)
        fcntl(CHILD_FD, F_SETFD, 0);
    execv(c->program, argv);
    dprintf(STDERR_FILENO, "cannot run %s: %s\n", c->program, strerror(errno));
    _exit(1);
}

static int start_child(struct slurmc *c, struct err *e)
{
    int pair[2];
    pid_t parent = getpid();
    struct str line = {0};

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return err_set(e, -errno, "socketpair: %s", strerror(errno));
    c->pid = fork();
    if (c->pid == 0)
        child_start(c, pair[1], parent);
    close(pair[1]);
    if (c->pid < 0) {
        c->pid = 0;
        close(pair[0]);
        return err_set(e, -errno, "fork: %s", strerror(errno));
    }
    fcntl(pair[0], F_SETFL, O_NONBLOCK);
    c->fd = pair[0];
    c->closed_at = 0;
    int rc = loop_watch(c->loop, c->fd, EPOLLIN, on_socket, c, e);
    if (rc)
        return rc;
    slurmwire_hello(&line, ++c->last_id);
    push(c, SLURMC_HELLO, (struct ref){0, -1, 0}, c->last_id, &line);
    send_head(c);
    return 0;
}

int64_t slurmc_turn(struct slurmc *c)
{
    int64_t now = clock_mono_us();
    struct err e;

    if (c->fd < 0) {
        if (!reap(c))
            return now + RESTART_FIRST;
        if (now < c->restart_at)
            return c->restart_at;
        if (start_child(c, &e)) {
            log_error("cannot start sweep-slurm: %s", e.text);
            c->restart_at = now + RESTART_MAX;
            return c->restart_at;
        }
    }
    if (c->waiting && now >= c->deadline) {
        log_warn("sweep-slurm did not answer within %lld s and is ended",
                 (long long)(c->conf->slurm_timeout / US_PER_S));
        kill(c->pid, SIGKILL);
        close_socket(c);
        return now + US_PER_MS;
    }
    send_head(c);
    return c->waiting ? c->deadline : INT64_MAX;
}

static int enqueue(struct slurmc *c, enum slurmc_op op, struct ref ref, struct str *line)
{
    push(c, op, ref, c->last_id, line);
    return 0;
}

int slurmc_poll(struct slurmc *c)
{
    struct str line = {0};

    if (c->count >= QUEUE_MAX || c->polling)
        return -EAGAIN;
    slurmwire_poll(&line, ++c->last_id, c->conf);
    c->polling = true;
    return enqueue(c, SLURMC_POLL, (struct ref){0, -1, 0}, &line);
}

int slurmc_submit(struct slurmc *c, struct ref ref, const struct slurmc_submit *s)
{
    struct str line = {0};

    if (c->count >= QUEUE_MAX)
        return -EAGAIN;
    slurmwire_submit(&line, ++c->last_id, s);
    return enqueue(c, SLURMC_SUBMIT, ref, &line);
}

int slurmc_cancel(struct slurmc *c, struct ref ref, uint32_t job_id, const char *token,
                  int64_t submit_time)
{
    struct str line = {0};

    if (c->count >= QUEUE_MAX)
        return -EAGAIN;
    slurmwire_cancel(&line, ++c->last_id, job_id, token, submit_time);
    return enqueue(c, SLURMC_CANCEL, ref, &line);
}

bool slurmc_polling(const struct slurmc *c)
{
    return c->polling;
}

const struct slurmc_status *slurmc_status(const struct slurmc *c)
{
    return &c->status;
}

void slurmc_free(struct slurmc *c)
{
    if (!c)
        return;
    close_socket(c);
    if (c->pid) {
        // A call under way is settled by its token at the next start.
        kill(c->pid, SIGKILL);
        waitpid(c->pid, NULL, 0);
    }
    while (c->head)
        drop_head(c);
    str_free(&c->input);
    free(c);
}
