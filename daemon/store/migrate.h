// SPDX-License-Identifier: GPL-2.0-or-later
// Numbered migrations, sql/NNNN-name.sql, each one transaction that registers
// itself in schema_version.
#ifndef SWEEPD_STORE_MIGRATE_H
#define SWEEPD_STORE_MIGRATE_H

#include "base/err.h"

// Applies what is missing. The caller holds the writer's lock. -EPROTO when the
// database is newer than the files, or a migration fails (it is undone).
// `conn` is a PGconn.
int migrate(void *conn, const char *sql_dir, struct err *e) MUST_CHECK;

#endif
