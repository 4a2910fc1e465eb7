// SPDX-License-Identifier: GPL-2.0-or-later
#include "ingest/requests.h"

#include <string.h>

#include "base/str.h"
#include "ingest/record.h"

static const double MS_PER_S = 1000.0;
static const double NS_PER_S = 1e9;

struct log_reader {
    struct requests *to;
    struct findings *findings;
    const char *file;
    struct json *json;
    struct record record;
    int64_t line;
    int64_t line_at; // offset of its first byte
    size_t length;   // bytes of it so far
    bool blank;      // only white space so far
    bool too_long;
};

// --- counting --------------------------------------------------------------

static void count_category(struct log_reader *l, const char *name)
{
    struct requests *r = l->to;

    for (size_t i = 0; i < r->category_count; i++) {
        if (!strcmp(r->categories[i].name, name)) {
            r->categories[i].count++;
            return;
        }
    }
    if (r->category_count == ERROR_CATEGORIES_MAX) {
        findings_add(l->findings, SEVERITY_NOTE, "too_many_categories",
                     (struct place){l->file, l->line, l->line_at},
                     "more than %d kinds of errors: the rest has no category",
                     ERROR_CATEGORIES_MAX);
        return;
    }
    struct error_category *c = &r->categories[r->category_count++];
    str_copy(c->name, sizeof(c->name), name);
    c->count = 1;
}

static void add_seconds(struct series *s, const struct record *r, enum record_number n)
{
    if (r->has[n] && r->number[n] > 0 && r->number[n] / MS_PER_S > 0)
        series_add(s, r->number[n] / MS_PER_S);
}

static void keep_times(struct requests *to, const struct record *r)
{
    if (r->start_ns && (!to->first_start_ns || r->start_ns < to->first_start_ns))
        to->first_start_ns = r->start_ns;
    if (!r->end_ns)
        return;
    if (r->end_ns > to->last_end_ns)
        to->last_end_ns = r->end_ns;
    series_add(&to->ends, (double)r->end_ns / NS_PER_S);
}

static void keep_tokens(struct requests *to, const struct record *r)
{
    if (r->has[RECORD_INPUT]) {
        series_add(&to->input, r->number[RECORD_INPUT]);
        to->input_sum += (int64_t)r->number[RECORD_INPUT];
        to->has_input = true;
    }
    if (r->has[RECORD_OUTPUT]) {
        series_add(&to->output, r->number[RECORD_OUTPUT]);
        to->output_sum += (int64_t)r->number[RECORD_OUTPUT];
        to->has_output = true;
    }
}

static void keep(struct log_reader *l)
{
    struct requests *to = l->to;
    const struct record *r = &l->record;

    to->profiled++;
    if (to->profiled > REQUESTS_MAX) {
        findings_add(l->findings, SEVERITY_ERROR, "too_many_requests",
                     (struct place){l->file, l->line, l->line_at},
                     "more than %d successful requests: the distributions cover the first ones",
                     REQUESTS_MAX);
        return;
    }
    add_seconds(&to->ttft, r, RECORD_TTFT);
    add_seconds(&to->latency, r, RECORD_LATENCY);
    add_seconds(&to->itl, r, RECORD_ITL);
    add_seconds(&to->full_itl, r, RECORD_FULL_ITL);
    if (r->has[RECORD_LATENCY] && r->number[RECORD_LATENCY] > 0 && r->has[RECORD_OUTPUT] &&
        r->number[RECORD_OUTPUT] > 0)
        series_add(&to->latency_per_token,
                   r->number[RECORD_LATENCY] / MS_PER_S / r->number[RECORD_OUTPUT]);
    keep_times(to, r);
    keep_tokens(to, r);
}

static void count(struct log_reader *l)
{
    struct requests *to = l->to;
    const struct record *r = &l->record;
    char category[RECORD_WORD_MAX];

    to->total++;
    to->warmup += r->warmup;
    to->cancelled += r->cancelled && !r->warmup;
    if (r->failed) {
        to->errors++;
        to->errors_profiled += !r->warmup;
        count_category(l, record_category(r, category));
    }
    if (r->odd)
        findings_add(l->findings, SEVERITY_WARNING, "bad_value",
                     (struct place){l->file, l->line, l->line_at},
                     "%s is not a number that can be there: read as absent", r->odd);
    if (!r->failed && !r->warmup)
        keep(l);
}

// --- lines -----------------------------------------------------------------

static void on_value(void *ctx, const struct json *j, const struct json_value *v)
{
    record_value(ctx, j, v);
}

static void line_begin(struct log_reader *l, int64_t offset)
{
    l->line++;
    l->line_at = offset;
    l->length = 0;
    l->blank = true;
    l->too_long = false;
    record_clear(&l->record);
    json_begin(l->json, offset, l->line);
}

static void line_feed(struct log_reader *l, const char *bytes, size_t len)
{
    for (size_t i = 0; l->blank && i < len; i++)
        l->blank = strchr(" \t\r\v\f", bytes[i]) && bytes[i];
    if (l->too_long)
        return;
    l->length += len;
    if (l->length > REQUEST_LINE_MAX) {
        l->too_long = true;
        json_drop(l->json);
        findings_add(l->findings, SEVERITY_ERROR, "line_too_long",
                     (struct place){l->file, l->line, l->line_at},
                     "a line of more than %d bytes: not read", REQUEST_LINE_MAX);
        return;
    }
    if (!l->blank)
        json_feed(l->json, bytes, len);
}

static void line_end(struct log_reader *l)
{
    if (l->blank) {
        json_drop(l->json);
        return;
    }
    if (!json_finish(l->json) || l->too_long) {
        l->to->bad_lines++;
        return;
    }
    if (!l->record.object) {
        l->to->bad_lines++;
        findings_add(l->findings, SEVERITY_ERROR, "not_a_record",
                     (struct place){l->file, l->line, l->line_at}, "the line is not an object");
        return;
    }
    count(l);
}

static void feed(struct log_reader *l, const char *bytes, size_t len, int64_t *offset)
{
    while (len) {
        const char *end = memchr(bytes, '\n', len);
        size_t part = end ? (size_t)(end - bytes) : len;

        line_feed(l, bytes, part);
        *offset += (int64_t)part;
        if (!end)
            return;
        line_end(l);
        *offset += 1;
        line_begin(l, *offset);
        bytes += part + 1;
        len -= part + 1;
    }
}

void requests_read(struct requests *r, struct source *s, struct findings *f)
{
    struct log_reader l = {.to = r, .findings = f, .file = source_name(s)};
    struct json_spec spec = {
        .file = l.file,
        .findings = f,
        .broken = SEVERITY_ERROR,
        .value = on_value,
        .ctx = &l.record,
    };
    const char *bytes;
    int64_t offset = 0;
    size_t n;

    r->read = true;
    l.json = json_create(&spec);
    line_begin(&l, 0);
    while ((n = source_read(s, &bytes)) > 0)
        feed(&l, bytes, n, &offset);
    line_end(&l); // what follows the last line feed, mostly nothing
    json_free(l.json);
    if (!r->total && !r->bad_lines)
        findings_add(f, SEVERITY_ERROR, "empty", place_file(l.file), "holds no request");
}

void requests_free(struct requests *r)
{
    series_free(&r->ttft);
    series_free(&r->latency);
    series_free(&r->itl);
    series_free(&r->full_itl);
    series_free(&r->latency_per_token);
    series_free(&r->input);
    series_free(&r->output);
    series_free(&r->ends);
}
