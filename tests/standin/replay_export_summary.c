// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/standin/common_wire.h"
#include "tests/standin/replay_export.h"

#define COVERAGE_REQUIRED 0.95

// One number, or the numbers of a sample.
struct block {
    const char *tag;
    const char *unit;
    struct sample *sample; // NULL: the value alone
    double value;
};
enum { BLOCKS_MAX = 32 };

struct blocks {
    struct block all[BLOCKS_MAX];
    int count;
};

static void add_sample(struct blocks *b, const char *tag, const char *unit, const struct sample *s)
{
    if (s->count && b->count < BLOCKS_MAX)
        b->all[b->count++] = (struct block){tag, unit, (struct sample *)(uintptr_t)s, 0};
}

static void add_value(struct blocks *b, const char *tag, const char *unit, double v)
{
    if (b->count < BLOCKS_MAX)
        b->all[b->count++] = (struct block){tag, unit, NULL, v};
}

static void record_blocks(const struct results *s, struct blocks *b)
{
    add_sample(b, "request_latency", "ms", &s->latency);
    add_sample(b, "time_to_first_token", "ms", &s->ttft);
    add_sample(b, "time_to_second_token", "ms", &s->ttst);
    add_sample(b, "inter_token_latency", "ms", &s->itl);
    add_sample(b, "full_response_inter_token_latency", "ms", &s->itl);
    add_sample(b, "output_token_throughput_per_user", "tokens/sec/user", &s->per_user);
    add_sample(b, "e2e_output_token_throughput", "tokens/sec/user", &s->e2e_rate);
    add_sample(b, "output_sequence_length", "tokens", &s->output);
    add_sample(b, "output_token_count", "tokens", &s->output);
    add_sample(b, "input_sequence_length", "tokens", &s->input);
    add_sample(b, "error_isl", "tokens", &s->error_input);
}

static void total_blocks(const struct export_run *x, const struct results *s, struct blocks *b)
{
    double span = (double)(s->last_end_ns - s->first_start_ns) / (double)NS_PER_S;
    double epoch = (double)x->report->epoch_ns;

    if (s->ok && span > 0) {
        add_value(b, "request_throughput", "requests/sec", (double)s->ok / span);
        add_value(b, "output_token_throughput", "tokens/sec", (double)s->output_tokens / span);
        add_value(b, "total_token_throughput", "tokens/sec",
                  (double)(s->input_tokens + s->output_tokens) / span);
        add_value(b, "benchmark_duration", "sec", span);
        add_value(b, "min_request_timestamp", "ns", epoch + (double)s->first_start_ns);
        add_value(b, "max_response_timestamp", "ns", epoch + (double)s->last_end_ns);
    }
    add_value(b, "request_count", "requests", (double)s->ok);
    add_value(b, "completed_request_count", "requests", (double)(s->ok + s->failed));
    if (s->failed) {
        add_value(b, "error_request_count", "requests", (double)s->failed);
        add_value(b, "request_error_rate", "%", 100 * results_failed_ratio(s));
    }
    add_value(b, "total_osl", "tokens", (double)s->output_tokens);
    add_value(b, "total_isl", "tokens", (double)s->input_tokens);
    add_value(b, "context_overflow_count", "requests", (double)s->overflows);
    add_value(b, "osl_mismatch_count", "requests", 0);
}

static void write_blocks(const struct blocks *b, struct writer *j)
{
    for (int i = 0; i < b->count; i++) {
        const struct block *k = &b->all[i];

        writer_open(j, k->tag, '{');
        writer_text(j, "unit", k->unit);
        if (k->sample)
            sample_json(k->sample, j, true);
        else
            writer_double(j, "avg", k->value);
        writer_close(j, '}');
    }
}

static void prefix_block(const struct results *s, struct writer *j)
{
    if (!s->blocks)
        return;
    writer_open(j, "theoretical_prefix_cache_hit", '{');
    writer_text(j, "unit", "%");
    writer_double(j, "avg", 100 * (double)s->known_blocks / (double)s->blocks);
    writer_int(j, "count", s->blocks);
    writer_int(j, "sum", s->known_blocks);
    writer_close(j, '}');
}

