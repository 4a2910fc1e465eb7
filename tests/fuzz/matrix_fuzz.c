// SPDX-License-Identifier: GPL-2.0-or-later
// A master file and a runners file: what loads also expands, prints and names
// its points, under every mode, or says why not.
#include <stdint.h>
#include <stdlib.h>

#include "base/str.h"
#include "spec/matrix.h"
#include "tests/fuzz/parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_rows(const struct matrix *m)
{
    struct str text = {0};
    struct point p;
    struct err e;

    matrix_to_json(m, &text);
    for (size_t i = 0; i < m->count; i++) {
        char canonical[POINT_NAME_MAX];

        matrix_row_to_json(&m->rows[i], true, &text);
        if (m->rows[i].multinode || matrix_row_point(&m->rows[i], &p, &e))
            continue;
        point_name_canonical(p.name, canonical, sizeof(canonical));
        if (strcmp(canonical, p.name) != 0 || strchr(p.name, '/'))
            abort();
    }
    str_free(&text);
}

static void expand(const struct config *c, const struct matrix_filter *f)
{
    struct matrix m = {0};
    struct err e = {0};

    if (matrix_expand(c, f, &m, &e)) {
        if (!e.text[0])
            abort();
        return;
    }
    check_rows(&m);
    matrix_free(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const glob = "*a*";
    static const char *const keys[] = {"a", "ba"};
    static const char *const points[] = {"tp8-c4", "TEP4 c8"};
    static const char *const labels[] = {"cluster:x"};
    static const char *const words[] = {"a", "fp8", "s", "b"};
    static const int concs[] = {4, 8, 16};
    const struct matrix_filter filters[] = {
        {0},
        {.evals = MATRIX_EVALS_SEPARATE, .strict = true},
        {.evals = MATRIX_EVALS_SEPARATE_ALL, .trim = true},
        {.evals = MATRIX_EVALS_ALL, .keys = &glob, .key_count = 1, .node_filter = "x"},
        {.min_conc = 3, .max_conc = 40, .step_size = 3, .trim = true},
        {.keys = keys, .key_count = 2, .concs = concs, .conc_count = 3, .evals = MATRIX_EVALS_ONLY},
        {.points = points, .point_count = 2, .evals = MATRIX_EVALS_NONE},
        {.runners = labels,
         .runner_count = 1,
         .model_prefixes = words,
         .model_prefix_count = 4,
         .precisions = words,
         .precision_count = 4,
         .frameworks = words,
         .framework_count = 4,
         .nodes = MATRIX_SINGLE_NODE,
         .scenarios = MATRIX_AGENTIC},
        {.node_filter = "", .min_conc = 9, .max_conc = 8},
    };
    struct spec_source master = part_next("m", &data, &size);
    struct spec_source runners = part_next("r", &data, &size);
    struct config *c = NULL;
    struct err e = {0};

    if (config_load(&master, 1, runners.len ? &runners : NULL, &c, &e)) {
        if (!strchr(e.text, ':'))
            abort();
        return 0;
    }
    for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++)
        expand(c, &filters[i]);
    if (config_key_count(c))
        config_key_suggest(c, "qwen3.5");
    config_free(c);
    return 0;
}
