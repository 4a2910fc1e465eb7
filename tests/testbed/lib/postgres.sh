# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# PostgreSQL on a unix socket in DIR/pg, and nothing else.

PG_BIN=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
PG_DATA=$DIR/pg/data
readonly PG_BIN PG_DATA

# Sets PG_AS, the command that PostgreSQL's programs are run through: it refuses root, so
# there it gets an account without rights. When that account cannot reach the folder (it
# lies below a private one), it keeps the one capability that lets it.
choose_pg_account()
{
    local account=nobody
    PG_AS=()
    [ "$EUID" -eq 0 ] || return 0
    ! id postgres > /dev/null 2>&1 || account=postgres
    [ "$(stat -c %U "$DIR/pg")" = "$account" ] || chown -R "$account" "$DIR/pg"
    PG_AS=(setpriv "--reuid=$account" "--regid=$(id -g "$account")" --clear-groups)
    "${PG_AS[@]}" stat "$PG_DATA" > /dev/null 2>&1 ||
        PG_AS+=("--inh-caps=-all,+dac_override" "--ambient-caps=-all,+dac_override")
    "${PG_AS[@]}" stat "$PG_DATA" > /dev/null 2>&1 || die "the account $account, which runs PostgreSQL, cannot" \
        "reach $DIR/pg: choose a folder that it can enter"
}

make_database()
{
    mkdir -p "$PG_DATA"
    chmod 700 "$DIR/pg" "$PG_DATA"
    choose_pg_account
    (cd "$DIR/pg" && SWEEPD_TESTBED=$DIR setsid --wait "${PG_AS[@]}" "$PG_BIN/initdb" --no-sync \
        --auth=trust --username=testbed --no-locale --encoding=UTF8 "$PG_DATA") \
        > "$DIR/log/initdb.log" 2>&1 || die_log initdb "initdb failed"
    # All memory that outlives a crash lies in the data folder, but for one small segment.
    cat >> "$PG_DATA/postgresql.conf" << CONF
listen_addresses = ''
unix_socket_directories = '$DIR/pg'
unix_socket_permissions = 0700
fsync = off
full_page_writes = off
shared_buffers = 32MB
max_connections = 40
dynamic_shared_memory_type = mmap
log_line_prefix = '%m [%p] '
CONF
    start_pg
    psql_testbed -c 'create role sweepd login' -c 'create database sweepd owner sweepd' \
        >> "$DIR/log/initdb.log" 2>&1 || die_log initdb "cannot make the database"
}

start_pg()
{
    ! alive postgres || return 0
    choose_pg_account
    launch postgres "${PG_AS[@]}" "$PG_BIN/postgres" -D "$PG_DATA"
    wait_for 30 pg_answers || die_log postgres "PostgreSQL does not answer"
}

pg_answers()
{
    psql_testbed -c 'select 1' > /dev/null 2>&1
}

psql_testbed()
{
    "$PG_BIN/psql" -X -q -w -h "$DIR/pg" -U testbed -d postgres -v ON_ERROR_STOP=1 "$@"
}

stop_pg()
{
    halt postgres INT 20
}

# A crash: the server and all its children at once, without a word to the clients.
kill_pg()
{
    local pid pids
    pid=$(pid_of postgres) || return 0
    kill -STOP "$pid" # so that it cannot tell the others
    pids="$(children_of "$pid") $pid"
    # shellcheck disable=SC2086 # one word a pid
    kill -KILL $pids 2>/dev/null
    # shellcheck disable=SC2086
    wait_for 5 all_dead $pids || die "PostgreSQL cannot be ended"
    rm -f "$DIR/run/postgres"
    drop_segments "$pid"
}

all_dead() # PID...
{
    local pid
    for pid; do
        ! proc_start "$pid" > /dev/null || return 1
    done
}

children_of()
{
    cat /proc/[0-9]*/stat 2>/dev/null |
        awk -v of="$1" '{ pid = $1; sub(/^.*\) /, ""); if ($2 == of) printf "%s ", pid }'
}
