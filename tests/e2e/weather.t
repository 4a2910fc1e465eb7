#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# suites: check check-san
# timeout: 400
# Bad weather during a sweep: what is around sweepd goes away and comes back.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

readonly PART='--conc 1,4,8,16'

submit_part()
{
    # shellcheck disable=SC2086 # two words
    sweepctl submit "$KEY" --keep-going --json $PART | jq -r .sweep.id
}

health_is() # MEMBER STATE
{
    [ "$(api health | jq -r ".$1.state")" = "$2" ]
}

running() # SWEEP COUNT
{
    [ "$(api "sweeps/$1/points" | jq '[.points[] | select(.attempt_state == "running")] | length')" -ge "$2" ]
}

finished() # SWEEP COUNT
{
    [ "$(api "sweeps/$1" | jq .sweep.points.done)" -ge "$2" ]
}

# A slurmctld that forgot jobs gives their ids again; a node that still has the
# first job drains itself ("Duplicate jobid"), and its administrator looks into it.
looked_after() # SWEEP
{
    local node
    for node in $(sinfo -h -N -t drain -o %N 2> /dev/null); do
        testbed undrain-node "$BED" "${node##*_}"
    done
    sweep_done "$1"
}

all_pass() # SWEEP NAME
{
    wait_for 120 looked_after "$1"
    is "$(api "sweeps/$1" | jq -c '.sweep | [.outcomes.pass == .points_total, .outcomes]' | cut -c1-5)" '[true' "$2"
}

slurmctld_goes_away()
{
    local sweep
    sweep=$(submit_part)
    wait_for 30 running "$sweep" 2
    testbed kill-ctld "$BED"
    wait_for 30 health_is slurm down
    tap_result $? 'slurmctld down: health says so'
    is "$(api health | jq -r .status)" degraded 'and is degraded'
    is "$(sql "select count(*) from attempt where state = 'lost'")" 0 'no attempt is called lost'
    testbed start-ctld "$BED"
    wait_for 30 health_is slurm up
    tap_result $? 'slurmctld back: health says so'
    all_pass "$sweep" 'slurmctld down and up: all pass'
}

postgres_goes_away()
{
    local sweep jobs
    sweep=$(submit_part)
    wait_for 30 running "$sweep" 2
    testbed stop-pg "$BED"
    wait_for 30 health_is database down
    tap_result $? 'PostgreSQL down: health says so'
    jobs=$(slurm_jobs | wc -l)
    check_fails 'a submit is refused' 4 sweepctl submit "$KEY" --supersede
    is "$(api "sweeps/$sweep" | jq -r .sweep.id)" "$sweep" 'reads go on'
    wait_for 30 no_running_jobs
    is "$(slurm_jobs | wc -l)" "$jobs" 'no job is submitted meanwhile'
    testbed start-pg "$BED"
    wait_for 30 health_is database up
    tap_result $? 'PostgreSQL back: health says so'
    all_pass "$sweep" 'PostgreSQL down and up: all pass'
}

no_running_jobs()
{
    [ "$(squeue -h -t running -o %i | wc -l)" -eq 0 ]
}

munge_goes_away()
{
    local sweep
    sweep=$(submit_part)
    wait_for 30 running "$sweep" 2
    testbed stop-munge "$BED"
    wait_for 30 health_is slurm down
    tap_result $? 'munge down: health says so'
    testbed start-munge "$BED"
    wait_for 30 health_is slurm up
    all_pass "$sweep" 'munge down and up: all pass'
}

readonly FORGET_TRIES=4 # slurmctld saves its state now and then; it has to be caught before

