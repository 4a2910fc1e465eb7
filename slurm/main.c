// SPDX-License-Identifier: GPL-2.0-or-later
// sweep-slurm: the one program that links libslurm. Answers requests of sweepd,
// one line of JSON each way, one after the other (docs/architecture.md).
#include <errno.h>
#include <signal.h>
#include <slurm/slurm.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/log.h"
#include "base/str.h"
#include "base/version.h"
#include "slurm/conf_probe.h"
#include "slurm/lines.h"
#include "slurm/out.h"
#include "slurm/session.h"

enum {
    SOCKET_FD = 3,
    EXIT_USAGE = 2,
    EXIT_CONF = 3,
    ANSWER_MAX_BYTES = 64 << 20,
};

static volatile sig_atomic_t stop_asked;

static void on_stop(int signal_number)
{
    (void)signal_number;
    stop_asked = 1;
}

// The stop signals are held back except while we wait for a request, so that a
// call under way is finished and answered. `ret` is the mask for waiting.
static void hold_signals(sigset_t *ret)
{
    struct sigaction stop = {.sa_handler = on_stop};
    sigset_t held;

    signal(SIGPIPE, SIG_IGN);
    sigaction(SIGTERM, &stop, NULL);
    sigaction(SIGINT, &stop, NULL);
    sigemptyset(ret);
    sigemptyset(&held);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGINT);
    sigprocmask(SIG_SETMASK, &held, NULL);
}

static int run(struct session *s, const struct request *r, struct str *out, struct failure *f)
{
    switch (r->op) {
    case OP_HELLO:
        return session_hello(s, r, out, f);
    case OP_POLL:
        return session_poll(s, r, out, f);
    case OP_SUBMIT:
        return session_submit(s, r, out, f);
    case OP_CANCEL:
        return session_cancel(s, r, out, f);
    case OP_PING:
        return session_ping(s, r, out, f);
    }
    return failure_set(f, CLASS_REFUSED, "unknown operation");
}

static void out_id(struct str *out, const struct request *r)
{
    if (r->has_id)
        out_int(out, "id", r->id);
    else
        str_add(out, "\"id\":null");
}

static void answer_failure(struct str *out, const struct request *r, const struct failure *f)
{
    str_clear(out);
    out_object(out, NULL);
    out_id(out, r);
    out_bool(out, "ok", false);
    out_int(out, "errno", f->code);
    out_text(out, "class", failure_class_name(f->class));
    out_text(out, "error", f->text);
    out_end(out, '}');
}

static void answer(struct session *s, const char *line, size_t len, struct str *out)
{
    struct request r;
    struct failure f;
    struct err e;

    str_clear(out);
    if (request_parse(line, len, &r, &e)) {
        failure_set(&f, CLASS_REFUSED, "%s", e.text);
        answer_failure(out, &r, &f);
        request_free(&r);
        return;
    }
    out_object(out, NULL);
    out_id(out, &r);
    out_bool(out, "ok", true);
    int rc = run(s, &r, out, &f);
    out_end(out, '}');
    if (!rc && out->len > ANSWER_MAX_BYTES)
        rc = failure_set(&f, CLASS_SLURM, "the answer would be longer than %d bytes",
                         ANSWER_MAX_BYTES);
    if (rc)
        answer_failure(out, &r, &f);
    request_free(&r);
}

static void answer_too_long(struct str *out)
{
    struct request none = {0};
    struct failure f;

    failure_set(&f, CLASS_REFUSED, "the request is longer than %d bytes", LINE_MAX_BYTES);
    answer_failure(out, &none, &f);
}

// Returns when the other side has closed, or a stop was asked for.
static int serve(int in, int out_fd)
{
    struct lines lines = {.in = in};
    struct session session;
    struct str out = {0};
    sigset_t waiting;
    int rc = 0;

    hold_signals(&waiting);
    session_init(&session);
    while (!stop_asked) {
        const char *line;
        size_t len;
        int got = lines_read(&lines, &waiting, &line, &len);

        if (got == -EINTR)
            continue;
        if (got == -EMSGSIZE)
            answer_too_long(&out);
        else if (got > 0)
            answer(&session, line, len, &out);
        else {
            rc = got;
            break;
        }
        str_add_char(&out, '\n');
        if (lines_write(out_fd, out.p, out.len))
            break; // nobody is left to tell
    }
    str_free(&out);
    session_done(&session);
    lines_free(&lines);
    return rc;
}

// sweepd may die between fork and here: then the kernel does not tell us.
static int follow_parent(void)
{
    pid_t parent = getppid();

    prctl(PR_SET_PDEATHSIG, SIGTERM);
    return getppid() == parent ? 0 : -ESRCH;
}

int main(int argc, char **argv)
{
    bool stdio = argc == 2 && strcmp(argv[1], "--stdio") == 0;
    struct err e;

    log_init("sweep-slurm", LOG_LEVEL_INFO);
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        printf("sweep-slurm %s for Slurm %d.%02d\n", SWEEPD_VERSION,
               SLURM_VERSION_MAJOR(SLURM_VERSION_NUMBER),
               SLURM_VERSION_MINOR(SLURM_VERSION_NUMBER));
        return 0;
    }
    if (argc > 1 && !stdio) {
        fprintf(stderr, "usage: sweep-slurm [--stdio | --version]\n"
                        "Started by sweepd with a socket as descriptor 3; --stdio: requests on "
                        "standard input.\n");
        return EXIT_USAGE;
    }
    if (follow_parent())
        return 0;
    if (conf_probe(&e)) {
        log_error("%s", e.text);
        return EXIT_CONF;
    }
    slurm_init(NULL);
    int rc = serve(stdio ? STDIN_FILENO : SOCKET_FD, stdio ? STDOUT_FILENO : SOCKET_FD);
    slurm_fini();
    if (rc)
        log_error("cannot read requests: %s", strerror(-rc));
    return rc ? 1 : 0;
}
