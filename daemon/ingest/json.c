// SPDX-License-Identifier: GPL-2.0-or-later
#include "ingest/json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#include "base/mem.h"
#include "base/str.h"
#include "ingest/filter.h"

struct level {
    bool array;
    bool named; // the name below is whole
    char name[JSON_KEY_MAX];
};

struct json {
    struct json_spec spec;
    struct filter filter;
    struct filter_spec filter_spec;
    yajl_handle parser;
    bool clean; // the parser stands between documents
    bool broken;
    int64_t values; // whole values at the top of this document
    int64_t run_at; // offset of the bytes being parsed
    int64_t line;
    int depth; // open containers
    struct level levels[JSON_DEPTH_MAX + 1];
};

// --- paths -----------------------------------------------------------------

int json_depth(const struct json *j)
{
    return j->depth;
}

const char *json_name(const struct json *j, int level)
{
    if (level < 0 || level >= j->depth)
        return NULL;
    const struct level *l = &j->levels[level];
    return !l->array && l->named ? l->name : NULL;
}

bool json_in_array(const struct json *j)
{
    return j->depth > 0 && j->levels[j->depth - 1].array;
}

static bool level_is(const struct level *l, const char *name, size_t len)
{
    if (len == 1 && *name == '*')
        return true;
    return !l->array && l->named && !strncmp(l->name, name, len) && l->name[len] == '\0';
}

bool json_at(const struct json *j, const char *path)
{
    int level = 0;

    while (*path) {
        size_t len = strcspn(path, "/");

        if (level == j->depth || !level_is(&j->levels[level], path, len))
            return false;
        level++;
        path += len + (path[len] == '/');
    }
    return level == j->depth;
}

struct place json_place(const struct json *j)
{
    return (struct place){j->spec.file, j->line, j->run_at};
}

// --- from the parser -------------------------------------------------------

static void emit(struct json *j, const struct json_value *v)
{
    if (j->depth == 0)
        j->values += v->type != VALUE_OBJECT && v->type != VALUE_ARRAY;
    j->spec.value(j->spec.ctx, j, v);
}

static int on_null(void *ctx)
{
    emit(ctx, &(struct json_value){.type = VALUE_NULL});
    return 1;
}

static int on_bool(void *ctx, int flag)
{
    emit(ctx, &(struct json_value){.type = VALUE_BOOL, .flag = flag != 0});
    return 1;
}

static int on_number(void *ctx, const char *text, size_t len)
{
    struct json *j = ctx;
    struct json_value v = {.type = VALUE_REAL, .text = text, .len = len};
    char copy[JSON_SCALAR_MAX + 1];

    if (len > JSON_SCALAR_MAX)
        return 0; // the filter lets none through
    memcpy(copy, text, len);
    copy[len] = '\0';
    if (!strpbrk(copy, ".eE") && !str_to_i64(copy, INT64_MIN, INT64_MAX, &v.integer)) {
        v.type = VALUE_INT;
        v.real = (double)v.integer;
    } else {
        v.real = strtod(copy, NULL);
        if (!isfinite(v.real)) {
            findings_add(j->spec.findings, SEVERITY_WARNING, "not_finite", json_place(j),
                         "%s is beyond the range of numbers, read as null", copy);
            v = (struct json_value){.type = VALUE_NULL};
        }
    }
    emit(j, &v);
    return 1;
}

static int on_text(void *ctx, const unsigned char *text, size_t len)
{
    emit(ctx, &(struct json_value){.type = VALUE_TEXT, .text = (const char *)text, .len = len});
    return 1;
}

static int on_key(void *ctx, const unsigned char *text, size_t len)
{
    struct json *j = ctx;
    struct level *l = &j->levels[j->depth - 1];

    l->named = len < JSON_KEY_MAX && !memchr(text, '\0', len);
    if (l->named) {
        memcpy(l->name, text, len);
        l->name[len] = '\0';
    }
    return 1;
}

static int on_open(struct json *j, enum json_type type)
{
    if (j->depth > JSON_DEPTH_MAX)
        return 0; // the filter lets none through
    emit(j, &(struct json_value){.type = type});
    j->levels[j->depth].array = type == VALUE_ARRAY;
    j->levels[j->depth].named = false;
    j->depth++;
    return 1;
}

static int on_object(void *ctx)
{
    return on_open(ctx, VALUE_OBJECT);
}

static int on_array(void *ctx)
{
    return on_open(ctx, VALUE_ARRAY);
}

static int on_close(void *ctx)
{
    struct json *j = ctx;

    j->depth--;
    emit(j, &(struct json_value){.type = VALUE_END, .flag = j->levels[j->depth].array});
    return 1;
}

