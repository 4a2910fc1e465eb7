// SPDX-License-Identifier: GPL-2.0-or-later
// sweep-ingest: reads the artifacts of one attempt and prints what they say.
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/version.h"
#include "ingest/ingest.h"

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, PARALLEL_MAX = 4096 };

static const char usage[] =
    "usage: sweep-ingest [--expect FILE] [--tp N] [--pp N] [--pcp N] DIR\n"
    "Reads the artifacts below the attempt folder DIR and prints one JSON object.\n"
    "  --expect FILE    KEY=VALUE lines of the attempt, instead of DIR/job.env\n"
    "                   (--context is the same)\n"
    "  --tp N --pp N --pcp N    over what that file says\n"
    "  --help --version\n"
    "Exit status: 0, bad artifacts included: they are findings in the output; 1 when\n"
    "DIR or FILE cannot be read; 2 for a wrong call.\n";

static int wrong_call(const char *what, const char *value)
{
    fprintf(stderr, "sweep-ingest: %s%s%s\n%s", what, value ? " " : "", value ? value : "", usage);
    return EXIT_USAGE;
}

static int run(const struct ingest_options *options)
{
    struct str text = {0};
    struct err e = {0};
    int status = EXIT_OK;

    if (ingest_run(options, &text, &e)) {
        fprintf(stderr, "sweep-ingest: %s\n", e.text);
        status = EXIT_FAILED;
    } else if (fwrite(text.p, 1, text.len, stdout) != text.len || fflush(stdout)) {
        fprintf(stderr, "sweep-ingest: cannot write: %s\n", strerror(errno));
        status = EXIT_FAILED;
    }
    str_free(&text);
    return status;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"expect", required_argument, NULL, 'e'}, {"context", required_argument, NULL, 'e'},
        {"tp", required_argument, NULL, 't'},     {"pp", required_argument, NULL, 'p'},
        {"pcp", required_argument, NULL, 'c'},    {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'v'},      {NULL, 0, NULL, 0},
    };
    struct ingest_options o = {0};
    int64_t *number;
    int c;

    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (c) {
        case 'e':
            o.expect = optarg;
            break;
        case 't':
        case 'p':
        case 'c':
            number = c == 't' ? &o.tp : c == 'p' ? &o.pp : &o.pcp;
            if (str_to_i64(optarg, 1, PARALLEL_MAX, number))
                return wrong_call("not an integer from 1 to 4096:", optarg);
            break;
        case 'h':
            fputs(usage, stdout);
            return EXIT_OK;
        case 'v':
            puts("sweep-ingest " SWEEPD_VERSION);
            return EXIT_OK;
        default:
            return wrong_call("see above", NULL);
        }
    }
    if (optind != argc - 1)
        return wrong_call("one folder is needed", NULL);
    o.folder = argv[optind];
    return run(&o);
}
