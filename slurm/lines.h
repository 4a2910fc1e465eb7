// SPDX-License-Identifier: GPL-2.0-or-later
// Lines in and out of a descriptor.
#ifndef SWEEPD_SLURM_LINES_H
#define SWEEPD_SLURM_LINES_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

enum { LINE_MAX_BYTES = 8 << 20 }; // a submit's script, escaped, and room to spare

struct lines {
    int in;
    struct str buffer;
    size_t used;   // bytes of the buffer that were handed out
    bool skipping; // inside a line that is too long
};

// Waits for one whole line. Returns 1 and the line without its end (valid until
// the next call), 0 at the end of input, -EINTR when a signal of `wait_mask`'s
// making came, -EMSGSIZE once for a line over LINE_MAX_BYTES (which is skipped),
// or another negative errno. `wait_mask` is in force only while waiting.
int lines_read(struct lines *l, const sigset_t *wait_mask, const char **ret,
               size_t *ret_len) MUST_CHECK;
void lines_free(struct lines *l);

// Writes all of it, blocking. -errno when the reader is gone.
int lines_write(int fd, const char *bytes, size_t len) MUST_CHECK;

#endif
