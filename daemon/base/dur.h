// SPDX-License-Identifier: GPL-2.0-or-later
// Durations as people write them: "250ms", "90s", "15m", "8h", "7d", and
// compounds such as "1h30m". A bare number is not a duration: it has no unit.
#ifndef SWEEPD_BASE_DUR_H
#define SWEEPD_BASE_DUR_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { DUR_TEXT_MAX = 32 };

int dur_parse(const char *text, int64_t *ret_us) MUST_CHECK; // -EINVAL, -ERANGE
// Two units at most: "1h 52m", "14m 03s", "8.2s", "250ms". Returns buf.
const char *dur_text(int64_t us, char *buf, size_t size);

#endif
