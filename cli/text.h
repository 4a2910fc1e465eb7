// SPDX-License-Identifier: GPL-2.0-or-later
// Text for people: columns that characters take, cutting, numbers, times.
#ifndef SWEEPCTL_TEXT_H
#define SWEEPCTL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum { TEXT_TIME_MAX = 64, TEXT_NUMBER_MAX = 48 };

// Columns of the terminal that s takes.
int text_width(const char *s);

// Appends s. Control characters and bytes that are no characters become '?': text
// from elsewhere must not steer the terminal. Over `width` columns (0: no
// limit) it is cut, with an ellipsis. Returns the columns added.
int text_add(struct str *out, const char *s, int width);
void text_spaces(struct str *out, int count);
void text_repeat(struct str *out, const char *s, int count);

// Appends paragraphs, wrapped so that no line is wider than `width` columns (0:
// not wrapped). The first line begins at column `at`, where `out` is already;
// the others are indented by `indent`.
void text_wrap(struct str *out, const char *s, int at, int width, int indent);

// "1,474.3" with `digits` decimals; "" for NaN. Returns buf.
const char *text_number(double value, int digits, char *buf, size_t size);

// All times below are shown in the local zone, or in UTC after this call.
void text_use_utc(void);
// "2026-08-12T05:20:00.123456Z" to microseconds since the epoch; 0 when it is
// not an instant.
int64_t text_instant(const char *iso);
// "14:20", with the date when that is another day than `now_us`; "" for 0.
const char *text_clock(int64_t us, int64_t now_us, char *buf, size_t size);
// "2026-08-12 14:20:07"; "" for 0.
const char *text_stamp(int64_t us, char *buf, size_t size);

#endif
