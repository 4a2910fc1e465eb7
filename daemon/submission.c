// SPDX-License-Identifier: GPL-2.0-or-later
#include "submission.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fsio.h"
#include "base/mem.h"
#include "core/duration.h"
#include "preflight/preflight.h"
#include "spec/config.h"
#include "spec/jobenv.h"
#include "spec/matrix.h"
#include "spool.h"

enum { HTTP_UNPROCESSABLE = 422, HTTP_ERROR = 500, ID_RANDOM_HEX = 4, PASSWD_MAX = 16384 };

// --- the request ----------------------------------------------------------------

static int parse_concs(const json_t *list, struct submission *s, struct err *e)
{
    if (!json_array_size(list))
        return err_set(e, -EINVAL, "conc: an empty list asks for nothing; leave it out for all");
    if (json_array_size(list) > SUBMISSION_CONCS_MAX)
        return err_set(e, -EINVAL, "conc: more than %d values", SUBMISSION_CONCS_MAX);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *v = json_array_get(list, i);

        if (!json_is_integer(v) || json_integer_value(v) < 1 || json_integer_value(v) > 1000000)
            return err_set(e, -EINVAL, "conc: value %zu is no concurrency", i + 1);
        s->concs[s->conc_count++] = (int)json_integer_value(v);
    }
    return 0;
}

static int parse_points(const json_t *list, struct submission *s, struct err *e)
{
    size_t n = json_array_size(list);

    if (!n)
        return err_set(e, -EINVAL, "points: an empty list asks for nothing; leave it out for all");
    if (n > SUBMISSION_POINTS_MAX)
        return err_set(e, -EINVAL, "points: more than %d names", SUBMISSION_POINTS_MAX);
    s->points = mem_array(n, sizeof(char *));
    for (size_t i = 0; i < n; i++) {
        const char *name = json_string_value(json_array_get(list, i));

        if (!name)
            return err_set(e, -EINVAL, "points: value %zu is no text", i + 1);
        s->points[s->point_count++] = mem_strdup(name);
    }
    return 0;
}

static int parse_files(const json_t *list, struct submission *s, struct err *e)
{
    if (!json_array_size(list))
        return err_set(e, -EINVAL,
                       "config: an empty list; leave it out for the daemon's own files");
    if (json_array_size(list) > SUBMISSION_FILES_MAX)
        return err_set(e, -EINVAL, "config: more than %d files", SUBMISSION_FILES_MAX);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *o = json_array_get(list, i);
        const char *name = json_string_value(json_object_get(o, "name"));
        const char *text = json_string_value(json_object_get(o, "text"));

        if (!name || !text)
            return err_set(e, -EINVAL, "config: file %zu needs name and text", i + 1);
        s->files[s->file_count++] = (struct submission_file){mem_strdup(name), mem_strdup(text)};
    }
    return 0;
}

static int parse_flag(const char *name, const json_t *v, bool *ret, struct err *e)
{
    if (!json_is_boolean(v))
        return err_set(e, -EINVAL, "%s must be true or false", name);
    *ret = json_is_true(v);
    return 0;
}

static int parse_member(const char *name, const json_t *v, struct submission *s, struct err *e)
{
    if (!strcmp(name, "key")) {
        if (!json_is_string(v) || json_string_length(v) >= SWEEP_KEY_MAX)
            return err_set(e, -EINVAL, "key must be a text of less than %d bytes", SWEEP_KEY_MAX);
        s->key = mem_strdup(json_string_value(v));
        return 0;
    }
    if (!strcmp(name, "fast"))
        return parse_flag(name, v, &s->fast, e);
    if (!strcmp(name, "supersede"))
        return parse_flag(name, v, &s->supersede, e);
    if (!strcmp(name, "on_failure"))
        return json_is_string(v) && on_failure_from_name(json_string_value(v), &s->on_failure)
                   ? 0
                   : err_set(e, -EINVAL, "on_failure must be fail-fast or keep-going");
    if (!strcmp(name, "placement"))
        return json_is_string(v) && placement_from_name(json_string_value(v), &s->placement)
                   ? 0
                   : err_set(e, -EINVAL, "placement must be exclusive or packed");
    if (!strcmp(name, "conc") || !strcmp(name, "points") || !strcmp(name, "config")) {
        if (!json_is_array(v))
            return err_set(e, -EINVAL, "%s must be a list", name);
        return name[0] == 'p'   ? parse_points(v, s, e)
               : name[3] == 'c' ? parse_concs(v, s, e)
                                : parse_files(v, s, e);
    }
    return err_set(e, -EINVAL, "unknown member '%s'", name);
}

