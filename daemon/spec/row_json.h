// SPDX-License-Identifier: GPL-2.0-or-later
// A matrix row as JSON, whole or reduced to what identifies a group.
#ifndef SWEEPD_SPEC_ROW_JSON_H
#define SWEEPD_SPEC_ROW_JSON_H

#include "base/hash.h"
#include "base/str.h"
#include "spec/matrix.h"

enum row_json_flags {
    ROW_CANONICAL = 1, // sorted keys, no spaces
    ROW_NO_POINT = 2,  // without concurrency, exp-name and fingerprint: the recipe
    ROW_NO_EVAL = 4,   // without everything about evaluation
};

void row_json(const struct matrix_row *row, unsigned flags, struct str *out);

// SHA-256 of the canonical form under these flags.
void row_hash(const struct matrix_row *row, unsigned flags, char ret_hex[HASH_HEX]);

// A JSON string with its quotes; only ASCII comes out.
void json_quote(const char *text, struct str *out);

#endif
