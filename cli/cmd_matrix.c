// SPDX-License-Identifier: GPL-2.0-or-later
// matrix: configurations expanded to rows, without a server.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd.h"
#include "spec/matrix.h"
#include "table.h"
#include "text.h"

enum { CONC_TOP = 1000000 };

static int bad_number(const struct ctl *ctl, const char *option, const char *text)
{
    return ctl_fail(ctl, CTL_USAGE, "usage", NULL, "--%s \"%s\" is no positive number", option,
                    text);
}

static int read_concs(const struct ctl *ctl, int **ret, size_t *ret_count)
{
    size_t count;
    const char *const *texts = args_values(ctl->args, "conc", &count);
    int *concs = mem_array(count + 1, sizeof(*concs));

    *ret = concs;
    *ret_count = count;
    for (size_t i = 0; i < count; i++) {
        int64_t n;

        if (str_to_i64(texts[i], 1, CONC_TOP, &n))
            return bad_number(ctl, "conc", texts[i]);
        concs[i] = (int)n;
    }
    return CTL_OK;
}

static int read_numbers(const struct ctl *ctl, struct matrix_filter *f)
{
    struct {
        const char *name;
        int *to;
    } numbers[] = {
        {"min-conc", &f->min_conc}, {"max-conc", &f->max_conc}, {"step-size", &f->step_size}};

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        const char *text = args_value(ctl->args, numbers[i].name);
        int64_t n;

        if (!text)
            continue;
        if (str_to_i64(text, 1, CONC_TOP, &n))
            return bad_number(ctl, numbers[i].name, text);
        *numbers[i].to = (int)n;
    }
    return CTL_OK;
}

static int read_evals(const struct ctl *ctl, struct matrix_filter *f)
{
    static const struct {
        const char *name;
        enum matrix_evals mode;
    } modes[] = {{"no-evals", MATRIX_EVALS_NONE},
                 {"evals-only", MATRIX_EVALS_ONLY},
                 {"all-evals", MATRIX_EVALS_ALL}};
    const char *given = NULL;

    f->evals = MATRIX_EVALS_MARKED;
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        if (!args_has(ctl->args, modes[i].name))
            continue;
        if (given)
            return ctl_fail(ctl, CTL_USAGE, "usage", "choose one",
                            "--%s and --%s exclude each other", given, modes[i].name);
        given = modes[i].name;
        f->evals = modes[i].mode;
    }
    return CTL_OK;
}

static int read_scenarios(const struct ctl *ctl, struct matrix_filter *f)
{
    size_t count;
    const char *const *names = args_values(ctl->args, "scenario-type", &count);

    for (size_t i = 0; i < count; i++) {
        if (!strcmp(names[i], "agentic-coding"))
            f->scenarios |= MATRIX_AGENTIC;
        else if (!strcmp(names[i], "fixed-seq-len"))
            f->scenarios |= MATRIX_FIXED;
        else
            return ctl_fail(ctl, CTL_USAGE, "usage", "agentic-coding or fixed-seq-len",
                            "no scenario type \"%s\"", names[i]);
    }
    f->nodes = (args_has(ctl->args, "single-node") ? MATRIX_SINGLE_NODE : 0u) |
               (args_has(ctl->args, "multi-node") ? MATRIX_MULTI_NODE : 0u);
    return CTL_OK;
}

// *concs is owned by the caller in every case.
static int read_filter(const struct ctl *ctl, struct matrix_filter *f, int **concs)
{
    const struct args *a = ctl->args;
    int code = read_concs(ctl, concs, &f->conc_count);

    f->concs = *concs;
    f->keys = args_values(a, "config-keys", &f->key_count);
    f->points = args_values(a, "points", &f->point_count);
    f->runners = args_values(a, "runner-type", &f->runner_count);
    f->model_prefixes = args_values(a, "model-prefix", &f->model_prefix_count);
    f->precisions = args_values(a, "precision", &f->precision_count);
    f->frameworks = args_values(a, "framework", &f->framework_count);
    f->node_filter = args_value(a, "runner-node-filter");
    f->trim = args_has(a, "trim");
    f->strict = args_has(a, "strict");
    if (!code)
        code = read_numbers(ctl, f);
    if (!code)
        code = read_evals(ctl, f);
    if (!code)
        code = read_scenarios(ctl, f);
    if (!code && !f->key_count && !args_has(a, "full"))
        code = ctl_fail(ctl, CTL_USAGE, "usage", "--full expands every key of the files",
                        "which keys? --config-keys names them");
    return code;
}

static int load_config(const struct ctl *ctl, struct config **ret)
{
    size_t count;
    const char *const *paths = args_values(ctl->args, "config", &count);
    struct err e = {0};

    if (!count)
        return ctl_fail(ctl, CTL_USAGE, "usage", "`sweepctl help matrix` shows an example",
                        "which files? --config names them");
    if (config_load_files(paths, count, args_value(ctl->args, "runners"), ret, &e))
        return ctl_fail(ctl, CTL_USAGE, "invalid_config", NULL, "%s", e.text);
    return CTL_OK;
}

