// SPDX-License-Identifier: GPL-2.0-or-later
#include "spec/matrix.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "spec/build.h"
#include "spec/fields.h"

// --- which entries ---------------------------------------------------------------

// Entries in the order in which they are expanded, each once.
struct selection {
    const struct entry **list;
    size_t count;
    bool *taken; // by index in the config
};

static void take(struct selection *s, const struct config *c, size_t i)
{
    if (s->taken[i])
        return;
    s->taken[i] = true;
    s->list[s->count++] = &c->entries[i];
}

static int select_key(const struct config *c, const char *key, struct selection *s, struct err *e)
{
    bool glob = strpbrk(key, "*?") != NULL;
    bool found = false;
    const char *near;

    for (size_t i = 0; i < c->entry_count; i++) {
        const char *have = c->entries[i].key;

        if (glob ? fnmatch(key, have, FNM_NOESCAPE) != 0 : strcmp(key, have) != 0)
            continue;
        found = true;
        take(s, c, i);
    }
    if (found)
        return 0;
    if (glob)
        return err_set(e, -ENOENT, "the pattern '%s' matches no config key", key);
    near = config_key_suggest(c, key);
    return err_set(e, -ENOENT, "there is no config key '%s'%s%s%s", key,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static bool is_among(const char *word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], word) == 0)
            return true;
    return !count;
}

// A model prefix is held against the beginning of the key, as published.
static bool has_prefix(const char *key, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_starts(key, list[i]))
            return true;
    return !count;
}

static bool passes(const struct entry *en, const struct matrix_filter *f)
{
    return has_prefix(en->key, f->model_prefixes, f->model_prefix_count) &&
           is_among(en->precision, f->precisions, f->precision_count) &&
           is_among(en->framework, f->frameworks, f->framework_count) &&
           is_among(en->runner, f->runners, f->runner_count);
}

static int select_entries(const struct config *c, const struct matrix_filter *f,
                          struct selection *s, struct err *e)
{
    int rc = 0;

    for (size_t i = 0; i < f->key_count && !rc; i++)
        rc = select_key(c, f->keys[i], s, e);
    for (size_t i = 0; !f->key_count && i < c->entry_count; i++)
        take(s, c, i);
    return rc;
}

// --- the filter itself -------------------------------------------------------------

static int check_runner_types(const struct config *c, const struct matrix_filter *f, struct err *e)
{
    for (size_t i = 0; i < f->runner_count; i++)
        if (!runners_find(&c->runners, f->runners[i]))
            return err_set(e, -EINVAL, "%s has no label '%s'; name one that it has",
                           c->runners_name, f->runners[i]);
    return 0;
}

static int check_filter(const struct config *c, const struct matrix_filter *f, struct err *e)
{
    if (f->step_size < 0 || f->step_size == 1)
        return err_set(e, -EINVAL, "the step size is %d; it must be at least 2", f->step_size);
    if (f->min_conc < 0 || f->max_conc < 0 || f->max_conc > ENTRY_CONC_MAX)
        return err_set(e, -EINVAL, "the concurrency bounds must be from 1 to %d", ENTRY_CONC_MAX);
    if (f->min_conc && f->max_conc && f->min_conc > f->max_conc)
        return err_set(e, -EINVAL, "the lowest concurrency %d is over the highest, %d", f->min_conc,
                       f->max_conc);
    for (size_t i = 0; i < f->conc_count; i++)
        if (f->concs[i] <= 0)
            return err_set(e, -EINVAL, "the concurrency %d asked for is not positive", f->concs[i]);
    if (f->node_filter && !*f->node_filter)
        return err_set(e, -EINVAL, "the runner filter is empty; give a part of a runner's name");
    return check_runner_types(c, f, e);
}

// --- points --------------------------------------------------------------------------

int matrix_row_gpus(const struct matrix_row *row)
{
    return row->tp * row->pp * row->pcp;
}

int matrix_row_point(const struct matrix_row *row, struct point *ret, struct err *e)
{
    struct point p = {
        .tp = row->tp,
        .pp = row->pp,
        .dcp = row->dcp,
        .pcp = row->pcp,
        .ep = row->ep,
        .dp_attn = row->dp_attn,
        .conc = row->conc,
        .isl = row->isl,
        .osl = row->osl,
        .kind = row->eval_only ? POINT_EVAL : POINT_THROUGHPUT,
        .total_cpu_dram_gb = row->total_cpu_dram_gb,
        .duration_s = row->duration_s,
    };
    const char *backend = row->kv_backend.name ? row->kv_backend.name : "";

    if (row->multinode)
        return err_set(e, -ENOTSUP,
                       "%s:%d: %s spans several nodes (prefill and decode workers); only "
                       "single-node points are run",
                       row->file, row->line, row->key);
    if (!str_copy(p.spec_decoding, sizeof(p.spec_decoding), row->spec_decoding) ||
        !str_copy(p.kv_offloading, sizeof(p.kv_offloading), row->kv_offloading) ||
        !str_copy(p.kv_backend, sizeof(p.kv_backend), backend) ||
        !str_copy(p.exp_name, sizeof(p.exp_name), row->exp_name))
        return err_set(e, -ENAMETOOLONG, "%s:%d: model-prefix is too long; %d bytes are plenty",
                       row->file, row->line, POINT_WORD_MAX);
    str_copy(p.name, sizeof(p.name), row->name);
    *ret = p;
    return 0;
}