static const yajl_callbacks callbacks = {
    .yajl_null = on_null,
    .yajl_boolean = on_bool,
    .yajl_number = on_number,
    .yajl_string = on_text,
    .yajl_start_map = on_object,
    .yajl_map_key = on_key,
    .yajl_end_map = on_close,
    .yajl_start_array = on_array,
    .yajl_end_array = on_close,
};

// --- to the parser ---------------------------------------------------------

static void report_syntax(struct json *j)
{
    unsigned char *text = yajl_get_error(j->parser, 0, NULL, 0);
    int64_t at = j->run_at + (int64_t)yajl_get_bytes_consumed(j->parser);
    struct place place = {j->spec.file, j->line, at};
    int len = text ? (int)strcspn((const char *)text, "\n") : 0;

    j->broken = true;
    findings_add(j->spec.findings, j->spec.broken, "syntax", place, "not JSON at byte %lld: %.*s",
                 (long long)at, len, text ? (const char *)text : "");
    if (text)
        yajl_free_error(j->parser, text);
}

static bool parse(struct json *j, const char *bytes, size_t len, int64_t offset)
{
    j->run_at = offset;
    j->clean = false;
    if (yajl_parse(j->parser, (const unsigned char *)bytes, len) == yajl_status_ok)
        return true;
    report_syntax(j);
    return false;
}

static bool on_pass(void *ctx, const char *bytes, size_t len, int64_t offset)
{
    return parse(ctx, bytes, len, offset);
}

static void on_note(void *ctx, enum filter_note note, int64_t offset, uint64_t count)
{
    static const struct {
        const char *code;
        const char *text;
    } notes[] = {
        [FILTER_NOT_FINITE] = {"not_finite", "NaN or Infinity, read as null"},
        [FILTER_TOO_DEEP] = {"too_deep", "nested too deep, read as null"},
        [FILTER_LONG_STRING] = {"string_too_long", "a string longer than is read, cut"},
        [FILTER_LONG_NUMBER] = {"number_too_long", "a number longer than is read, read as null"},
        [FILTER_BAD_TEXT] = {"bad_utf8", "not UTF-8, read as U+FFFD"},
    };
    struct json *j = ctx;

    findings_add_many(j->spec.findings, SEVERITY_WARNING, notes[note].code,
                      (struct place){j->spec.file, j->line, offset}, count, notes[note].text);
}

static void parser_open(struct json *j)
{
    j->parser = yajl_alloc(&callbacks, NULL, j);
    if (!j->parser)
        abort();
    // One parser reads line after line.
    yajl_config(j->parser, yajl_allow_multiple_values, 1);
    yajl_config(j->parser, yajl_dont_validate_strings, 1); // the filter has done it
    j->clean = true;
}

struct json *json_create(const struct json_spec *spec)
{
    struct json *j = mem_alloc(sizeof(*j));

    j->spec = *spec;
    j->filter_spec = (struct filter_spec){spec->skip, on_pass, on_note, j};
    parser_open(j);
    return j;
}

void json_free(struct json *j)
{
    if (!j)
        return;
    yajl_free(j->parser);
    free(j);
}

void json_begin(struct json *j, int64_t offset, int64_t line)
{
    if (!j->clean) {
        yajl_free(j->parser);
        parser_open(j);
    }
    j->broken = false;
    j->values = 0;
    j->depth = 0;
    j->line = line;
    j->run_at = offset;
    filter_begin(&j->filter, &j->filter_spec, offset);
}

bool json_feed(struct json *j, const char *bytes, size_t len)
{
    return !j->broken && filter_feed(&j->filter, bytes, len);
}

void json_drop(struct json *j)
{
    j->broken = true;
}

// Where a document stops although something is still open in it.
static bool is_open(struct json *j)
{
    return j->depth > 0 || j->filter.state == FILTER_STRING || j->filter.state == FILTER_SKIP;
}

bool json_finish(struct json *j)
{
    struct place place = {j->spec.file, j->line, j->filter.offset};

    if (j->broken)
        return false;
    if (is_open(j)) {
        filter_end(&j->filter); // for its notes
        findings_add(j->spec.findings, j->spec.broken, "cut", place,
                     "ends in the middle of a value, after %lld bytes",
                     (long long)j->filter.offset);
        return false;
    }
    filter_end(&j->filter);
    // A space ends a number at the top.
    if (j->broken || !parse(j, " ", 1, j->filter.offset))
        return false;
    if (j->values != 1) {
        findings_add(j->spec.findings, j->spec.broken, j->values ? "syntax" : "empty", place,
                     j->values ? "more than one value where one belongs" : "nothing to read");
        return false;
    }
    j->clean = true;
    return true;
}
