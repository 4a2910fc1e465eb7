// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/store.h"

#include <errno.h>
#include <inttypes.h>
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "store/migrate.h"
#include "store/statements.h"

enum { VALUE_TEXT_MAX = 128 };

// Of pg_advisory_lock: "sweepd" in ASCII.
#define WRITER_LOCK "127979076841572"
// How long a dead peer can hold us up.
#define CONNECT_TIMEOUT_S "5"
#define TCP_USER_TIMEOUT_MS "5000"
#define KEEPALIVES_IDLE_S "3"
#define KEEPALIVES_INTERVAL_S "1"
#define KEEPALIVES_COUNT "3"
#define SESSION_OPTIONS                                                                            \
    "-c statement_timeout=20s -c lock_timeout=10s -c idle_in_transaction_session_timeout=30s"

struct store {
    char *conninfo;
    char *sql_dir;
    PGconn *conn;
    bool writer;
    int64_t generation; // 0: never was the writer
};

struct batch_item {
    enum store_statement statement;
    char **values;
    size_t count;
};

struct store_batch {
    struct batch_item *items;
    size_t count, cap;
};

struct store *store_create(const char *conninfo, const char *sql_dir)
{
    struct store *s = mem_alloc(sizeof(*s));

    s->conninfo = mem_strdup(conninfo);
    s->sql_dir = mem_strdup(sql_dir);
    return s;
}

static void disconnect(struct store *s)
{
    PQfinish(s->conn);
    s->conn = NULL;
    s->writer = false;
}

void store_free(struct store *s)
{
    if (!s)
        return;
    disconnect(s);
    free(s->conninfo);
    free(s->sql_dir);
    free(s);
}

// libpq's texts end in a newline.
static int db_error(struct store *s, int code, const char *what, struct err *e)
{
    char text[ERR_TEXT_MAX];

    str_copy(text, sizeof(text), s->conn ? PQerrorMessage(s->conn) : "no connection");
    text[strcspn(text, "\n")] = '\0';
    return err_set(e, code, "database: %s%s%s", what, *what ? ": " : "", text);
}

static void ignore_notice(void *ctx, const char *text)
{
    (void)ctx;
    (void)text;
}

static int connect_db(struct store *s, struct err *e)
{
    static const char *const names[] = {"dbname",           "application_name",
                                        "connect_timeout",  "tcp_user_timeout",
                                        "keepalives_idle",  "keepalives_interval",
                                        "keepalives_count", "options",
                                        "client_encoding",  NULL};
    const char *const values[] = {s->conninfo,
                                  "sweepd",
                                  CONNECT_TIMEOUT_S,
                                  TCP_USER_TIMEOUT_MS,
                                  KEEPALIVES_IDLE_S,
                                  KEEPALIVES_INTERVAL_S,
                                  KEEPALIVES_COUNT,
                                  SESSION_OPTIONS,
                                  "UTF8",
                                  NULL};

    if (s->conn && PQstatus(s->conn) == CONNECTION_OK)
        return 0;
    disconnect(s);
    s->conn = PQconnectdbParams(names, values, 1);
    if (PQstatus(s->conn) == CONNECTION_OK) {
        PQsetNoticeProcessor(s->conn, ignore_notice, NULL);
        return 0;
    }
    int rc = db_error(s, -ENOTCONN, "cannot connect", e);
    disconnect(s);
    return rc;
}

// One value of a query that gives one row, copied into ret ("" for NULL).
static int one_value(struct store *s, const char *sql, const char *const *params, int count,
                     char *ret, size_t size, struct err *e)
{
    PGresult *r = PQexecParams(s->conn, sql, count, NULL, params, NULL, NULL, 0);
    int rc = 0;

    if (PQresultStatus(r) != PGRES_TUPLES_OK)
        rc = db_error(s, -ENOTCONN, "", e);
    else
        str_copy(ret, size, PQntuples(r) ? PQgetvalue(r, 0, 0) : "");
    PQclear(r);
    return rc;
}

static int busy(struct store *s, struct err *e)
{
    char holder[VALUE_TEXT_MAX] = "";

    if (one_value(s, "SELECT holder FROM writer", NULL, 0, holder, sizeof(holder), NULL))
        str_copy(holder, sizeof(holder), "another process");
    return err_set(e, -EBUSY, "%s", holder);
}

static int take_lock(struct store *s, struct err *e)
{
    char got[8] = "";
    int rc =
        one_value(s, "SELECT pg_try_advisory_lock(" WRITER_LOCK ")", NULL, 0, got, sizeof(got), e);

    if (rc)
        return rc;
    return got[0] == 't' ? 0 : busy(s, e);
}

static int raise_generation(struct store *s, const char *holder, struct err *e)
{
    const char *const params[] = {holder};
    char text[VALUE_TEXT_MAX];
    int64_t generation;
    int rc = one_value(s,
                       "UPDATE writer SET generation = generation + 1, holder = $1, since = now()"
                       " RETURNING generation",
                       params, 1, text, sizeof(text), e);

    if (rc)
        return rc;
    if (str_to_i64(text, 1, INT64_MAX, &generation))
        return err_set(e, -EPROTO, "database: table writer has no row");
    if (s->generation && generation != s->generation + 1)
        return err_set(e, -EPERM, "another sweepd was the writer while we had no connection");
    s->generation = generation;
    s->writer = true;
    return 0;
}

static int prepare_all(struct store *s, struct err *e)
{
    for (int i = 0; i < STORE_STATEMENT_COUNT; i++) {
        const struct store_sql *sql = store_statement((enum store_statement)i);
        PGresult *r = PQprepare(s->conn, sql->name, sql->text, sql->params, NULL);
        bool ok = PQresultStatus(r) == PGRES_COMMAND_OK;

        PQclear(r);
        if (!ok)
            return db_error(s, PQstatus(s->conn) == CONNECTION_OK ? -EPROTO : -ENOTCONN, sql->name,
                            e);
    }
    return 0;
}

