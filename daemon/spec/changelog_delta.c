// SPDX-License-Identifier: GPL-2.0-or-later
// Append-only entries: a curve that is measured already gets points, and
// nothing about the measured ones may have changed.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "spec/changelog_priv.h"

// --- scope ---------------------------------------------------------------------

static int changed(const struct changelog *c, const struct entry *en, const char *what,
                   struct err *e)
{
    return yaml_err(e, en->file, en->key_node,
                    "%s: append-only may only add points, but %s of '%s' changed; add a regular "
                    "entry instead",
                    c->name, what, en->key);
}

// All fields but the scenarios.
static bool same_fields(const struct yaml_value *a, const struct yaml_value *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        const char *key = a->pairs[i].key->text;
        const struct yaml_value *other = yaml_value_get(b, key);

        if (!other)
            return false;
        if (strcmp(key, "scenarios") != 0 && !yaml_value_equal(a->pairs[i].value, other))
            return false;
    }
    return true;
}

static int check_scenario(const struct changelog *c, const struct entry *base,
                          const struct entry *head, const char *name, bool selected, bool *others,
                          struct err *e)
{
    const struct yaml_value *b = yaml_value_get(yaml_value_get(base->node, "scenarios"), name);
    const struct yaml_value *h = yaml_value_get(yaml_value_get(head->node, "scenarios"), name);

    if (!b != !h)
        return changed(c, head, "the set of scenarios", e);
    if (!b || selected)
        return 0;
    *others = true;
    return yaml_value_equal(b, h) ? 0 : changed(c, head, "a scenario outside its scope", e);
}

static int check_selected(const struct changelog *c, const struct entry *base,
                          const struct entry *head, unsigned scenarios, struct err *e)
{
    bool others = false;
    int rc = check_scenario(c, base, head, "fixed-seq-len", scenarios & MATRIX_FIXED, &others, e);

    if (!rc)
        rc =
            check_scenario(c, base, head, "agentic-coding", scenarios & MATRIX_AGENTIC, &others, e);
    // A field of the whole entry would change the scenarios that are not selected too.
    if (!rc && others && !same_fields(base->node, head->node))
        rc = changed(c, head, "a field of the whole entry", e);
    return rc;
}

int delta_check_scope(const struct changelog *c, const struct config *base,
                      const struct config *head, const unsigned *selected, struct err *e)
{
    int rc = 0;

    for (size_t i = 0; i < head->entry_count && !rc; i++) {
        const struct entry *h = &head->entries[i];
        const struct entry *b = config_entry(base, h->key);

        if (selected[i] && !b)
            rc = yaml_err(e, h->file, h->key_node,
                          "%s: append-only needs a curve that is there, but '%s' is new; add a "
                          "regular entry instead",
                          c->name, h->key);
        else if (selected[i])
            rc = check_selected(c, b, h, selected[i], e);
        else if (!b || !yaml_value_equal(b->node, h->node))
            rc = changed(c, h, "the entry", e);
    }
    for (size_t i = 0; i < base->entry_count && !rc; i++)
        if (!config_entry(head, base->entries[i].key))
            rc = changed(c, &base->entries[i], "the existence", e);
    return rc;
}

// --- points --------------------------------------------------------------------

// One concurrency of one recipe.
struct pair {
    const char *fingerprint;
    int conc;
    const struct matrix_row *row;
};

struct pairs {
    struct pair *list;
    size_t count;
};

static int compare_pairs(const void *pa, const void *pb)
{
    const struct pair *a = pa, *b = pb;
    int order = strcmp(a->fingerprint, b->fingerprint);

    return order ? order : (a->conc > b->conc) - (a->conc < b->conc);
}

static int compare_recipes(const void *pa, const void *pb)
{
    return strcmp(((const struct pair *)pa)->fingerprint, ((const struct pair *)pb)->fingerprint);
}

static struct pairs collect(const struct matrix *m)
{
    struct pairs p = {0};
    size_t n = 0;

    for (size_t i = 0; i < m->count; i++)
        n += m->rows[i].multinode ? m->rows[i].conc_count : 1;
    p.list = mem_array(n, sizeof(*p.list));
    for (size_t i = 0; i < m->count; i++) {
        const struct matrix_row *r = &m->rows[i];

        for (size_t j = 0; j < (r->multinode ? r->conc_count : 1); j++)
            p.list[p.count++] = (struct pair){
                .fingerprint = r->fingerprint,
                .conc = r->multinode ? r->concs[j] : r->conc,
                .row = r,
            };
    }
    qsort(p.list, p.count, sizeof(*p.list), compare_pairs);
    return p;
}

