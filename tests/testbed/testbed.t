#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 150
# The testbed itself: two side by side, every fault but those of sweepd, and that nothing stays.
set -u
. tests/lib/tap.sh
. tests/lib/process.sh

TESTBED=tests/testbed/testbed
A=$TMPDIR/a
B=$TMPDIR/b
PLAIN=() # a prefix: what follows runs as an ordinary user
[ "$EUID" -ne 0 ] || PLAIN=(setpriv --reuid=65534 --regid=65534 --clear-groups)

end_all()
{
    local dir
    for dir in "$A" "$B" "$TMPDIR"/plain/bed; do
        [ ! -e "$dir/.testbed" ] || "${PLAIN[@]}" "$TESTBED" down "$dir" 2>/dev/null || "$TESTBED" down "$dir"
    done
    rm -rf "${TMPDIR:?}"/*
}
trap end_all EXIT
trap 'exit 143' TERM INT

slurm() # DIR COMMAND...
{
    SLURM_CONF=$1/slurm.conf timeout 10 "${@:2}"
}

submit() # DIR NODE SCRIPT: prints the job's id
{
    printf '#!/bin/bash\n%s\n' "$3" > "$TMPDIR/job"
    (cd / && slurm "$1" sbatch --parsable --no-requeue -w "mi325x-amds_0$2" --gres=gpu:mi325x:8 \
        -o "$1/spool/job-%j.out" "$TMPDIR/job")
}

state() # DIR JOB
{
    slurm "$1" scontrol -o show job "$2" 2>/dev/null | sed -n 's/.* JobState=\([A-Z_]*\).*/\1/p'
}

job_is() # DIR JOB STATE
{
    [ "$(state "$1" "$2")" = "$3" ]
}

node_is() # DIR NODE STATE
{
    [ "$(slurm "$1" sinfo -h -n "mi325x-amds_0$2" -o %T)" = "$3" ]
}

sql() # DIR
{
    psql -X -q -w -At "host=$1/pg dbname=sweepd user=sweepd" -c "${2:-select 6 * 7}" 2>&1
}

up_both()
{
    local first second
    "$TESTBED" up "$A" --no-sweepd --nodes 2 --spool-faults &
    first=$!
    "$TESTBED" up "$B" --no-sweepd --nodes 2 &
    second=$!
    wait "$first" && wait "$second"
}

# --- side by side ---------------------------------------------------------------
check 'two testbeds come up at once' up_both
check 'status of the first' "$TESTBED" status "$A"
check 'status of the second' "$TESTBED" status "$B"
is "$(sql "$A")" 42 'PostgreSQL of the first answers'
is "$(sql "$B")" 42 'PostgreSQL of the second answers'
check_fails 'up where one is already' 1 "$TESTBED" up "$A" --no-sweepd
holds "$OUTPUT" "testbed down $A" 'up where one is already: says what to do'
is "$("$TESTBED" env "$A")" "export SLURM_CONF=$A/login/slurm.conf
export SWEEPD_SERVER=unix:$A/sweepd.sock
export SWEEPD_DATABASE=host=$A/pg\\ dbname=sweepd\\ user=sweepd
export SWEEPD_SPOOL=$A/spool" 'env prints shell exports'
ports=$(sed -n 's/.*Port=\([0-9]*\).*/\1/p' "$A/slurm.conf" "$B/slurm.conf" | xargs printf '%04X\n' | sort)
listeners=$(awk -F '[ :]+' '$7 == "0A" { print $3 ":" $4 }' /proc/net/tcp | grep -F ":${ports//$'\n'/$'\n':}" |
    sort -t: -k 2)
is "$listeners" "0100007F:${ports//$'\n'/$'\n'0100007F:}" 'all six daemons listen on the loopback alone'

# A payload that leaves its session, its parent and its environment.
runaway='(env -i setsid sleep 3000 &); echo $$ > '
job=$(submit "$A" 0 "$runaway$A/spool/pid; sleep 3000")
other=$(submit "$B" 0 "$runaway$B/spool/pid; sleep 3000")
check 'a job runs in the first' wait_for 20 test -s "$A/spool/pid"
check 'a job runs in the second' wait_for 20 test -s "$B/spool/pid"
is "$job $other" '1 1' 'each has its own job 1'

# --- nodes ----------------------------------------------------------------------
payload=$(cat "$A/spool/pid")
check 'kill-node' "$TESTBED" kill-node "$A" 0
check_fails 'kill-node: the payload is dead' 1 proc_start "$payload"
is "$(marked "SWEEPD_TESTBED_NODE=$A/n/mi325x-amds_00")" '' 'kill-node: nothing of the node lives'
is "$(state "$A" "$job")" RUNNING 'kill-node: nobody told slurmctld'
check 'kill-node: slurmctld finds out' wait_for 40 job_is "$A" "$job" NODE_FAIL
check 'kill-node: the other testbed is untouched' proc_start "$(cat "$B/spool/pid")"
check_fails 'status while a node is dead' 1 "$TESTBED" status "$A"
check 'start-node' "$TESTBED" start-node "$A" 0
check 'start-node: the node is idle' wait_for 20 node_is "$A" 0 idle

