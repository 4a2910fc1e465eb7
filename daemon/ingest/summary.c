// SPDX-License-Identifier: GPL-2.0-or-later
#include "ingest/summary.h"

#include <math.h>
#include <string.h>

#include "ingest/json.h"

struct reader {
    struct summary *to;
    struct findings *findings;
    const char *file;
};

static const char *const block_names[SUMMARY_METRICS] = {
    [SUMMARY_REQUEST_COUNT] = "request_count",
    [SUMMARY_ERROR_COUNT] = "error_request_count",
    [SUMMARY_COMPLETED_COUNT] = "completed_request_count",
    [SUMMARY_OVERFLOW_COUNT] = "context_overflow_count",
    [SUMMARY_SKIPPED_OVERFLOW_COUNT] = "skipped_context_overflow_count",
    [SUMMARY_CACHE_HIT] = "theoretical_prefix_cache_hit",
    [SUMMARY_LATENCY] = "request_latency",
    [SUMMARY_TTFT] = "time_to_first_token",
    [SUMMARY_ITL] = "inter_token_latency",
    [SUMMARY_DURATION] = "benchmark_duration",
};

static const char *const stat_names[STATS] = {
    [STAT_AVG] = "avg", [STAT_P50] = "p50",     [STAT_P75] = "p75", [STAT_P90] = "p90",
    [STAT_P95] = "p95", [STAT_COUNT] = "count", [STAT_SUM] = "sum",
};

void summary_init(struct summary *m)
{
    memset(m, 0, sizeof(*m));
    m->submission_valid = m->was_cancelled = -1;
    m->dataset.max = PASSED_ON_MAX;
    for (int i = 0; i < SUMMARY_METRICS; i++) {
        for (int k = 0; k < STATS; k++)
            m->block[i].stat[k] = NAN;
    }
}

void summary_free(struct summary *m)
{
    out_free(&m->dataset);
}

static bool is_number(const struct json_value *v)
{
    return v->type == VALUE_INT || v->type == VALUE_REAL;
}

static void keep_text(char to[SUMMARY_TEXT_MAX], const struct json_value *v)
{
    size_t len = v->len < SUMMARY_TEXT_MAX ? v->len : SUMMARY_TEXT_MAX - 1;

    if (v->type != VALUE_TEXT)
        return;
    memcpy(to, v->text, len);
    to[len] = '\0';
}

// --- metric blocks ---------------------------------------------------------

static struct summary_block *block_of(struct summary *m, const char *name)
{
    for (int i = 0; i < SUMMARY_METRICS; i++) {
        if (!strcmp(name, block_names[i]))
            return &m->block[i];
    }
    return NULL;
}

static void block_value(struct reader *r, struct summary_block *b, const struct json *j,
                        const struct json_value *v)
{
    const char *name = json_name(j, 1);

    if (json_depth(j) == 1) {
        b->there = v->type != VALUE_NULL;
        b->malformed = b->there && v->type != VALUE_OBJECT;
        return;
    }
    if (json_depth(j) != 2 || !name)
        return;
    if (!strcmp(name, "unit"))
        b->percent = v->type == VALUE_TEXT && v->len == 1 && *v->text == '%';
    for (int k = 0; k < STATS; k++) {
        if (strcmp(name, stat_names[k]) || v->type == VALUE_NULL)
            continue;
        if (is_number(v)) {
            b->stat[k] = v->real;
            continue;
        }
        b->malformed = true;
        findings_add(r->findings, SEVERITY_ERROR, "bad_value", json_place(j),
                     "%s.%s is not a number", json_name(j, 0), name);
    }
}

// --- metadata --------------------------------------------------------------

static void add_reason(struct reader *r, const struct json *j, const struct json_value *v)
{
    struct summary *m = r->to;

    if (v->type != VALUE_TEXT)
        return;
    if (m->reason_count == SUMMARY_REASONS_MAX) {
        findings_add(r->findings, SEVERITY_WARNING, "too_many", json_place(j),
                     "more than %d reasons: the rest is left out", SUMMARY_REASONS_MAX);
        return;
    }
    keep_text(m->reasons[m->reason_count++], v);
}

static void coverage_begin(struct reader *r, const struct json *j)
{
    struct summary *m = r->to;

    if (m->coverage_count == SUMMARY_COVERAGE_MAX) {
        findings_add(r->findings, SEVERITY_WARNING, "too_many", json_place(j),
                     "more than %d phases: the rest is left out", SUMMARY_COVERAGE_MAX);
        return;
    }
    m->coverage[m->coverage_count++] = (struct coverage){
        .expected_s = NAN, .required = NAN, .ttft = NAN, .itl = NAN, .content = NAN};
}

static void coverage_value(struct reader *r, const char *name, const struct json_value *v)
{
    struct coverage *c = &r->to->coverage[r->to->coverage_count - 1];
    const struct {
        const char *name;
        double *to;
    } numbers[] = {
        {"expected_duration_seconds", &c->expected_s},
        {"required_ratio", &c->required},
        {"ttft_ratio", &c->ttft},
        {"inter_token_latency_ratio", &c->itl},
        {"streaming_content_ratio", &c->content},
    };

    if (!strcmp(name, "phase_name"))
        keep_text(c->phase, v);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
        if (!strcmp(name, numbers[i].name) && is_number(v))
            *numbers[i].to = v->real;
    }
}

