// SPDX-License-Identifier: GPL-2.0-or-later
// What the attempt was asked to be, from its job.env: `KEY=VALUE` lines, the
// value is the rest of the line.
#ifndef SWEEPD_INGEST_CONTEXT_H
#define SWEEPD_INGEST_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "ingest/finding.h"

struct context {
    bool read;           // there was a file
    int64_t tp, pp, pcp; // 0: not known
    bool eval_only;
    char simulated_length[32]; // SGLANG_SIMULATE_ACC_LEN of the server, empty: not set
    bool environment_read;     // the server's environment was read back
};

// One pair to the fields above; unknown keys are passed by.
int context_set(struct context *c, const char *key, const char *value, struct err *e) MUST_CHECK;

// The lines of a file of this form; a bad value is a finding.
void context_parse(struct context *c, char *text, const char *file, struct findings *f);

// GPUs that a point occupies: tp * pp * pcp, pp and pcp 1 unless known. 0 when
// tp is not known.
int64_t context_gpus(const struct context *c);

#endif