int store_open(struct store *s, const char *holder, struct err *e)
{
    int rc = connect_db(s, e);

    if (rc)
        return rc;
    if (s->writer)
        return 0;
    rc = take_lock(s, e);
    if (!rc)
        rc = migrate(s->conn, s->sql_dir, e);
    if (!rc)
        rc = raise_generation(s, holder, e);
    if (!rc)
        rc = prepare_all(s, e);
    if (rc && rc != -EBUSY)
        disconnect(s); // gives the lock back
    return rc;
}

struct store_batch *store_batch_create(void)
{
    return mem_alloc(sizeof(struct store_batch));
}

void store_batch_free(struct store_batch *b)
{
    if (!b)
        return;
    for (size_t i = 0; i < b->count; i++) {
        for (size_t j = 0; j < b->items[i].count; j++)
            free(b->items[i].values[j]);
        free(b->items[i].values);
    }
    free(b->items);
    free(b);
}

void store_batch_add(struct store_batch *b, enum store_statement s, const char *const *values,
                     size_t count)
{
    struct batch_item *item;

    b->items = mem_room(b->items, b->count, &b->cap, sizeof(*b->items));
    item = &b->items[b->count++];
    *item = (struct batch_item){s, mem_array(count, sizeof(char *)), count};
    for (size_t i = 0; i < count; i++) {
        item->values[i] = mem_strdup(values[i]);
        if (item->values[i])
            utf8_clean(item->values[i]); // the server refuses anything else
    }
}

static int command(struct store *s, const char *sql, struct err *e)
{
    PGresult *r = PQexec(s->conn, sql);
    bool ok = PQresultStatus(r) == PGRES_COMMAND_OK;

    PQclear(r);
    return ok ? 0 : db_error(s, -ENOTCONN, sql, e);
}

static int check_generation(struct store *s, struct err *e)
{
    char generation[VALUE_TEXT_MAX];
    char mine[VALUE_TEXT_MAX];
    // The row is locked: nobody can raise the generation before we commit.
    int rc = one_value(s, "SELECT generation FROM writer FOR SHARE", NULL, 0, generation,
                       sizeof(generation), e);

    if (rc)
        return rc;
    snprintf(mine, sizeof(mine), "%" PRId64, s->generation);
    if (strcmp(mine, generation) != 0)
        return err_set(e, -EPERM, "another sweepd became the writer");
    return 0;
}

// SQLSTATE classes that say the server or the session is in trouble, not the
// values: connection, resources, operator intervention, system, transaction
// rollback, lock not available.
static bool is_weather(const char *state)
{
    return !state || !strncmp(state, "08", 2) || !strncmp(state, "40", 2) ||
           !strncmp(state, "53", 2) || !strncmp(state, "55", 2) || !strncmp(state, "57", 2) ||
           !strncmp(state, "58", 2);
}

static int run_item(struct store *s, const struct batch_item *item, struct err *e)
{
    const struct store_sql *sql = store_statement(item->statement);
    PGresult *r = PQexecPrepared(s->conn, sql->name, (int)item->count,
                                 (const char *const *)item->values, NULL, NULL, 0);
    int rc = 0;

    if (PQresultStatus(r) != PGRES_COMMAND_OK)
        rc = db_error(s, is_weather(PQresultErrorField(r, PG_DIAG_SQLSTATE)) ? -ENOTCONN : -EINVAL,
                      sql->name, e);
    PQclear(r);
    return rc;
}

int store_run(struct store *s, const struct store_batch *b, struct err *e)
{
    int rc = s->conn && s->writer ? command(s, "BEGIN", e)
                                  : err_set(e, -ENOTCONN, "database: no connection");

    if (!rc)
        rc = check_generation(s, e);
    for (size_t i = 0; !rc && i < b->count; i++)
        rc = run_item(s, &b->items[i], e);
    if (!rc)
        rc = command(s, "COMMIT", e);
    if (!rc)
        return 0;
    if (rc == -EINVAL)
        PQclear(PQexec(s->conn, "ROLLBACK"));
    else
        disconnect(s); // a fresh session knows no half-done transaction
    return rc;
}

int store_load(struct store *s, enum store_query q, int64_t limit, struct store_rows *ret,
               struct err *e)
{
    const struct store_sql *sql = store_query(q);
    char text[VALUE_TEXT_MAX];
    const char *const params[] = {text};

    *ret = (struct store_rows){0};
    if (!s->conn)
        return err_set(e, -ENOTCONN, "database: no connection");
    snprintf(text, sizeof(text), "%" PRId64, limit);
    PGresult *r = PQexecParams(s->conn, sql->text, 1, NULL, params, NULL, NULL, 0);
    if (PQresultStatus(r) != PGRES_TUPLES_OK) {
        PQclear(r);
        return db_error(s, -ENOTCONN, sql->name, e);
    }
    ret->rows = (size_t)PQntuples(r);
    ret->columns = (size_t)PQnfields(r);
    ret->cells = mem_array(ret->rows * ret->columns, sizeof(char *));
    for (size_t i = 0; i < ret->rows * ret->columns; i++) {
        int row = (int)(i / ret->columns);
        int column = (int)(i % ret->columns);

        if (!PQgetisnull(r, row, column))
            ret->cells[i] = mem_strdup(PQgetvalue(r, row, column));
    }
    PQclear(r);
    return 0;
}

void store_rows_free(struct store_rows *r)
{
    for (size_t i = 0; i < r->rows * r->columns; i++)
        free(r->cells[i]);
    free(r->cells);
    *r = (struct store_rows){0};
}
