// SPDX-License-Identifier: GPL-2.0-or-later
#include "ingest/ingest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fsio.h"
#include "base/mem.h"
#include "ingest/instant.h"
#include "ingest/report.h"
#include "ingest/serverlog.h"

static const char job_env[] = "job.env";
static const char server_env[] = "server_env.txt";

// Reads a small file whole; false when there is none to read.
static bool read_small(struct run *r, const char *name, enum source_need need, int64_t max,
                       struct str *ret)
{
    struct source *s = source_open(&r->root, name, need, max, &r->findings);
    const char *bytes;
    size_t n;

    str_clear(ret);
    if (!s)
        return false;
    if (source_size(s) > max)
        findings_add(&r->findings, SEVERITY_WARNING, "file_too_long", place_file(name),
                     "only the first %lld bytes are read", (long long)max);
    while ((n = source_read(s, &bytes)) > 0)
        str_add_bytes(ret, bytes, n);
    source_close(s, &r->artifacts);
    return true;
}

static void read_environment(struct run *r, const char *name, enum source_need need,
                             struct context *to)
{
    struct str text = {0};

    if (read_small(r, name, need, CONTEXT_FILE_MAX, &text) && text.len) {
        to->read = true;
        context_parse(to, text.p, name, &r->findings);
    }
    str_free(&text);
}

static int read_context(struct run *r, const struct ingest_options *options, struct err *e)
{
    struct str text = {0};
    int rc = 0;

    if (!options->expect) {
        read_environment(r, job_env, SOURCE_OPTIONAL, &r->context);
    } else {
        rc = fs_read(options->expect, CONTEXT_FILE_MAX, &text, e);
        if (!rc && text.len)
            context_parse(&r->context, text.p, options->expect, &r->findings);
        str_free(&text);
    }
    if (options->tp)
        r->context.tp = options->tp;
    if (options->pp)
        r->context.pp = options->pp;
    if (options->pcp)
        r->context.pcp = options->pcp;
    if (!rc && !context_gpus(&r->context))
        findings_add(&r->findings, SEVERITY_WARNING, "no_gpu_count", place_file(job_env),
                     "TP is not known: no values per GPU");
    return rc;
}

static struct source *open_artifact(struct run *r, const char *folder, const char *name,
                                    enum source_need need, int64_t max)
{
    char path[FILE_NAME_MAX * 2];

    path_join(folder, name, path, sizeof(path));
    return source_open(&r->root, path, need, max, &r->findings);
}

static void read_artifacts(struct run *r, enum source_need need)
{
    const char *folder = r->layout.folder;
    struct source *s = open_artifact(r, folder, "profile_export_aiperf.json", need, INT64_MAX);

    if (s)
        summary_read(&r->summary, s, &r->findings);
    source_close(s, &r->artifacts);
    s = open_artifact(r, folder, "profile_export.jsonl", need, INT64_MAX);
    if (s)
        requests_read(&r->requests, s, &r->findings);
    source_close(s, &r->artifacts);
    s = open_artifact(r, folder, "server_metrics_export.json", need, INT64_MAX);
    if (s)
        metrics_read(&r->metrics, s, &r->findings);
    source_close(s, &r->artifacts);
}

// The table twin of the server metrics must be there and hold something.
static void check_table(struct run *r)
{
    struct source *s =
        open_artifact(r, r->layout.folder, "server_metrics_export.csv", SOURCE_EXPECTED, INT64_MAX);
    const char *bytes;

    if (!s)
        return;
    if (source_size(s) == 0)
        findings_add(&r->findings, SEVERITY_WARNING, "empty", place_file(source_name(s)),
                     "the file is empty");
    while (source_read(s, &bytes) > 0)
        continue;
    source_close(s, &r->artifacts);
}

static void read_server_log(struct run *r)
{
    struct source *s =
        open_artifact(r, r->layout.base, "server.log", SOURCE_EXPECTED, SERVER_LOG_HEAD);

    if (s)
        r->pool_tokens = serverlog_pool_tokens(s, &r->findings);
    source_close(s, &r->artifacts);
}

