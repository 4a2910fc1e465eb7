// SPDX-License-Identifier: GPL-2.0-or-later
// Core's objects <-> database rows, in the column order of store/statements.c.
#ifndef SWEEPD_ROWS_H
#define SWEEPD_ROWS_H

#include "base/str.h"
#include "core/core.h"
#include "store/store.h"

// Everything dirty and every journal entry, as one transaction. Owned by the
// caller. *ret_journal_id is the last entry in it.
struct store_batch *rows_batch(const struct core *c, int64_t *ret_journal_id);

// Builds sweeps from the rows of STORE_SWEEPS, STORE_POINTS and STORE_ATTEMPTS.
// *ret_sweeps and the sweeps in it are owned by the caller. -EPROTO when the
// rows make no sense.
int rows_restore(const struct store_rows *sweeps, const struct store_rows *points,
                 const struct store_rows *attempts, struct sweep ***ret_sweeps, size_t *ret_count,
                 struct err *e) MUST_CHECK;

// The evidence of a verdict as a JSON list; appends.
void rows_evidence(const struct verdict *v, struct str *out);

#endif
