// SPDX-License-Identifier: GPL-2.0-or-later
#include "ingest/out.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "ingest/stats.h"
#include "ingest/utf8.h"

enum { NUMBER_TEXT = 40 };

void out_free(struct out *o)
{
    str_free(&o->text);
}

static void quoted(struct out *o, const char *text, size_t len)
{
    str_add_char(&o->text, '"');
    for (size_t i = 0; i < len;) {
        size_t n = utf8_char(text + i, len - i);
        unsigned char c = (unsigned char)text[i];

        if (n == 0 || c == '\0')
            str_add(&o->text, UTF8_REPLACEMENT);
        else if (c == '"' || c == '\\')
            str_addf(&o->text, "\\%c", c);
        else if (c < 0x20)
            str_addf(&o->text, "\\u%04x", c);
        else
            str_add_bytes(&o->text, text + i, n);
        i += n ? n : 1;
    }
    str_add_char(&o->text, '"');
}

static void lead(struct out *o, const char *name)
{
    if (o->comma)
        str_add_char(&o->text, ',');
    if (name) {
        quoted(o, name, strlen(name));
        str_add_char(&o->text, ':');
    }
    o->comma = true;
}

static void open(struct out *o, const char *name, char bracket)
{
    lead(o, name);
    str_add_char(&o->text, bracket);
    o->comma = false;
}

static void close(struct out *o, char bracket)
{
    str_add_char(&o->text, bracket);
    o->comma = true;
}

void out_object(struct out *o, const char *name)
{
    open(o, name, '{');
}

void out_object_end(struct out *o)
{
    close(o, '}');
}

void out_array(struct out *o, const char *name)
{
    open(o, name, '[');
}

void out_array_end(struct out *o)
{
    close(o, ']');
}

void out_raw(struct out *o, const char *name, const char *json)
{
    lead(o, name);
    str_add(&o->text, json);
}

void out_null(struct out *o, const char *name)
{
    out_raw(o, name, "null");
}

void out_bool(struct out *o, const char *name, bool value)
{
    out_raw(o, name, value ? "true" : "false");
}

void out_int(struct out *o, const char *name, int64_t value)
{
    lead(o, name);
    str_addf(&o->text, "%" PRId64, value);
}

void out_text_n(struct out *o, const char *name, const char *text, size_t len)
{
    lead(o, name);
    quoted(o, text, len);
}

void out_text(struct out *o, const char *name, const char *text)
{
    if (text)
        out_text_n(o, name, text, strlen(text));
    else
        out_null(o, name);
}

static bool is_whole(double value)
{
    return fpclassify(value - trunc(value)) == FP_ZERO;
}

static bool reads_back(const char *text, double value)
{
    double again = strtod(text, NULL);

    return again <= value && again >= value;
}

void out_real(struct out *o, const char *name, double value)
{
    static const int digits[] = {15, 16, 17};
    char text[NUMBER_TEXT];

    if (!isfinite(value)) {
        out_null(o, name);
        return;
    }
    for (size_t i = 0; i < sizeof(digits) / sizeof(*digits); i++) {
        snprintf(text, sizeof(text), "%.*g", digits[i], value);
        if (reads_back(text, value))
            break;
    }
    lead(o, name);
    str_add(&o->text, text);
    if (!strpbrk(text, ".e"))
        str_add(&o->text, ".0");
}

void out_count(struct out *o, const char *name, double value)
{
    static const double exact_end = 9007199254740992.0; // 2^53

    if (isfinite(value) && fabs(value) < exact_end && is_whole(value))
        out_int(o, name, (int64_t)value);
    else
        out_real(o, name, value);
}

void out_rounded(struct out *o, const char *name, double value)
{
    static const double int64_end = 9.2e18;
    double r = round5(value);

    if (isfinite(r) && fabs(r) >= 1 && fabs(r) < int64_end && is_whole(r))
        out_int(o, name, (int64_t)r);
    else
        out_real(o, name, r);
}

static void pass_scalar(struct out *o, const char *name, const struct json_value *v)
{
    switch (v->type) {
    case VALUE_BOOL:
        out_bool(o, name, v->flag);
        break;
    case VALUE_INT:
        out_int(o, name, v->integer);
        break;
    case VALUE_REAL:
        out_rounded(o, name, v->real);
        break;
    case VALUE_TEXT:
        out_text_n(o, name, v->text, v->len);
        break;
    default:
        out_null(o, name);
        break;
    }
}

void out_pass(struct out *o, const struct json *j, const struct json_value *v, int base)
{
    bool begins = v->type == VALUE_OBJECT || v->type == VALUE_ARRAY;
    const char *name = NULL;

    if (v->type == VALUE_END) {
        if (o->left_out)
            o->left_out--;
        else
            close(o, v->flag ? ']' : '}');
        return;
    }
    if (o->left_out || (o->max && o->text.len > o->max)) {
        o->left_out += begins;
        o->cut = true;
        return;
    }
    if (json_depth(j) > base && !json_in_array(j)) {
        name = json_name(j, json_depth(j) - 1);
        name = name ? name : "?";
    }
    if (begins)
        open(o, name, v->type == VALUE_ARRAY ? '[' : '{');
    else
        pass_scalar(o, name, v);
}
