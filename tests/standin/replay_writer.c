// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/standin/replay_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void writer_free(struct writer *j)
{
    str_free(&j->out);
}

static void new_line(struct writer *j)
{
    if (!j->indent)
        return;
    str_add_char(&j->out, '\n');
    for (int i = 0; i < j->depth; i++)
        str_add(&j->out, "  ");
}

static void quote(struct writer *j, const char *text)
{
    str_add_char(&j->out, '"');
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;

        if (c == '"' || c == '\\') {
            str_add_char(&j->out, '\\');
            str_add_char(&j->out, *text);
        } else if (c < ' ') {
            str_addf(&j->out, "\\u%04x", c);
        } else {
            str_add_char(&j->out, *text);
        }
    }
    str_add_char(&j->out, '"');
}

static void member(struct writer *j, const char *key)
{
    if (j->comma)
        str_add_char(&j->out, ',');
    if (j->depth)
        new_line(j);
    j->comma = true;
    if (!key)
        return;
    quote(j, key);
    str_add(&j->out, j->indent ? ": " : ":");
}

void writer_open(struct writer *j, const char *key, char bracket)
{
    member(j, key);
    str_add_char(&j->out, bracket);
    j->depth++;
    j->comma = false;
}

void writer_close(struct writer *j, char bracket)
{
    j->depth--;
    if (j->comma)
        new_line(j);
    str_add_char(&j->out, bracket);
    j->comma = true;
}

void writer_text(struct writer *j, const char *key, const char *text)
{
    if (!text) {
        writer_null(j, key);
        return;
    }
    member(j, key);
    quote(j, text);
}

void writer_int(struct writer *j, const char *key, int64_t v)
{
    member(j, key);
    str_addf(&j->out, "%" PRId64, v);
}

void writer_double(struct writer *j, const char *key, double v)
{
    char text[40];

    if (!isfinite(v)) {
        writer_null(j, key);
        return;
    }
    member(j, key);
    snprintf(text, sizeof(text), "%.15g", v);
    str_add(&j->out, text);
    if (!strpbrk(text, ".e"))
        str_add(&j->out, ".0");
}

void writer_bool(struct writer *j, const char *key, bool v)
{
    member(j, key);
    str_add(&j->out, v ? "true" : "false");
}

void writer_null(struct writer *j, const char *key)
{
    member(j, key);
    str_add(&j->out, "null");
}
