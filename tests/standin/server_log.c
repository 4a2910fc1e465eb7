// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/standin/server_log.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

void server_log(const char *fmt, ...)
{
    char stamp[32] = "";
    time_t now = time(NULL);
    struct tm tm;
    va_list ap;

    if (gmtime_r(&now, &tm))
        strftime(stamp, sizeof(stamp), "%Y-%m-%d %H:%M:%S", &tm);
    fprintf(stderr, "[%s TP0] ", stamp);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
}
