// SPDX-License-Identifier: GPL-2.0-or-later
#include "ingest/record.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/utf8.h"

static const struct {
    const char *name;
    enum record_number number;
} metric_names[] = {
    {"time_to_first_token", RECORD_TTFT},
    {"ttft", RECORD_TTFT}, // old files
    {"request_latency", RECORD_LATENCY},
    {"inter_token_latency", RECORD_ITL},
    {"full_response_inter_token_latency", RECORD_FULL_ITL},
    {"input_sequence_length", RECORD_INPUT},
    {"output_sequence_length", RECORD_OUTPUT},
};

static const char *const word_names[RECORD_WORDS] = {
    "type", "error_type", "code", "class", "status", "message", "error", "",
};

void record_clear(struct record *r)
{
    r->object = r->warmup = r->failed = r->cancelled = false;
    r->start_ns = r->end_ns = 0;
    r->odd = NULL;
    memset(r->has, 0, sizeof(r->has));
    for (int i = 0; i < RECORD_WORDS; i++)
        r->word[i][0] = '\0';
}

static bool is_number(const struct json_value *v)
{
    return v->type == VALUE_INT || v->type == VALUE_REAL;
}

static bool text_is(const struct json_value *v, const char *text)
{
    return v->type == VALUE_TEXT && v->len == strlen(text) && !memcmp(v->text, text, v->len);
}

static void keep_word(char *to, const char *text, size_t len)
{
    size_t used = 0;

    while (used < len) { // whole characters only
        size_t n = utf8_char(text + used, len - used);

        if (n == 0 || used + n >= RECORD_WORD_MAX || text[used] == '\0')
            break;
        used += n;
    }
    memcpy(to, text, used);
    to[used] = '\0';
}

// --- metadata --------------------------------------------------------------

static void read_time(struct record *r, const char *name, int64_t *to, const struct json_value *v)
{
    if (v->type == VALUE_NULL)
        return;
    if (v->type == VALUE_INT && v->integer >= 0)
        *to = v->integer;
    else if (v->type == VALUE_REAL && v->real >= 0 && v->real < 9.2e18)
        *to = (int64_t)v->real;
    else
        r->odd = name;
}

static void metadata(struct record *r, const char *name, const struct json_value *v)
{
    if (!strcmp(name, "benchmark_phase") || !strcmp(name, "credit_phase")) {
        r->warmup = v->type != VALUE_NULL && !text_is(v, "profiling");
    } else if (!strcmp(name, "was_cancelled")) {
        r->cancelled = v->type == VALUE_BOOL && v->flag;
    } else if (!strcmp(name, "request_start_ns")) {
        read_time(r, "request_start_ns", &r->start_ns, v);
    } else if (!strcmp(name, "timestamp_ns")) { // old files
        if (!r->start_ns)
            read_time(r, "timestamp_ns", &r->start_ns, v);
    } else if (!strcmp(name, "request_end_ns")) {
        read_time(r, "request_end_ns", &r->end_ns, v);
    }
}

// --- metrics ---------------------------------------------------------------

static void metric(struct record *r, const char *name, const struct json_value *v)
{
    for (size_t i = 0; i < sizeof(metric_names) / sizeof(*metric_names); i++) {
        enum record_number n = metric_names[i].number;
        bool tokens = n == RECORD_INPUT || n == RECORD_OUTPUT;

        if (strcmp(name, metric_names[i].name) || v->type == VALUE_NULL)
            continue;
        if (!is_number(v) || (tokens && (v->real < 0 || v->real > REQUEST_TOKENS_MAX))) {
            r->odd = metric_names[i].name;
            continue;
        }
        r->has[n] = true;
        r->number[n] = tokens ? trunc(v->real) : v->real;
    }
}

// --- error -----------------------------------------------------------------

// What counts as an error: anything but null, false, 0 and what is empty.
static bool truthy(const struct json_value *v)
{
    switch (v->type) {
    case VALUE_NULL:
        return false;
    case VALUE_BOOL:
        return v->flag;
    case VALUE_INT:
    case VALUE_REAL:
        return fpclassify(v->real) != FP_ZERO;
    case VALUE_TEXT:
        return v->len > 0;
    default:
        return false; // a container is one once it has something in it
    }
}

static void error_member(struct record *r, const char *name, const struct json_value *v)
{
    r->failed = true;
    for (int i = 0; i < RECORD_PLAIN; i++) {
        if (strcmp(name, word_names[i]))
            continue;
        if (v->type == VALUE_TEXT || is_number(v))
            keep_word(r->word[i], v->text, v->len);
        else if (v->type == VALUE_BOOL)
            keep_word(r->word[i], v->flag ? "True" : "False", v->flag ? 4 : 5);
    }
}

static void plain_error(struct record *r, const struct json_value *v)
{
    if (!truthy(v))
        return;
    r->failed = true;
    if (v->type == VALUE_TEXT || is_number(v))
        keep_word(r->word[RECORD_PLAIN], v->text, v->len);
}

static void metric_value(struct record *r, const struct json *j, const struct json_value *v)
{
    bool number = v->type == VALUE_INT || v->type == VALUE_REAL || v->type == VALUE_TEXT;
    int depth = json_depth(j);
    bool plain = depth == 2 && number; // the short form, without a unit
    bool block = depth == 3 && json_name(j, 2) && !strcmp(json_name(j, 2), "value");

    if (plain || block)
        metric(r, json_name(j, 1), v);
}

void record_value(struct record *r, const struct json *j, const struct json_value *v)
{
    int depth = json_depth(j);
    const char *top = json_name(j, 0);
    const char *name = json_name(j, 1);

    if (depth == 0 && v->type == VALUE_OBJECT)
        r->object = true;
    if (!top || v->type == VALUE_END)
        return;
    if (!strcmp(top, "error")) {
        if (depth == 1)
            plain_error(r, v);
        else if (depth == 2)
            error_member(r, name ? name : "", v);
    } else if (!strcmp(top, "metadata")) {
        if (depth == 2 && name)
            metadata(r, name, v);
    } else if (!strcmp(top, "metrics") && name) {
        metric_value(r, j, v);
    }
}

// --- categories ------------------------------------------------------------

static const char *first_word(const struct record *r, int from, int to)
{
    for (int i = from; i < to; i++) {
        if (r->word[i][0])
            return r->word[i];
    }
    return NULL;
}

// Cuts to the limit in characters, not bytes.
static void cut(char *text)
{
    size_t at = 0;

    for (int n = 0; n < ERROR_CATEGORY_MAX && text[at]; n++)
        at += utf8_char(text + at, strlen(text + at));
    text[at] = '\0';
}

const char *record_category(const struct record *r, char *buf)
{
    const char *word = first_word(r, RECORD_TYPE, RECORD_MESSAGE);

    *buf = '\0';
    if (word) {
        str_copy(buf, RECORD_WORD_MAX, word);
    } else if ((word = first_word(r, RECORD_MESSAGE, RECORD_WORDS))) {
        while (isspace((unsigned char)*word))
            word++;
        keep_word(buf, word, strcspn(word, "\r\n\v\f:"));
    }
    cut(buf);
    if (!*buf)
        str_copy(buf, RECORD_WORD_MAX, "unknown");
    return buf;
}