static void add_row(struct table *t, const struct matrix_row *r)
{
    table_row(t);
    table_cell(t, STYLE_PLAIN, r->multinode ? r->exp_name : r->name);
    if (r->multinode)
        table_cell(t, STYLE_PLAIN, "several nodes");
    else
        table_cellf(t, STYLE_PLAIN, "%d", matrix_row_gpus(r));
    table_cell(t, STYLE_PLAIN, r->agentic ? "agentic" : "fixed");
    table_cell(t, STYLE_PLAIN, r->eval_only ? "only" : r->run_eval ? "too" : "");
    table_cell(t, STYLE_PLAIN, r->runner);
    table_cell(t, STYLE_PLAIN, r->key);
}

static void print_rows(const struct ctl *ctl, const struct matrix *m)
{
    static const struct column columns[] = {
        {"POINT", ALIGN_LEFT, 0, 0}, {"GPUS", ALIGN_RIGHT, 0, 0},   {"SCENARIO", ALIGN_LEFT, 0, 3},
        {"EVAL", ALIGN_LEFT, 0, 4},  {"RUNNER", ALIGN_LEFT, 12, 1}, {"KEY", ALIGN_LEFT, 16, 2},
    };
    struct str out = {0};

    if (ctl->json) {
        matrix_to_json(m, &out);
        if (!out.len || out.p[out.len - 1] != '\n')
            str_add_char(&out, '\n');
    } else {
        struct table *t = table_create(columns, sizeof(columns) / sizeof(columns[0]));

        for (size_t i = 0; i < m->count; i++)
            add_row(t, &m->rows[i]);
        table_write(t, &out, term_width(), 0);
        str_addf(&out, "%zu row%s\n", m->count, m->count == 1 ? "" : "s");
        table_free(t);
    }
    ctl_print(&out);
    str_free(&out);
}

static int run_matrix(struct ctl *ctl)
{
    struct matrix_filter filter = {0};
    struct matrix m = {0};
    struct config *config = NULL;
    struct err e = {0};
    int *concs = NULL;
    int code = read_filter(ctl, &filter, &concs);

    if (!code)
        code = load_config(ctl, &config);
    if (!code) {
        int rc = matrix_expand(config, &filter, &m, &e);

        if (rc)
            code = ctl_fail(ctl, rc == -ENOENT ? CTL_NOT_FOUND : CTL_USAGE,
                            rc == -ENOENT ? "not_found" : "invalid_config", NULL, "%s", e.text);
    }
    if (!code) {
        for (size_t i = 0; i < m.warning_count; i++)
            fprintf(stderr, "sweepctl matrix: warning: %s\n", m.warnings[i]);
        print_rows(ctl, &m);
    }
    matrix_free(&m);
    config_free(config);
    free(concs);
    return code;
}

static const struct opt options[] = {
    {"config", 'c', "FILE", OPT_LIST, "master files"},
    {"runners", 'r', "FILE", 0, "labels and hardware"},
    {"config-keys", 'k', "KEY", OPT_LIST, "keys, with * and ?"},
    {"full", '\0', NULL, 0, "every key"},
    {"conc", '\0', "N", OPT_LIST | OPT_COMMA,
     "only these (also --min-conc, --max-conc, --step-size)"},
    {"points", 'p', "POINT", OPT_LIST | OPT_COMMA, "only these points"},
    {"scenario-type", '\0', "TYPE", OPT_LIST, "agentic-coding, fixed-seq-len"},
    {"no-evals", '\0', NULL, 0, "no evaluation (or --evals-only, --all-evals)"},
    {"trim", '\0', NULL, 0, "the lowest concurrency of each recipe"},
    {"strict", '\0', NULL, 0, "refuse also what could not run, as submit does"},
    {"model-prefix", '\0', "TEXT", OPT_LIST, "also --precision, --framework, --runner-type,"},
    {"single-node", '\0', NULL, 0, "or --multi-node, --runner-node-filter TEXT"},
    {"min-conc", '\0', "N", 0, NULL},
    {"max-conc", '\0', "N", 0, NULL},
    {"step-size", '\0', "N", 0, NULL},
    {"evals-only", '\0', NULL, 0, NULL},
    {"all-evals", '\0', NULL, 0, NULL},
    {"precision", '\0', "TEXT", OPT_LIST, NULL},
    {"framework", '\0', "TEXT", OPT_LIST, NULL},
    {"runner-type", '\0', "LABEL", OPT_LIST, NULL},
    {"runner-node-filter", '\0', "TEXT", 0, NULL},
    {"multi-node", '\0', NULL, 0, NULL},
    {0},
};

const struct command cmd_matrix = {
    .name = "matrix",
    .operands = "",
    .summary = "expand configurations to matrix rows; needs no server",
    .more = "--json prints the rows as a list in the published form.",
    .example = "sweepctl matrix -c amd-master.yaml -r runners.yaml -k 'qwen3.5-*' --json",
    .options = options,
    .run = run_matrix,
};
