// SPDX-License-Identifier: GPL-2.0-or-later
// check: everything about a matrix and its recipe that can be known before a
// job exists, without a server.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fsio.h"
#include "base/mem.h"
#include "cmd.h"
#include "findings.h"
#include "preflight/preflight.h"
#include "spec/jobenv.h"
#include "spec/matrix.h"
#include "term.h"

#define DATA_FOLDER "/usr/share/sweepd"
#define RECIPES_DEFAULT DATA_FOLDER "/recipes"
#define FLAGS_DEFAULT DATA_FOLDER "/flags/agentx-harness.txt"

enum { RECIPE_NAME_MAX = 256, CONC_TOP = 1000000 };

struct check {
    struct ctl *ctl;
    const char **files;
    size_t file_count;
    const char *key; // NULL: all keys
    struct config *config;
    struct matrix matrix;
    struct preflight_point *points; // of one recipe at a time
    char **envs;                    // owned; one for each row, NULL until built
    bool *taken;                    // rows that went into a report
    struct doc *findings;
    size_t recipes;
};

// A file is there, or looks like one; the one other operand is the key.
static int read_operands(struct check *c)
{
    size_t count = args_operand_count(c->ctl->args);

    c->files = mem_array(count + 1, sizeof(*c->files));
    for (size_t i = 0; i < count; i++) {
        const char *word = args_operand(c->ctl->args, i);

        if (fs_exists(word) || strchr(word, '/') || str_ends(word, ".yaml") ||
            str_ends(word, ".yml"))
            c->files[c->file_count++] = word;
        else if (c->key)
            return ctl_fail(c->ctl, CTL_USAGE, "usage", "give one key and the files that hold it",
                            "\"%s\" is no file, and the key is %s already", word, c->key);
        else
            c->key = word;
    }
    if (!c->file_count)
        return ctl_fail(c->ctl, CTL_USAGE, "usage", "name the matrix file after the key",
                        "check needs a file");
    return CTL_OK;
}

static int invalid(const struct check *c, int rc, const struct err *e)
{
    if (rc == -ENOENT)
        return ctl_fail(c->ctl, CTL_NOT_FOUND, "not_found", NULL, "%s", e->text);
    return ctl_fail(c->ctl, CTL_USAGE, "invalid_config", "Nothing submitted.", "%s", e->text);
}

static int expand(struct check *c)
{
    struct matrix_filter filter = {.evals = MATRIX_EVALS_NONE, .strict = true};
    const struct args *a = c->ctl->args;
    struct err e = {0};
    size_t count;
    const char *const *texts = args_values(a, "conc", &count);
    int *concs = mem_array(count + 1, sizeof(*concs));
    int code = CTL_OK;

    for (size_t i = 0; i < count && !code; i++) {
        int64_t n = 0;

        if (str_to_i64(texts[i], 1, CONC_TOP, &n))
            code = ctl_fail(c->ctl, CTL_USAGE, "usage", "for example --conc 4,40",
                            "--conc \"%s\" is no concurrency", texts[i]);
        concs[i] = (int)n;
    }
    filter.concs = concs;
    filter.conc_count = count;
    filter.points = args_values(a, "points", &filter.point_count);
    filter.keys = &c->key;
    filter.key_count = c->key ? 1 : 0;
    if (!code) {
        int rc =
            config_load_files(c->files, c->file_count, args_value(a, "runners"), &c->config, &e);

        if (!rc)
            rc = matrix_expand(c->config, &filter, &c->matrix, &e);
        if (rc)
            code = invalid(c, rc, &e);
    }
    free(concs);
    return code;
}

static int recipe_path(const struct check *c, size_t row, struct str *path)
{
    const char *folder = args_value(c->ctl->args, "recipes");
    char name[RECIPE_NAME_MAX];

    if (!jobenv_recipe(&c->matrix.rows[row], NULL, name, sizeof(name)))
        return ctl_fail(c->ctl, CTL_USAGE, "invalid_config", NULL,
                        "%s:%d: no recipe can be named after %s, %s", c->matrix.rows[row].file,
                        c->matrix.rows[row].line, c->matrix.rows[row].model_prefix,
                        c->matrix.rows[row].precision);
    str_clear(path);
    str_addf(path, "%s/%s", folder ? folder : RECIPES_DEFAULT, name);
    return CTL_OK;
}

static int build_env(struct check *c, size_t row, struct preflight_point *ret)
{
    const struct matrix_row *r = &c->matrix.rows[row];
    struct str env = {0};
    struct err e = {0};
    int rc = matrix_row_point(r, &ret->axes, &e);

    if (!rc)
        rc = jobenv_build(r, &ret->axes, args_has(c->ctl->args, "fast"), &env, &e);
    if (rc) {
        str_free(&env);
        return ctl_fail(c->ctl, CTL_USAGE, "invalid_config", "Nothing submitted.", "%s:%d: %s",
                        r->file, r->line, e.text);
    }
    c->envs[row] = str_take(&env);
    ret->env = c->envs[row];
    return CTL_OK;
}

// All rows from `first` on that run the same recipe; *ret_count of them.
static int gather(struct check *c, size_t first, const char *path, size_t *ret_count)
{
    struct str other = {0};
    int code = CTL_OK;

    *ret_count = 0;
    for (size_t i = first; i < c->matrix.count && !code; i++) {
        if (c->taken[i])
            continue;
        code = recipe_path(c, i, &other);
        if (code || strcmp(str_text(&other), path) != 0)
            continue;
        c->taken[i] = true;
        code = build_env(c, i, &c->points[(*ret_count)++]);
    }
    str_free(&other);
    return code;
}

