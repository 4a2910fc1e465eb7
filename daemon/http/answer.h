// SPDX-License-Identifier: GPL-2.0-or-later
// Bytes and headers that can be sent any number of times, also at once: each
// connection that sends them holds its own reference.
#ifndef SWEEPD_HTTP_ANSWER_H
#define SWEEPD_HTTP_ANSWER_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct answer;

// A copy of the bytes, with Content-Type and X-Content-Type-Options, or with
// neither when type is NULL. Never NULL.
struct answer *answer_create(const char *type, const void *bytes, size_t len);
// Must not be called once the answer has been sent. -EINVAL: not a valid header.
int answer_header(struct answer *a, const char *name, const char *value) MUST_CHECK;
// Last-Modified (RFC 9110 section 8.8.2).
void answer_modified(struct answer *a, int64_t wall_us);
// Sends it on a connection of the library (as struct conn's link). -EIO when
// the library refuses, after which the connection is good for nothing.
int answer_send(const struct answer *a, void *link, int status) MUST_CHECK;
void answer_free(struct answer *a); // drops our reference; NULL is fine

#endif
