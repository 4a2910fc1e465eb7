// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/standin/replay_export.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tests/standin/common_wire.h"
#include "tests/standin/replay_trace.h"

enum { INPUTS_MAX = 4 }; // payloads shown; a corpus whole would be gigabytes

void export_time(int64_t wall_ns, char *buf, size_t size)
{
    time_t seconds = (time_t)(wall_ns / NS_PER_S);
    char base[32] = "";
    struct tm tm;

    if (localtime_r(&seconds, &tm))
        strftime(base, sizeof(base), "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(buf, size, "%s.%06d", base, (int)(wall_ns % NS_PER_S / 1000));
}

int export_write(const struct export_run *x, const char *name, const struct str *text,
                 struct err *e)
{
    struct str path = {0};

    str_addf(&path, "%s/%s", x->options->folder, name);
    FILE *f = fopen(path.p, "we");
    bool good = f && fwrite(str_text(text), 1, text->len, f) == text->len;
    int error = errno;
    if (f && fclose(f) != 0) {
        good = false;
        error = errno;
    }
    int rc = good ? 0 : err_set(e, -error, "cannot write %s: %s", path.p, strerror(error));
    str_free(&path);
    return rc;
}

static void urls(struct writer *j, const char *key, const struct run_report *r, bool answered)
{
    writer_open(j, key, '[');
    for (int i = 0; i < (answered ? r->endpoint_count : r->configured_count); i++)
        writer_text(j, NULL, answered ? scrape_url(r->endpoints[i]) : r->configured[i]);
    writer_close(j, ']');
}

static void metrics_summary(const struct export_run *x, const struct scrape_window *w,
                            struct writer *j)
{
    const struct run_report *r = x->report;
    char stamp[EXPORT_TIME_MAX];

    writer_open(j, "summary", '{');
    urls(j, "endpoints_configured", r, false);
    urls(j, "endpoints_successful", r, true);
    export_time(r->epoch_ns + r->start_ns, stamp, sizeof(stamp));
    writer_text(j, "start_time", stamp);
    export_time(r->epoch_ns + r->end_ns, stamp, sizeof(stamp));
    writer_text(j, "end_time", stamp);
    writer_open(j, "endpoint_info", '{');
    for (int i = 0; i < r->endpoint_count; i++)
        scrape_json_info(r->endpoints[i], w, j);
    writer_close(j, '}');
    writer_close(j, '}');
}

static int write_metrics(const struct export_run *x, struct err *e)
{
    const struct run_report *r = x->report;
    struct scrape_window w = {r->epoch_ns, x->options->slice_s};
    struct writer j = {.indent = true};

    writer_open(&j, NULL, '{');
    writer_text(&j, "schema_version", "1.0");
    writer_text(&j, "aiperf_version", CLIENT_VERSION);
    writer_text(&j, "benchmark_id", x->id);
    writer_text(&j, "metrics_phase", "profiling");
    metrics_summary(x, &w, &j);
    writer_open(&j, "metrics", '{');
    for (int i = 0; i < r->endpoint_count; i++)
        scrape_json_metrics(r->endpoints[i], &w, &j);
    writer_close(&j, '}');
    writer_close(&j, '}');
    str_add_char(&j.out, '\n');
    int rc = export_write(x, "server_metrics_export.json", &j.out, e);
    writer_free(&j);
    return rc;
}

// Without an endpoint that answered there is no file, and no error either.
int export_server_metrics(const struct export_run *x, struct err *e)
{
    const struct run_report *r = x->report;
    struct str csv = {0};

    if (!r->endpoint_count || !r->start_ns)
        return 0;
    int rc = write_metrics(x, e);
    for (int i = 0; !rc && i < r->endpoint_count; i++)
        scrape_csv(r->endpoints[i], &csv);
    if (!rc)
        rc = export_write(x, "server_metrics_export.csv", &csv, e);
    str_free(&csv);
    return rc;
}

static void payload(const struct export_run *x, const struct trace_turn *turn, struct writer *j)
{
    writer_open(j, NULL, '{');
    writer_text(j, "model", x->options->model);
    writer_open(j, "messages", '[');
    writer_open(j, NULL, '{');
    writer_text(j, "role", "user");
    writer_text(j, "content", turn->conv);
    writer_close(j, '}');
    writer_close(j, ']');
    writer_bool(j, "stream", true);
    writer_int(j, "max_completion_tokens", turn->output);
    writer_bool(j, "ignore_eos", true);
    writer_close(j, '}');
}

int export_inputs(const struct export_run *x, struct err *e)
{
    struct trace_spec spec = {.seed = (uint64_t)x->options->seed,
                              .context_max = WIRE_TOKENS_MAX,
                              .think_max_s = x->options->idle_cap_s};
    struct writer j = {.indent = true};

    writer_open(&j, NULL, '{');
    writer_open(&j, "data", '[');
    for (int i = 0; i < INPUTS_MAX; i++) {
        struct trace *t = trace_create(&spec, i);

        writer_open(&j, NULL, '{');
        writer_text(&j, "session_id", t->turns[0].conv);
        writer_open(&j, "payloads", '[');
        payload(x, &t->turns[0], &j);
        writer_close(&j, ']');
        writer_close(&j, '}');
        trace_free(t);
    }
    writer_close(&j, ']');
    writer_close(&j, '}');
    str_add_char(&j.out, '\n');
    int rc = export_write(x, "inputs.json", &j.out, e);
    writer_free(&j);
    return rc;
}