static void input_config(const struct export_run *x, struct writer *j)
{
    const struct options *o = x->options;

    writer_open(j, "input_config", '{');
    writer_open(j, "models", '{');
    writer_open(j, "items", '[');
    writer_open(j, NULL, '{');
    writer_text(j, "name", o->model);
    writer_close(j, '}');
    writer_close(j, ']');
    writer_close(j, '}');
    writer_open(j, "endpoint", '{');
    writer_open(j, "urls", '[');
    writer_text(j, NULL, o->url);
    writer_close(j, ']');
    writer_text(j, "type", "chat");
    writer_text(j, "path", o->endpoint);
    writer_bool(j, "streaming", true);
    writer_bool(j, "use_server_token_count", true);
    writer_close(j, '}');
    writer_open(j, "phases", '[');
    writer_open(j, NULL, '{');
    writer_text(j, "name", "profiling");
    writer_text(j, "kind", "profiling");
    writer_text(j, "timing_mode", "agentic_replay");
    writer_int(j, "concurrency", o->concurrency);
    writer_double(j, "duration", o->duration_s);
    writer_close(j, '}');
    writer_close(j, ']');
    writer_open(j, "artifacts", '{');
    writer_text(j, "dir", o->folder);
    if (o->slice_s > 0)
        writer_double(j, "slice_duration", o->slice_s);
    writer_close(j, '}');
    if (o->scenario)
        writer_text(j, "scenario", o->scenario);
    writer_close(j, '}');
}

static void run_info(const struct export_run *x, struct writer *j)
{
    writer_open(j, "run_info", '{');
    writer_text(j, "benchmark_id", x->id);
    writer_int(j, "random_seed", x->options->seed);
    writer_int(j, "trial", 0);
    writer_text(j, "run_label", "run_0001");
    writer_text(j, "variation_label", "base");
    writer_int(j, "variation_index", 0);
    writer_open(j, "variation_values", '{');
    writer_close(j, '}');
    writer_text(j, "cli_command", x->command);
    writer_close(j, '}');
}

static void error_summary(const struct results *s, struct writer *j)
{
    writer_open(j, "error_summary", '[');
    for (int i = 0; i < s->error_kinds; i++) {
        const struct results_error *k = &s->errors[i];

        writer_open(j, NULL, '{');
        writer_open(j, "error_details", '{');
        if (k->error.code)
            writer_int(j, "code", k->error.code);
        writer_text(j, "type", k->error.type);
        writer_text(j, "message", k->error.message);
        writer_close(j, '}');
        writer_int(j, "count", k->count);
        writer_close(j, '}');
    }
    writer_close(j, ']');
}

// The public name of a corpus by its alias in the loader.
static void dataset_name(const char *alias, char *buf, size_t size)
{
    const char *name = str_starts(alias, "semianalysis_") ? strchr(alias, '_') + 1 : alias;

    snprintf(buf, size, "semianalysisai/%s", name);
    for (char *c = buf; *c; c++)
        if (*c == '_')
            *c = '-';
}

static void coverage(const struct export_run *x, struct writer *j)
{
    writer_open(j, "metric_duration_coverage", '[');
    writer_open(j, NULL, '{');
    writer_text(j, "phase_name", "profiling");
    writer_double(j, "expected_duration_seconds", x->options->duration_s);
    writer_double(j, "required_ratio", COVERAGE_REQUIRED);
    writer_double(j, "ttft_ratio", x->ttft_ratio);
    writer_double(j, "inter_token_latency_ratio", x->itl_ratio);
    writer_close(j, '}');
    writer_close(j, ']');
}

