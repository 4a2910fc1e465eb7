// SPDX-License-Identifier: GPL-2.0-or-later
#include "ingest/metrics.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "ingest/json.h"

enum statistic { STAT_TOTAL, STAT_SUM, STAT_MAX, STAT_AVG, STATS };

struct one {            // one series
    double stat[STATS]; // NaN: absent
    char cache_source[JSON_KEY_MAX];
    char mode[JSON_KEY_MAX];
};

struct mean {
    double sum;
    int64_t count;
};

struct reader {
    struct metrics *to;
    struct findings *findings;
    int family; // that the path is in, -1: none that matters
    struct one one;
    struct mean mean[FAMILIES], gauge_mean[FAMILIES];
};

static const char *const family_names[FAMILIES] = {
    [FAMILY_PROMPT_TOKENS] = "sglang:prompt_tokens",
    [FAMILY_GENERATION_TOKENS] = "sglang:generation_tokens",
    [FAMILY_CACHED_TOKENS] = "sglang:cached_tokens",
    [FAMILY_CACHE_HIT_RATE] = "sglang:cache_hit_rate",
    [FAMILY_TOKEN_USAGE] = "sglang:token_usage",
    [FAMILY_POOL_TOKENS] = "sglang:max_total_num_tokens",
    [FAMILY_HOST_USED] = "sglang:hicache_host_used_tokens",
    [FAMILY_HOST_TOTAL] = "sglang:hicache_host_total_tokens",
    [FAMILY_PREFILL_COMPUTE] = "sglang:realtime_tokens",
    [FAMILY_ACCEPT_LENGTH] = "sglang:spec_accept_length",
    [FAMILY_VERIFY_CALLS] = "sglang:spec_verify_calls",
    [FAMILY_REQUESTS] = "sglang:num_requests",
    [FAMILY_RUNNING] = "sglang:num_running_reqs",
    [FAMILY_QUEUED] = "sglang:num_queue_reqs",
    [FAMILY_RETRACTED] = "sglang:num_retracted_requests",
    [FAMILY_ABORTED] = "sglang:num_aborted_requests",
};

static const char *const stat_names[STATS] = {"total", "sum", "max", "avg"};

static void families_clear(struct metrics *m)
{
    for (int i = 0; i < FAMILIES; i++)
        m->family[i] = (struct family_sums){0, NAN, NAN, NAN, NAN, NAN, NAN};
    m->source_count = 0;
}

void metrics_init(struct metrics *m)
{
    memset(m, 0, sizeof(*m));
    families_clear(m);
}

// --- one series ------------------------------------------------------------

static double first_of(const struct one *o, const enum statistic *order, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!isnan(o->stat[order[i]]))
            return o->stat[order[i]];
    }
    return NAN;
}

static void add(double *sum, double value)
{
    if (!isnan(value))
        *sum = isnan(*sum) ? value : *sum + value;
}

static void raise(double *top, double value)
{
    if (!isnan(value) && (isnan(*top) || value > *top))
        *top = value;
}

static void average(struct mean *m, double *mean, double value)
{
    if (isnan(value))
        return;
    m->sum += value;
    m->count++;
    *mean = m->sum / (double)m->count;
}

static void add_source(struct reader *r, const struct json *j, double tokens)
{
    struct metrics *m = r->to;
    size_t i = 0;

    if (!r->one.cache_source[0] || isnan(tokens))
        return;
    while (i < m->source_count && strcmp(m->source[i].name, r->one.cache_source))
        i++;
    if (i == METRIC_SOURCES_MAX) {
        findings_add(r->findings, SEVERITY_WARNING, "too_many", json_place(j),
                     "more than %d values of cache_source: the rest is left out",
                     METRIC_SOURCES_MAX);
        return;
    }
    if (i == m->source_count) {
        str_copy(m->source[i].name, JSON_KEY_MAX, r->one.cache_source);
        m->source[i].tokens = 0;
        m->source_count++;
    }
    m->source[i].tokens += tokens;
}