int submission_parse(const char *body, size_t len, struct submission **ret, struct err *e)
{
    json_error_t why;
    json_t *root = json_loadb(body, len, JSON_REJECT_DUPLICATES, &why);
    struct submission *s;
    const char *name;
    json_t *v;
    int rc = 0;

    if (!json_is_object(root)) {
        json_decref(root);
        return err_set(e, -EINVAL, "the body is no JSON object (line %d, column %d: %s)", why.line,
                       why.column, why.text);
    }
    s = mem_alloc(sizeof(*s));
    json_object_foreach(root, name, v)
    {
        if (!rc)
            rc = parse_member(name, v, s, e);
    }
    json_decref(root);
    if (!rc && !s->key)
        rc = err_set(e, -EINVAL, "the member 'key' is missing");
    if (rc) {
        submission_free(s);
        return rc;
    }
    *ret = s;
    return 0;
}

void submission_free(struct submission *s)
{
    if (!s)
        return;
    free(s->key);
    for (size_t i = 0; i < s->file_count; i++) {
        free(s->files[i].name);
        free(s->files[i].text);
    }
    for (size_t i = 0; i < s->point_count; i++)
        free(s->points[i]);
    free(s->points);
    free(s->findings);
    sweep_free(s->sweep);
    free(s);
}

// --- the result -------------------------------------------------------------------

static int refuse(struct submission *s, int status, const char *code, const char *text)
{
    s->status = status;
    s->code = code;
    str_copy(s->detail, sizeof(s->detail), text);
    return -EINVAL;
}

static int load_config(const struct conf *conf, struct submission *s, struct config **ret)
{
    const char *runners = conf->runners[0] ? conf->runners : NULL;
    struct spec_source sources[SUBMISSION_FILES_MAX];
    struct str runner_bytes = {0};
    struct err e;
    int rc = 0;

    if (!s->file_count) {
        rc = config_load_files((const char *const *)conf->matrices, conf->matrix_count, runners,
                               ret, &e);
        return rc ? refuse(s, HTTP_UNPROCESSABLE, "invalid_config", e.text) : 0;
    }
    for (size_t i = 0; i < s->file_count; i++)
        sources[i] =
            (struct spec_source){s->files[i].name, s->files[i].text, strlen(s->files[i].text)};
    if (runners)
        rc = fs_read(runners, CONFIG_BYTES_MAX, &runner_bytes, &e);
    struct spec_source runner_source = {runners, str_text(&runner_bytes), runner_bytes.len};
    if (!rc)
        rc = config_load(sources, s->file_count, runners ? &runner_source : NULL, ret, &e);
    str_free(&runner_bytes);
    return rc ? refuse(s, HTTP_UNPROCESSABLE, "invalid_config", e.text) : 0;
}

static int expand(struct submission *s, const struct config *config, struct matrix *ret)
{
    const char *const keys[] = {s->key};
    struct matrix_filter filter = {
        .keys = keys,
        .key_count = 1,
        .concs = s->concs,
        .conc_count = s->conc_count,
        .points = (const char *const *)s->points,
        .point_count = s->point_count,
        .evals = MATRIX_EVALS_NONE,
        .strict = true,
    };
    struct err e;

    if (matrix_expand(config, &filter, ret, &e))
        return refuse(s, HTTP_UNPROCESSABLE, "invalid_config", e.text);
    return 0;
}

