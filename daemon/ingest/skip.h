// SPDX-License-Identifier: GPL-2.0-or-later
// Passes over one JSON container without building anything, many bytes at a
// time: per-second slices make up nearly all of a large file of server metrics.
// Brackets are counted, strings and their encoding are checked, numbers that
// are none (NaN, Infinity) are counted.
#ifndef SWEEPD_INGEST_SKIP_H
#define SWEEPD_INGEST_SKIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ingest/utf8.h"

struct skip {
    uint64_t depth; // containers open, 0: done
    uint64_t depth_max;
    bool too_deep;       // depth_max was crossed
    uint64_t not_finite; // NaN, Infinity
    uint64_t bad_text;   // bytes that are not UTF-8
    bool in_string;
    bool escaped;
    uint8_t before; // the byte before, outside strings
    struct utf8 utf8;
};

// The next byte fed is the one after the opening bracket.
void skip_begin(struct skip *s, uint64_t depth_max);

// Returns the number of bytes taken; fewer than len only when the container
// ended (s->depth is 0 then).
size_t skip_feed(struct skip *s, const char *bytes, size_t len);

#endif
