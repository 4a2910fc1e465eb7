// SPDX-License-Identifier: GPL-2.0-or-later
#include "ingest/report.h"

#include <math.h>

static void tri_state(struct out *o, const char *name, int value)
{
    if (value < 0)
        out_null(o, name);
    else
        out_bool(o, name, value);
}

static void text_or_null(struct out *o, const char *name, const char *text)
{
    out_text(o, name, *text ? text : NULL);
}

// --- client ----------------------------------------------------------------

static void write_coverage(struct out *o, const struct summary *m)
{
    out_array(o, "coverage");
    for (size_t i = 0; i < m->coverage_count; i++) {
        const struct coverage *c = &m->coverage[i];

        out_object(o, NULL);
        text_or_null(o, "phase_name", c->phase);
        out_real(o, "expected_duration_seconds", c->expected_s);
        out_real(o, "required_ratio", c->required);
        out_real(o, "ttft_ratio", c->ttft);
        out_real(o, "inter_token_latency_ratio", c->itl);
        out_real(o, "streaming_content_ratio", c->content);
        out_object_end(o);
    }
    out_array_end(o);
}

static double overflow_rate(const struct summary *m, const struct error_rate *e)
{
    double overflows = m->block[SUMMARY_OVERFLOW_COUNT].stat[STAT_AVG];
    double skipped = m->block[SUMMARY_SKIPPED_OVERFLOW_COUNT].stat[STAT_AVG];
    double all = e->ok + e->errors + (isnan(skipped) ? 0 : skipped);

    if (isnan(overflows) || isnan(all))
        return NAN;
    return all > 0 ? overflows / all : 0;
}

static void write_counts(struct out *o, const struct summary *m)
{
    struct error_rate e = summary_error_rate(m);

    out_count(o, "request_count", e.ok);
    out_count(o, "error_count", e.errors);
    out_count(o, "completed_count", e.completed);
    out_real(o, "error_rate", e.rate);
    out_text(o, "error_rate_problem", e.problem);
    out_count(o, "context_overflow_count", m->block[SUMMARY_OVERFLOW_COUNT].stat[STAT_AVG]);
    out_real(o, "context_overflow_rate", overflow_rate(m, &e));
}

void report_client(struct out *o, const struct run *r)
{
    const struct summary *m = &r->summary;

    out_object(o, "client");
    out_bool(o, "summary_read", m->read);
    text_or_null(o, "schema_version", m->schema_version);
    text_or_null(o, "client_version", m->client_version);
    text_or_null(o, "benchmark_id", m->benchmark_id);
    text_or_null(o, "scenario", m->scenario);
    text_or_null(o, "start_time", m->start_time);
    text_or_null(o, "end_time", m->end_time);
    tri_state(o, "submission_valid", m->submission_valid);
    out_array(o, "reasons");
    for (size_t i = 0; i < m->reason_count; i++)
        out_text(o, NULL, m->reasons[i]);
    out_array_end(o);
    tri_state(o, "was_cancelled", m->was_cancelled);
    write_coverage(o, m);
    write_counts(o, m);
    out_object_end(o);
}

// --- findings and files ----------------------------------------------------

static void write_findings(struct out *o, const struct findings *f)
{
    out_array(o, "findings");
    for (size_t i = 0; i < f->count; i++) {
        const struct finding *one = &f->list[i];

        out_object(o, NULL);
        out_text(o, "file", one->file);
        out_text(o, "code", one->code);
        out_text(o, "severity", severity_name(one->severity));
        if (one->line)
            out_int(o, "line", one->line);
        else
            out_null(o, "line");
        if (one->offset >= 0)
            out_int(o, "offset", one->offset);
        else
            out_null(o, "offset");
        out_int(o, "count", one->count);
        out_text(o, "text", one->text);
        out_object_end(o);
    }
    out_array_end(o);
    out_int(o, "findings_left_out", f->lost);
}

static void write_files(struct out *o, const struct artifacts *a)
{
    out_array(o, "files");
    for (size_t i = 0; i < a->count; i++) {
        out_object(o, NULL);
        out_text(o, "name", a->list[i].name);
        out_int(o, "bytes", a->list[i].bytes);
        out_int(o, "bytes_read", a->list[i].read);
        text_or_null(o, "sha256", a->list[i].sha256);
        out_object_end(o);
    }
    out_array_end(o);
}

static void write_layout(struct out *o, const struct run *r)
{
    out_object(o, "layout");
    out_text(o, "kind", layout_name(r->layout.kind));
    out_text(o, "folder", r->layout.folder);
    out_int(o, "runs", r->layout.runs);
    out_object_end(o);
}

static void write_server_info(struct out *o, const struct run *r)
{
    const struct serverinfo *i = &r->serverinfo;

    if (!i->read) {
        out_null(o, "server_info");
        return;
    }
    out_object(o, "server_info");
    out_raw(o, "arguments", str_text(&i->arguments.text));
    out_array(o, "accept_lengths");
    for (size_t k = 0; k < i->accept_count; k++)
        out_rounded(o, NULL, i->accept_length[k]);
    out_array_end(o);
    out_object_end(o);
}

void report_write(struct out *o, struct run *r)
{
    const struct str *dataset = &r->summary.dataset.text;
    int64_t gpus = context_gpus(&r->context);

    out_object(o, NULL);
    out_int(o, "version", INGEST_VERSION);
    write_layout(o, r);
    if (gpus)
        out_int(o, "gpu_count", gpus);
    else
        out_null(o, "gpu_count");
    report_client(o, r);
    out_int(o, "num_requests_total", r->requests.total);
    out_int(o, "num_requests_successful", r->requests.profiled);
    report_request_accounting(o, r);
    if (r->summary.read && dataset->len)
        out_raw(o, "dataset", str_text(dataset));
    else
        out_null(o, "dataset");
    report_request_metrics(o, r);
    report_server_metrics(o, r);
    out_rounded(o, "kv_cache_pool_tokens", report_pool_tokens(r));
    report_acceptance(o, r);
    report_consistency(o, r);
    write_server_info(o, r);
    report_power(o, r);
    report_evaluation(o, r);
    write_files(o, &r->artifacts);
    write_findings(o, &r->findings);
    out_object_end(o);
}
