// SPDX-License-Identifier: GPL-2.0-or-later
// The performance changelog: a YAML list of entries, appended to and never
// edited. An entry names config keys, so the entries added since a base say
// what has to be measured. Pure.
#ifndef SWEEPD_SPEC_CHANGELOG_H
#define SWEEPD_SPEC_CHANGELOG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "spec/config.h"
#include "spec/matrix.h"

enum {
    CHANGELOG_BYTES_MAX = 16 << 20,
    CHANGELOG_ENTRIES_MAX = 20000,
};

struct changelog_entry {
    int line;    // of its first line
    char **keys; // exact or with '*'
    size_t key_count;
    char **description;
    size_t description_count;
    char *pr_link;
    bool evals_only, all_evals, append_only;
    int eval_min_prefill_ep; // 0: not set
    unsigned scenarios;      // bits of enum matrix_scenario; 0: not set, both
};

struct changelog {
    char *name; // of the source, for messages
    struct changelog_entry *entries;
    size_t count;
};

// Bytes that hold a whole changelog: byte rules, fields and their types.
int changelog_parse(const struct spec_source *src, struct changelog *ret, struct err *e) MUST_CHECK;
void changelog_free(struct changelog *c); // leaves it empty; NULL is fine

// The entries that `head` adds to `base` (NULL: all of head). Old bytes must be a prefix of the new
// ones; the only edit allowed is that of pull request links, to canonical form, without additions.
int changelog_added(const struct spec_source *head, const struct spec_source *base,
                    struct changelog *ret, struct err *e) MUST_CHECK;

struct changelog_options {
    bool trim;                 // lowest concurrency of each recipe
    const struct config *base; // the config before, needed by append-only entries
    bool strict;               // see matrix_filter
};

// Rows of the entries: throughput rows (with fingerprints), then evaluation rows. *ret is filled on
// success only, to be given to matrix_free().
int changelog_expand(const struct changelog *c, const struct config *config,
                     const struct changelog_options *options, struct matrix *ret,
                     struct err *e) MUST_CHECK;

// The published form of the same: rows by family and the entries themselves.
void changelog_to_json(const struct changelog *c, const struct matrix *m, const char *base_ref,
                       const char *head_ref, struct str *out);

#endif
