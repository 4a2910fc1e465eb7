// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/standin/common_fault.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fsio.h"
#include "base/str.h"

enum { FAULT_FILE_MAX = 1 << 20 };

static const struct {
    const char *name;
    double number;
} kinds[FAULT_COUNT] = {
    [FAULT_SERVER_CRASH_AT_START] = {"server-crash-at-start", 30},
    [FAULT_SERVER_OOM_AT_START] = {"server-oom-at-start", 30},
    [FAULT_SERVER_NEVER_READY] = {"server-never-ready", 0},
    [FAULT_SERVER_CRASH] = {"server-crash", 600},
    [FAULT_STALL] = {"stall", 600},
    [FAULT_HTTP_ERRORS] = {"http-errors", 0.4},
    [FAULT_WARMUP_ERROR] = {"warmup-error", 0},
    [FAULT_OVERFLOW] = {"overflow", 0.05},
    [FAULT_AL_OFF] = {"al-off", 0},
    [FAULT_NO_METRICS] = {"no-metrics", 0},
    [FAULT_HOST_CACHE] = {"host-cache", 0},
    [FAULT_ARGS_DRIFT] = {"args-drift", 0},
    [FAULT_COVERAGE] = {"coverage", 0.92},
    [FAULT_REPLAY_EXIT] = {"replay-exit", 3},
    [FAULT_REPLAY_CRASH] = {"replay-crash", 1},
    [FAULT_TRUNCATE_ARTIFACTS] = {"truncate-artifacts", 0},
    [FAULT_NO_SUMMARY] = {"no-summary", 0},
    [FAULT_HANG] = {"hang", 0},
};

static int find(const char *name)
{
    for (int i = 0; i < FAULT_COUNT; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return i;
    return -1;
}

static int64_t attempt_number(void)
{
    const char *text = getenv("SWEEPD_ATTEMPT");
    int64_t n;

    return text && str_to_i64(text, 1, INT64_MAX, &n) == 0 ? n : 1;
}

static int read_line(char *line, int number, struct faults *f, struct err *e)
{
    char *save;
    char *point = strtok_r(line, " \t\r", &save);
    char *name = point ? strtok_r(NULL, " \t\r", &save) : NULL;
    const char *here = getenv("SWEEPD_POINT");
    int64_t times = INT64_MAX;

    if (!point || point[0] == '#')
        return 0;
    int kind = name ? find(name) : -1;
    if (kind < 0)
        return err_set(e, -EINVAL, "line %d: no such fault: %s", number, name ? name : "(none)");
    double v = kinds[kind].number;
    for (char *word; (word = strtok_r(NULL, " \t\r", &save));) {
        int rc = str_starts(word, "times=") ? str_to_i64(word + 6, 0, INT64_MAX, &times)
                                            : str_to_double(word, &v);
        if (rc)
            return err_set(e, -EINVAL, "line %d: not a number: %s", number, word);
    }
    bool ours = strcmp(point, "*") == 0 || (here && strcmp(point, here) == 0);
    if (ours && attempt_number() <= times) {
        f->on[kind] = true;
        f->number[kind] = v;
    }
    return 0;
}

int faults_load(struct faults *ret, struct err *e)
{
    const char *path = getenv("STANDIN_FAULTS");
    struct faults f = {0};
    struct str text = {0};

    *ret = f;
    if (!path || !path[0] || !fs_exists(path))
        return 0;
    int rc = fs_read(path, FAULT_FILE_MAX, &text, e);
    char *rest = rc ? NULL : text.p;
    char *line;
    for (int n = 1; !rc && (line = strsep(&rest, "\n")); n++)
        rc = read_line(line, n, &f, e);
    str_free(&text);
    if (rc)
        return err_wrap(e, "STANDIN_FAULTS %s", path);
    *ret = f;
    return 0;
}