# slurmctld, killed right after it acknowledged a job, forgets it and gives its id to the
# next one: the whole official sweep, with no mix-up.
acknowledged_and_forgotten()
{
    local sweep tokens try reused=0
    for ((try = 1; try <= FORGET_TRIES && reused == 0; try++)); do
        : > "$BED/starts"
        tokens=$(sql 'select count(*) from attempt where job_id > 0')
        sweep=$(sweepctl submit "$KEY" --keep-going --json | jq -r .sweep.id)
        wait_for 20 acknowledged "$tokens"
        testbed kill-ctld "$BED"
        testbed start-ctld "$BED"
        all_pass "$sweep" 'jobs forgotten by slurmctld: all points pass'
        is "$(start_lines | awk '{ print $1 }' | sort | uniq -d | wc -l)" 0 'no attempt ran twice'
        reused=$(sql "select count(*) from (select job_id from attempt a join sweep s on s.seq = a.sweep
            where s.id = '$sweep' and job_id > 0 group by job_id having count(distinct token) > 1) r")
    done
    check 'ids were given again to other attempts' test "$reused" -gt 0
    is "$(sql "select count(*) from v_result where sweep = '$sweep' and outcome = 'pass'")" 32 '32 results'
    is "$(mixed_up "$sweep")" 0 'each result is of its own attempt'
    printf '# %s\n' "$(sql "select string_agg(state || '=' || n, ' ') from (select a.state, count(*) n from attempt a
        join sweep s on s.seq = a.sweep where s.id = '$sweep' group by a.state) c")"
}

# Results whose folder holds the end record of another token.
mixed_up() # SWEEP
{
    sql "select point || '/' || attempt || ' ' || token from v_result where sweep = '$1'" |
        while read -r where token; do
            [ "$(jq -r .token "$SWEEPD_SPOOL/$1/$where/end.json")" = "$token" ] || echo "$where"
        done | wc -l
}

acknowledged() # ATTEMPTS BEFORE
{
    [ "$(sql 'select count(*) from attempt where job_id > 0')" -gt "$1" ]
}

a_second_sweepd()
{
    local other=$TMPDIR/second
    sed -e "s|$BED/sweepd.sock|$other.sock|" -e "s|tcp: \"[^\"]*\"|tcp: \"\"|" "$BED/sweepd.yaml" > "$other.yaml"
    "$BUILD/sweepd" --config "$other.yaml" 2> "$other.log" &
    local pid=$!
    wait_for 20 second_is standby
    tap_result $? 'a second sweepd stands by'
    holds "$(second health | jq -r .lock_holder)" "pid $(sql 'select holder from writer' | sed 's/.*pid //')" 'it says who holds the lock'
    is "$(second sweeps | jq '.sweeps | length')" "$(api sweeps | jq '.sweeps | length')" 'it serves reads'
    is "$(second sweeps -X POST -d "{\"key\":\"$KEY\"}" | jq -r .code)" standby 'it refuses writes'
    testbed kill-sweepd "$BED"
    wait_for 20 second_is active
    tap_result $? 'it takes over when the first one dies'
    kill "$pid"
    wait "$pid"
    is $? 0 'and ends on TERM'
    testbed start-sweepd "$BED"
    rm -f "$other".*
}

second()
{
    local path=$1
    shift
    curl -s --max-time 20 --unix-socket "$TMPDIR/second.sock" "$@" "http://localhost/api/v1/$path"
}

second_is()
{
    [ "$(second health | jq -r .role)" = "$1" ]
}

bad_start()
{
    local bad=$TMPDIR/bad began
    sed -e "s|conf: \"[^\"]*\"|conf: \"$bad.conf\"|" -e "s|$BED/sweepd.sock|$bad.sock|" -e "s|tcp: \"[^\"]*\"|tcp: \"\"|" \
        "$BED/sweepd.yaml" > "$bad.yaml"
    began=$SECONDS
    check_fails 'a missing slurm.conf: exit 1' 1 timeout 20 "$BUILD/sweepd" --config "$bad.yaml"
    holds "$OUTPUT" "$bad.conf" 'it names the file'
    echo 'NoSuchKey=1' > "$bad.conf"
    check_fails 'a wrong slurm.conf: exit 1' 1 timeout 20 "$BUILD/sweepd" --config "$bad.yaml"
    check 'within seconds' test $((SECONDS - began)) -lt 15
    sed 's/^spool:/spol:/' "$BED/sweepd.yaml" > "$bad.yaml"
    check_fails 'an unknown key: exit 1' 1 timeout 20 "$BUILD/sweepd" --check-config --config "$bad.yaml"
    holds "$OUTPUT" 'did you mean' 'with a suggestion'
    rm -f "$bad".*
}

slurm_child()
{
    pgrep -P "$(cut -d ' ' -f 1 "$BED/run/sweepd")" -x sweep-slurm
}

another_child() # PID
{
    local now
    now=$(slurm_child) && [ -n "$now" ] && [ "$now" != "$1" ]
}

