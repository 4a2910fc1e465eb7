// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/err.h"

#include <stdio.h>
#include <string.h>

int err_set(struct err *e, int code, const char *fmt, ...)
{
    if (e) {
        va_list ap;

        e->code = code;
        va_start(ap, fmt);
        vsnprintf(e->text, sizeof(e->text), fmt, ap);
        va_end(ap);
    }
    return code;
}

int err_wrap(struct err *e, const char *fmt, ...)
{
    char old[ERR_TEXT_MAX];
    va_list ap;

    memcpy(old, e->text, sizeof(old));
    va_start(ap, fmt);
    int n = vsnprintf(e->text, sizeof(e->text), fmt, ap);
    va_end(ap);
    if (n >= 0 && (size_t)n < sizeof(e->text) - 1)
        snprintf(e->text + n, sizeof(e->text) - (size_t)n, ": %.*s",
                 (int)(sizeof(e->text) - (size_t)n), old);
    return e->code;
}
