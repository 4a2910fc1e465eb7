// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "spec/build.h"
#include "spec/changelog_priv.h"

enum { BOTH = MATRIX_FIXED | MATRIX_AGENTIC };

// An expansion under way. Arrays are indexed by the config's entries.
struct run {
    const struct changelog *c;
    const struct config *config;
    const struct changelog_options *options;
    unsigned *throughput_done, *evals_done; // scenarios, as bits
    const char **keys;                      // scratch: the keys of one group
    struct matrix throughput, evals;
    struct err *e;
};

// '*' stands for any text; everything else for itself.
static bool matches(const char *pattern, const char *text)
{
    const char *star = NULL, *resume = NULL;

    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            resume = text;
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++resume;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

static int unknown_key(const struct run *r, const struct changelog_entry *en, const char *key)
{
    const char *near = config_key_suggest(r->config, key);

    if (strchr(key, '*'))
        return err_set(r->e, -ENOENT, "%s:%d:1: the pattern '%s' matches no config key", r->c->name,
                       en->line, key);
    return err_set(r->e, -ENOENT, "%s:%d:1: there is no config key '%s'%s%s%s", r->c->name,
                   en->line, key, near ? "; did you mean '" : "", near ? near : "",
                   near ? "'?" : "");
}

// The indices of the entry's config keys, each once, in the order of its list.
static int resolve_keys(const struct run *r, const struct changelog_entry *en, size_t *ret,
                        size_t *ret_count)
{
    bool *taken = mem_array(r->config->entry_count, sizeof(*taken));
    int rc = 0;

    *ret_count = 0;
    for (size_t k = 0; k < en->key_count && !rc; k++) {
        bool found = false;

        for (size_t i = 0; i < r->config->entry_count; i++) {
            if (!matches(en->keys[k], r->config->entries[i].key))
                continue;
            found = true;
            if (!taken[i])
                ret[(*ret_count)++] = i;
            taken[i] = true;
        }
        if (!found)
            rc = unknown_key(r, en, en->keys[k]);
    }
    free(taken);
    return rc;
}

static unsigned scenarios_of(const struct changelog_entry *en)
{
    return en->scenarios ? en->scenarios : BOTH;
}

// --- groups --------------------------------------------------------------------

// Keys of one entry that still lack the same scenarios are expanded together.
struct group {
    unsigned scenarios;
    size_t count; // of run.keys
};

// Splits the entry's keys by what they lack, in the order of first appearance;
// `done` is updated. Fills lacks[i] for each key and the list of distinct sets.
static size_t split(const struct changelog_entry *en, const size_t *keys, size_t key_count,
                    unsigned *done, unsigned *lacks, unsigned sets[BOTH])
{
    size_t n = 0;

    for (size_t i = 0; i < key_count; i++) {
        size_t j = 0;

        lacks[i] = scenarios_of(en) & ~done[keys[i]];
        done[keys[i]] |= lacks[i];
        while (j < n && sets[j] != lacks[i])
            j++;
        if (lacks[i] && j == n)
            sets[n++] = lacks[i];
    }
    return n;
}

static struct matrix_filter filter_of(const struct run *r, const struct group *g,
                                      enum matrix_evals evals)
{
    return (struct matrix_filter){
        .keys = r->keys,
        .key_count = g->count,
        .scenarios = g->scenarios,
        .evals = evals,
        .strict = r->options->strict,
    };
}

static int add_throughput(struct run *r, const struct changelog_entry *en, const struct group *g)
{
    struct matrix_filter f = filter_of(r, g, MATRIX_EVALS_NONE);
    struct matrix head, base;
    int rc = matrix_expand_part(r->config, &f, &head, r->e);

    if (rc)
        return rc;
    if (en->append_only) {
        f.strict = false; // what was measured before is not judged again
        rc = matrix_expand_part(r->options->base, &f, &base, r->e);
        if (!rc) {
            rc = delta_reduce(r->c, en, &base, &head, r->e);
            matrix_free(&base);
        }
    }
    if (rc)
        matrix_free(&head);
    else
        matrix_append(&r->throughput, &head);
    return rc;
}

static void drop_small_prefill(struct matrix *m, int min_ep)
{
    size_t kept = 0;

    for (size_t i = 0; i < m->count; i++)
        if (!m->rows[i].multinode || m->rows[i].prefill.ep >= min_ep)
            m->rows[kept++] = m->rows[i];
    m->count = kept;
}

static int add_evals(struct run *r, const struct changelog_entry *en, const struct group *g)
{
    struct matrix_filter f = filter_of(r, g, en->all_evals ? MATRIX_EVALS_ALL : MATRIX_EVALS_ONLY);
    struct matrix m;
    int rc = matrix_expand_part(r->config, &f, &m, r->e);

    if (rc)
        return rc;
    if (en->eval_min_prefill_ep)
        drop_small_prefill(&m, en->eval_min_prefill_ep);
    matrix_append(&r->evals, &m);
    return 0;
}

static int expand_groups(struct run *r, const struct changelog_entry *en, const size_t *keys,
                         size_t key_count, bool evals)
{
    unsigned *lacks = mem_array(key_count, sizeof(*lacks));
    unsigned sets[BOTH];
    size_t set_count =
        split(en, keys, key_count, evals ? r->evals_done : r->throughput_done, lacks, sets);
    int rc = 0;

    for (size_t s = 0; s < set_count && !rc; s++) {
        struct group g = {.scenarios = sets[s]};

        for (size_t i = 0; i < key_count; i++)
            if (lacks[i] == sets[s])
                r->keys[g.count++] = r->config->entries[keys[i]].key;
        rc = evals ? add_evals(r, en, &g) : add_throughput(r, en, &g);
    }
    free(lacks);
    return rc;
}

static int expand_entry_of(struct run *r, const struct changelog_entry *en, size_t *keys)
{
    size_t n;
    int rc = resolve_keys(r, en, keys, &n);

    if (!rc && !en->evals_only && !en->all_evals)
        rc = expand_groups(r, en, keys, n, false);
    if (!rc && !en->append_only)
        rc = expand_groups(r, en, keys, n, true);
    return rc;
}

// --- append-only -----------------------------------------------------------------

static int check_append_only(struct run *r, size_t *keys)
{
    const struct changelog *c = r->c;
    unsigned *selected;
    size_t appending = 0;
    int rc = 0;

    for (size_t i = 0; i < c->count; i++)
        appending += c->entries[i].append_only;
    if (!appending)
        return 0;
    if (appending != c->count)
        return err_set(r->e, -EINVAL,
                       "%s: append-only entries and others cannot be added together; add them one "
                       "after the other",
                       c->name);
    if (!r->options->base)
        return err_set(r->e, -EINVAL,
                       "%s:%d:1: an append-only entry needs the configuration before the change; "
                       "give it as the base",
                       c->name, c->entries[0].line);
    selected = mem_array(r->config->entry_count, sizeof(*selected));
    for (size_t i = 0; i < c->count && !rc; i++) {
        size_t n;

        rc = resolve_keys(r, &c->entries[i], keys, &n);
        for (size_t k = 0; k < n; k++)
            selected[keys[k]] |= scenarios_of(&c->entries[i]);
    }
    if (!rc)
        rc = delta_check_scope(c, r->options->base, r->config, selected, r->e);
    free(selected);
    return rc;
}

// --- all together ------------------------------------------------------------------

// Entries that evaluate everything go first, so that theirs wins where several
// entries name one key.
static int expand_entries(struct run *r)
{
    size_t *keys = mem_array(r->config->entry_count, sizeof(*keys));
    int rc = check_append_only(r, keys);

    for (int all = 1; all >= 0; all--)
        for (size_t i = 0; i < r->c->count && !rc; i++)
            if (r->c->entries[i].all_evals == (all == 1))
                rc = expand_entry_of(r, &r->c->entries[i], keys);
    free(keys);
    return rc;
}

int changelog_expand(const struct changelog *c, const struct config *config,
                     const struct changelog_options *options, struct matrix *ret, struct err *e)
{
    struct run r = {
        .c = c,
        .config = config,
        .options = options,
        .throughput_done = mem_array(config->entry_count, sizeof(unsigned)),
        .evals_done = mem_array(config->entry_count, sizeof(unsigned)),
        .keys = mem_array(config->entry_count, sizeof(char *)),
        .e = e,
    };
    int rc = expand_entries(&r);

    if (!rc && options->trim && r.throughput.count)
        r.throughput.count = rows_trim(r.throughput.rows, r.throughput.count, r.throughput.arena);
    matrix_add_fingerprints(&r.throughput);
    matrix_append(&r.throughput, &r.evals);
    if (!rc && options->strict && !r.throughput.count)
        rc = err_set(e, -EINVAL, "%s: the added entries name no point to measure", c->name);
    if (rc)
        matrix_free(&r.throughput);
    else
        *ret = r.throughput;
    free(r.throughput_done);
    free(r.evals_done);
    free(r.keys);
    return rc;
}
