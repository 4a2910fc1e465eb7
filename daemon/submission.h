// SPDX-License-Identifier: GPL-2.0-or-later
// From a submit request to a sweep that may start, or to the findings that
// keep it from starting: configuration, matrix, preflight, bundle. Blocks: for
// a worker thread. Touches nothing of the daemon but the configuration.
#ifndef SWEEPD_SUBMISSION_H
#define SWEEPD_SUBMISSION_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/str.h"
#include "conf.h"
#include "core/sweep.h"

enum {
    SUBMISSION_FILES_MAX = 16,
    SUBMISSION_CONCS_MAX = 256,
    SUBMISSION_POINTS_MAX = 10000,
};

struct submission_file {
    char *name, *text;
};

struct submission {
    // The request. Texts are owned.
    char *key;
    struct submission_file files[SUBMISSION_FILES_MAX]; // of the caller; none: the daemon's own
    size_t file_count;
    int concs[SUBMISSION_CONCS_MAX];
    size_t conc_count;
    char **points;
    size_t point_count;
    enum on_failure on_failure;
    enum placement placement;
    bool fast;
    bool supersede;
    uid_t uid;   // who asks
    int64_t seq; // of the sweep that it becomes; 0: no bundle is made (check, plan)

    // The result.
    int status;       // HTTP status: 0 when all is well, 422, 500
    const char *code; // static, of a problem
    char detail[ERR_TEXT_MAX];
    char *findings;      // JSON list, owned; NULL before preflight
    struct sweep *sweep; // owned until taken
};

// Reads the body of POST /api/v1/sweeps (docs/api.md). -EINVAL names the member.
int submission_parse(const char *body, size_t len, struct submission **ret,
                     struct err *e) MUST_CHECK;
void submission_free(struct submission *s); // NULL is fine

// Fills the result.
void submission_run(const struct conf *conf, struct submission *s);

#endif
