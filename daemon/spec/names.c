// SPDX-License-Identifier: GPL-2.0-or-later
// Names of points, unique within a config key. The short name leaves the
// speculation mode out, since a key has one. Where a key mixes modes on points
// that are otherwise equal, these points say it: tp8-mtp-c4, tp8-nospec-c4.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "spec/build.h"

static const char *spec_word(const char *mode)
{
    if (strcmp(mode, "none") == 0)
        return "nospec";
    return strcmp(mode, "draft_model") == 0 ? "draft" : mode;
}

static int set_name(struct build *b, struct matrix_row *row, bool with_spec)
{
    struct point p;
    struct str s = {0};
    char arm[POINT_NAME_MAX];
    bool fits;
    int rc = matrix_row_point(row, &p, b->e);

    if (rc)
        return rc;
    if (!with_spec) {
        point_name(&p, row->name, sizeof(row->name));
        return 0;
    }
    point_arm(&p, arm, sizeof(arm));
    str_addf(&s, "%s-%s-c%d%s", arm, spec_word(row->spec_decoding), p.conc,
             p.kind == POINT_EVAL ? "-eval" : "");
    fits = str_copy(row->name, sizeof(row->name), str_text(&s));
    str_free(&s);
    return fits ? 0
                : err_set(b->e, -ENAMETOOLONG, "%s:%d: the point's name is over %d bytes long",
                          row->file, row->line, POINT_NAME_MAX - 1);
}

static int compare_names(const void *pa, const void *pb)
{
    const struct matrix_row *a = *(struct matrix_row *const *)pa;
    const struct matrix_row *b = *(struct matrix_row *const *)pb;
    int order = strcmp(a->key, b->key);

    if (!order)
        order = strcmp(a->name, b->name);
    return order ? order : (a > b) - (a < b); // both are in one array
}

static bool same_name(const struct matrix_row *a, const struct matrix_row *b)
{
    return strcmp(a->key, b->key) == 0 && strcmp(a->name, b->name) == 0;
}

static struct matrix_row **sorted_rows(struct build *b, size_t *ret_count)
{
    struct matrix_row **rows = mem_array(b->count, sizeof(*rows));

    *ret_count = 0;
    for (size_t i = 0; i < b->count; i++)
        if (!b->rows[i].multinode)
            rows[(*ret_count)++] = &b->rows[i];
    qsort(rows, *ret_count, sizeof(struct matrix_row *), compare_names);
    return rows;
}

// Adds the mode to the names of rows that share one and differ in it.
static int tell_modes_apart(struct build *b)
{
    size_t n;
    struct matrix_row **rows = sorted_rows(b, &n);
    int rc = 0;

    for (size_t from = 0, to; from < n && !rc; from = to) {
        bool mixed = false;

        for (to = from + 1; to < n && same_name(rows[from], rows[to]); to++)
            mixed = mixed || strcmp(rows[from]->spec_decoding, rows[to]->spec_decoding) != 0;
        for (size_t i = from; mixed && i < to && !rc; i++)
            rc = set_name(b, rows[i], true);
    }
    free(rows);
    return rc;
}

static int refuse_same_names(struct build *b)
{
    size_t n;
    struct matrix_row **rows = sorted_rows(b, &n);
    int rc = 0;

    for (size_t i = 1; i < n && !rc; i++)
        if (same_name(rows[i], rows[i - 1]))
            rc = err_set(b->e, -EINVAL,
                         b->filter->node_filter
                             ? "%s:%d: the runner filter makes several rows of the point %s (%s "
                               "and line %d); a sweep picks its nodes itself, drop the filter"
                             : "%s:%d: two points are named %s in %s (the other is in line %d); "
                               "drop one of them",
                         rows[i]->file, rows[i]->line, rows[i]->name, rows[i]->key,
                         rows[i - 1]->line);
    free(rows);
    return rc;
}

int names_set(struct build *b)
{
    int rc = 0;

    for (size_t i = 0; i < b->count && !rc; i++)
        if (!b->rows[i].multinode)
            rc = set_name(b, &b->rows[i], false);
    if (!rc)
        rc = tell_modes_apart(b);
    return rc || !b->filter->strict ? rc : refuse_same_names(b);
}
