# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What every part of the testbed uses: processes that are known by
# pid and start time, so that a number which was given again is never signalled.
# Expects DIR, the testbed's folder, as an absolute path.

readonly LOG_TAIL_LINES=15

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

LAUNCHING= # the file that a launch under way waits for, for who interrupts it

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
    # shellcheck disable=SC2034
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
