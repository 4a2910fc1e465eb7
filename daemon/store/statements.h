// SPDX-License-Identifier: GPL-2.0-or-later
// The SQL that the daemon speaks, in one place. Column order is the contract
// with daemon/rows.c.
#ifndef SWEEPD_STORE_STATEMENTS_H
#define SWEEPD_STORE_STATEMENTS_H

#include "store/store.h"

struct store_sql {
    const char *name; // of the prepared statement
    const char *text;
    int params;
};

const struct store_sql *store_statement(enum store_statement s);
const struct store_sql *store_query(enum store_query q);

#endif
