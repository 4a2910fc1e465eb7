// SPDX-License-Identifier: GPL-2.0-or-later
// A text table: columns as wide as their widest cell, numbers to the right. When
// it is wider than the terminal, columns that say so are cut with an ellipsis,
// then those that matter least are left out.
#ifndef SWEEPCTL_TABLE_H
#define SWEEPCTL_TABLE_H

#include <stddef.h>

#include "base/str.h"
#include "term.h"

enum { TABLE_COLUMNS_MAX = 16, TABLE_GAP = 2 };

struct column {
    const char *title; // static
    enum { ALIGN_LEFT, ALIGN_RIGHT } align;
    int shrink_to; // least width when cut; 0: never cut
    int drop;      // columns with the highest number are left out first; 0: never
};

struct table;

// `columns` must outlive the table. At most TABLE_COLUMNS_MAX.
struct table *table_create(const struct column *columns, size_t count);
void table_free(struct table *t); // NULL is fine

// Begins a row, then fills its cells from left to right; texts are copied.
void table_row(struct table *t);
void table_cell(struct table *t, enum style style, const char *text);
void table_cellf(struct table *t, enum style style, const char *fmt, ...) PRINTF_LIKE(3, 4);

// Appends the table with its titles; width 0: no limit. Lines begin with
// `indent` spaces and have none at their end.
void table_write(const struct table *t, struct str *out, int width, int indent);

#endif