job=$(submit "$A" 1 "echo \$\$ > $A/spool/pid1; sleep 3000")
check 'stop-node: a job runs' wait_for 20 test -s "$A/spool/pid1"
check 'stop-node' "$TESTBED" stop-node "$A" 1
check 'stop-node: the payload goes on' proc_start "$(cat "$A/spool/pid1")"
check 'start-node after stop-node' "$TESTBED" start-node "$A" 1
slurm "$A" scancel "$job"
check 'start-node: the job can be cancelled again' wait_for 20 job_is "$A" "$job" CANCELLED
check 'drain-node' "$TESTBED" drain-node "$A" 1
check 'drain-node: it drains' wait_for 20 node_is "$A" 1 drained
check 'undrain-node' "$TESTBED" undrain-node "$A" 1
check 'undrain-node: it is idle' wait_for 20 node_is "$A" 1 idle
check_fails 'a node that is not there' 1 "$TESTBED" kill-node "$A" 2

# --- the spool ------------------------------------------------------------------
job=$(submit "$A" 0 "cd $A/spool; while :; do date +%N > tick.new; mv tick.new tick; sleep 0.05; done")
tick_is_not() # TEXT
{
    [ "$(cat "$A/spool/tick" 2>/dev/null)" != "$1" ]
}
ticks() # SECONDS
{
    wait_for "$1" tick_is_not "$(cat "$A/spool/tick" 2>/dev/null)"
}
check 'a job writes in the spool' ticks 20
check 'freeze-spool' "$TESTBED" freeze-spool "$A"
ticks 1 # what was on its way
check_fails 'freeze-spool: the job hangs' 1 ticks 1
is "$(state "$A" "$job")" RUNNING 'freeze-spool: it has not failed'
check 'thaw-spool' "$TESTBED" thaw-spool "$A"
check 'thaw-spool: the job goes on' ticks 10
check 'fill-spool' "$TESTBED" fill-spool "$A"
ticks 1
check_fails 'fill-spool: nothing is written' 1 ticks 1
check 'fill-spool: the job is told why' grep -q 'No space left on device' "$A/spool/job-$job.out"
check 'empty-spool' "$TESTBED" empty-spool "$A"
check 'empty-spool: the job goes on' ticks 10
check_fails 'freeze-spool without --spool-faults' 1 "$TESTBED" freeze-spool "$B"
holds "$OUTPUT" '--spool-faults' 'freeze-spool without --spool-faults: says so'

# --- munge ----------------------------------------------------------------------
credential() # of the login side, checked by the cluster's munged
{
    munge -S "$A/munge/login.sock" -n | unmunge -S "$A/munge/munge.sock"
}
login_squeue()
{
    SLURM_CONF=$A/login/slurm.conf timeout 20 squeue -h
}
check 'munge: the login side is believed' credential
check 'munge: and Slurm answers it' login_squeue
check 'skew-munge backward' "$TESTBED" skew-munge "$A" -4000
holds "$(credential)" 'Expired credential' 'skew-munge backward: its credentials are too old'
check_fails 'skew-munge backward: Slurm refuses' 1 login_squeue
check 'skew-munge backward: the cluster itself goes on' slurm "$A" squeue -h
check 'skew-munge forward' "$TESTBED" skew-munge "$A"
holds "$(credential)" 'Rewound credential' 'skew-munge forward: its credentials are from the future'
check 'start-munge' "$TESTBED" start-munge "$A"
check 'start-munge: the login side is believed again' credential
check 'stop-munge' "$TESTBED" stop-munge "$A"
check_fails 'stop-munge: Slurm has no way to sign' 1 login_squeue
check 'start-munge again' "$TESTBED" start-munge "$A"
check 'start-munge again: Slurm answers' login_squeue

# --- slurmctld, PostgreSQL -------------------------------------------------------
for verb in stop kill; do
    check "$verb-ctld" "$TESTBED" "$verb-ctld" "$A"
    check_fails "$verb-ctld: it is away" 1 slurm "$A" squeue -h
    check "$verb-ctld: start-ctld" "$TESTBED" start-ctld "$A"
    is "$(state "$A" "$job")" RUNNING "$verb-ctld: its job is still known"
    sql "$A" "create table if not exists t (verb text); insert into t values ('$verb')" > /dev/null
    check "$verb-pg" "$TESTBED" "$verb-pg" "$A"
    holds "$(sql "$A")" 'Is the server running' "$verb-pg: it is away"
    check "$verb-pg: start-pg" "$TESTBED" start-pg "$A"
    is "$(sql "$A" 'select verb from t' | tail -n 1)" "$verb" "$verb-pg: what was committed is there"
