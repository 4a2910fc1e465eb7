// SPDX-License-Identifier: GPL-2.0-or-later
// One artifact being read from its beginning to its end, once: hashed on the
// way, and compared before and after, so that a file that changes while it is
// read is found out.
#ifndef SWEEPD_INGEST_SOURCE_H
#define SWEEPD_INGEST_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "ingest/finding.h"
#include "ingest/root.h"

struct artifact { // what was read, for the report
    char name[FILE_NAME_MAX];
    int64_t bytes;         // size of the file
    int64_t read;          // bytes of it that were read
    char sha256[HASH_HEX]; // empty unless all of it was read
};

struct artifacts {
    struct artifact list[FILES_MAX];
    size_t count;
};

struct source;

enum source_need {
    SOURCE_OPTIONAL, // its absence is not a finding
    SOURCE_EXPECTED, // its absence is a warning
    SOURCE_REQUIRED, // its absence is an error
};

// NULL when it cannot be read; the finding (`missing`, `link`, `not_a_file`,
// `unreadable`) is made then. At most `max` bytes will be read. The result must
// be given to source_close.
struct source *source_open(const struct root *root, const char *name, enum source_need need,
                           int64_t max, struct findings *findings);

// The next bytes, valid until the next call; 0 at the end or on an error, which
// is a finding `unreadable`.
size_t source_read(struct source *s, const char **ret_bytes);

const char *source_name(const struct source *s);
int64_t source_size(const struct source *s); // when it was opened

// Ends reading, finds changes (`changed`), notes the artifact. NULL is fine.
void source_close(struct source *s, struct artifacts *ret);

#endif
