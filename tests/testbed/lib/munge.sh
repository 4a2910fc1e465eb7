# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# munged, and a second one with a wrong clock.
#
# Daemons use munge/munge.sock. Programs of the login side (sweepd, the user's
# commands) use munge/login.sock, a symbolic link to it, until skew_munge points
# it at a munged whose clock is wrong: one munged alone cannot disagree with itself.

start_munged() # NAME [COMMAND PREFIX...]
{
    local name=$1
    shift
    rm -f "$DIR/munge/$name.sock" "$DIR/munge/$name.sock.lock"
    # --force: the folder may lie below one that munged finds too private or too open.
    launch "$name" "$@" munged --foreground --force --socket="$DIR/munge/$name.sock" \
        --key-file="$DIR/munge/key" --pid-file="$DIR/munge/$name.pid" \
        --seed-file="$DIR/munge/$name.seed" --num-threads=4
    wait_for 10 munge_answers "$name" || die_log "$name" "munged does not answer"
}

munge_answers()
{
    timeout 2 munge --socket="$DIR/munge/$1.sock" --no-input --output=/dev/null 2>/dev/null
}

point_login() # NAME
{
    ln -sfn "$1.sock" "$DIR/munge/login.new"
    mv -fT "$DIR/munge/login.new" "$DIR/munge/login.sock"
}

start_munge()
{
    [ -s "$DIR/munge/key" ] || (umask 077 && head -c 128 /dev/urandom > "$DIR/munge/key")
    alive munge || start_munged munge
    point_login munge
    halt skewed TERM 5
}

stop_munge()
{
    halt skewed TERM 5
    halt munge TERM 5
}

skew_munge() # SECONDS
{
    local shim=$TREE/build/testbed/skew.so
    [ -e "$shim" ] || die "$shim is missing: run make"
    halt skewed TERM 5
    start_munged skewed env "LD_PRELOAD=$shim" "TESTBED_SKEW=$1"
    point_login skewed
}
