// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/dur.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

#define US_PER_M (60 * US_PER_S)
#define US_PER_H (60 * US_PER_M)
#define US_PER_D (24 * US_PER_H)
#define DUR_MAX_US (3660 * US_PER_D)

static const struct {
    const char *name;
    int64_t us;
} units[] = {
    {"us", 1},       {"ms", US_PER_MS}, {"s", US_PER_S},
    {"m", US_PER_M}, {"h", US_PER_H},   {"d", US_PER_D},
};

static int64_t unit_us(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strlen(units[i].name) == len && !strncmp(units[i].name, name, len))
            return units[i].us;
    return 0;
}

int dur_parse(const char *text, int64_t *ret_us)
{
    int64_t total = 0;
    const char *p = text;

    if (!*p)
        return -EINVAL;
    while (*p) {
        size_t digits = strspn(p, "0123456789");
        size_t letters = strspn(p + digits, "abcdefghijklmnopqrstuvwxyz");
        int64_t unit = unit_us(p + digits, letters);
        int64_t n = 0;

        if (!digits || !unit)
            return -EINVAL;
        for (size_t i = 0; i < digits; i++) {
            n = n * 10 + (p[i] - '0');
            if (n > DUR_MAX_US / unit)
                return -ERANGE;
        }
        total += n * unit;
        if (total > DUR_MAX_US)
            return -ERANGE;
        p += digits + letters;
    }
    *ret_us = total;
    return 0;
}

const char *dur_text(int64_t us, char *buf, size_t size)
{
    if (us < 0)
        us = 0;
    if (us < US_PER_S)
        snprintf(buf, size, "%" PRId64 "ms", us / US_PER_MS);
    else if (us < US_PER_M)
        snprintf(buf, size, "%.1fs", (double)us / (double)US_PER_S);
    else if (us < US_PER_H)
        snprintf(buf, size, "%" PRId64 "m %02" PRId64 "s", us / US_PER_M, us % US_PER_M / US_PER_S);
    else if (us < US_PER_D)
        snprintf(buf, size, "%" PRId64 "h %02" PRId64 "m", us / US_PER_H, us % US_PER_H / US_PER_M);
    else
        snprintf(buf, size, "%" PRId64 "d %02" PRId64 "h", us / US_PER_D, us % US_PER_D / US_PER_H);
    return buf;
}
