// SPDX-License-Identifier: GPL-2.0-or-later
#include "facts.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/proc.h"

enum { SUMMARY_MAX = 4 * 1024 * 1024, BYTES_PER_MB = 1024 * 1024 };

#define COUNT_MAX 9e15 // a double counts exactly up to here

static double number(const json_t *o, const char *name)
{
    const json_t *v = json_object_get(o, name);

    return json_is_number(v) ? json_number_value(v) : NAN;
}

static int64_t integer(const json_t *o, const char *name)
{
    double d = number(o, name);

    return d >= 0 && d <= COUNT_MAX ? (int64_t)d : 0; // also false for a NaN
}

static const char *text(const json_t *o, const char *name)
{
    const char *s = json_string_value(json_object_get(o, name));

    return s ? s : "";
}

// The object at the end of a path of member names, NULL when it is not there.
static const json_t *at(const json_t *o, const char *const *path)
{
    for (; *path && o; path++)
        o = json_object_get(o, *path);
    return o;
}

#define AT(root, ...) at((root), (const char *const[]){__VA_ARGS__, NULL})

static void read_coverage(const json_t *client, struct facts *f)
{
    const json_t *list = json_object_get(client, "coverage");
    const json_t *entry = json_array_get(list, 0);

    f->coverage_ttft = number(entry, "ttft_ratio");
    f->coverage_itl = number(entry, "inter_token_latency_ratio");
    f->coverage_required = number(entry, "required_ratio");
}

static void read_reasons(const json_t *client, struct facts *f)
{
    const json_t *list = json_object_get(client, "reasons");

    for (size_t i = 0; i < json_array_size(list) && i < VERDICT_REASONS_MAX; i++) {
        const char *text = json_string_value(json_array_get(list, i));

        str_copy(f->reasons[f->reason_count++], VERDICT_REASON_MAX, text ? text : "unreadable");
    }
}

static void read_client(const json_t *root, struct facts *f)
{
    const json_t *client = json_object_get(root, "client");
    const json_t *stamp = json_object_get(client, "submission_valid");

    f->has_summary = json_is_true(json_object_get(client, "summary_read"));
    f->submission_valid = json_is_boolean(stamp) ? json_is_true(stamp) : -1;
    f->was_cancelled = json_is_true(json_object_get(client, "was_cancelled"));
    f->error_rate = number(client, "error_rate");
    f->requests_failed = integer(client, "error_count");
    f->requests_ok = integer(root, "num_requests_successful");
    read_coverage(client, f);
    read_reasons(client, f);
}

static bool is_required(const char *file)
{
    static const char *const required[] = {"profile_export_aiperf.json", "profile_export.jsonl",
                                           "server_metrics_export.json"};

    for (size_t i = 0; i < sizeof(required) / sizeof(required[0]); i++)
        if (str_ends(file, required[i]))
            return true;
    return false;
}

// A fault of a file that the verdict rests on. A missing file is another
// matter: the rules for summary and engine metrics name those.
static void read_findings(const json_t *root, struct facts *f)
{
    const json_t *list = json_object_get(root, "findings");

    f->has_requests = true;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *o = json_array_get(list, i);
        const char *file = text(o, "file");

        if (strcmp(text(o, "severity"), "error") != 0 || !is_required(file))
            continue;
        if (!strcmp(text(o, "code"), "missing")) {
            f->has_requests &= !str_ends(file, "profile_export.jsonl");
            continue;
        }
        if (!f->artifacts_bad)
            snprintf(f->bad_detail, sizeof(f->bad_detail), "%.40s: %.50s", file, text(o, "text"));
        f->artifacts_bad = true;
    }
}

static void read_metrics(const json_t *root, struct metrics *m)
{
    metrics_clear(m);
    m->al = number(json_object_get(root, "acceptance"), "gauge_mean");
    const json_t *per_gpu = AT(root, "request_metrics", "throughput", "per_gpu");
    m->total_tps_per_gpu = number(per_gpu, "total_tput_tps");
    m->output_tps_per_gpu = number(per_gpu, "output_tput_tps");
    m->output_tps_per_user = number(AT(root, "request_metrics", "latency", "intvty"), "p50");
    m->ttft_p90_s = number(AT(root, "request_metrics", "latency", "ttft"), "p90");
    m->cache_hit_rate = number(AT(root, "server_metrics", "cache"), "overall_cache_hit_rate");
    m->requests = integer(root, "num_requests_successful");
}

int facts_parse(const char *json, size_t len, struct facts *ret, struct metrics *ret_metrics,
                struct err *e)
{
    json_error_t why;
    json_t *root = json_loadb(json, len, 0, &why);

    if (!json_is_object(root)) {
        json_decref(root);
        return err_set(e, -EPROTO, "sweep-ingest wrote no JSON object (line %d: %s)", why.line,
                       why.text);
    }
    *ret = (struct facts){.submission_valid = -1};
    read_client(root, ret);
    const json_t *acceptance = json_object_get(root, "acceptance");
    ret->has_engine_metrics = json_is_true(json_object_get(acceptance, "has_sglang"));
    ret->al_gauge = number(acceptance, "gauge_mean");
    ret->al_counter = number(acceptance, "counter_al_corrected");
    read_findings(root, ret);
    read_metrics(root, ret_metrics);
    json_decref(root);
    return 0;
}

// The database's JSON type has no zero character.
static void drop_zeros(char *json)
{
    static const char zero[] = "\\u0000";
    char *p = json;

    while ((p = strstr(p, zero))) {
        memcpy(p, "\\ufffd", sizeof(zero) - 1);
        p += sizeof(zero) - 1;
    }
}

int facts_ingest(const struct conf *conf, const char *dir, int exit_code, struct facts *ret,
                 struct metrics *ret_metrics, char **ret_summary, struct err *e)
{
    char program[1024];
    const char *const argv[] = {program, dir, NULL};
    struct proc_result result;
    struct proc_spec spec = {
        .argv = argv,
        .output_max = SUMMARY_MAX,
        .memory_max = (size_t)conf->ingest_memory_mb * BYTES_PER_MB,
        .timeout_us = conf->ingest_timeout,
    };

    snprintf(program, sizeof(program), "%s/sweep-ingest", conf->programs);
    int rc = proc_run(&spec, &result, e);
    if (!rc && result.exit_code)
        rc = err_set(e, -EIO, "sweep-ingest ended with code %d: %.200s", result.exit_code,
                     str_text(&result.errors));
    if (!rc)
        rc = facts_parse(str_text(&result.output), result.output.len, ret, ret_metrics, e);
    if (!rc) {
        ret->exit_code = exit_code;
        *ret_summary = str_take(&result.output);
        drop_zeros(*ret_summary);
    }
    proc_result_free(&result);
    return rc;
}
