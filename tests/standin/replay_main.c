// SPDX-License-Identifier: GPL-2.0-or-later
// standin-replay plays the replay client: its command line, its traffic, its
// artifacts and its exit codes.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fsio.h"
#include "base/hash.h"
#include "tests/standin/common_wire.h"
#include "tests/standin/replay_export.h"

enum {
    EXIT_FAILED = 1,
    EXIT_SIGNAL = 128, // and the signal's number
    DATASET_S = 240,   // virtual; building the corpus and its prompts
    CUT_BYTES = 60,    // what the truncated record file loses, part of its last line
};

static const double coverage_required = 0.95;
static const double coverage_from_s = 900; // shorter phases are not judged
static const double overflow_max = 0.01;

struct program {
    struct flags *flags;
    struct options options;
    struct faults faults;
    struct run_report report;
    struct str command;
    int signals;
    int records;
};

// "<token> <point> <attempt> <job> <host>", so that tests can count how often
// a payload really began.
static void note_start(void)
{
    static const char *const names[] = {"SWEEPD_TOKEN", "SWEEPD_POINT", "SWEEPD_ATTEMPT",
                                        "SLURM_JOB_ID"};
    const char *path = getenv("STANDIN_STARTS");
    char host[HOST_NAME_MAX + 1] = "-";
    struct str line = {0};

    if (!path || !path[0])
        return;
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    for (int i = 0; i < 4; i++) {
        const char *v = getenv(names[i]);

        str_addf(&line, "%s ", v && v[0] ? v : "-");
    }
    if (gethostname(host, sizeof(host)))
        str_copy(host, sizeof(host), "-");
    str_addf(&line, "%s\n", getenv("SLURMD_NODENAME") ? getenv("SLURMD_NODENAME") : host);
    if (fd < 0 || write(fd, line.p, line.len) != (ssize_t)line.len)
        fprintf(stderr, "cannot append to STANDIN_STARTS %s: %s\n", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    str_free(&line);
}

static int usage(const char *text)
{
    fprintf(stderr,
            "Usage: aiperf profile [OPTIONS]\n\n"
            "Error: %s\n\nRun \"aiperf profile --help\" for the list of options.\n",
            text);
    return EXIT_FAILED;
}

static int read_command_line(struct program *p, int argc, char **argv, struct err *e)
{
    for (int i = 0; i < argc; i++)
        str_addf(&p->command, "%s%s", i ? " " : "", i ? argv[i] : "aiperf");
    if (argc < 2 || strcmp(argv[1], "profile") != 0)
        return err_set(e, -EINVAL, "Unknown command \"%s\". Available commands: profile.",
                       argc < 2 ? "" : argv[1]);
    int rc = flags_load(&p->flags, e);
    if (!rc)
        rc = flags_parse(p->flags, argc - 2, argv + 2, e);
    if (!rc)
        rc = options_read(p->flags, &p->options, e);
    if (!rc)
        rc = options_check(p->flags, &p->options, e);
    return rc;
}

// Real time for virtual seconds that nobody measures; true when cut short.
static bool wait_virtual(const struct program *p, double seconds)
{
    struct pollfd fd = {.fd = p->signals, .events = POLLIN};

    return poll(&fd, 1, (int)(seconds * 1000 / wire_speed())) > 0;
}

static int open_records(struct program *p, struct err *e)
{
    struct str path = {0};

    if (fs_make_dirs(p->options.folder, 0755, e))
        return e->code;
    str_addf(&path, "%s/profile_export.jsonl", p->options.folder);
    p->records = open(path.p, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    int rc =
        p->records < 0 ? err_set(e, -errno, "cannot write %s: %s", path.p, strerror(errno)) : 0;
    str_free(&path);
    return rc;
}

static double coverage_ratio(const struct program *p, int64_t last_ns)
{
    double reach = (double)(last_ns - p->report.start_ns) / (double)NS_PER_S;
    double ratio = last_ns ? reach / p->options.duration_s : 0;

    return ratio < 0 ? 0 : ratio > 1 ? 1 : ratio;
}

static void add_reason(struct export_run *x, const char *reason)
{
    x->reasons[x->reason_count++] = reason;
}

// What the run was worth; returns the exit code.
static int judge(const struct program *p, struct export_run *x)
{
    const struct run_report *r = &p->report;
    const struct results *s = &r->profile;
    int64_t all = s->ok + s->failed + s->overflows;

    x->ttft_ratio = coverage_ratio(p, s->last_ttft_ns);
    x->itl_ratio = coverage_ratio(p, s->last_itl_ns);
    x->summary = s->ok > 0 || r->cancelled;
    bool covered = x->ttft_ratio >= coverage_required || x->itl_ratio >= coverage_required ||
                   p->options.duration_s < coverage_from_s || !p->options.scenario;
    if (p->options.broke_rules)
        add_reason(x, "unsafe_override");
    if (all && (double)s->overflows / (double)all > overflow_max)
        add_reason(x, "context_overflow_rate_exceeded");
    if (r->cancelled) {
        add_reason(x, "run_cancelled");
        fprintf(stderr, "Error: the run was cancelled: %s\n", r->fatal);
        return r->signal ? EXIT_SIGNAL + r->signal : EXIT_FAILED;
    }
    if (!s->ok) {
        fprintf(stderr, "Error: every request failed\n");
        return EXIT_FAILED;
    }
    if (covered)
        return 0;
    add_reason(x, "insufficient_profile_metric_coverage");
    fprintf(stderr,
            "ProfileMetricCoverageError: TTFT reached %.1f%% and ITL %.1f%% of the configured "
            "duration of %.0f s, required %.1f%%\n",
            100 * x->ttft_ratio, 100 * x->itl_ratio, p->options.duration_s,
            100 * coverage_required);
    return EXIT_FAILED;
}

static void make_id(char *buf, size_t size)
{
    char hex[TOKEN_HEX];

    token_make(hex);
    snprintf(buf, size, "%.8s-%.4s-4%.3s-a%.3s-%.12s", hex, hex + 8, hex + 13, hex + 17, hex + 20);
}

static void cut_records(const struct program *p)
{
    off_t end = lseek(p->records, 0, SEEK_END);

    if (end > CUT_BYTES && ftruncate(p->records, end - CUT_BYTES) < 0)
        perror("ftruncate");
}

static int export_all(struct program *p, int code, struct export_run *x, struct err *e)
{
    if (p->faults.on[FAULT_TRUNCATE_ARTIFACTS])
        cut_records(p);
    if (p->faults.on[FAULT_NO_SUMMARY])
        x->summary = false;
    if (export_summary(x, e) || export_server_metrics(x, e) || export_inputs(x, e)) {
        fprintf(stderr, "Error: export failed: %s\n", e->text);
        return EXIT_FAILED;
    }
    printf("Exported to %s\n", p->options.folder);
    return p->faults.on[FAULT_REPLAY_EXIT] && !code ? (int)p->faults.number[FAULT_REPLAY_EXIT]
                                                    : code;
}

// Never ends by itself.
static int hang(const struct program *p)
{
    struct signalfd_siginfo info;

    printf("Exporting the results\n");
    fflush(stdout);
    while (read(p->signals, &info, sizeof(info)) != sizeof(info))
        poll(&(struct pollfd){.fd = p->signals, .events = POLLIN}, 1, -1);
    return EXIT_SIGNAL + (int)info.ssi_signo;
}

static int replay(struct program *p, struct err *e)
{
    struct export_run x = {.options = &p->options, .report = &p->report};
    struct run_setup setup = {.options = &p->options,
                              .faults = &p->faults,
                              .signals = p->signals,
                              .records = p->records,
                              .epoch_ns = clock_wall_us() * 1000};

    printf("Phase warmup started: concurrency=%d requests_per_lane=%d\n", p->options.concurrency,
           (int)p->options.warmup_requests);
    fflush(stdout);
    if (run_replay(&setup, &p->report, e)) {
        fprintf(stderr, "Error: %s\n", e->text);
        return EXIT_FAILED;
    }
    if (p->faults.on[FAULT_HANG])
        return hang(p);
    x.command = str_text(&p->command);
    make_id(x.id, sizeof(x.id));
    int code = judge(p, &x);
    return export_all(p, code, &x, e);
}

static int run(struct program *p, int argc, char **argv)
{
    struct err e = {0};

    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        puts(CLIENT_VERSION);
        return 0;
    }
    if (read_command_line(p, argc, argv, &e))
        return usage(e.text);
    if (faults_load(&p->faults, &e) || open_records(p, &e)) {
        fprintf(stderr, "Error: %s\n", e.text);
        return EXIT_FAILED;
    }
    note_start();
    printf("AIPerf %s stand-in: configuring dataset %s\n", CLIENT_VERSION,
           p->options.dataset ? p->options.dataset : "synthetic");
    fflush(stdout);
    if (wait_virtual(p, DATASET_S))
        return EXIT_SIGNAL + SIGTERM;
    return replay(p, &e);
}

int main(int argc, char **argv)
{
    struct program p = {.records = -1};
    sigset_t ending;

    sigemptyset(&ending);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGINT);
    sigprocmask(SIG_BLOCK, &ending, NULL);
    signal(SIGPIPE, SIG_IGN);
    p.signals = signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK);
    int code = run(&p, argc, argv);
    run_report_free(&p.report);
    flags_free(p.flags);
    str_free(&p.command);
    if (p.records >= 0)
        close(p.records);
    close(p.signals);
    return code;
}