static void metadata(const struct export_run *x, struct writer *j)
{
    const struct options *o = x->options;
    char name[128];

    if (!o->scenario)
        return;
    writer_open(j, "metadata", '{');
    writer_text(j, "scenario", o->scenario);
    writer_bool(j, "submission_valid", x->reason_count == 0);
    if (x->reason_count) {
        writer_open(j, "submission_invalid_reasons", '[');
        for (int i = 0; i < x->reason_count; i++)
            writer_text(j, NULL, x->reasons[i]);
        writer_close(j, ']');
    }
    writer_open(j, "dataset", '{');
    dataset_name(o->dataset, name, sizeof(name));
    writer_text(j, "source_type", "public_dataset");
    writer_text(j, "loader", o->dataset);
    writer_text(j, "hf_dataset_name", name);
    writer_text(j, "hf_split", "train");
    writer_int(j, "num_dataset_entries", o->dataset_entries);
    writer_close(j, '}');
    if (!x->report->cancelled)
        coverage(x, j);
    writer_close(j, '}');
}

static void reasons(const struct export_run *x, struct writer *j)
{
    writer_open(j, "runtime_submission_invalid_reasons", '[');
    for (int i = 0; i < x->reason_count; i++)
        writer_text(j, NULL, x->reasons[i]);
    writer_close(j, ']');
}

static void write_summary(const struct export_run *x, struct writer *j)
{
    const struct run_report *r = x->report;
    struct blocks profile = {0};
    struct blocks warmup = {0};
    char stamp[EXPORT_TIME_MAX];

    record_blocks(&r->profile, &profile);
    total_blocks(x, &r->profile, &profile);
    record_blocks(&r->warmup, &warmup);
    add_value(&warmup, "request_count", "requests", (double)r->warmup.ok);
    writer_open(j, NULL, '{');
    writer_text(j, "schema_version", "1.5");
    writer_text(j, "aiperf_version", CLIENT_VERSION);
    writer_text(j, "benchmark_id", x->id);
    write_blocks(&profile, j);
    prefix_block(&r->profile, j);
    input_config(x, j);
    run_info(x, j);
    writer_bool(j, "was_cancelled", r->cancelled);
    error_summary(&r->profile, j);
    export_time(r->epoch_ns + (r->start_ns ? r->start_ns : r->end_ns), stamp, sizeof(stamp));
    writer_text(j, "start_time", stamp);
    export_time(r->epoch_ns + r->end_ns, stamp, sizeof(stamp));
    writer_text(j, "end_time", stamp);
    writer_open(j, "warmup_metrics", '{');
    write_blocks(&warmup, j);
    writer_close(j, '}');
    writer_open(j, "branch_stats", '{');
    writer_int(j, "children_spawned", r->subagents);
    writer_close(j, '}');
    reasons(x, j);
    metadata(x, j);
    writer_close(j, '}');
    str_add_char(&j->out, '\n');
}

static void write_csv(const struct export_run *x, struct str *out)
{
    struct blocks b = {0};

    record_blocks(&x->report->profile, &b);
    int records = b.count;
    total_blocks(x, &x->report->profile, &b);
    str_addf(out, "Metric,Unit%s\n", sample_csv_head);
    for (int i = 0; i < records; i++) {
        str_addf(out, "%s,%s", b.all[i].tag, b.all[i].unit);
        sample_csv(b.all[i].sample, out);
        str_add_char(out, '\n');
    }
    str_add(out, "\nMetric,Unit,Value\n");
    for (int i = records; i < b.count; i++)
        str_addf(out, "%s,%s,%.6f\n", b.all[i].tag, b.all[i].unit, b.all[i].value);
}

int export_summary(const struct export_run *x, struct err *e)
{
    struct writer j = {.indent = true};
    struct str csv = {0};

    if (!x->summary)
        return 0;
    write_summary(x, &j);
    write_csv(x, &csv);
    int rc = export_write(x, "profile_export_aiperf.json", &j.out, e);
    if (!rc)
        rc = export_write(x, "profile_export_aiperf.csv", &csv, e);
    writer_free(&j);
    str_free(&csv);
    return rc;
}
