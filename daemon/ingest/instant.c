// SPDX-License-Identifier: GPL-2.0-or-later
#include "ingest/instant.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/str.h"

// Exactly `n` digits at *p, moved behind them; -1 when they are not there.
static int digits(const char **p, int n)
{
    int value = 0;

    for (int i = 0; i < n; i++) {
        if (!isdigit((unsigned char)(*p)[i]))
            return -1;
        value = value * 10 + ((*p)[i] - '0');
    }
    *p += n;
    return value;
}

static bool one_of(const char **p, const char *set)
{
    if (!**p || !strchr(set, **p))
        return false;
    ++*p;
    return true;
}

int offset_parse(const char *text, double *ret_s)
{
    const char *p = text;
    int sign, hours, minutes;

    if (!strcmp(text, "Z")) {
        *ret_s = 0;
        return 0;
    }
    sign = *p == '-' ? -1 : 1;
    if (!one_of(&p, "+-"))
        return -EINVAL;
    hours = digits(&p, 2);
    if (*p == ':')
        p++;
    minutes = digits(&p, 2);
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59 || *p)
        return -EINVAL;
    *ret_s = sign * (hours * 3600.0 + minutes * 60.0);
    return 0;
}

// The fraction of a second at *p, 0 when there is none; negative when malformed.
static double fraction(const char **p)
{
    double value = 0, unit = 0.1;

    if (**p != '.')
        return 0;
    ++*p;
    if (!isdigit((unsigned char)**p))
        return -1;
    for (; isdigit((unsigned char)**p); ++*p) {
        value += (**p - '0') * unit;
        unit /= 10;
    }
    return value;
}

static int calendar(const char *text, double *ret, bool *ret_zoned)
{
    const char *p = text;
    struct tm tm = {0};
    double part, east = 0;

    tm.tm_year = digits(&p, 4);
    bool ok = tm.tm_year >= 1970 && one_of(&p, "-/");
    tm.tm_mon = ok ? digits(&p, 2) : -1;
    ok = ok && tm.tm_mon >= 1 && tm.tm_mon <= 12 && one_of(&p, "-/");
    tm.tm_mday = ok ? digits(&p, 2) : -1;
    ok = ok && tm.tm_mday >= 1 && tm.tm_mday <= 31 && one_of(&p, "T ");
    tm.tm_hour = ok ? digits(&p, 2) : -1;
    ok = ok && tm.tm_hour >= 0 && tm.tm_hour <= 23 && one_of(&p, ":");
    tm.tm_min = ok ? digits(&p, 2) : -1;
    ok = ok && tm.tm_min >= 0 && tm.tm_min <= 59 && one_of(&p, ":");
    tm.tm_sec = ok ? digits(&p, 2) : -1;
    if (!ok || tm.tm_sec < 0 || tm.tm_sec > 60)
        return -EINVAL;
    part = fraction(&p);
    if (part < 0 || (*p && offset_parse(p, &east)))
        return -EINVAL;
    tm.tm_year -= 1900;
    tm.tm_mon -= 1;
    *ret_zoned = *p != '\0';
    *ret = (double)timegm(&tm) + part - east;
    return 0;
}

int instant_parse(const char *text, double *ret, bool *ret_zoned)
{
    static const double milliseconds_above = 1e12, ms_per_s = 1000;
    double value;

    if (str_to_double(text, &value))
        return calendar(text, ret, ret_zoned);
    *ret = value > milliseconds_above ? value / ms_per_s : value;
    *ret_zoned = true;
    return 0;
}
