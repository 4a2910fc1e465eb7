// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/migrate.h"

#include <dirent.h>
#include <errno.h>
#include <libpq-fe.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fsio.h"
#include "base/str.h"

enum { MIGRATION_MAX = 9999, MIGRATION_BYTES_MAX = 1024 * 1024, MIGRATION_DIGITS = 4 };

// The number at the head of "0001-init.sql", 0 for other names.
static int file_number(const char *name)
{
    char digits[MIGRATION_DIGITS + 1];
    int64_t n;

    if (strlen(name) <= MIGRATION_DIGITS || name[MIGRATION_DIGITS] != '-' ||
        !str_ends(name, ".sql"))
        return 0;
    memcpy(digits, name, MIGRATION_DIGITS);
    digits[MIGRATION_DIGITS] = '\0';
    return str_to_i64(digits, 1, MIGRATION_MAX, &n) ? 0 : (int)n;
}

static int current_version(PGconn *conn, int *ret, struct err *e)
{
    PGresult *r = PQexec(conn, "SELECT CASE WHEN to_regclass('schema_version') IS NULL THEN 0"
                               " ELSE 1 END");
    bool fresh;

    if (PQresultStatus(r) != PGRES_TUPLES_OK) {
        PQclear(r);
        return err_set(e, -ENOTCONN, "database: %s", PQerrorMessage(conn));
    }
    fresh = !strcmp(PQgetvalue(r, 0, 0), "0");
    PQclear(r);
    *ret = 0;
    if (fresh)
        return 0;
    r = PQexec(conn, "SELECT coalesce(max(version), 0) FROM schema_version");
    if (PQresultStatus(r) != PGRES_TUPLES_OK) {
        PQclear(r);
        return err_set(e, -ENOTCONN, "database: %s", PQerrorMessage(conn));
    }
    int64_t version = 0;
    int rc = str_to_i64(PQgetvalue(r, 0, 0), 0, INT_MAX, &version)
                 ? err_set(e, -EPROTO, "database: table schema_version makes no sense")
                 : 0;
    PQclear(r);
    *ret = (int)version;
    return rc;
}

static int apply(PGconn *conn, const char *dir, const char *name, struct err *e)
{
    char path[PATH_MAX];
    struct str sql = {0};
    struct str whole = {0};
    int rc;

    if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
        return err_set(e, -ENAMETOOLONG, "%s/%s: path too long", dir, name);
    rc = fs_read(path, MIGRATION_BYTES_MAX, &sql, e);
    if (!rc) {
        str_addf(&whole, "BEGIN;\n%s\nCOMMIT;", str_text(&sql));
        PGresult *r = PQexec(conn, str_text(&whole));

        if (PQresultStatus(r) != PGRES_COMMAND_OK) {
            rc = err_set(e, -EPROTO, "migration %s: %s", name, PQerrorMessage(conn));
            PQclear(PQexec(conn, "ROLLBACK"));
        }
        PQclear(r);
    }
    str_free(&sql);
    str_free(&whole);
    return rc;
}

int migrate(void *connection, const char *sql_dir, struct err *e)
{
    PGconn *conn = connection;
    struct dirent **names = NULL;
    int have = 0;
    int newest = 0;
    int rc = current_version(conn, &have, e);

    if (rc)
        return rc;
    int count = scandir(sql_dir, &names, NULL, alphasort);
    if (count < 0)
        return err_set(e, -EPROTO, "migrations in %s: %s", sql_dir, strerror(errno));
    for (int i = 0; i < count; i++) {
        int n = file_number(names[i]->d_name);

        if (n > newest)
            newest = n;
        if (!rc && n > have)
            rc = apply(conn, sql_dir, names[i]->d_name, e);
        free(names[i]);
    }
    free(names);
    if (!rc && have > newest)
        return err_set(
            e, -EPROTO,
            "the database has schema version %d, this sweepd knows %d: it was upgraded by a"
            " newer sweepd; install that one again, or restore the backup from before",
            have, newest);
    return rc;
}