static void owner_name(uid_t uid, char *buf, size_t size)
{
    char *bytes = mem_alloc(PASSWD_MAX);
    struct passwd pw;
    struct passwd *found = NULL;

    if (getpwuid_r(uid, &pw, bytes, PASSWD_MAX, &found) == 0 && found)
        str_copy(buf, size, found->pw_name);
    else
        snprintf(buf, size, "uid %u", (unsigned)uid);
    free(bytes);
}

static int fill_points(struct submission *s, const struct matrix *m, struct sweep *sweep)
{
    struct err e;

    sweep->points = mem_array(m->count, sizeof(*sweep->points));
    for (size_t i = 0; i < m->count; i++) {
        struct sweep_point *p = &sweep->points[sweep->point_count];
        struct str env = {0};
        int rc = matrix_row_point(&m->rows[i], &p->point, &e);

        if (!rc)
            rc = jobenv_build(&m->rows[i], &p->point, s->fast, &env, &e);
        if (rc) {
            str_free(&env);
            return refuse(s, HTTP_UNPROCESSABLE, "invalid_config", e.text);
        }
        if (s->fast)
            p->point.duration_s = FAST_DURATION_S;
        p->job_env = str_take(&env);
        p->expected_us = duration_model(&p->point, s->fast);
        sweep->point_count++;
    }
    return 0;
}

static int fill_sweep(const struct conf *conf, struct submission *s, const struct matrix *m)
{
    struct sweep *sweep = mem_alloc(sizeof(*sweep));
    const struct matrix_row *row = &m->rows[0];
    const struct conf_fleet *fleet = conf_fleet(conf, row->label);
    char token[TOKEN_HEX];
    char text[ERR_TEXT_MAX];

    s->sweep = sweep;
    token_make(token);
    sweep->seq = s->seq;
    snprintf(sweep->id, sizeof(sweep->id), "s%" PRId64 "-%.*s", s->seq, ID_RANDOM_HEX, token);
    str_copy(sweep->key, sizeof(sweep->key), s->key);
    owner_name(s->uid, sweep->owner, sizeof(sweep->owner));
    sweep->on_failure = s->on_failure;
    sweep->placement = s->placement;
    sweep->fast = s->fast;
    sweep->limits = limits_default();
    if (!fleet) {
        snprintf(text, sizeof(text),
                 "%s:%d: runner label '%s' has no fleet in the daemon's configuration", row->file,
                 row->line, row->label);
        return refuse(s, HTTP_UNPROCESSABLE, "invalid_config", text);
    }
    if (!str_copy(sweep->image, sizeof(sweep->image), row->image) ||
        !str_copy(sweep->model, sizeof(sweep->model), row->model) ||
        !str_copy(sweep->runner, sizeof(sweep->runner), row->label) ||
        !jobenv_recipe(row, fleet->hardware, sweep->recipe, sizeof(sweep->recipe))) {
        snprintf(text, sizeof(text), "%s:%d: image, model, runner or prefix cannot be used",
                 row->file, row->line);
        return refuse(s, HTTP_UNPROCESSABLE, "invalid_config", text);
    }
    return fill_points(s, m, sweep);
}

// The list of findings out of preflight's own document.
static char *findings_list(const struct preflight_input *in, const struct preflight_report *report)
{
    struct str text = {0};
    char *list;

    preflight_to_json(in, report, &text);
    json_t *root = json_loadb(str_text(&text), text.len, 0, NULL);
    list = json_dumps(json_object_get(root, "findings"), JSON_COMPACT);
    json_decref(root);
    str_free(&text);
    return list ? list : mem_strdup("[]");
}

// The recipe knows best, where it says.
static void take_expected(const struct preflight_report *report, struct sweep *sweep)
{
    for (size_t i = 0; i < report->rendered_count && i < sweep->point_count; i++)
        if (report->rendered[i].expected_s > 0)
            sweep->points[i].expected_us = report->rendered[i].expected_s * US_PER_S;
}

