// SPDX-License-Identifier: GPL-2.0-or-later
// The option list of a client build: which long options it knows and whether
// they take a value. Read from a file, "--flag<TAB>bool|value|multi" lines.
#ifndef SWEEPD_PREFLIGHT_FLAGS_H
#define SWEEPD_PREFLIGHT_FLAGS_H

#include <stddef.h>

#include "base/err.h"

enum {
    FLAGS_MAX = 4096,
    FLAG_NAME_MAX = 128,
    FLAGS_FILE_MAX = 1024 * 1024, // bytes
};

enum flag_arity {
    FLAG_BOOL,  // no value
    FLAG_VALUE, // exactly one
    FLAG_MULTI, // one or more, and the flag may be repeated
};

struct flag {
    char name[FLAG_NAME_MAX]; // with its dashes
    enum flag_arity arity;
};

struct flags {
    struct flag *list; // sorted by name
    size_t count;
};

// *ret is filled on success only, to be given to flags_free(). -EINVAL names the line.
int flags_parse(const char *bytes, size_t len, struct flags *ret, struct err *e) MUST_CHECK;
int flags_load(const char *path, struct flags *ret, struct err *e) MUST_CHECK;
void flags_free(struct flags *f); // leaves it empty; NULL is fine

// A long option, or one of the short ones (-m and the like); NULL: unknown.
const struct flag *flags_find(const struct flags *f, const char *name);
// The known option that is spelled most like it; NULL when none is near.
const char *flags_nearest(const struct flags *f, const char *name);

#endif