static void metadata(struct reader *r, const struct json *j, const struct json_value *v)
{
    struct summary *m = r->to;

    if (json_at(j, "metadata/scenario"))
        keep_text(m->scenario, v);
    else if (json_at(j, "metadata/submission_valid") && v->type == VALUE_BOOL)
        m->submission_valid = v->flag;
    else if (json_at(j, "metadata/submission_invalid_reasons/*"))
        add_reason(r, j, v);
    else if (json_at(j, "metadata/was_cancelled") && v->type == VALUE_BOOL && m->was_cancelled < 0)
        m->was_cancelled = v->flag;
    else if (json_at(j, "metadata/metric_duration_coverage/*") && v->type == VALUE_OBJECT)
        coverage_begin(r, j);
    else if (json_at(j, "metadata/metric_duration_coverage/*/*") && json_name(j, 3) &&
             m->coverage_count)
        coverage_value(r, json_name(j, 3), v);
}

static void dataset(struct reader *r, const struct json *j, const struct json_value *v)
{
    enum { DATASET_DEPTH = 2 }; // metadata/dataset

    if (json_depth(j) == DATASET_DEPTH && v->type != VALUE_OBJECT && v->type != VALUE_END)
        return; // not an object: not handed on
    if (json_depth(j) == DATASET_DEPTH && v->type == VALUE_END && v->flag)
        return;
    if (json_depth(j) > DATASET_DEPTH && !r->to->dataset.text.len)
        return;
    if (json_depth(j) == DATASET_DEPTH && v->type == VALUE_OBJECT) { // of two the last counts
        out_free(&r->to->dataset);
        r->to->dataset = (struct out){.max = PASSED_ON_MAX};
    }
    out_pass(&r->to->dataset, j, v, DATASET_DEPTH);
}

// --- the whole -------------------------------------------------------------

static void top_value(struct summary *m, const char *name, const struct json_value *v)
{
    const struct {
        const char *name;
        char *to;
    } texts[] = {
        {"schema_version", m->schema_version},
        {"aiperf_version", m->client_version},
        {"benchmark_id", m->benchmark_id},
        {"start_time", m->start_time},
        {"end_time", m->end_time},
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        if (!strcmp(name, texts[i].name))
            keep_text(texts[i].to, v);
    }
    if (!strcmp(name, "was_cancelled") && v->type == VALUE_BOOL)
        m->was_cancelled = v->flag;
}

static void on_value(void *ctx, const struct json *j, const struct json_value *v)
{
    struct reader *r = ctx;
    const char *top = json_name(j, 0);
    const char *second = json_name(j, 1);
    struct summary_block *b;

    if (!json_depth(j) && v->type != VALUE_OBJECT && v->type != VALUE_END)
        findings_add(r->findings, SEVERITY_ERROR, "not_a_record", json_place(j),
                     "the file does not hold an object");
    if (!top)
        return;
    if (!strcmp(top, "metadata")) {
        if (second && !strcmp(second, "dataset"))
            dataset(r, j, v);
        else if (v->type != VALUE_END)
            metadata(r, j, v);
        return;
    }
    if (v->type == VALUE_END)
        return;
    if (json_depth(j) == 1)
        top_value(r->to, top, v);
    if (json_at(j, "error_summary/*"))
        r->to->error_kinds++;
    b = block_of(r->to, top);
    if (b)
        block_value(r, b, j, v);
}

static void check_version(const struct reader *r)
{
    const char *v = r->to->schema_version;

    if (*v && strncmp(v, "1.", 2))
        findings_add(r->findings, SEVERITY_ERROR, "schema_version", place_file(r->file),
                     "schema version %s is not one that is understood (1.x)", v);
}

void summary_read(struct summary *m, struct source *s, struct findings *f)
{
    struct reader r = {m, f, source_name(s)};
    struct json_spec spec = {
        .file = r.file,
        .findings = f,
        .broken = SEVERITY_ERROR,
        .value = on_value,
        .ctx = &r,
    };
    struct json *j = json_create(&spec);
    const char *bytes;
    size_t n;

    json_begin(j, 0, 0);
    while ((n = source_read(s, &bytes)) > 0 && json_feed(j, bytes, n))
        continue;
    m->read = json_finish(j);
    while (source_read(s, &bytes) > 0)
        continue; // the rest counts for the checksum
    json_free(j);
    check_version(&r);
}

// --- error rate ------------------------------------------------------------

static const char *count_of(const struct summary_block *b, const char *what, double *ret)
{
    *ret = NAN;
    if (!b->there)
        return NULL;
    if (b->malformed || isnan(b->stat[STAT_AVG]) || b->stat[STAT_AVG] < 0)
        return what;
    *ret = b->stat[STAT_AVG];
    return NULL;
}

struct error_rate summary_error_rate(const struct summary *m)
{
    struct error_rate r = {NAN, NAN, NAN, NAN, NULL};
    const char *problem;

    if (!m->read) {
        r.problem = "there is no readable summary";
        return r;
    }
    problem = count_of(&m->block[SUMMARY_REQUEST_COUNT], "request_count is not a count", &r.ok);
    if (!problem && isnan(r.ok))
        problem = "request_count is missing";
    if (!problem)
        problem = count_of(&m->block[SUMMARY_ERROR_COUNT], "error_request_count is not a count",
                           &r.errors);
    if (!problem)
        problem = count_of(&m->block[SUMMARY_COMPLETED_COUNT],
                           "completed_request_count is not a count", &r.completed);
    r.problem = problem;
    if (problem)
        return r;
    if (isnan(r.errors))
        r.errors = 0;
    if (isnan(r.completed))
        r.completed = r.ok + r.errors;
    if (r.completed <= 0)
        r.problem = "no request completed";
    else
        r.rate = r.errors / r.completed;
    return r;
}