static void series_end(struct reader *r, const struct json *j)
{
    static const enum statistic counter[] = {STAT_TOTAL, STAT_SUM, STAT_MAX, STAT_AVG};
    static const enum statistic capacity[] = {STAT_MAX, STAT_AVG, STAT_TOTAL, STAT_SUM};
    static const enum statistic highest[] = {STAT_MAX, STAT_AVG, STAT_TOTAL};
    static const enum statistic mean[] = {STAT_AVG, STAT_MAX, STAT_TOTAL};
    struct family_sums *s = &r->to->family[r->family];
    const struct one *o = &r->one;
    double tokens = first_of(o, counter, 4);

    if (r->family == FAMILY_PREFILL_COMPUTE && strcmp(o->mode, "prefill_compute"))
        return;
    if (r->family == FAMILY_CACHED_TOKENS)
        add_source(r, j, tokens);
    s->series++;
    add(&s->counter, tokens);
    add(&s->capacity, first_of(o, capacity, 4));
    raise(&s->highest, first_of(o, highest, 3));
    average(&r->mean[r->family], &s->mean, first_of(o, mean, 3));
    average(&r->gauge_mean[r->family], &s->gauge_mean, o->stat[STAT_AVG]);
    raise(&s->gauge_max, o->stat[STAT_MAX]);
}

static void series_begin(struct reader *r)
{
    for (int i = 0; i < STATS; i++)
        r->one.stat[i] = NAN;
    r->one.cache_source[0] = r->one.mode[0] = '\0';
}

static void keep_label(char to[JSON_KEY_MAX], const struct json_value *v)
{
    size_t len = v->len < JSON_KEY_MAX ? v->len : JSON_KEY_MAX - 1;

    if (v->type != VALUE_TEXT && v->type != VALUE_INT && v->type != VALUE_REAL)
        return;
    memcpy(to, v->text, len);
    to[len] = '\0';
}

static void series_value(struct reader *r, const struct json *j, const struct json_value *v)
{
    if (json_at(j, "metrics/*/series/*/labels/cache_source"))
        keep_label(r->one.cache_source, v);
    else if (json_at(j, "metrics/*/series/*/labels/mode"))
        keep_label(r->one.mode, v);
    else if (json_at(j, "metrics/*/series/*/stats/*") && json_name(j, 5) &&
             (v->type == VALUE_INT || v->type == VALUE_REAL)) {
        for (int i = 0; i < STATS; i++) {
            if (!strcmp(json_name(j, 5), stat_names[i]))
                r->one.stat[i] = v->real;
        }
    }
}

// --- the whole -------------------------------------------------------------

static void family_begin(struct reader *r, const char *name)
{
    struct metrics *m = r->to;

    m->families++;
    r->family = -1;
    if (!name)
        return;
    m->has_sglang |= str_starts(name, "sglang:");
    m->has_vllm |= str_starts(name, "vllm:");
    m->has_dynamo |= str_starts(name, "dynamo_");
    m->has_atom |= str_starts(name, "atom:");
    for (int i = 0; i < FAMILIES; i++) {
        if (!strcmp(name, family_names[i]))
            r->family = i;
    }
}

static void on_value(void *ctx, const struct json *j, const struct json_value *v)
{
    struct reader *r = ctx;
    const char *top = json_name(j, 0);

    if (!top || strcmp(top, "metrics"))
        return;
    if (json_depth(j) == 2) {
        if (v->type == VALUE_END)
            r->family = -1;
        else if (!json_in_array(j))
            family_begin(r, json_name(j, 1));
        return;
    }
    if (r->family < 0)
        return;
    if (json_at(j, "metrics/*/series/*")) {
        if (v->type == VALUE_OBJECT)
            series_begin(r);
        else if (v->type == VALUE_END && !v->flag)
            series_end(r, j);
    } else if (v->type != VALUE_END) {
        series_value(r, j, v);
    }
}

void metrics_read(struct metrics *m, struct source *s, struct findings *f)
{
    struct reader r = {.to = m, .findings = f, .family = -1};
    struct json_spec spec = {
        .file = source_name(s),
        .findings = f,
        .skip = "timeslices",
        .broken = SEVERITY_ERROR,
        .value = on_value,
        .ctx = &r,
    };
    struct json *j = json_create(&spec);
    const char *bytes;
    size_t n;

    m->there = true;
    json_begin(j, 0, 0);
    while ((n = source_read(s, &bytes)) > 0 && json_feed(j, bytes, n))
        continue;
    m->read = json_finish(j);
    while (source_read(s, &bytes) > 0)
        continue; // the rest counts for the checksum
    json_free(j);
    if (!m->read)
        families_clear(m);
    else if (!m->families)
        findings_add(f, SEVERITY_WARNING, "empty", place_file(spec.file), "holds no metric");
}