static int unknown_point(const struct build *b, const char *canonical, const char *written)
{
    const char *near = NULL;
    int limit = 3;

    for (size_t i = 0; i < b->count; i++) {
        int d = str_distance(canonical, b->rows[i].name, limit);

        if (d <= limit) {
            limit = d - 1;
            near = b->rows[i].name;
        }
    }
    return err_set(b->e, -ENOENT, "there is no point '%s'%s%s%s", written,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static bool mark_point(const struct build *b, const char *canonical, bool *wanted)
{
    bool found = false;

    for (size_t i = 0; i < b->count; i++)
        if (strcmp(b->rows[i].name, canonical) == 0)
            wanted[i] = found = true;
    return found;
}

// Keeps the points asked for by name, in matrix order.
static int keep_points(struct build *b)
{
    const struct matrix_filter *f = b->filter;
    bool *wanted = mem_array(b->count, sizeof(*wanted));
    size_t kept = 0;
    int rc = 0;

    for (size_t i = 0; i < f->point_count && !rc; i++) {
        char canonical[POINT_NAME_MAX];

        point_name_canonical(f->points[i], canonical, sizeof(canonical));
        if (!mark_point(b, canonical, wanted))
            rc = unknown_point(b, canonical, f->points[i]);
    }
    for (size_t i = 0; i < b->count; i++)
        if (wanted[i])
            b->rows[kept++] = b->rows[i];
    b->count = kept;
    free(wanted);
    return rc;
}

// --- expansion -------------------------------------------------------------------------

// Takes the rows of `more` behind those of b.
static int append_rows(struct build *b, const struct build *more)
{
    int rc = 0;

    for (size_t i = 0; i < more->count && !rc; i++)
        rc = build_add(b, &more->rows[i]);
    return rc;
}

// Evaluation rows come out of the same throughput rows, untrimmed.
static int apply_evals(struct build *b)
{
    enum matrix_evals mode = b->filter->evals;
    struct build copy = *b;
    int rc = 0;

    if (mode != MATRIX_EVALS_SEPARATE && mode != MATRIX_EVALS_SEPARATE_ALL) {
        evals_apply(b, mode);
        if (b->filter->trim && (mode == MATRIX_EVALS_NONE || mode == MATRIX_EVALS_MARKED))
            b->count = rows_trim(b->rows, b->count, b->arena);
        return 0;
    }
    copy.rows = mem_array(b->count, sizeof(*copy.rows));
    if (b->count)
        memcpy(copy.rows, b->rows, b->count * sizeof(*copy.rows));
    evals_apply(&copy, mode == MATRIX_EVALS_SEPARATE ? MATRIX_EVALS_ONLY : MATRIX_EVALS_ALL);
    if (b->filter->trim)
        b->count = rows_trim(b->rows, b->count, b->arena);
    rc = append_rows(b, &copy);
    free(copy.rows);
    return rc;
}

static int expand(struct build *b, struct selection *s)
{
    int rc = select_entries(b->config, b->filter, s, b->e);

    for (size_t i = 0; i < s->count && !rc; i++)
        if (passes(s->list[i], b->filter))
            rc = expand_entry(b, s->list[i]);
    if (!rc)
        rc = apply_evals(b);
    if (!rc)
        rc = names_set(b);
    if (!rc && b->filter->point_count)
        rc = keep_points(b);
    return rc;
}

static void move_into(struct build *b, struct matrix *m)
{
    *m = (struct matrix){
        .rows = b->rows,
        .count = b->count,
        .warnings = b->warnings,
        .warning_count = b->warning_count,
        .arena = b->arena,
    };
}

int matrix_expand_part(const struct config *c, const struct matrix_filter *f, struct matrix *ret,
                       struct err *e)
{
    struct build b = {.config = c, .filter = f, .arena = arena_create(), .e = e};
    struct selection s = {
        .list = mem_array(c->entry_count, sizeof(*s.list)),
        .taken = mem_array(c->entry_count, sizeof(*s.taken)),
    };
    struct matrix m;
    int rc = check_filter(c, f, e);

    if (!rc)
        rc = expand(&b, &s);
    free(s.list);
    free(s.taken);
    move_into(&b, &m);
    if (rc)
        matrix_free(&m);
    else
        *ret = m;
    return rc;
}

int matrix_expand(const struct config *c, const struct matrix_filter *f, struct matrix *ret,
                  struct err *e)
{
    struct matrix m;
    int rc = matrix_expand_part(c, f, &m, e);

    if (rc)
        return rc;
    if (f->strict && !m.count) {
        matrix_free(&m);
        return err_set(e, -EINVAL,
                       "the matrix is empty: the filters leave no point of %s; widen them",
                       f->key_count ? f->keys[0] : "the configuration");
    }
    *ret = m;
    return 0;
}

void matrix_append(struct matrix *into, struct matrix *from)
{
    if (!into->arena)
        into->arena = arena_create();
    if (from->arena)
        arena_adopt(into->arena, from->arena);
    from->arena = NULL;
    into->rows = mem_grow(into->rows, into->count + from->count, sizeof(*into->rows));
    if (from->count)
        memcpy(into->rows + into->count, from->rows, from->count * sizeof(*from->rows));
    into->count += from->count;
    into->warnings = mem_grow(into->warnings, into->warning_count + from->warning_count,
                              sizeof(*into->warnings));
    for (size_t i = 0; i < from->warning_count; i++)
        into->warnings[into->warning_count++] = from->warnings[i];
    from->warning_count = 0;
    matrix_free(from);
}

void matrix_free(struct matrix *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->warning_count; i++)
        free(m->warnings[i]);
    free(m->warnings);
    free(m->rows);
    arena_free(m->arena);
    *m = (struct matrix){0};
}

void matrix_add_fingerprints(struct matrix *m)
{
    for (size_t i = 0; i < m->count; i++)
        m->rows[i].fingerprinted = m->rows[i].fingerprint[0] != '\0';
}
