// SPDX-License-Identifier: GPL-2.0-or-later
// Which rows are evaluated. Fixed sequences: only 8k1k from concurrency 16 on,
// at the highest and the median concurrency. Agentic rows: only when asked for,
// the highest concurrency.
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "spec/build.h"
#include "spec/row_json.h"

enum { EVAL_ISL = 8192, EVAL_OSL = 1024, EVAL_CONC_MIN = 16 };

struct member {
    char group[HASH_HEX];
    size_t row;
    int conc; // the one that counts for this row
};

struct members {
    struct member *list;
    size_t count;
};

static bool is_eval_length(const struct matrix_row *r)
{
    return r->isl == EVAL_ISL && r->osl == EVAL_OSL;
}

static int highest_conc(const struct matrix_row *r)
{
    int high = r->conc;

    for (size_t i = 0; i < r->conc_count; i++)
        if (r->concs[i] > high)
            high = r->concs[i];
    return high;
}

// Rows of one group compete for evaluation. Multi-node: one topology. Agentic
// single-node: one model on one fleet. Fixed single-node: the same, by length,
// speculation and attention.
static void group_of(const struct matrix_row *r, char ret[HASH_HEX])
{
    struct str s = {0};

    if (r->multinode) {
        row_hash(r, ROW_NO_POINT | ROW_NO_EVAL, ret);
        return;
    }
    str_addf(&s, "%d\n%s\n%s\n%s\n%s", r->agentic, r->model, r->runner, r->framework, r->precision);
    if (!r->agentic)
        str_addf(&s, "\n%s\n%d", r->spec_decoding, r->dp_attn);
    hash_bytes(str_text(&s), s.len, ret);
    str_free(&s);
}

static int compare_members(const void *pa, const void *pb)
{
    const struct member *a = pa, *b = pb;
    int order = strcmp(a->group, b->group);

    return order ? order : (a->row > b->row) - (a->row < b->row);
}

static bool takes_part(const struct matrix_row *r, bool agentic)
{
    if (r->agentic)
        return agentic && (!r->multinode || highest_conc(r) >= EVAL_CONC_MIN);
    return is_eval_length(r) && highest_conc(r) >= EVAL_CONC_MIN;
}

static struct members collect(const struct build *b, bool agentic)
{
    struct members m = {.list = mem_array(b->count, sizeof(struct member))};

    for (size_t i = 0; i < b->count; i++) {
        const struct matrix_row *r = &b->rows[i];

        if (!takes_part(r, agentic))
            continue;
        m.list[m.count].row = i;
        m.list[m.count].conc = highest_conc(r);
        group_of(r, m.list[m.count++].group);
    }
    qsort(m.list, m.count, sizeof(*m.list), compare_members);
    return m;
}

static int compare_ints(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;

    return (x > y) - (x < y);
}

// The middle one of the distinct concurrencies, the upper one of two.
static int median_conc(const struct member *group, size_t n)
{
    int *concs = mem_array(n, sizeof(*concs));
    size_t distinct = 0;
    int median;

    for (size_t i = 0; i < n; i++)
        concs[i] = group[i].conc;
    qsort(concs, n, sizeof(*concs), compare_ints);
    for (size_t i = 0; i < n; i++)
        if (!i || concs[i] != concs[i - 1])
            concs[distinct++] = concs[i];
    median = concs[distinct / 2];
    free(concs);
    return median;
}

static void mark_group(struct build *b, const struct member *group, size_t n)
{
    const struct member *best = group; // the first of the highest

    for (size_t i = 1; i < n; i++)
        if (group[i].conc > best->conc)
            best = &group[i];
    struct matrix_row *row = &b->rows[best->row];
    if (row->multinode || row->agentic) {
        row->run_eval = true;
        row->eval_conc = row->multinode ? best->conc : 0;
        return;
    }
    int median = median_conc(group, n);
    for (size_t i = 0; i < n; i++)
        if (group[i].conc == best->conc || group[i].conc == median)
            b->rows[group[i].row].run_eval = true;
}

