# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# kill -9 of sweepd during sweeps: each must end as if nothing had happened.

readonly POINTS=32
readonly SWEEP_SECONDS=180 # for a whole sweep, kill and restart included

# States of all attempts as the database has them, "intent=3 running=8".
attempt_states()
{
    sql "select string_agg(state || '=' || n, ' ' order by state) from
         (select a.state, count(*) n from attempt a join sweep s on s.seq = a.sweep where s.id = '$1' group by a.state) c"
}

has_event() # SWEEP KIND COUNT
{
    [ "$(api "events?limit=5000&sweep=$1" | jq "[.events[] | select(.kind == \"$2\")] | length")" -ge "$3" ]
}

# When to kill: the first runs aim at the states that pass quickly, the others
# fall anywhere in the sweep.
wait_for_moment() # RUN SWEEP
{
    case $1 in
    1) ;; # at once: intents, submits under way
    2) wait_for 60 has_event "$2" attempt_submitted 4 ;;
    3) wait_for 60 has_event "$2" attempt_ended 2 ;;
    4) wait_for 60 has_event "$2" attempt_phase 20 ;;
    *) sleep "$((RANDOM % 12)).$((RANDOM % 10))" ;; # chance, not a condition: any moment will do
    esac
}

one_run() # RUN
{
    local sweep states jobs starts
    : > "$BED/starts"
    sweep=$(sweepctl submit "$KEY" --keep-going --json | jq -r .sweep.id)
    wait_for_moment "$1" "$sweep"
    testbed kill-sweepd "$BED"
    states=$(attempt_states "$sweep")
    ALL_STATES+=" $states"
    printf '# run %s: killed with %s\n' "$1" "$states"
    testbed start-sweepd "$BED"
    wait_for "$SWEEP_SECONDS" sweep_done "$sweep"
    is "$(api "sweeps/$sweep" | jq -c .sweep.outcomes)" "{\"pass\":$POINTS}" "run $1: 32 results"
    wait_for 30 no_live_jobs
    jobs=$(slurm_jobs | grep -cFf <(sql "select token from attempt a join sweep s on s.seq = a.sweep where s.id = '$sweep'"))
    starts=$(start_lines | wc -l)
    is "$jobs" "$POINTS" "run $1: 32 jobs in slurmctld's list"
    is "$starts" "$POINTS" "run $1: 32 payloads started"
    is "$(start_lines | awk '{ print $1 }' | sort | uniq -d | wc -l)" 0 "run $1: no token twice"
}

runs() # COUNT
{
    local run
    ALL_STATES=
    bed_up --speed 4000
    for ((run = 1; run <= $1; run++)); do
        one_run "$run"
    done
    printf '# states at the kills:%s\n' "$(tr ' ' '\n' <<< "$ALL_STATES" | sed -n 's/=.*//p' | sort | uniq -c | tr -s ' \n' ' ')"
}
