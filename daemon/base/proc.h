// SPDX-License-Identifier: GPL-2.0-or-later
// Runs a helper program to its end, with bounds on everything. Blocks: for
// worker threads and command-line programs, never on the loop.
#ifndef SWEEPD_BASE_PROC_H
#define SWEEPD_BASE_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct proc_spec {
    const char *const *argv; // argv[0] is looked up in PATH
    const char *const *env;  // NULL: the caller's environment
    const char *dir;         // working folder, NULL: the caller's
    const char *input;       // standard input, NULL: empty
    size_t input_len;
    size_t output_max;  // a longer standard output ends the child, -EFBIG
    size_t memory_max;  // address space in bytes, 0: no limit
    int64_t timeout_us; // past it the child's process group is killed, -ETIMEDOUT
};

struct proc_result {
    struct str output; // standard output
    struct str errors; // the first PROC_ERRORS_MAX bytes of standard error
    int exit_code;     // -1 when a signal ended it
    int signal;
};

enum { PROC_ERRORS_MAX = 16384 };

// 0 when the child was started and ended by itself, whatever its exit code.
// The result must be given to proc_result_free in every case. The child gets
// its own process group and no descriptor beyond 0, 1 and 2.
int proc_run(const struct proc_spec *spec, struct proc_result *ret, struct err *e) MUST_CHECK;
void proc_result_free(struct proc_result *r);

#endif
