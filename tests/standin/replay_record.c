// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/standin/replay_record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/standin/replay_writer.h"

static double ms_between(int64_t from_ns, int64_t to_ns)
{
    return (double)(to_ns - from_ns) / 1e6;
}

bool record_is_ok(const struct record *r)
{
    return !r->error.type[0];
}

double record_latency(const struct record *r)
{
    return ms_between(r->start_ns, r->end_ns);
}

double record_ttft(const struct record *r)
{
    return r->chunk_count ? ms_between(r->start_ns, r->chunks[0]) : NAN;
}

double record_ttst(const struct record *r)
{
    return r->chunk_count > 1 ? ms_between(r->chunks[0], r->chunks[1]) : NAN;
}

double record_itl(const struct record *r)
{
    if (!r->chunk_count || r->output < 2)
        return NAN;
    return (record_latency(r) - record_ttft(r)) / (double)(r->output - 1);
}

static void metric(struct writer *j, const char *name, double v, const char *unit)
{
    if (!isfinite(v))
        return;
    writer_open(j, name, '{');
    writer_double(j, "value", v);
    writer_text(j, "unit", unit);
    writer_close(j, '}');
}

static void count(struct writer *j, const char *name, int64_t v)
{
    writer_open(j, name, '{');
    writer_int(j, "value", v);
    writer_text(j, "unit", "tokens");
    writer_close(j, '}');
}

static void gaps(const struct record *r, struct writer *j)
{
    if (r->chunk_count < 2)
        return;
    writer_open(j, "inter_chunk_latency", '{');
    writer_open(j, "value", '[');
    for (int i = 1; i < r->chunk_count; i++)
        writer_double(j, NULL, ms_between(r->chunks[i - 1], r->chunks[i]));
    writer_close(j, ']');
    writer_text(j, "unit", "ms");
    writer_close(j, '}');
}

static void metrics(const struct record *r, struct writer *j)
{
    double itl = record_itl(r);

    writer_open(j, "metrics", '{');
    if (record_is_ok(r)) {
        count(j, "input_sequence_length", r->input);
        count(j, "output_sequence_length", r->output);
        count(j, "output_token_count", r->output);
        metric(j, "time_to_first_token", record_ttft(r), "ms");
        metric(j, "time_to_second_token", record_ttst(r), "ms");
        metric(j, "request_latency", record_latency(r), "ms");
        metric(j, "inter_token_latency", itl, "ms");
        metric(j, "full_response_inter_token_latency", itl, "ms");
        metric(j, "output_token_throughput_per_user", 1000 / itl, "tokens/sec/user");
        gaps(r, j);
    } else {
        count(j, "error_isl", r->turn.input);
    }
    writer_close(j, '}');
}

static void error(const struct record *r, struct writer *j)
{
    if (record_is_ok(r)) {
        writer_null(j, "error");
        return;
    }
    writer_open(j, "error", '{');
    if (r->error.code)
        writer_int(j, "code", r->error.code);
    else
        writer_null(j, "code");
    writer_text(j, "type", r->error.type);
    writer_text(j, "message", r->error.message);
    writer_close(j, '}');
}

static void instant(struct writer *j, const char *name, bool known, int64_t ns)
{
    if (known)
        writer_int(j, name, ns);
    else
        writer_null(j, name);
}

static void ids(const struct record *r, struct writer *j)
{
    bool root = r->turn.depth == 0;
    char text[48];

    writer_int(j, "agent_depth", r->turn.depth);
    writer_text(j, "parent_correlation_id", root ? NULL : r->root_id);
    writer_text(j, "root_correlation_id", r->root_id);
    snprintf(text, sizeof(text), "%.*s", (int)strcspn(r->turn.conv, ":"), r->turn.conv);
    writer_text(j, "source_trace_id", text);
    writer_text(j, "source_kind", root ? "weka_main" : "weka_subagent");
}

void record_line(const struct record *r, int64_t epoch_ns, struct str *out)
{
    struct writer j = {0};
    char worker[24];

    snprintf(worker, sizeof(worker), "worker_%02d", r->lane);
    writer_open(&j, NULL, '{');
    writer_open(&j, "metadata", '{');
    writer_int(&j, "session_num", r->session);
    writer_text(&j, "x_request_id", r->request_id);
    writer_text(&j, "x_correlation_id", r->session_id);
    writer_text(&j, "conversation_id", r->turn.conv);
    writer_int(&j, "turn_index", r->turn.index);
    writer_int(&j, "credit_issued_ns", epoch_ns + r->start_ns);
    writer_int(&j, "request_start_ns", epoch_ns + r->start_ns);
    instant(&j, "request_ack_ns", r->chunk_count > 0, epoch_ns + r->chunks[0]);
    writer_int(&j, "request_end_ns", epoch_ns + r->end_ns);
    writer_text(&j, "worker_id", worker);
    writer_text(&j, "record_processor_id", "record_processor_00");
    writer_text(&j, "benchmark_phase", r->warmup ? "warmup" : "profiling");
    writer_bool(&j, "was_cancelled", r->cancelled);
    instant(&j, "cancellation_time_ns", r->cancelled, epoch_ns + r->end_ns);
    ids(r, &j);
    writer_close(&j, '}');
    metrics(r, &j);
    error(r, &j);
    writer_close(&j, '}');
    str_add_bytes(out, j.out.p, j.out.len);
    str_add_char(out, '\n');
    writer_free(&j);
}
