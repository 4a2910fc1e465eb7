// SPDX-License-Identifier: GPL-2.0-or-later
// Stands between hostile bytes and the JSON parser and makes sure that the
// parser needs bounded memory and meets nothing that would stop it for a
// reason that is not one: it cuts long strings, replaces NaN, Infinity, long
// numbers and deep containers by null, bad UTF-8 by U+FFFD, and leaves the
// value of one named member out. It reports each. Everything else, errors of
// grammar included, passes through unchanged.
#ifndef SWEEPD_INGEST_FILTER_H
#define SWEEPD_INGEST_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ingest/limits.h"
#include "ingest/skip.h"
#include "ingest/utf8.h"

enum filter_note {
    FILTER_NOT_FINITE, // NaN, Infinity, -Infinity
    FILTER_TOO_DEEP,
    FILTER_LONG_STRING,
    FILTER_LONG_NUMBER,
    FILTER_BAD_TEXT, // not UTF-8
};

struct filter_spec {
    const char *skip; // containers under this name are left out, NULL: none
    // Filtered bytes; `offset` is where they stand in the input. Returning
    // false ends the filter.
    bool (*pass)(void *ctx, const char *bytes, size_t len, int64_t offset);
    void (*note)(void *ctx, enum filter_note note, int64_t offset, uint64_t count);
    void *ctx;
};

enum filter_state {
    FILTER_BETWEEN,
    FILTER_STRING,
    FILTER_SCALAR,
    FILTER_SKIP,
};

struct filter {
    struct filter_spec spec;
    enum filter_state state;
    int64_t offset; // of the next byte fed
    int depth;
    bool stopped;
    bool skip_value; // the value that comes next belongs to the skipped name
    // A string.
    size_t length; // bytes passed on
    bool cut;      // the rest is left out
    bool escaped;
    int hex_left;  // digits of \uXXXX still to come
    bool matches;  // so far equal to spec.skip
    bool was_name; // the last string equals spec.skip
    struct utf8 utf8;
    // A scalar that began in an earlier piece, or is kept to be looked at.
    char scalar[JSON_SCALAR_MAX];
    size_t scalar_len;
    int64_t scalar_at;
    struct skip skip;
    int64_t skip_at;
};

// `offset` is the position of the first byte.
void filter_begin(struct filter *f, const struct filter_spec *spec, int64_t offset);

// False when pass() refused; the filter takes nothing more then.
bool filter_feed(struct filter *f, const char *bytes, size_t len);

// Passes on what was held back and makes the last notes. Whether something is
// still open, f->state tells.
void filter_end(struct filter *f);

#endif
