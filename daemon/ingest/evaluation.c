// SPDX-License-Identifier: GPL-2.0-or-later
#include "ingest/evaluation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "ingest/json.h"

struct reader {
    struct evaluation_file *to;
    struct findings *findings;
};

static struct evaluation_task *task_of(struct reader *r, const struct json *j, const char *name)
{
    struct evaluation_file *e = r->to;

    for (size_t i = 0; i < e->task_count; i++) {
        if (!strcmp(e->tasks[i].name, name))
            return &e->tasks[i];
    }
    if (e->task_count == EVALUATION_TASKS_MAX) {
        findings_add(r->findings, SEVERITY_WARNING, "too_many", json_place(j),
                     "more than %d tasks: the rest is left out", EVALUATION_TASKS_MAX);
        return NULL;
    }
    struct evaluation_task *t = &e->tasks[e->task_count++];
    str_copy(t->name, sizeof(t->name), name);
    t->samples = t->samples_used = NAN;
    return t;
}

static void add_metric(struct reader *r, const struct json *j, const struct json_value *v)
{
    struct evaluation_task *t = task_of(r, j, json_name(j, 1));

    if (!t)
        return;
    if (t->metric_count == EVALUATION_METRICS_MAX) {
        findings_add(r->findings, SEVERITY_WARNING, "too_many", json_place(j),
                     "more than %d metrics: the rest is left out", EVALUATION_METRICS_MAX);
        return;
    }
    struct evaluation_metric *m = &t->metric[t->metric_count++];
    str_copy(m->name, sizeof(m->name), json_name(j, 2));
    m->value = v->real;
}

static void add_samples(struct reader *r, const struct json *j, const struct json_value *v)
{
    struct evaluation_task *t = task_of(r, j, json_name(j, 1));

    if (t && !strcmp(json_name(j, 2), "original"))
        t->samples = v->real;
    if (t && !strcmp(json_name(j, 2), "effective"))
        t->samples_used = v->real;
}

static void on_value(void *ctx, const struct json *j, const struct json_value *v)
{
    struct reader *r = ctx;
    bool number = v->type == VALUE_INT || v->type == VALUE_REAL;

    if (json_at(j, "model_name") && v->type == VALUE_TEXT) {
        size_t len = v->len < SUMMARY_TEXT_MAX ? v->len : SUMMARY_TEXT_MAX - 1;

        memcpy(r->to->model, v->text, len);
        r->to->model[len] = '\0';
    }
    if (!number || json_depth(j) != 3 || !json_name(j, 1) || !json_name(j, 2))
        return;
    if (json_at(j, "results/*/*"))
        add_metric(r, j, v);
    else if (json_at(j, "n-samples/*/*"))
        add_samples(r, j, v);
}

static bool read_json(struct source *s, struct findings *f,
                      void (*value)(void *, const struct json *, const struct json_value *),
                      void *ctx)
{
    struct json_spec spec = {
        .file = source_name(s),
        .findings = f,
        .broken = SEVERITY_ERROR,
        .value = value,
        .ctx = ctx,
    };
    struct json *j = json_create(&spec);
    const char *bytes;
    size_t n;

    json_begin(j, 0, 0);
    while ((n = source_read(s, &bytes)) > 0 && json_feed(j, bytes, n))
        continue;
    bool whole = json_finish(j);
    json_free(j);
    return whole;
}

// The n of a name such as results_2026-08-12_conc16.json.
static int64_t conc_of(const char *name)
{
    enum { DIGITS_MAX = 9 };
    const char *p = strstr(name, "_conc");
    char digits[DIGITS_MAX + 1];
    int64_t conc = 0;
    size_t n;

    if (!p)
        return 0;
    p += strlen("_conc");
    n = strspn(p, "0123456789");
    if (n == 0 || n > DIGITS_MAX)
        return 0;
    memcpy(digits, p, n);
    digits[n] = '\0';
    return str_to_i64(digits, 1, INT64_MAX, &conc) ? 0 : conc;
}

static void read_results(struct evaluation *v, const struct root *root, const char *path,
                         struct findings *f, struct artifacts *a)
{
    struct source *s = source_open(root, path, SOURCE_REQUIRED, SMALL_FILE_MAX, f);
    struct reader r = {NULL, f};

    if (!s)
        return;
    v->files = mem_room(v->files, v->file_count, &v->file_cap, sizeof(*v->files));
    r.to = &v->files[v->file_count++];
    memset(r.to, 0, sizeof(*r.to));
    str_copy(r.to->file, sizeof(r.to->file), path);
    r.to->conc = conc_of(path);
    r.to->tasks = mem_array(EVALUATION_TASKS_MAX, sizeof(*r.to->tasks));
    r.to->read = read_json(s, f, on_value, &r);
    if (r.to->read && !r.to->task_count)
        findings_add(f, SEVERITY_ERROR, "empty", place_file(path), "holds no score");
    source_close(s, a);
}

static void on_meta(void *ctx, const struct json *j, const struct json_value *v)
{
    out_pass(ctx, j, v, 0);
}

static void read_meta(struct evaluation *v, const struct root *root, const char *folder,
                      struct findings *f, struct artifacts *a)
{
    char path[FILE_NAME_MAX * 2];
    struct source *s;

    path_join(folder, "meta_env.json", path, sizeof(path));
    s = source_open(root, path, SOURCE_OPTIONAL, SMALL_FILE_MAX, f);
    if (!s)
        return;
    out_free(&v->meta);
    v->meta = (struct out){.max = PASSED_ON_MAX};
    if (!read_json(s, f, on_meta, &v->meta))
        out_free(&v->meta);
    source_close(s, a);
}

void evaluation_read(struct evaluation *v, const struct root *root, const char *folder,
                     struct findings *f, struct artifacts *a)
{
    struct names names;

    if (root_list(root, folder, &names))
        return;
    for (size_t i = 0; i < names.count; i++) {
        char path[FILE_NAME_MAX * 2];

        if (!str_starts(names.list[i], "results") || !str_ends(names.list[i], ".json"))
            continue;
        path_join(folder, names.list[i], path, sizeof(path));
        if (v->file_count == EVALUATION_FILES_MAX) {
            findings_add(f, SEVERITY_WARNING, "too_many", place_file(path),
                         "more than %d files of results: the rest is not read",
                         EVALUATION_FILES_MAX);
            break;
        }
        read_results(v, root, path, f, a);
    }
    names_free(&names);
    read_meta(v, root, folder, f, a);
}

void evaluation_free(struct evaluation *v)
{
    for (size_t i = 0; i < v->file_count; i++)
        free(v->files[i].tasks);
    free(v->files);
    out_free(&v->meta);
}

static bool is_exact_match(const char *name)
{
    return str_starts(name, "exact_match,"); // not exact_match_stderr
}

const struct evaluation_metric *evaluation_score(const struct evaluation_task *t)
{
    static const char *const wanted[] = {"exact_match,strict-match", "exact_match,", "acc,"};

    for (size_t w = 0; w < sizeof(wanted) / sizeof(*wanted); w++) {
        for (size_t i = 0; i < t->metric_count; i++) {
            if (str_starts(t->metric[i].name, wanted[w]))
                return &t->metric[i];
        }
    }
    return NULL;
}

double evaluation_lowest(const struct evaluation_task *t)
{
    double lowest = NAN;

    for (size_t i = 0; i < t->metric_count; i++) {
        if (is_exact_match(t->metric[i].name) && !(lowest <= t->metric[i].value))
            lowest = t->metric[i].value;
    }
    return lowest;
}
