// SPDX-License-Identifier: GPL-2.0-or-later
// Each recipe at its lowest concurrency only: a quick look whether it runs.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "spec/build.h"

static int lowest_conc(const struct matrix_row *r)
{
    int low = r->conc;

    for (size_t i = 0; i < r->conc_count; i++)
        if (r->concs[i] < low)
            low = r->concs[i];
    return low;
}

static int compare_recipes(const void *pa, const void *pb)
{
    const struct matrix_row *a = *(struct matrix_row *const *)pa;
    const struct matrix_row *b = *(struct matrix_row *const *)pb;
    int order = strcmp(a->fingerprint, b->fingerprint);

    if (!order)
        order = lowest_conc(a) - lowest_conc(b);
    return order ? order : (a > b) - (a < b); // both are in one array
}

static void keep_lowest(struct matrix_row *r, struct arena *a)
{
    int *one = arena_alloc(a, 1, sizeof(*one));

    *one = lowest_conc(r);
    if (!r->multinode)
        return;
    r->concs = one;
    r->conc_count = 1;
    r->conc = *one;
    r->eval_conc = r->eval_conc ? *one : 0;
}

size_t rows_trim(struct matrix_row *rows, size_t count, struct arena *arena)
{
    struct matrix_row **sorted = mem_array(count, sizeof(*sorted));
    bool *dropped = mem_array(count, sizeof(*dropped));
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        sorted[i] = &rows[i];
    qsort(sorted, count, sizeof(struct matrix_row *), compare_recipes);
    for (size_t i = 0; i < count; i++)
        if (i && strcmp(sorted[i]->fingerprint, sorted[i - 1]->fingerprint) == 0)
            dropped[sorted[i] - rows] = true;
        else
            keep_lowest(sorted[i], arena);
    for (size_t i = 0; i < count; i++)
        if (!dropped[i])
            rows[kept++] = rows[i];
    free(sorted);
    free(dropped);
    return kept;
}
