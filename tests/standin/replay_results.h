// SPDX-License-Identifier: GPL-2.0-or-later
// What the requests of one phase come to.
#ifndef STANDIN_REPLAY_RESULTS_H
#define STANDIN_REPLAY_RESULTS_H

#include <stdint.h>

#include "tests/standin/replay_record.h"
#include "tests/standin/replay_sample.h"

enum { RESULTS_ERRORS_MAX = 32, PREFIX_BLOCK = 64 };

struct results_error {
    struct record_error error;
    int64_t count;
};

struct results {
    struct sample latency, ttft, ttst, itl, per_user, e2e_rate; // of successful requests
    struct sample input, output;
    struct sample error_input;
    int64_t ok;
    int64_t failed;
    int64_t overflows; // counted apart: they are no records
    int64_t input_tokens, output_tokens;
    int64_t blocks, known_blocks;                    // of prompts; known from the turn before
    int64_t first_start_ns, last_end_ns;             // of successful requests
    int64_t last_ttft_ns, last_itl_ns;               // latest observation of each, 0: none
    struct results_error errors[RESULTS_ERRORS_MAX]; // further kinds share the last
    int error_kinds;
};

void results_free(struct results *s);
void results_add(struct results *s, const struct record *r);
// Of failed to all, 0 when there is none.
double results_failed_ratio(const struct results *s);

#endif
