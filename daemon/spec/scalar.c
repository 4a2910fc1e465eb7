// SPDX-License-Identifier: GPL-2.0-or-later
#include "spec/scalar.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

// The patterns are those of YAML 1.1 as PyYAML carries them out; they are
// matched by hand, as small steps over the text.

enum { SEXAGESIMAL = 60, NUMBER_TEXT_MAX = 400 };

static bool is_one_of(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(text, *words) == 0)
            return true;
    return false;
}

static const char *skip_sign(const char *s)
{
    return *s == '-' || *s == '+' ? s + 1 : s;
}

static const char *skip(const char *s, const char *accept)
{
    return s + strspn(s, accept);
}

#define DIGITS "0123456789"
#define DIGITS_ "0123456789_"

// (?::[0-5]?[0-9])+ ; NULL when there is not even one group.
static const char *skip_sixties(const char *s)
{
    const char *start = s;

    while (*s == ':' && isdigit((unsigned char)s[1])) {
        if (s[1] <= '5' && isdigit((unsigned char)s[2]))
            s += 3;
        else
            s += 2;
    }
    return s == start ? NULL : s;
}

static const char *skip_exponent(const char *s)
{
    if ((*s == 'e' || *s == 'E') && (s[1] == '-' || s[1] == '+') && isdigit((unsigned char)s[2]))
        return skip(s + 2, DIGITS);
    return s;
}

static bool is_float(const char *text)
{
    static const char *const infinite[] = {".inf", ".Inf", ".INF", NULL};
    static const char *const no_number[] = {".nan", ".NaN", ".NAN", NULL};
    const char *s = skip_sign(text);
    const char *sixties;

    if (is_one_of(s, infinite) || is_one_of(text, no_number))
        return true;
    if (text[0] == '.' && isdigit((unsigned char)text[1]))
        return !*skip_exponent(skip(text + 1, DIGITS_));
    if (!isdigit((unsigned char)*s))
        return false;
    s = skip(s, DIGITS_);
    if (*s == '.')
        return !*skip_exponent(skip(s + 1, DIGITS_));
    sixties = skip_sixties(s);
    return sixties && *sixties == '.' && !*skip(sixties + 1, DIGITS_);
}

static bool is_int(const char *text)
{
    const char *s = skip_sign(text);

    if (s[0] == '0' && s[1] == 'b')
        return s[2] && !*skip(s + 2, "01_");
    if (s[0] == '0' && s[1] == 'x')
        return s[2] && !*skip(s + 2, "0123456789abcdefABCDEF_");
    if (s[0] == '0')
        return !*skip(s + 1, "01234567_");
    if (!isdigit((unsigned char)*s))
        return false;
    s = skip(s, DIGITS_);
    if (!*s)
        return true;
    s = skip_sixties(s);
    return s && !*s;
}

// How many digits follow, at most `max`.
static int count_digits(const char *s, int max)
{
    int n = 0;

    while (n < max && isdigit((unsigned char)s[n]))
        n++;
    return n;
}

static const char *skip_zone(const char *s)
{
    const char *zone = skip(s, " \t");
    int n;

    if (*zone == 'Z')
        return zone + 1;
    if (*zone != '-' && *zone != '+')
        return s;
    n = count_digits(zone + 1, 2);
    if (!n)
        return s;
    zone += 1 + n;
    return *zone == ':' && count_digits(zone + 1, 2) == 2 ? zone + 3 : zone;
}

// hh:mm:ss with an optional fraction and zone; the hour may have one digit.
static bool is_clock(const char *s)
{
    int n = count_digits(s, 2);

    if (!n || s[n] != ':' || count_digits(s + n + 1, 2) != 2 || s[n + 3] != ':' ||
        count_digits(s + n + 4, 2) != 2)
        return false;
    s += n + 6;
    if (*s == '.')
        s = skip(s + 1, DIGITS);
    return !*skip_zone(s);
}

static bool is_time(const char *s)
{
    int month, day;

    if (count_digits(s, 4) != 4 || s[4] != '-')
        return false;
    s += 5;
    month = count_digits(s, 2);
    if (!month || s[month] != '-')
        return false;
    s += month + 1;
    day = count_digits(s, 2);
    if (!day)
        return false;
    s += day;
    if (!*s)
        return month == 2 && day == 2;
    if (*s == 'T' || *s == 't')
        return is_clock(s + 1);
    return (*s == ' ' || *s == '\t') && is_clock(skip(s, " \t"));
}

