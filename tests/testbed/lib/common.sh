# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What every part of the testbed uses: waiting, and processes that are known by
# pid and start time, so that a number which was given again is never signalled.
# Expects DIR, the testbed's folder, as an absolute path.

readonly POLL_SECONDS=0.05
readonly LOG_TAIL_LINES=15
readonly REAP_ROUNDS=40 # looks, POLL_SECONDS apart, until all killed processes are gone

die()
{
    printf 'testbed: %s\n' "$*" >&2
    exit 1
}

# die_log NAME TEXT: the same, with the end of log/NAME.log.
die_log()
{
    printf 'testbed: %s; the end of %s:\n' "$2" "$DIR/log/$1.log" >&2
    tail -n "$LOG_TAIL_LINES" "$DIR/log/$1.log" >&2
    exit 1
}

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

LAUNCHING= # the file that a launch under way waits for

# launch NAME COMMAND...: starts it in a session of its own, marked as this
# testbed's, with its output in log/NAME.log, and remembers it as NAME.
launch()
{
    local name=$1
    shift
    rm -f "$DIR/run/$name"
    LAUNCHING=$DIR/run/$name
    env "SWEEPD_TESTBED=$DIR" setsid "$HERE/lib/holder" "$DIR/run/$name" "$@" \
        < /dev/null >> "$DIR/log/$name.log" 2>&1 &
    disown
    wait_for 10 test -s "$DIR/run/$name" || die_log "$name" "$name cannot be started"
    LAUNCHING=
}

# pid_of NAME: its pid while it runs; fails otherwise.
pid_of()
{
    local pid started
    { read -r pid started < "$DIR/run/$1"; } 2>/dev/null || return 1
    [ -n "$started" ] && [ "$(proc_start "$pid")" = "$started" ] && printf '%s' "$pid"
}

alive()
{
    pid_of "$1" > /dev/null
}

gone()
{
    ! alive "$1"
}

# halt NAME SIGNAL SECONDS: ends it; after SECONDS with KILL.
halt()
{
    local pid
    if pid=$(pid_of "$1"); then
        kill "-$2" "$pid" 2>/dev/null
        if ! wait_for "$3" gone "$1"; then
            kill -KILL "$pid" 2>/dev/null
            wait_for 5 gone "$1" || die "$1 (pid $pid) cannot be ended"
        fi
    fi
    rm -f "$DIR/run/$1"
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
    local round pids
    for ((round = 0; round < REAP_ROUNDS; round++)); do
        pids=$(marked "$1")
        [ -n "$pids" ] || return 0
        # shellcheck disable=SC2086 # one word a pid
        kill -STOP $pids 2>/dev/null
        # shellcheck disable=SC2086
        kill -KILL $pids 2>/dev/null
        sleep "$POLL_SECONDS"
    done
    die "cannot end these processes: $(tr '\n' ' ' <<< "$pids")"
}

# free_ports COUNT: that many ports nobody listens on, one a line, below the range from
# which the kernel gives ports to outgoing connections. All are held while choosing.
free_ports()
{
    perl -MSocket -e '
        my ($first, $last) = (12000, 32000);
        my ($want, @held) = (shift);
        for (1 .. 100 * $want) {
            my $port = $first + int rand($last - $first);
            socket(my $s, PF_INET, SOCK_STREAM, 0) or die "socket: $!\n";
            bind($s, sockaddr_in($port, INADDR_ANY)) or next;
            push @held, $s;
            print "$port\n";
            exit 0 if @held == $want;
        }
        exit 1' "$1"
}