# The child that talks to Slurm dies, and hangs.
the_child_goes_away()
{
    local sweep child
    sweep=$(submit_part)
    wait_for 30 running "$sweep" 2
    child=$(slurm_child)
    kill -KILL "$child"
    wait_for 20 another_child "$child"
    tap_result $? 'sweep-slurm killed: another one is started'
    child=$(slurm_child)
    kill -STOP "$child"
    wait_for 40 another_child "$child"
    tap_result $? 'sweep-slurm stopped: it is ended at its deadline and another one is started'
    all_pass "$sweep" 'sweep-slurm dead and hung: all pass'
}

# A node crashes with its payload, and what the job wrote last is cut in half.
a_node_crashes()
{
    local sweep dir node out
    sweep=$(sweepctl submit "$KEY" --keep-going --json --points tp4-c8 | jq -r .sweep.id)
    dir=$SWEEPD_SPOOL/$sweep/tp4-c8/1
    wait_for 30 running "$sweep" 1
    wait_for 30 test -e "$dir/server.log"
    node=$(api "sweeps/$sweep/points" | jq -r '.points[0].node')
    testbed kill-node "$BED" "${node##*_}"
    printf '{"version":1,"tok' > "$dir/end.json"
    wait_for 90 sweep_done "$sweep"
    out=$(api "sweeps/$sweep/points/tp4-c8")
    is "$(jq -r '.point.outcome' <<< "$out")" pass 'a node crashes: the point passes elsewhere'
    is "$(jq -r '.point.attempts[0] | .outcome + " " + .blame' <<< "$out")" 'node_fail node' 'half an end record: the attempt has an outcome'
    is "$(jq -r --arg n "$node" '.point.attempts[1].node != $n' <<< "$out")" true 'on another node'
    testbed start-node "$BED" "${node##*_}"
}

# The attempt's folder vanishes under a running job.
a_folder_vanishes()
{
    local sweep
    sweep=$(sweepctl submit "$KEY" --keep-going --json --points tp4-c8 | jq -r .sweep.id)
    wait_for 30 test -e "$SWEEPD_SPOOL/$sweep/tp4-c8/1/server.log"
    rm -rf "${SWEEPD_SPOOL:?}/$sweep/tp4-c8/1"
    wait_for 120 sweep_done "$sweep"
    tap_result $? 'a result folder that is gone: the sweep ends'
    printf '# %s\n' "$(api "sweeps/$sweep/points/tp4-c8" | jq -c '[.point.attempts[] | [.outcome, .reason]]')"
}

# A backend that neither answers nor ends, and a file server that is away.
nobody_answers()
{
    local backend sweep
    sweep=$(submit_part)
    wait_for 30 running "$sweep" 2
    backend=$(sql "select pid from pg_stat_activity where application_name = 'sweepd'")
    kill -STOP "$backend"
    wait_for 40 health_is database down
    tap_result $? 'PostgreSQL hangs: health says so'
    check_fails 'and a submit is refused' 4 sweepctl submit "$KEY" --supersede
    kill -CONT "$backend"
    wait_for 30 health_is database up
    tap_result $? 'PostgreSQL goes on'
    testbed freeze-spool "$BED"
    wait_for 60 health_is spool down
    tap_result $? 'the spool hangs: health says so'
    testbed thaw-spool "$BED"
    wait_for 60 health_is spool up
    all_pass "$sweep" 'database and spool hung: all pass'
}

# Reads are for everybody on the machine, writes are not.
others_only_read()
{
    [ "$(id -u)" -eq 0 ] || return 0
    chmod 711 "$TMPDIR" "$BED"
    is "$(setpriv --reuid=65534 --regid=65534 --clear-groups curl -s --unix-socket "$BED/sweepd.sock" \
        http://localhost/api/v1/health | jq -r .role)" active 'another user reads'
    is "$(setpriv --reuid=65534 --regid=65534 --clear-groups curl -s --unix-socket "$BED/sweepd.sock" \
        -X POST -d "{\"key\":\"$KEY\"}" http://localhost/api/v1/sweeps | jq -r .code)" forbidden 'another user submits nothing'
}

bed_up --speed 3000 --spool-faults
others_only_read
nobody_answers
slurmctld_goes_away
postgres_goes_away
munge_goes_away
acknowledged_and_forgotten
a_second_sweepd
bad_start
the_child_goes_away
a_node_crashes
a_folder_vanishes
tap_done
