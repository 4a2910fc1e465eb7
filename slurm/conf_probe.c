// SPDX-License-Identifier: GPL-2.0-or-later
#include "slurm/conf_probe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <slurm/slurm.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

#define DEFAULT_CONF "/etc/slurm/slurm.conf"

static int check_file(const char *path, struct err *e)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe must not hold us

    if (fd < 0)
        return err_set(e, -errno, "cannot read Slurm's configuration %s: %s; set SLURM_CONF", path,
                       strerror(errno));
    bool good = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    close(fd);
    if (!good)
        return err_set(e, -EINVAL, "Slurm's configuration %s is no file; set SLURM_CONF", path);
    if (!st.st_size)
        return err_set(e, -EINVAL, "Slurm's configuration %s is empty; set SLURM_CONF", path);
    return 0;
}

static void probe_child(int result)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    slurm_init(NULL);
    if (write(result, "k", 1) != 1)
        _exit(1);
    _exit(0); // no exit handlers: they belong to the parent
}

// True when the child said that it came through. The pipe closes when it ends.
static bool wait_for(int result)
{
    int64_t deadline = clock_mono_us() + PROBE_MAX_S * US_PER_S;
    int64_t left;

    while ((left = deadline - clock_mono_us()) > 0) {
        struct pollfd fd = {.fd = result, .events = POLLIN};
        char said;

        if (poll(&fd, 1, (int)(left / US_PER_MS) + 1) > 0)
            return read(result, &said, 1) == 1;
    }
    return false;
}

static int probe_init(const char *path, struct err *e)
{
    int result[2];
    int status = 0;

    if (pipe2(result, O_CLOEXEC) < 0)
        return err_set(e, -errno, "cannot make a pipe: %s", strerror(errno));
    pid_t pid = fork();
    if (pid == 0)
        probe_child(result[1]);
    close(result[1]);
    bool good = pid > 0 && wait_for(result[0]);
    close(result[0]);
    if (pid < 0)
        return err_set(e, -EAGAIN, "cannot start a process to check %s", path);
    if (!good)
        kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (good)
        return 0;
    if (WIFEXITED(status))
        return err_set(e, -EINVAL, "libslurm does not accept %s (its reason is above)", path);
    return err_set(e, -ETIMEDOUT, "libslurm did not come to terms with %s within %d s", path,
                   PROBE_MAX_S);
}

int conf_probe(struct err *e)
{
    const char *path = getenv("SLURM_CONF");

    if (!path || !path[0]) {
        path = DEFAULT_CONF;
        setenv("SLURM_CONF", path, 1);
    }
    int rc = check_file(path, e);
    return rc ? rc : probe_init(path, e);
}