static int keep_findings(struct check *c, const struct preflight_input *in,
                         const struct preflight_report *report)
{
    struct str json = {0};
    struct doc *d = NULL;
    struct err e = {0};
    int code = CTL_OK;

    preflight_to_json(in, report, &json);
    if (doc_parse(str_text(&json), json.len, &d, &e))
        code = ctl_fail(c->ctl, CTL_REFUSED, "internal", NULL, "the report is broken: %s", e.text);
    for (size_t i = 0; i < doc_count(doc_get(d, "findings")); i++)
        doc_push_shared(c->findings, doc_at(doc_get(d, "findings"), i));
    doc_free(d);
    str_free(&json);
    return code;
}

static int check_recipe(struct check *c, size_t first)
{
    const char *flags = args_value(c->ctl->args, "flags");
    struct preflight_report report = {0};
    struct err e = {0};
    struct str path = {0};
    size_t count = 0;
    int code = recipe_path(c, first, &path);

    if (!code)
        code = gather(c, first, str_text(&path), &count);
    if (!code) {
        struct preflight_input in = {
            .recipe = str_text(&path),
            .job_script = args_value(c->ctl->args, "job-script"),
            .flags = flags ? flags : FLAGS_DEFAULT,
            .points = c->points,
            .count = count,
        };

        if (preflight_run(&in, &report, &e))
            code = ctl_fail(c->ctl, CTL_USAGE, "unreadable", NULL, "%s", e.text);
        else
            code = keep_findings(c, &in, &report);
    }
    preflight_free(&report);
    str_free(&path);
    c->recipes++;
    return code;
}

static int check_all(struct check *c)
{
    size_t count = c->matrix.count;
    int code = CTL_OK;

    c->points = mem_array(count + 1, sizeof(*c->points));
    c->envs = mem_array(count + 1, sizeof(*c->envs));
    c->taken = mem_array(count + 1, sizeof(*c->taken));
    c->findings = doc_list();
    for (size_t i = 0; i < count && !code; i++)
        if (!c->taken[i])
            code = check_recipe(c, i);
    return code;
}

static void print_text(const struct check *c, size_t errors)
{
    struct str out = {0};
    size_t warnings = doc_count(c->findings) - errors;
    int width = term_width();

    for (size_t i = 0; i < c->matrix.warning_count; i++)
        str_addf(&out, "warning: %s\n", c->matrix.warnings[i]);
    findings_write(c->findings, &out, width);
    if (doc_count(c->findings))
        str_add_char(&out, '\n');
    str_addf(&out, "%zu points, %zu recipe%s: ", c->matrix.count, c->recipes,
             c->recipes == 1 ? "" : "s");
    if (errors || warnings)
        str_addf(&out, "%zu error%s, %zu warning%s. ", errors, errors == 1 ? "" : "s", warnings,
                 warnings == 1 ? "" : "s");
    else
        term_add(&out, STYLE_GOOD, "nothing to object to. ");
    str_add(&out, "Nothing submitted.\n");
    ctl_print(&out);
    str_free(&out);
}

static void print_json(const struct check *c, size_t errors)
{
    struct doc *d = doc_document();
    struct doc *warnings = doc_list();

    for (size_t i = 0; i < c->matrix.warning_count; i++)
        doc_push_text(warnings, c->matrix.warnings[i]);
    doc_put(d, "matrix_warnings", warnings);
    doc_put_flag(d, "ok", errors == 0);
    doc_put_int(d, "points", (int64_t)c->matrix.count);
    doc_put_int(d, "errors", (int64_t)errors);
    doc_share(d, "findings", c->findings);
    ctl_print_doc(d);
    doc_free(d);
}

static void free_all(struct check *c)
{
    for (size_t i = 0; c->envs && i < c->matrix.count; i++)
        free(c->envs[i]);
    free(c->envs);
    free(c->taken);
    free(c->points);
    free(c->files);
    doc_free(c->findings);
    matrix_free(&c->matrix);
    config_free(c->config);
}

static int run_check(struct ctl *ctl)
{
    struct check c = {.ctl = ctl};
    int code = read_operands(&c);

    if (!code)
        code = expand(&c);
    if (!code)
        code = check_all(&c);
    if (!code) {
        size_t errors = findings_errors(c.findings);

        if (ctl->json)
            print_json(&c, errors);
        else
            print_text(&c, errors);
        code = errors ? CTL_USAGE : CTL_OK;
    }
    free_all(&c);
    return code;
}

static const struct opt options[] = {
    {"recipes", 'R', "DIR", 0, "recipe scripts (" RECIPES_DEFAULT ")"},
    {"flags", 'F', "FILE", 0, "flag list of the replay client"},
    {"runners", 'r', "FILE", 0, "labels and hardware: checks that points fit a node"},
    {"job-script", '\0', "FILE", 0, "also check the syntax of this script"},
    {"conc", '\0', "N", OPT_LIST | OPT_COMMA, "only these concurrencies"},
    {"points", 'p', "POINT", OPT_LIST | OPT_COMMA, "only these points"},
    {"fast", '\0', NULL, 0, "as a fast sweep would run them"},
    {0},
};

const struct command cmd_check = {
    .name = "check",
    .operands = "[KEY] FILE..",
    .least = 1,
    .most = CMD_OPERANDS_ANY,
    .summary = "prove that the points can run, before a GPU is touched; needs no server",
    .more = "Exit code 2 when a rule is broken. The server runs the same rules at submit.",
    .example = "sweepctl check --recipes slurm/recipes --flags etc/flags/agentx-harness.txt \\\n"
               "             etc/matrices/qwen3.5-fp8-mi325x-sglang-agentic-mtp.yaml",
    .options = options,
    .run = run_check,
};
