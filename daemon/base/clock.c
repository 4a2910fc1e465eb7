// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/clock.h"

#include <stdio.h>
#include <time.h>

static int64_t read_clock(clockid_t id)
{
    struct timespec ts;

    clock_gettime(id, &ts);
    return (int64_t)ts.tv_sec * US_PER_S + ts.tv_nsec / 1000;
}

int64_t clock_wall_us(void)
{
    return read_clock(CLOCK_REALTIME);
}

int64_t clock_mono_us(void)
{
    return read_clock(CLOCK_BOOTTIME);
}

const char *clock_text(int64_t wall_us, char *buf, size_t size)
{
    time_t seconds = (time_t)(wall_us / US_PER_S);
    struct tm tm;
    char base[CLOCK_TEXT_MAX];

    buf[0] = '\0';
    if (wall_us <= 0 || !gmtime_r(&seconds, &tm))
        return buf;
    strftime(base, sizeof(base), "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(buf, size, "%s.%06dZ", base, (int)(wall_us % US_PER_S));
    return buf;
}
