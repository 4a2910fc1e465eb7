// SPDX-License-Identifier: GPL-2.0-or-later
// A matrix under construction, shared by the steps of the expansion.
#ifndef SWEEPD_SPEC_BUILD_H
#define SWEEPD_SPEC_BUILD_H

#include <stddef.h>

#include "base/err.h"
#include "spec/arena.h"
#include "spec/config_priv.h"
#include "spec/entry.h"
#include "spec/matrix.h"

enum { BUILD_WARNINGS_MAX = 1000 };

struct build {
    const struct config *config;
    const struct matrix_filter *filter;
    struct arena *arena; // owns what the rows point to
    struct matrix_row *rows;
    size_t count, cap;
    char **warnings;
    size_t warning_count, warning_cap;
    struct err *e;
};

// Appends a copy of the row; -E2BIG over MATRIX_ROWS_MAX.
int build_add(struct build *b, const struct matrix_row *row) MUST_CHECK;
// Over BUILD_WARNINGS_MAX a warning is dropped.
void build_warn(struct build *b, const struct entry *en, const struct yaml_value *at,
                const char *fmt, ...) PRINTF_LIKE(4, 5);

// expand.c: the throughput rows of one entry, with fingerprints and without
// evaluation marks or names.
int expand_entry(struct build *b, const struct entry *en) MUST_CHECK;

// strict.c: rules that concern what a cluster can run. On the entry, on a
// search-space row, on the finished rows.
int strict_entry(struct build *b, const struct entry *en) MUST_CHECK;
int strict_row(struct build *b, const struct entry *en, const struct entry_row *row) MUST_CHECK;

// evals.c: marks rows, or replaces them by evaluation rows.
void evals_apply(struct build *b, enum matrix_evals mode);

// trim.c: keeps the row of the lowest concurrency of each recipe, a multi-node
// one reduced to that concurrency. Returns how many rows are left.
size_t rows_trim(struct matrix_row *rows, size_t count, struct arena *arena);

// names.c: sets the names of single-node rows. In strict mode two points of one
// name are an error.
int names_set(struct build *b) MUST_CHECK;

// matrix.c: like matrix_expand(), but a part of a larger matrix may be empty.
int matrix_expand_part(const struct config *c, const struct matrix_filter *f, struct matrix *ret,
                       struct err *e) MUST_CHECK;
// Moves the rows and warnings of `from` behind those of `into`; `from` becomes empty.
void matrix_append(struct matrix *into, struct matrix *from);

#endif
