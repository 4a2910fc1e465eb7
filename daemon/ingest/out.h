// SPDX-License-Identifier: GPL-2.0-or-later
// Writes JSON. Whatever text is given, the output is well formed: bytes that
// are not UTF-8 and NUL become U+FFFD, numbers that are not finite become null.
#ifndef SWEEPD_INGEST_OUT_H
#define SWEEPD_INGEST_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "ingest/json.h"

struct out {
    struct str text;
    bool comma; // a value stands before at this level
    // For out_pass: what comes once text.len is over `max` (0: no limit) is left out.
    size_t max;
    int left_out; // containers open that were left out
    bool cut;     // something was left out
};

void out_free(struct out *o);

// `name` is that of a member, NULL in an array or at the top.
void out_object(struct out *o, const char *name);
void out_object_end(struct out *o);
void out_array(struct out *o, const char *name);
void out_array_end(struct out *o);
void out_null(struct out *o, const char *name);
void out_bool(struct out *o, const char *name, bool value);
void out_int(struct out *o, const char *name, int64_t value);
void out_text(struct out *o, const char *name, const char *text);
void out_text_n(struct out *o, const char *name, const char *text, size_t len);
void out_raw(struct out *o, const char *name, const char *json); // well-formed JSON

// A number as the published aggregate writes it: rounded to five decimals, and
// as an integer when that is whole and not below 1. NaN is null.
void out_rounded(struct out *o, const char *name, double value);
// As an integer when it is whole and exact as one, else as out_real does.
void out_count(struct out *o, const char *name, double value);
// The shortest text that reads back as the same number.
void out_real(struct out *o, const char *name, double value);

// Hands on one value of a document that is being read; reals are rounded as
// out_rounded does. Called for all values of a container, from its begin to
// its end, it copies the container. `base` is the depth of that container.
void out_pass(struct out *o, const struct json *j, const struct json_value *v, int base);

#endif