static void read_server_info(struct run *r)
{
    struct source *s =
        source_open(&r->root, "server_info.json", SOURCE_OPTIONAL, SMALL_FILE_MAX, &r->findings);

    if (s)
        serverinfo_read(&r->serverinfo, s, &r->findings);
    source_close(s, &r->artifacts);
}

// --- power -----------------------------------------------------------------

static void want(struct power_window *w, enum power_reason r)
{
    w->reasons |= UINT32_C(1) << r;
}

// The client writes local time without an offset; the job leaves the offset
// beside it.
static void read_offset(struct run *r, struct power_window *w)
{
    struct str text = {0};
    char path[FILE_NAME_MAX * 2];

    path_join(r->layout.base, "agentic_power_timezone_offset.txt", path, sizeof(path));
    w->east_s = NAN;
    if (read_small(r, path, SOURCE_OPTIONAL, CONTEXT_FILE_MAX, &text) && text.len) {
        text.p[strcspn(text.p, " \t\r\n")] = '\0';
        if (offset_parse(text.p, &w->east_s))
            want(w, POWER_BAD_OFFSET);
    }
    str_free(&text);
}

static double window_edge(struct power_window *w, const char *text)
{
    double at = NAN;
    bool zoned = true;

    if (!*text || instant_parse(text, &at, &zoned)) {
        want(w, POWER_NO_WINDOW);
        return NAN;
    }
    if (!zoned && isnan(w->east_s))
        want(w, POWER_NO_OFFSET);
    return zoned ? at : at - w->east_s;
}

static void read_power(struct run *r)
{
    struct power_window w = {.gpus = context_gpus(&r->context)};
    struct source *s;

    if (r->layout.kind == LAYOUT_NONE)
        return;
    s = open_artifact(r, r->layout.base, "gpu_metrics.csv", SOURCE_OPTIONAL, INT64_MAX);
    if (!s)
        return;
    read_offset(r, &w);
    w.start = window_edge(&w, r->summary.start_time);
    w.end = window_edge(&w, r->summary.end_time);
    power_read(&r->power, s, &w, &r->findings);
    source_close(s, &r->artifacts);
}

// --- the whole -------------------------------------------------------------

// An evaluation sends no profiled requests, so there is nothing to miss then.
static bool is_evaluation(const struct run *r)
{
    return r->context.eval_only || (r->evaluation.file_count && r->layout.kind == LAYOUT_NONE);
}

static void read_all(struct run *r)
{
    layout_find(&r->root, &r->layout, &r->findings);
    evaluation_read(&r->evaluation, &r->root, ".", &r->findings, &r->artifacts);
    if (strcmp(r->layout.base, "."))
        evaluation_read(&r->evaluation, &r->root, r->layout.base, &r->findings, &r->artifacts);
    read_environment(r, server_env, SOURCE_OPTIONAL, &r->server);
    read_server_info(r);
    read_artifacts(r, is_evaluation(r) ? SOURCE_OPTIONAL : SOURCE_REQUIRED);
    if (!is_evaluation(r))
        check_table(r);
    read_server_log(r);
    read_power(r);
}

int ingest_run(const struct ingest_options *options, struct str *ret, struct err *e)
{
    struct run *r = mem_alloc(sizeof(*r));
    struct out out = {0};
    int rc = root_open(&r->root, options->folder, e);

    summary_init(&r->summary);
    metrics_init(&r->metrics);
    if (!rc)
        rc = read_context(r, options, e);
    if (!rc) {
        read_all(r);
        report_write(&out, r);
        str_add(ret, str_text(&out.text));
        str_add_char(ret, '\n');
    }
    out_free(&out);
    evaluation_free(&r->evaluation);
    serverinfo_free(&r->serverinfo);
    summary_free(&r->summary);
    requests_free(&r->requests);
    root_close(&r->root);
    free(r);
    return rc;
}