static bool has(const struct pairs *p, const char *fingerprint, int conc, bool any_conc)
{
    const struct pair key = {.fingerprint = fingerprint, .conc = conc};

    return bsearch(&key, p->list, p->count, sizeof(key),
                   any_conc ? compare_recipes : compare_pairs) != NULL;
}

static int check_kept(const struct changelog *c, const struct changelog_entry *en,
                      const struct pairs *base, const struct pairs *head, struct err *e)
{
    for (size_t i = 0; i < base->count; i++) {
        const struct pair *p = &base->list[i];

        if (!has(head, p->fingerprint, 0, true))
            return err_set(e, -EINVAL,
                           "%s:%d:1: append-only keeps every recipe, but that of %s (%s line %d) "
                           "is gone or changed; add a regular entry instead",
                           c->name, en->line, p->row->exp_name, p->row->file, p->row->line);
        if (!has(head, p->fingerprint, p->conc, false))
            return err_set(e, -EINVAL,
                           "%s:%d:1: append-only keeps every point, but concurrency %d of %s (%s "
                           "line %d) is gone; add a regular entry instead",
                           c->name, en->line, p->conc, p->row->exp_name, p->row->file,
                           p->row->line);
    }
    return 0;
}

// Rows that are drawn as one line in the published charts.
static bool same_series(const struct matrix_row *a, const struct matrix_row *b)
{
    return a->agentic == b->agentic && a->isl == b->isl && a->osl == b->osl &&
           strcmp(a->model_prefix, b->model_prefix) == 0 && strcmp(a->label, b->label) == 0 &&
           strcmp(a->framework, b->framework) == 0 && strcmp(a->precision, b->precision) == 0 &&
           strcmp(a->spec_decoding, b->spec_decoding) == 0;
}

// A series that was measured with one image must not get points of another.
static int check_image(const struct changelog *c, const struct changelog_entry *en,
                       const struct matrix *base, const struct matrix_row *row, struct err *e)
{
    const char *image = NULL;

    for (size_t i = 0; i < base->count; i++) {
        const struct matrix_row *b = &base->rows[i];

        if (!same_series(b, row))
            continue;
        if (image && strcmp(image, b->image) != 0)
            return 0; // mixed already
        image = b->image;
    }
    if (!image || strcmp(image, row->image) == 0)
        return 0;
    return err_set(e, -EINVAL,
                   "%s:%d:1: %s would be measured with %s, while its series was measured with %s; "
                   "use the same image, or add a regular entry",
                   c->name, en->line, row->exp_name, row->image, image);
}

// Keeps of the row what base lacks; false when that is nothing.
static bool reduce_row(const struct pairs *base, struct matrix_row *r, struct arena *arena)
{
    int *added;
    size_t n = 0;

    if (!r->multinode)
        return !has(base, r->fingerprint, r->conc, false);
    added = arena_alloc(arena, r->conc_count, sizeof(*added));
    for (size_t i = 0; i < r->conc_count; i++)
        if (!has(base, r->fingerprint, r->concs[i], false))
            added[n++] = r->concs[i];
    if (!n)
        return false;
    r->concs = added;
    r->conc_count = n;
    r->conc = added[0];
    return true;
}

int delta_reduce(const struct changelog *c, const struct changelog_entry *en,
                 const struct matrix *base, struct matrix *head, struct err *e)
{
    struct pairs b = collect(base), h = collect(head);
    size_t kept = 0;
    int rc = 0;

    if (!b.count)
        rc = err_set(e, -EINVAL,
                     "%s:%d:1: append-only adds to a curve, but the base has none for these keys; "
                     "add a regular entry instead",
                     c->name, en->line);
    if (!rc)
        rc = check_kept(c, en, &b, &h, e);
    for (size_t i = 0; i < head->count && !rc; i++) {
        if (!reduce_row(&b, &head->rows[i], head->arena))
            continue;
        rc = check_image(c, en, base, &head->rows[i], e);
        head->rows[kept++] = head->rows[i];
    }
    if (!rc && !kept)
        rc = err_set(e, -EINVAL,
                     "%s:%d:1: append-only, but the configuration has no point that the base "
                     "lacks; add one",
                     c->name, en->line);
    head->count = rc ? head->count : kept;
    free(b.list);
    free(h.list);
    return rc;
}
