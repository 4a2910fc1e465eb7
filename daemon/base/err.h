// SPDX-License-Identifier: GPL-2.0-or-later
// Errors are a code and a text. A fallible function returns 0 or a negative
// errno value and, when it fails, fills the caller's struct err. Errors are
// carried up and logged once, where they are handled.
#ifndef SWEEPD_BASE_ERR_H
#define SWEEPD_BASE_ERR_H

#include <stdarg.h>

enum { ERR_TEXT_MAX = 1024 };

struct err {
    int code; // 0 or a negative errno value
    char text[ERR_TEXT_MAX];
};

#define MUST_CHECK __attribute__((warn_unused_result))
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))

// Fills *e (which may be NULL) and returns code, so that a caller can write
// `return err_set(e, -EINVAL, "...")`. Text over ERR_TEXT_MAX is cut.
int err_set(struct err *e, int code, const char *fmt, ...) PRINTF_LIKE(3, 4);

// Puts "context: " before the text already in *e; returns e->code.
int err_wrap(struct err *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