done

# --- the end ---------------------------------------------------------------------
segments() # SERVER...: what System V memory they left
{
    awk -v pids=" $* " 'NR > 1 && index(pids, " " $5 " ") { print $2 }' /proc/sysvipc/shm
}
servers="$(head -qn 1 "$A/pg/data/postmaster.pid" "$B/pg/data/postmaster.pid" | tr '\n' ' ')"
check 'each server has its shared memory' test -n "$(segments "$servers")"
check 'the first goes down' "$TESTBED" down "$A"
check 'the first goes down: its folder is gone' test ! -e "$A"
is "$(marked "SWEEPD_TESTBED=$A")" '' 'the first goes down: so are its processes'
check 'the first goes down: the second stays' "$TESTBED" status "$B"
payload=$(cat "$B/spool/pid")
check 'the second goes down after a crash of its database' sh -c "$TESTBED kill-pg $B && $TESTBED down $B"
check_fails 'the second goes down: its payload too' 1 proc_start "$payload"
is "$(marked "SWEEPD_TESTBED=$B")" '' 'the second goes down: so are its processes'
is "$(segments "$servers")" '' 'no shared memory is left'

# --- an ordinary user, in a folder that was there before ---------------------------
mkdir -p "$TMPDIR/plain/bed"
[ "$EUID" -ne 0 ] || chown -R 65534:65534 "$TMPDIR/plain"
P=$TMPDIR/plain/bed
check 'an ordinary user brings it up' "${PLAIN[@]}" "$TESTBED" up "$P" --no-sweepd --nodes 2
check 'an ordinary user: status' "${PLAIN[@]}" "$TESTBED" status "$P"
is "$("${PLAIN[@]}" psql -X -q -w -At "host=$P/pg dbname=sweepd user=sweepd" -c 'select 6 * 7')" 42 \
    'an ordinary user: PostgreSQL answers'
check 'an ordinary user: a job runs' "${PLAIN[@]}" env "SLURM_CONF=$P/slurm.conf" \
    sh -c "cd / && timeout 20 srun --gres=gpu:mi325x:8 -o $P/spool/out true"
check 'an ordinary user takes it down' "${PLAIN[@]}" "$TESTBED" down "$P"
is "$(find "$TMPDIR/plain" | sort | tr '\n' ' ')" "$TMPDIR/plain $P " \
    'an ordinary user: the folder is there and empty'
is "$(marked "SWEEPD_TESTBED=$P")" '' 'an ordinary user: no process is left'

# --- refused, and interrupted ------------------------------------------------------
touch "$P/theirs"
check_fails 'up in a folder with other files' 1 "$TESTBED" up "$P" --no-sweepd
check 'up in a folder with other files: they stay' test -e "$P/theirs"
check_fails 'down where no testbed is' 1 "$TESTBED" down "$P"
check_fails 'a path that is too long' 1 "$TESTBED" up "$TMPDIR/$(printf '%060d' 1)"
check_fails 'an unknown option' 2 "$TESTBED" up "$A" --nodez 2
check_fails 'a number of nodes that is none' 2 "$TESTBED" up "$A" --nodes 0
mkdir "$TMPDIR/build"
printf '#!/bin/sh\necho I cannot do that\nexit 1\n' > "$TMPDIR/build/sweepd"
chmod +x "$TMPDIR/build/sweepd"
check_fails 'a sweepd that ends' 1 "$TESTBED" up "$A" --nodes 1 --build "$TMPDIR/build"
holds "$OUTPUT" 'I cannot do that' 'a sweepd that ends: its words are shown'
is "$(ls -d "$A" 2>/dev/null) $(marked "SWEEPD_TESTBED=$A")" ' ' 'a sweepd that ends: nothing stays'
rm -r "$TMPDIR/build"
check_fails 'an unknown verb' 1 "$TESTBED" dance "$A"
for moment in .testbed run/munge pg/data run/slurmctld run/mi325x-amds_01 run/postgres; do
    "$TESTBED" up "$A" --no-sweepd --nodes 2 2>/dev/null &
    starter=$!
    wait_for 20 test -e "$A/$moment"
    kill -TERM "$starter"
    wait "$starter"
    is "$? $(ls "$TMPDIR") $(marked "SWEEPD_TESTBED=$A")" "143 $(printf 'job\nplain') " \
        "interrupted when there is $moment: nothing stays"
done
tap_done
