// SPDX-License-Identifier: GPL-2.0-or-later
// A wrong clock for munged: time(2) is TESTBED_SKEW seconds off. Only time(2), since munged
// dates and checks credentials with it and waits with the others; no privilege is needed.
#include <stdlib.h>
#include <time.h>

time_t time(time_t *ret_now)
{
    static const int base_ten = 10;
    const char *skew = getenv("TESTBED_SKEW");
    struct timespec now;

    if (clock_gettime(CLOCK_REALTIME, &now) < 0)
        return (time_t)-1;
    if (skew)
        now.tv_sec += strtol(skew, NULL, base_ten);
    if (ret_now)
        *ret_now = now.tv_sec;
    return now.tv_sec;
}
