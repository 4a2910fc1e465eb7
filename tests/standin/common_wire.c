// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/standin/common_wire.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

void wire_format(const struct wire_turn *t, char *buf, size_t size)
{
    snprintf(buf, size,
             "lane=%d start=%" PRId64 " phase=%c input=%" PRId64 " prefix=%" PRId64 " conv=%s",
             t->lane, t->start_ns, t->warmup ? 'w' : 'p', t->input, t->prefix, t->conv);
}

static bool number(const char **at, const char *name, int64_t max, int64_t *ret)
{
    size_t len = strlen(name);
    char digits[24];

    if (strncmp(*at, name, len) != 0)
        return false;
    size_t n = strspn(*at + len, "0123456789");
    if (n == 0 || n >= sizeof(digits) || (*at)[len + n] != ' ')
        return false;
    memcpy(digits, *at + len, n);
    digits[n] = '\0';
    *at += len + n + 1;
    return str_to_i64(digits, 0, max, ret) == 0;
}

bool wire_parse(const char *text, struct wire_turn *ret)
{
    int64_t lane;

    if (!number(&text, "lane=", WIRE_LANES_MAX, &lane) ||
        !number(&text, "start=", INT64_MAX / 4, &ret->start_ns))
        return false;
    ret->lane = (int)lane;
    ret->warmup = str_starts(text, "phase=w ");
    if (!ret->warmup && !str_starts(text, "phase=p "))
        return false;
    text += strlen("phase=w ");
    if (!number(&text, "input=", WIRE_TOKENS_MAX, &ret->input) ||
        !number(&text, "prefix=", WIRE_TOKENS_MAX, &ret->prefix) || ret->prefix > ret->input ||
        !str_starts(text, "conv="))
        return false;
    return str_copy(ret->conv, sizeof(ret->conv), text + strlen("conv="));
}

static double positive(const char *name)
{
    const char *text = getenv(name);
    double v;

    if (!text || !text[0])
        return 1.0;
    if (str_to_double(text, &v) == 0 && v > 0)
        return v;
    fprintf(stderr, "%s=%s is not a number above 0, taken as 1\n", name, text);
    return 1.0;
}

double wire_speed(void)
{
    return positive("STANDIN_SPEED");
}

double wire_rate(void)
{
    return positive("STANDIN_RATE");
}
