// SPDX-License-Identifier: GPL-2.0-or-later
#include "text.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

#include "base/clock.h"
#include "term.h"

static bool use_utc;

struct character {
    size_t bytes;
    int width;
    bool bad; // shown as '?'
};

static struct character next(const char *s)
{
    mbstate_t state = {0};
    wchar_t wide;
    size_t n = mbrtowc(&wide, s, MB_LEN_MAX, &state);

    if (n == (size_t)-1 || n == (size_t)-2 || n == 0)
        return (struct character){1, 1, true};
    int width = wcwidth(wide);
    if (width < 0)
        return (struct character){n, 1, true};
    return (struct character){n, width, false};
}

int text_width(const char *s)
{
    int width = 0;

    while (*s) {
        struct character c = next(s);

        width += c.width;
        s += c.bytes;
    }
    return width;
}

int text_add(struct str *out, const char *s, int width)
{
    bool cut = width > 0 && text_width(s) > width;
    int room = cut ? width - text_width(term_glyph(GLYPH_ELLIPSIS)) : 0;
    int used = 0;

    while (*s) {
        struct character c = next(s);

        if (cut && used + c.width > room)
            break;
        if (c.bad)
            str_add_char(out, '?');
        else
            str_add_bytes(out, s, c.bytes);
        used += c.width;
        s += c.bytes;
    }
    if (cut) {
        str_add(out, term_glyph(GLYPH_ELLIPSIS));
        used += text_width(term_glyph(GLYPH_ELLIPSIS));
    }
    return used;
}

void text_repeat(struct str *out, const char *s, int count)
{
    for (int i = 0; i < count; i++)
        str_add(out, s);
}

void text_spaces(struct str *out, int count)
{
    text_repeat(out, " ", count);
}

// Adds one paragraph [s, end).
static void wrap_paragraph(struct str *out, const char *s, const char *end, int at, int width,
                           int indent)
{
    struct str word = {0};
    bool first = true; // word of the line

    while (s < end) {
        size_t len = strcspn(s, " \n");

        str_clear(&word);
        str_add_bytes(&word, s, len);
        int w = text_width(str_text(&word));
        if (!first && width && at + 1 + w > width) {
            str_add_char(out, '\n');
            text_spaces(out, indent);
            at = indent;
        } else if (!first) {
            str_add_char(out, ' ');
            at++;
        }
        at += text_add(out, str_text(&word), 0);
        first = false;
        s += len;
        s += strspn(s, " ");
    }
    str_free(&word);
}

void text_wrap(struct str *out, const char *s, int at, int width, int indent)
{
    for (;;) {
        const char *end = s + strcspn(s, "\n");

        wrap_paragraph(out, s, end, at, width, indent);
        if (!*end || !end[1])
            return;
        str_add_char(out, '\n');
        text_spaces(out, indent);
        at = indent;
        s = end + 1;
    }
}

const char *text_number(double value, int digits, char *buf, size_t size)
{
    char plain[TEXT_NUMBER_MAX];

    buf[0] = '\0';
    if (isnan(value))
        return buf;
    int len = snprintf(plain, sizeof(plain), "%.*f", digits, value);
    if (len < 0 || (size_t)len >= sizeof(plain))
        len = snprintf(plain, sizeof(plain), "%.3g", value);
    size_t sign = plain[0] == '-';
    size_t whole = strspn(plain + sign, "0123456789");
    size_t at = 0;
    for (size_t i = 0; i < (size_t)len && at + 2 < size; i++) {
        if (i > sign && i < sign + whole && (sign + whole - i) % 3 == 0)
            buf[at++] = ',';
        buf[at++] = plain[i];
    }
    buf[at] = '\0';
    return buf;
}

void text_use_utc(void)
{
    use_utc = true;
}

// Reads `digits` digits and the character behind them; *at moves on. -1 when
// something else stands there.
static int digits(const char **at, int count, char end)
{
    int value = 0;

    for (int i = 0; i < count; i++) {
        char c = (*at)[i];

        if (c < '0' || c > '9')
            return -1;
        value = value * 10 + (c - '0');
    }
    if (end && (*at)[count] != end)
        return -1;
    *at += count + (end ? 1 : 0);
    return value;
}

// The fraction of a second, ".123456": microseconds, further digits dropped.
static int64_t fraction(const char **at)
{
    int64_t us = 0;
    int64_t unit = US_PER_S / 10;

    if (**at != '.')
        return 0;
    for ((*at)++; **at >= '0' && **at <= '9'; (*at)++) {
        us += unit * (**at - '0');
        unit /= 10;
    }
    return us;
}

int64_t text_instant(const char *iso)
{
    struct tm tm = {0};
    int year = digits(&iso, 4, '-');
    int month = year < 0 ? -1 : digits(&iso, 2, '-');

    tm.tm_mday = month < 0 ? -1 : digits(&iso, 2, 'T');
    tm.tm_hour = tm.tm_mday < 0 ? -1 : digits(&iso, 2, ':');
    tm.tm_min = tm.tm_hour < 0 ? -1 : digits(&iso, 2, ':');
    tm.tm_sec = tm.tm_min < 0 ? -1 : digits(&iso, 2, '\0');
    if (tm.tm_sec < 0)
        return 0;
    int64_t us = fraction(&iso);
    if (strcmp(iso, "Z") != 0)
        return 0;
    tm.tm_year = year - 1900;
    tm.tm_mon = month - 1;
    return (int64_t)timegm(&tm) * US_PER_S + us;
}

static bool broken_down(int64_t us, struct tm *ret)
{
    time_t seconds = (time_t)(us / US_PER_S);

    return us > 0 && (use_utc ? gmtime_r(&seconds, ret) : localtime_r(&seconds, ret));
}

static const char *format(const struct tm *tm, const char *form, char *buf, size_t size)
{
    size_t len = strftime(buf, size, form, tm);

    if (!len)
        buf[0] = '\0';
    else if (use_utc && len + 1 < size)
        memcpy(buf + len, "Z", sizeof("Z"));
    return buf;
}

const char *text_clock(int64_t us, int64_t now_us, char *buf, size_t size)
{
    struct tm tm;
    struct tm now;

    buf[0] = '\0';
    if (!broken_down(us, &tm) || !broken_down(now_us, &now))
        return buf;
    bool today = tm.tm_yday == now.tm_yday && tm.tm_year == now.tm_year;
    return format(&tm, today ? "%H:%M" : "%b %e %H:%M", buf, size);
}

const char *text_stamp(int64_t us, char *buf, size_t size)
{
    struct tm tm;

    buf[0] = '\0';
    return broken_down(us, &tm) ? format(&tm, "%Y-%m-%d %H:%M:%S", buf, size) : buf;
}
