// SPDX-License-Identifier: GPL-2.0-or-later
// PostgreSQL: connection, migrations, the single-writer lock, transactions and
// loads. Everything here blocks; one worker thread uses a store, and no other.
#ifndef SWEEPD_STORE_STORE_H
#define SWEEPD_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct store;

// `conninfo` as libpq understands it, `sql_dir` holds the migrations. Connects
// later, when it is first needed.
struct store *store_create(const char *conninfo, const char *sql_dir);
void store_free(struct store *s); // NULL is fine; ends the session and so the lock

// Connects when there is no connection, applies missing migrations, tries to
// become the writer. 0: we are. -EBUSY: another one is, named in e. -ENOTCONN:
// no database. -EPROTO: its schema is newer than this program, or a migration
// failed; not to be tried again without a person.
int store_open(struct store *s, const char *holder, struct err *e) MUST_CHECK;

enum store_statement {
    STORE_PUT_SWEEP,
    STORE_PUT_POINT,
    STORE_PUT_ATTEMPT,
    STORE_PUT_EVENT,
    STORE_STATEMENT_COUNT
};

// A transaction in the making: owned plain text, built on one thread and run
// on another. All its statements set absolute values, so it may be run again.
struct store_batch;
struct store_batch *store_batch_create(void);
void store_batch_free(struct store_batch *b); // NULL is fine
// `count` texts, copied; NULL stands for SQL NULL.
void store_batch_add(struct store_batch *b, enum store_statement s, const char *const *values,
                     size_t count);

// Runs it as one transaction that begins by checking the writer's generation.
// 0: durable. -ENOTCONN: not known, run it again on a new connection. -EPERM:
// another writer took over. -EINVAL: the database refuses the values.
int store_run(struct store *s, const struct store_batch *b, struct err *e) MUST_CHECK;

enum store_query {
    STORE_SWEEPS,   // of the last `limit`, and all that are not done; by seq
    STORE_POINTS,   // of the same sweeps, by sweep and idx
    STORE_ATTEMPTS, // of the same sweeps, by sweep, point, number
    STORE_EVENTS,   // the last `limit`, by id
    STORE_MAXIMA,   // highest sweep seq and event id
    STORE_QUERY_COUNT
};

struct store_rows {
    size_t rows, columns;
    char **cells; // row-major; NULL is SQL NULL
};

int store_load(struct store *s, enum store_query q, int64_t limit, struct store_rows *ret,
               struct err *e) MUST_CHECK;
void store_rows_free(struct store_rows *r);

#endif
