// SPDX-License-Identifier: GPL-2.0-or-later
// Time in microseconds: wall time for what is stored and shown, monotonic time
// for deadlines. Core never calls these: time comes to it inside events.
#ifndef SWEEPD_BASE_CLOCK_H
#define SWEEPD_BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

#define US_PER_MS INT64_C(1000)
#define US_PER_S INT64_C(1000000)

enum { CLOCK_TEXT_MAX = 40 };

int64_t clock_wall_us(void); // since the epoch
int64_t clock_mono_us(void); // CLOCK_BOOTTIME: goes on while the machine sleeps

// "2026-08-12T05:20:00.123456Z" in UTC; buf of at least CLOCK_TEXT_MAX bytes.
// Returns buf; an empty text for 0, which means "never".
const char *clock_text(int64_t wall_us, char *buf, size_t size);

#endif
