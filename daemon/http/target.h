// SPDX-License-Identifier: GPL-2.0-or-later
// The request target: path and query as the client wrote them, checked and
// decoded. Pure. Rules: RFC 3986 (percent-encoding) and RFC 9112 section 3.2.1
// (origin-form), read strictly: what two readers could take for two different
// things is refused, so that "a%2Fb", "..", "%00" or a parameter given twice
// never reach anybody.
#ifndef SWEEPD_HTTP_TARGET_H
#define SWEEPD_HTTP_TARGET_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

enum { TARGET_MAX = 4096 }; // bytes as sent

// Zero-initialized it is empty and usable; its memory serves target after target.
struct target {
    struct str path;    // decoded
    uint64_t path_hash; // target_hash of the path
    struct str query;   // name, zero, value, zero, ...
    unsigned params;
};

// 0, -EINVAL (not a target we accept) or -E2BIG (too long). t is overwritten.
int target_parse(struct target *t, const char *text) MUST_CHECK;
// The value of a query parameter, "" when it was given without one, NULL when
// it was not given. Lives as long as t is not parsed into again.
const char *target_query(const struct target *t, const char *name);
void target_free(struct target *t);

// FNV-1a, 64 bits. The tables hashed with it hold only keys of our own making.
uint64_t target_hash(const char *bytes, size_t len);

#endif
