// SPDX-License-Identifier: GPL-2.0-or-later
// A growing byte string, always zero-terminated, and strict number parsing.
#ifndef SWEEPD_BASE_STR_H
#define SWEEPD_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct str {
    char *p; // NULL until the first byte is added
    size_t len;
    size_t cap;
};

void str_free(struct str *s);  // leaves an empty, usable string
void str_clear(struct str *s); // keeps the memory
void str_add(struct str *s, const char *text);
void str_add_bytes(struct str *s, const void *bytes, size_t len);
void str_add_char(struct str *s, char c);
void str_addf(struct str *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
const char *str_text(const struct str *s); // never NULL
char *str_take(struct str *s);             // the caller owns the result; s becomes empty

// Copies src into dst of `size` bytes, always terminated. Returns false when
// it had to cut.
bool str_copy(char *dst, size_t size, const char *src);
bool str_starts(const char *s, const char *prefix);
bool str_ends(const char *s, const char *suffix);

// The whole of text must be a base-10 integer in [min, max]; otherwise -EINVAL
// (no number) or -ERANGE, and *ret is untouched.
int str_to_i64(const char *text, int64_t min, int64_t max, int64_t *ret) MUST_CHECK;
// The whole of text must be a finite decimal number.
int str_to_double(const char *text, double *ret) MUST_CHECK;

// Edit distance of two short words, for "did you mean"; at most `limit` + 1.
int str_distance(const char *a, const char *b, int limit);

#endif