// The text without underscores, or false when it is longer than any number.
static bool plain_digits(const char *text, char buf[NUMBER_TEXT_MAX])
{
    size_t len = 0;

    for (; *text; text++) {
        if (*text == '_')
            continue;
        if (len + 1 == NUMBER_TEXT_MAX)
            return false;
        buf[len++] = *text;
    }
    buf[len] = '\0';
    return true;
}

static bool append_digit(uint64_t *n, unsigned base, unsigned digit)
{
    if (*n > (UINT64_MAX - digit) / base)
        return false;
    *n = *n * base + digit;
    return true;
}

static unsigned digit_value(char c)
{
    if (isdigit((unsigned char)c))
        return (unsigned)(c - '0');
    return (unsigned)(tolower((unsigned char)c) - 'a' + 10);
}

// Digits in one base; in sexagesimal numbers the groups are decimal.
static int parse_magnitude(const char *s, uint64_t *ret)
{
    unsigned base = 10;
    uint64_t total = 0, group = 0;

    if (s[0] == '0' && s[1] == 'b')
        base = 2, s += 2;
    else if (s[0] == '0' && s[1] == 'x')
        base = 16, s += 2;
    else if (s[0] == '0' && s[1])
        base = 8, s += 1;
    if (!*s)
        return -EINVAL;
    for (; *s; s++) {
        if (*s != ':') {
            if (!append_digit(&group, base, digit_value(*s)))
                return -ERANGE;
            continue;
        }
        if (total > (UINT64_MAX - group) / SEXAGESIMAL)
            return -ERANGE;
        total = (total + group) * SEXAGESIMAL;
        group = 0;
    }
    if (total > UINT64_MAX - group)
        return -ERANGE;
    *ret = total + group;
    return 0;
}

static int resolve_int(struct yaml_value *v)
{
    char digits[NUMBER_TEXT_MAX];
    uint64_t magnitude;
    bool negative = v->text[0] == '-';
    int rc;

    if (!plain_digits(skip_sign(v->text), digits))
        return -ERANGE;
    rc = parse_magnitude(digits, &magnitude);
    if (rc)
        return rc;
    if (magnitude > (uint64_t)INT64_MAX)
        return -ERANGE;
    v->type = YAML_INT;
    v->integer = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    v->number = (double)v->integer;
    return 0;
}

static double parse_sixties(const char *s)
{
    double total = 0;
    char *end;

    for (;;) {
        total = total * SEXAGESIMAL + strtod(s, &end);
        if (*end != ':')
            return total;
        s = end + 1;
    }
}

static int resolve_float(struct yaml_value *v)
{
    char digits[NUMBER_TEXT_MAX];
    const char *s = skip_sign(v->text);
    double n;

    if (!plain_digits(s, digits))
        return -ERANGE;
    if (strncasecmp(digits, ".inf", 4) == 0)
        n = INFINITY;
    else if (strncasecmp(digits, ".nan", 4) == 0)
        n = NAN;
    else
        n = parse_sixties(digits);
    v->type = YAML_FLOAT;
    v->number = v->text[0] == '-' ? -n : n;
    return 0;
}

int scalar_resolve(struct yaml_value *v)
{
    static const char *const yes[] = {"yes",  "Yes", "YES", "true", "True",
                                      "TRUE", "on",  "On",  "ON",   NULL};
    static const char *const no[] = {"no",    "No",  "NO",  "false", "False",
                                     "FALSE", "off", "Off", "OFF",   NULL};
    static const char *const null[] = {"", "~", "null", "Null", "NULL", NULL};

    v->type = YAML_STRING;
    if (is_one_of(v->text, yes) || is_one_of(v->text, no)) {
        v->type = YAML_BOOL;
        v->boolean = is_one_of(v->text, yes);
    } else if (is_float(v->text)) {
        return resolve_float(v);
    } else if (is_int(v->text)) {
        return resolve_int(v);
    } else if (is_one_of(v->text, null)) {
        v->type = YAML_NULL;
    } else if (is_time(v->text)) {
        v->type = YAML_TIME;
    }
    return 0;
}
