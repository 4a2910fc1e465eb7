// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

enum { PIPE_IN, PIPE_OUT, PIPE_ERR, PIPE_COUNT, CHUNK = 65536, EXEC_FAILED = 127 };

struct pipes {
    int fd[PIPE_COUNT][2]; // [0] is the end that is read
};

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void pipes_close(struct pipes *p)
{
    for (int i = 0; i < PIPE_COUNT; i++) {
        close_fd(&p->fd[i][0]);
        close_fd(&p->fd[i][1]);
    }
}

static int pipes_open(struct pipes *p)
{
    memset(p->fd, -1, sizeof(p->fd));
    for (int i = 0; i < PIPE_COUNT; i++) {
        if (pipe2(p->fd[i], O_CLOEXEC) < 0) {
            int rc = -errno;

            pipes_close(p);
            return rc;
        }
    }
    return 0;
}

static void child_fail(const char *what, const char *name)
{
    dprintf(STDERR_FILENO, "cannot %s %s: %s\n", what, name, strerror(errno));
    _exit(EXEC_FAILED);
}

// Runs in the child between fork and exec: async-signal-safe calls only, up to
// the failure message.
static void child_start(const struct proc_spec *spec, const struct pipes *p, pid_t parent)
{
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXEC_FAILED);
    dup2(p->fd[PIPE_IN][0], STDIN_FILENO);
    dup2(p->fd[PIPE_OUT][1], STDOUT_FILENO);
    dup2(p->fd[PIPE_ERR][1], STDERR_FILENO);
    if (spec->memory_max) {
        struct rlimit limit = {spec->memory_max, spec->memory_max};

        if (setrlimit(RLIMIT_AS, &limit) < 0)
            child_fail("limit the memory of", spec->argv[0]);
    }
    if (spec->dir && chdir(spec->dir) < 0)
        child_fail("enter", spec->dir);
    char *const *argv = (char *const *)(uintptr_t)spec->argv;
    if (spec->env)
        execvpe(argv[0], argv, (char *const *)(uintptr_t)spec->env);
    else
        execvp(argv[0], argv);
    child_fail("run", argv[0]);
}

// Moves bytes until the child has closed its outputs. Returns 0, -EFBIG,
// -ETIMEDOUT or another -errno.
static int pump(const struct proc_spec *spec, struct pipes *p, struct proc_result *ret,
                int64_t deadline)
{
    char chunk[CHUNK];
    size_t sent = 0;

    fcntl(p->fd[PIPE_IN][1], F_SETFL, O_NONBLOCK);
    while (p->fd[PIPE_OUT][0] >= 0 || p->fd[PIPE_ERR][0] >= 0) {
        int64_t left = deadline - clock_mono_us();
        struct pollfd fds[PIPE_COUNT] = {
            {.fd = p->fd[PIPE_IN][1], .events = POLLOUT},
            {.fd = p->fd[PIPE_OUT][0], .events = POLLIN},
            {.fd = p->fd[PIPE_ERR][0], .events = POLLIN},
        };

        if (left <= 0)
            return -ETIMEDOUT;
        if (sent == spec->input_len) {
            close_fd(&p->fd[PIPE_IN][1]);
            fds[PIPE_IN].fd = -1;
        }
        if (poll(fds, PIPE_COUNT, (int)(left / US_PER_MS) + 1) < 0 && errno != EINTR)
            return -errno;
        if (fds[PIPE_IN].revents) {
            ssize_t n = write(p->fd[PIPE_IN][1], spec->input + sent, spec->input_len - sent);

            if (n > 0)
                sent += (size_t)n;
            else if (n < 0 && errno != EAGAIN)
                sent = spec->input_len; // the child does not want the rest
        }
        for (int i = PIPE_OUT; i <= PIPE_ERR; i++) {
            if (!fds[i].revents)
                continue;
            ssize_t n = read(p->fd[i][0], chunk, sizeof(chunk));
            if (n <= 0) {
                close_fd(&p->fd[i][0]);
                continue;
            }
            struct str *to = i == PIPE_OUT ? &ret->output : &ret->errors;
            size_t max = i == PIPE_OUT ? spec->output_max : PROC_ERRORS_MAX;
            size_t room = max - to->len;
            str_add_bytes(to, chunk, (size_t)n < room ? (size_t)n : room);
            if (i == PIPE_OUT && (size_t)n > room)
                return -EFBIG;
        }
    }
    return 0;
}

// Waits for the end of the child, which has closed its outputs or been killed.
static int reap(pid_t pid, int64_t deadline, int *status)
{
    enum { REAP_STEP_MS = 5 };

    while (clock_mono_us() < deadline) {
        pid_t done = waitpid(pid, status, WNOHANG);

        if (done == pid)
            return 0;
        if (done < 0 && errno != EINTR)
            return -errno;
        poll(NULL, 0, REAP_STEP_MS);
    }
    return -ETIMEDOUT;
}

static void kill_group(pid_t pid, int *status)
{
    kill(-pid, SIGKILL);
    kill(pid, SIGKILL);
    while (waitpid(pid, status, 0) < 0 && errno == EINTR)
        ;
}

int proc_run(const struct proc_spec *spec, struct proc_result *ret, struct err *e)
{
    struct pipes p;
    int64_t deadline = clock_mono_us() + spec->timeout_us;
    pid_t parent = getpid();
    int status = 0;

    *ret = (struct proc_result){.exit_code = -1};
    int rc = pipes_open(&p);
    if (rc)
        return err_set(e, rc, "cannot run %s: %s", spec->argv[0], strerror(-rc));
    pid_t pid = fork();
    if (pid == 0)
        child_start(spec, &p, parent);
    if (pid < 0) {
        rc = -errno;
        pipes_close(&p);
        return err_set(e, rc, "cannot run %s: %s", spec->argv[0], strerror(-rc));
    }
    close_fd(&p.fd[PIPE_IN][0]);
    close_fd(&p.fd[PIPE_OUT][1]);
    close_fd(&p.fd[PIPE_ERR][1]);
    rc = pump(spec, &p, ret, deadline);
    pipes_close(&p);
    if (!rc)
        rc = reap(pid, deadline, &status);
    if (rc) {
        kill_group(pid, &status);
        return err_set(e, rc, "%s: %s", spec->argv[0],
                       rc == -ETIMEDOUT ? "did not end in time"
                       : rc == -EFBIG   ? "printed more than it may"
                                        : strerror(-rc));
    }
    if (WIFEXITED(status))
        ret->exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status))
        ret->signal = WTERMSIG(status);
    return 0;
}

void proc_result_free(struct proc_result *r)
{
    str_free(&r->output);
    str_free(&r->errors);
}
