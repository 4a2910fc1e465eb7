// SPDX-License-Identifier: GPL-2.0-or-later
// Options, ordered start, loop, one reverse teardown.
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app.h"
#include "base/log.h"
#include "base/version.h"
#include "conf.h"
#include "loop.h"

enum { EXIT_OK, EXIT_START, EXIT_USAGE };

static const char usage[] = "Usage: sweepd [--config FILE] [--check-config]\n"
                            "Runs benchmark sweeps on a Slurm cluster; see sweepd(8).\n"
                            "\n"
                            "  -c, --config FILE    settings (default /etc/sweepd/sweepd.yaml)\n"
                            "      --check-config   read the settings, say what is wrong, and end\n"
                            "  -h, --help           this text\n"
                            "  -V, --version        the version\n";

struct options {
    const char *config;
    bool check_only;
};

// Returns -1 to go on, or the exit code.
static int parse_options(int argc, char **argv, struct options *ret)
{
    enum { CHECK = 256 };
    static const struct option longs[] = {{"config", required_argument, NULL, 'c'},
                                          {"check-config", no_argument, NULL, CHECK},
                                          {"help", no_argument, NULL, 'h'},
                                          {"version", no_argument, NULL, 'V'},
                                          {NULL, 0, NULL, 0}};
    int option;

    *ret = (struct options){.config = "/etc/sweepd/sweepd.yaml"};
    while ((option = getopt_long(argc, argv, "c:hV", longs, NULL)) != -1) {
        switch (option) {
        case 'c':
            ret->config = optarg;
            break;
        case CHECK:
            ret->check_only = true;
            break;
        case 'h':
            fputs(usage, stdout);
            return EXIT_OK;
        case 'V':
            printf("sweepd %s\n", SWEEPD_VERSION);
            return EXIT_OK;
        default:
            fputs(usage, stderr);
            return EXIT_USAGE;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "sweepd: unexpected argument '%s'\n", argv[optind]);
        return EXIT_USAGE;
    }
    return -1;
}

static int log_level(const char *name, enum log_level *ret, struct err *e)
{
    static const char *const names[] = {"error", "warn", "info", "debug"};

    for (int i = 0; i < 4; i++) {
        if (strcmp(names[i], name) != 0)
            continue;
        *ret = (enum log_level)i;
        return 0;
    }
    return err_set(e, -EINVAL, "log_level '%s' is none of error, warn, info, debug", name);
}

// libslurm retries for a minute on a missing file, then ends its process.
static int check_slurm_conf(const struct conf *conf, struct err *e)
{
    if (access(conf->slurm_conf, R_OK) == 0)
        return 0;
    return err_set(e, -errno, "slurm.conf: %s cannot be read: %s; set slurm.conf in the settings",
                   conf->slurm_conf, strerror(errno));
}

static void on_signal(void *ctx, int signal)
{
    struct app *a = ctx;

    log_info("ending on signal %d; running jobs go on", signal);
    app_stop(a, EXIT_OK);
}

static int run(const struct conf *conf, struct loop *loop, struct err *e)
{
    struct app *app = NULL;
    sigset_t set;
    int code;

    // Blocked before the first thread starts; the signals are read in the loop.
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    int rc = app_create(conf, loop, &app, e);
    if (!rc)
        rc = loop_signals(loop, &set, on_signal, app, e);
    if (!rc)
        loop_run(loop);
    code = rc ? EXIT_START : app->exit_code;
    app_free(app);
    return code;
}

int main(int argc, char **argv)
{
    struct options options;
    struct conf *conf = NULL;
    struct loop *loop = NULL;
    enum log_level level = LOG_LEVEL_INFO;
    struct err e = {0};
    int code = parse_options(argc, argv, &options);

    if (code >= 0)
        return code;
    log_init("sweepd", level);
    int rc = conf_load(options.config, &conf, &e);
    if (!rc)
        rc = log_level(conf->log_level, &level, &e);
    if (!rc && options.check_only) {
        printf("%s is valid\n", options.config);
        conf_free(conf);
        return EXIT_OK;
    }
    log_init("sweepd", level);
    if (!rc)
        rc = check_slurm_conf(conf, &e);
    if (!rc)
        rc = loop_create(&loop, &e);
    code = rc ? EXIT_START : run(conf, loop, &e);
    if (code && e.text[0])
        log_error("cannot start: %s", e.text);
    loop_free(loop);
    conf_free(conf);
    return code;
}
