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
    CHANGELOG_LIST_MAX = 1024, // keys or description lines of one entry
};

struct changelog_entry {
    int line;          // of its first line
    const char **keys; // exact, or with '*'
    size_t key_count;
    const char **description;
    size_t description_count;
    const char *pr_link;
    bool evals_only;         // no throughput
    bool all_evals;          // every row is evaluated, no throughput
    bool append_only;        // only what the base does not measure yet
    int eval_min_prefill_ep; // 0: not set
    unsigned scenarios;      // bits of enum matrix_scenario; 0: not set, which means both
};

struct changelog {
    const char *name; // of the source, for messages
    struct changelog_entry *entries;
    size_t count;
    struct arena *arena; // private: owns everything above
};

// Reads a whole changelog: the rules on its bytes (UTF-8, line feeds, no tabs,
// a final newline, each entry beginning with its config keys), the fields of
// all entries and their types. -EINVAL with "name:line:column: text".
int changelog_parse(const struct spec_source *src, struct changelog *ret, struct err *e) MUST_CHECK;
void changelog_free(struct changelog *c); // leaves it empty; NULL is fine

// The entries that `head` adds to `base` (NULL: all of head). The old bytes must
// be a prefix of the new ones, and one empty line separates entries. The one
// edit allowed, without any addition beside it, brings pull request links into
// canonical form; it measures nothing: 0 entries. -EINVAL for anything else,
// and when nothing at all was added.
int changelog_added(const struct spec_source *head, const struct spec_source *base,
                    struct changelog *ret, struct err *e) MUST_CHECK;

struct changelog_options {
    bool trim;                 // throughput rows: the lowest concurrency of each recipe only
    const struct config *base; // the configuration before; append-only entries need it
    bool strict;               // see struct matrix_filter
};

// The rows of the entries: throughput rows, then evaluation rows; each key and
// scenario once, whatever number of entries name it. Throughput rows print
// their fingerprints. *ret is filled on success only, to be given to
// matrix_free().
int changelog_expand(const struct changelog *c, const struct config *config,
                     const struct changelog_options *options, struct matrix *ret,
                     struct err *e) MUST_CHECK;

// Appends the published form of the same: rows by family, then the entries.
void changelog_to_json(const struct changelog *c, const struct matrix *m, const char *base_ref,
                       const char *head_ref, struct str *out);

#endif