// Throughput points of one sweep aim at one golden acceptance length.
static void take_limits(const struct preflight_report *report, struct sweep *sweep)
{
    for (size_t i = 0; i < report->rendered_count && i < sweep->point_count; i++)
        if (sweep->points[i].point.kind == POINT_THROUGHPUT && report->rendered[i].golden_al > 0)
            sweep->limits.al_target = report->rendered[i].golden_al;
}

static int preflight(struct submission *s, const char *recipe, const char *flags,
                     const char *job_script)
{
    struct preflight_point *points = mem_array(s->sweep->point_count, sizeof(*points));
    struct preflight_input in = {.recipe = recipe, .job_script = job_script, .flags = flags};
    struct preflight_report report = {0};
    struct err e;

    for (size_t i = 0; i < s->sweep->point_count; i++) {
        points[i].env = s->sweep->points[i].job_env;
        points[i].axes = s->sweep->points[i].point;
    }
    in.points = points;
    in.count = s->sweep->point_count;
    int rc = preflight_run(&in, &report, &e);
    if (rc) {
        rc = refuse(s, HTTP_ERROR, "internal", e.text);
    } else {
        s->findings = findings_list(&in, &report);
        take_limits(&report, s->sweep);
        take_expected(&report, s->sweep);
        if (report.errors)
            rc =
                refuse(s, HTTP_UNPROCESSABLE, "preflight_failed",
                       "The recipe cannot give the points that were asked for. Nothing submitted.");
    }
    preflight_free(&report);
    free(points);
    return rc;
}

// What recipes share, if the recipes folder has it.
static const char *const recipe_parts[] = {"driver.sh", "lib.sh"};
enum { RECIPE_PARTS = sizeof(recipe_parts) / sizeof(recipe_parts[0]), BUNDLE_OWN = 3 };

static int make_bundle(const struct conf *conf, struct submission *s, const char *recipe,
                       const char *flags)
{
    char paths[RECIPE_PARTS][SPOOL_PATH_MAX];
    struct spool_file files[BUNDLE_OWN + RECIPE_PARTS] = {
        {"job.sh", conf->job_script, true},
        {"recipe.sh", recipe, true},
        {"flags.txt", flags, false},
    };
    size_t count = BUNDLE_OWN;
    struct err e;

    for (size_t i = 0; i < RECIPE_PARTS; i++) {
        snprintf(paths[i], sizeof(paths[i]), "%s/%s", conf->recipes, recipe_parts[i]);
        if (fs_exists(paths[i]))
            files[count++] = (struct spool_file){recipe_parts[i], paths[i], false};
    }
    int rc = s->seq ? spool_bundle(conf->spool, s->sweep->id, files, count, s->sweep->bundle, &e)
                    : spool_bundle_hash(files, count, s->sweep->bundle, &e);
    if (rc)
        return refuse(s, HTTP_ERROR, "internal", e.text);
    return 0;
}

static int prepare(const struct conf *conf, struct submission *s)
{
    char recipe[SPOOL_PATH_MAX];
    char flags[SPOOL_PATH_MAX];

    snprintf(recipe, sizeof(recipe), "%s/%s", conf->recipes, s->sweep->recipe);
    snprintf(flags, sizeof(flags), "%s/flags/agentx-harness.txt", conf->data);
    int rc = preflight(s, recipe, flags, conf->job_script);
    if (rc)
        return rc;
    return make_bundle(conf, s, recipe, flags);
}

void submission_run(const struct conf *conf, struct submission *s)
{
    struct config *config = NULL;
    struct matrix matrix = {0};
    int rc = load_config(conf, s, &config);

    if (!rc)
        rc = expand(s, config, &matrix);
    if (!rc)
        rc = fill_sweep(conf, s, &matrix);
    if (!rc)
        rc = prepare(conf, s);
    if (rc) {
        sweep_free(s->sweep);
        s->sweep = NULL;
    }
    matrix_free(&matrix);
    config_free(config);
}
