# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Waiting for a condition, and finding processes by a mark in their environment.

readonly POLL_SECONDS=0.05
readonly REAP_ROUNDS=40 # looks, POLL_SECONDS apart, until all killed processes are gone

# wait_for SECONDS COMMAND...: until the command succeeds; 1 when it did not in time.
wait_for()
{
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || return 1
        sleep "$POLL_SECONDS"
    done
}

# proc_start PID: when it started, in clock ticks since boot; fails for a dead or zombie one.
proc_start()
{
    local line fields
    { read -r line < "/proc/$1/stat"; } 2>/dev/null || return 1
    read -ra fields <<< "${line##*) }"
    [[ ${fields[0]} != [ZX] ]] || return 1
    printf '%s' "${fields[19]}"
}

# marked VARIABLE=VALUE: pids whose environment holds it, and all their offspring, which may
# have cleared or overwritten its environment.
marked()
{
    local file seeds=
    while read -r file; do
        seeds+="${file//[^0-9]/} "
    done < <(grep -lzxsF -- "$1" /proc/[0-9]*/environ)
    [ -n "$seeds" ] || return 0
    cat /proc/[0-9]*/stat 2>/dev/null | awk -v seeds="$seeds" '
        BEGIN { n = split(seeds, list, " "); for (i = 1; i <= n; i++) ours[list[i]] = 1 }
        { pid = $1; sub(/^.*\) /, ""); if ($1 !~ /[ZX]/) parent[pid] = $2 }
        END {
            do {
                more = 0
                for (pid in parent)
                    if (!(pid in ours) && parent[pid] in ours) {
                        ours[pid] = 1
                        more = 1
                    }
            } while (more)
            for (pid in ours)
                if (pid in parent)
                    print pid
        }'
}

# reap VARIABLE=VALUE: kills all of them, and what they bear meanwhile. All are stopped
# first, so that none lives to see, and to report, the end of another.
reap()
{
    local round pids killed=
    for ((round = 0; round < REAP_ROUNDS; round++)); do
        pids=$(marked "$1" | tr '\n' ' ')
        [ -n "$pids" ] || { drop_segments "$killed"; return 0; }
        killed+=$pids
        # shellcheck disable=SC2086 # one word a pid
        kill -STOP $pids 2>/dev/null
        # shellcheck disable=SC2086
        kill -KILL $pids 2>/dev/null
        sleep "$POLL_SECONDS"
    done
    printf 'cannot end these processes: %s\n' "$pids" >&2
    return 1
}

# drop_segments "PID...": removes the System V memory that these dead processes made and
# nobody has attached; a PostgreSQL that is killed leaves some.
drop_segments()
{
    local id
    awk -v pids=" $1 " 'NR > 1 && $7 == 0 && index(pids, " " $5 " ") { print $2 }' \
        /proc/sysvipc/shm 2>/dev/null | while read -r id; do
        ipcrm --shmem-id "$id" 2>/dev/null
    done
}