static void mark(struct build *b, bool agentic)
{
    struct members m = collect(b, agentic);

    for (size_t i = 0; i < b->count; i++)
        b->rows[i].has_run_eval = true;
    for (size_t from = 0, to; from < m.count; from = to) {
        for (to = from + 1; to < m.count; to++)
            if (strcmp(m.list[to].group, m.list[from].group) != 0)
                break;
        mark_group(b, &m.list[from], to - from);
    }
    free(m.list);
}

// --- all rows ------------------------------------------------------------------

// The sorted distinct union of two rows' concurrencies.
static void join_concs(struct build *b, struct matrix_row *into, const struct matrix_row *from)
{
    size_t n = into->conc_count + (from ? from->conc_count : 0), distinct = 0;
    int *all = arena_alloc(b->arena, n, sizeof(*all));

    memcpy(all, into->concs, into->conc_count * sizeof(*all));
    if (from)
        memcpy(all + into->conc_count, from->concs, from->conc_count * sizeof(*all));
    qsort(all, n, sizeof(*all), compare_ints);
    for (size_t i = 0; i < n; i++)
        if (!i || all[i] != all[distinct - 1])
            all[distinct++] = all[i];
    into->concs = all;
    into->conc_count = distinct;
    into->conc = all[0];
}

static void widen(struct build *b, struct matrix_row *r, const struct matrix_row *more)
{
    join_concs(b, r, more);
    r->run_eval = true;
    r->eval_all_concs = !r->agentic;
    r->eval_conc = r->agentic ? highest_conc(r) : 0;
}

// Multi-node rows of one topology become one evaluation row.
static void merge_topologies(struct build *b, bool *dropped)
{
    struct members m = {.list = mem_array(b->count, sizeof(struct member))};

    for (size_t i = 0; i < b->count; i++) {
        const struct matrix_row *r = &b->rows[i];

        if (!r->multinode || (!r->agentic && !is_eval_length(r)))
            continue;
        m.list[m.count].row = i;
        group_of(r, m.list[m.count++].group);
    }
    qsort(m.list, m.count, sizeof(*m.list), compare_members);
    for (size_t i = 0, first = 0; i < m.count; i++) {
        bool same = i && strcmp(m.list[i].group, m.list[first].group) == 0;

        first = same ? first : i;
        dropped[m.list[i].row] = same;
        widen(b, &b->rows[m.list[first].row], same ? &b->rows[m.list[i].row] : NULL);
    }
    free(m.list);
}

static void mark_all(struct build *b)
{
    bool *dropped = mem_array(b->count, sizeof(*dropped));
    size_t kept = 0;

    merge_topologies(b, dropped);
    for (size_t i = 0; i < b->count; i++) {
        struct matrix_row *r = &b->rows[i];

        if (dropped[i])
            continue;
        if (!r->multinode && (r->agentic || is_eval_length(r)))
            r->run_eval = true;
        b->rows[kept++] = *r;
    }
    b->count = kept;
    free(dropped);
}

static void keep_evals(struct build *b)
{
    size_t kept = 0;

    for (size_t i = 0; i < b->count; i++) {
        if (!b->rows[i].run_eval)
            continue;
        b->rows[kept] = b->rows[i];
        b->rows[kept].eval_only = true;
        b->rows[kept++].fingerprint[0] = '\0'; // evaluations have no recipe of their own
    }
    b->count = kept;
}

void evals_apply(struct build *b, enum matrix_evals mode)
{
    if (mode == MATRIX_EVALS_NONE)
        return;
    mark(b, mode != MATRIX_EVALS_MARKED);
    if (mode == MATRIX_EVALS_ALL)
        mark_all(b);
    if (mode != MATRIX_EVALS_MARKED)
        keep_evals(b);
}
