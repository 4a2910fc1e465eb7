#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# suites: check check-san
# timeout: 420
# The official sweep from submit to results on real Slurm and PostgreSQL; a point that is made to
# fail; fail-fast; conflicts; what must be refused before a job exists.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

readonly POINTS=32

# The known peak of each arm, and the points beyond it, from the measured discovery.
knees()
{
    jq -r '
        [.results[] | {arm, conc, tps: .total_tps_per_gpu}] | group_by(.arm)[]
        | "\(.[0].arm) \(max_by(.tps).conc)"' <<< "$1" | sort | tr '\n' ';'
}

tps()
{
    jq -r --arg p "$2" '.results[] | select(.name == $p) | .total_tps_per_gpu' <<< "$1"
}

lower()
{
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a + 0 > 0 && a + 0 < b + 0) }'
}

official_sweep()
{
    local out results status=0
    out=$(sweepctl submit "$KEY" --keep-going --wait --json) || status=$?
    is "$status" 0 'submit --wait ends with 0'
    is "$(jq -c '.sweep.outcomes' <<< "$out")" "{\"pass\":$POINTS}" 'all points pass, counted by outcome'
    SWEEP=$(jq -r .sweep.id <<< "$out")
    results=$(api "sweeps/$SWEEP/results")
    is "$(jq '[.results[] | select(.al >= 3.34 and .al <= 3.44)] | length' <<< "$results")" "$POINTS" \
        'AL is 3.39 +/- 0.05 in each'
    is "$(knees "$results")" 'tp2ep2 4;tp4 40;tp4ep4 40;tp8 64;tp8ep8 64;' 'throughput peaks at the known knees'
    check 'tp8 c80 is lower than its knee' lower "$(tps "$results" tp8-c80)" "$(tps "$results" tp8-c64)"
    check 'tp2ep2 c6 is lower than its knee' lower "$(tps "$results" tp2ep2-c6)" "$(tps "$results" tp2ep2-c4)"
    is "$(sql "select count(*) from v_result where sweep = '$SWEEP' and outcome = 'pass'")" "$POINTS" 'v_result has a row per point'
    is "$(sql "select passed || ' of ' || points || ', ' || state from v_sweep where sweep = '$SWEEP'")" \
        "$POINTS of $POINTS, done" 'v_sweep agrees'
    is "$(sql "select count(distinct point) from v_point where sweep = '$SWEEP'")" "$POINTS" 'v_point has 32 names'
    wait_for 30 no_live_jobs
    is "$(slurm_jobs | wc -l)" "$POINTS" 'slurmctld counts 32 jobs'
    is "$(start_lines | wc -l)" "$POINTS" '32 payloads started'
    is "$(start_lines | awk '{ print $1 }' | sort -u | wc -l)" "$POINTS" 'no token twice'
    is "$(slurm_jobs | grep -vc ' COMPLETED sweepd:')" 0 'every job completed and carries its token'
}

# A point whose replay ends with a code of its own, at every attempt.
one_bad_point()
{
    local out status=0
    echo 'tp4-c8 al-off' > "$BED/faults"
    out=$(sweepctl submit "$KEY" --keep-going --wait --json) || status=$?
    is "$status" 1 'a failed point makes it exit 1'
    is "$(jq -c '.sweep.outcomes' <<< "$out")" '{"pass":31,"al_off":1}' '31 pass, one does not'
    out=$(api "sweeps/$(jq -r .sweep.id <<< "$out")/points/tp4-c8")
    is "$(jq -r .point.outcome <<< "$out")" al_off 'its outcome'
    holds "$(jq -r .point.reason <<< "$out")" '3.39 +/- 0.05' 'its reason names the limit'
    is "$(jq '[.point.attempts[-1].evidence[] | select(.holds | not) | .rule] | index("al") != null' <<< "$out")" \
        true 'the evidence is kept'
}

fail_fast()
{
    local out status=0 id
    echo 'tp8-c80 al-off' > "$BED/faults"
    out=$(sweepctl submit "$KEY" --fail-fast --wait --json) || status=$?
    is "$status" 1 'fail-fast ends with 1'
    id=$(jq -r .sweep.id <<< "$out")
    is "$(jq -r '.sweep.outcomes.al_off' <<< "$out")" 1 'the one that failed'
    check 'its siblings are cancelled' test "$(jq -r '.sweep.outcomes.cancelled' <<< "$out")" -gt 0
    is "$(jq '[.sweep.outcomes | to_entries[].value] | add' <<< "$out")" "$POINTS" 'every point has an outcome'
    wait_for 30 no_live_jobs
    is "$(live_jobs)" 0 'none of their jobs is left in Slurm'
    holds "$(jq -r .sweep.reason <<< "$out")" 'tp8-c80' 'the sweep says which point it was'
    : > "$BED/faults"
    sweep_done "$id"
    tap_result $? 'the sweep is over'
}

refusals()
{
    local dir=$TMPDIR/bad jobs before
    jobs=$(slurm_jobs | wc -l)
    before=$(sql 'select count(*) from sweep')
    mkdir -p "$dir"
    make_bad unknown-field 's/^  precision: fp8/  precison: fp8/'
    make_bad duplicate-key 's/^  precision: fp8/  precision: fp8\n  precision: fp8/'
    make_bad bad-conc 's/conc-list: \[1, 4, 6\]/conc-list: [1, 0, 6]/'
    make_bad ep-not-dividing 's/tp: 2, ep: 2/tp: 2, ep: 3/'
    make_bad tp-over-node 's/tp: 8, ep: 1/tp: 16, ep: 1/'
    make_bad empty-matrix 's/conc-list: \[[^]]*\]/conc-list: []/'
    for file in "$dir"/*.yaml; do
        check_fails "$(basename "$file" .yaml) is refused" 2 sweepctl submit "$KEY" --config "$file"
        tap_result "$([[ $OUTPUT =~ $(basename "$file"):[0-9]+:[0-9]+ ]] && echo 0 || echo 1)" \
            "$(basename "$file" .yaml): with file, line and column" "$OUTPUT"
    done
    is "$(sql 'select count(*) from sweep')" "$before" 'no row in the database'
    is "$(slurm_jobs | wc -l)" "$jobs" 'no job'
    rm -r "$dir"
}

make_bad() # NAME SED-SCRIPT
{
    sed "$2" "$TREE/etc/matrices/$KEY.yaml" > "$dir/$1.yaml"
    cmp -s "$TREE/etc/matrices/$KEY.yaml" "$dir/$1.yaml" && tap_result 1 "$1: the fault was planted"
}

# The daemon runs the same rules at submit: a replay flag that the client does not know.
a_bad_recipe()
{
    local recipes=$TMPDIR/recipes jobs before
    jobs=$(slurm_jobs | wc -l)
    before=$(sql 'select count(*) from sweep')
    cp -r "$TREE/slurm/recipes" "$recipes"
    sed -i 's/--apply-chat-template/--use-chat-template/' "$recipes"/*.sh
    sed -i "s|^recipes: .*|recipes: \"$recipes\"|" "$BED/sweepd.yaml"
    testbed stop-sweepd "$BED"
    testbed start-sweepd "$BED"
    check_fails 'submit refuses a flag that the client does not know' 2 sweepctl submit "$KEY"
    holds "$OUTPUT" '--apply-chat-template' 'with the hint'
    holds "$OUTPUT" 'Nothing submitted' 'and says so'
    is "$(sql 'select count(*) from sweep')" "$before" 'no row in the database'
    is "$(slurm_jobs | wc -l)" "$jobs" 'no job'
    sed -i "s|^recipes: .*|recipes: \"$TREE/slurm/recipes\"|" "$BED/sweepd.yaml"
    testbed stop-sweepd "$BED"
    testbed start-sweepd "$BED"
    rm -r "$recipes"
}

tcp_url()
{
    sed -n 's|^listen:.*tcp: "\(.*\)"}.*|http://\1|p' "$BED/sweepd.yaml"
}

reading_over_tcp()
{
    local url etag
    url=$(tcp_url)
    is "$(curl -s "$url/api/v1/sweeps" | jq -r '.sweeps[-1].id')" "$SWEEP" 'TCP: sweeps are read'
    is "$(curl -s -o /dev/null -w '%{http_code}' -X POST -d '{}' "$url/api/v1/sweeps")" 403 'TCP: nothing is written'
    is "$(SWEEPD_SERVER=$url sweepctl results "$SWEEP" --json | jq '.results | length')" "$POINTS" 'TCP: sweepctl reads'
    check_fails 'TCP: sweepctl is refused a submit' 4 env SWEEPD_SERVER="$url" "$BUILD/sweepctl" submit "$KEY"
    etag=$(curl -s -D - -o /dev/null "$url/api/v1/sweeps/$SWEEP" | tr -d '\r' | sed -n 's/^[Ee][Tt]ag: //p')
    is "$(curl -s -o /dev/null -w '%{http_code}' -H "If-None-Match: $etag" "$url/api/v1/sweeps/$SWEEP")" 304 'TCP: an unchanged page is not sent again'
}

the_event_log()
{
    local all half
    all=$(api 'events?limit=5000')
    is "$(jq '[.events[].id] | . == sort and length == (unique | length)' <<< "$all")" true 'event ids rise'
    is "$(jq '.last_id' <<< "$all")" "$(sql 'select max(id) from event')" 'the log ends where the database does'
    half=$(jq '.events[(.events | length) / 2 | floor].id' <<< "$all")
    is "$(api "events?after=$half&limit=1" | jq '.events[0].id')" $((half + 1)) 'the cursor goes on behind an id'
    is "$(sql "select count(*) from event where kind = 'attempt_judged' and sweep_id = '$SWEEP'")" "$POINTS" 'an event per judged attempt'
}

# "These" must never turn into "all".
empty_lists()
{
    check_fails 'no points are not all points' 2 sweepctl submit "$KEY" --points ''
    check_fails 'no concurrencies are not all of them' 2 sweepctl submit "$KEY" --conc ''
    is "$(api sweeps -X POST -d "{\"key\":\"$KEY\",\"points\":[]}" | jq -r .code)" bad_request 'nor over HTTP: points'
    is "$(api sweeps -X POST -d "{\"key\":\"$KEY\",\"conc\":[]}" | jq -r .code)" bad_request 'nor over HTTP: conc'
}

a_plan()
{
    local out
    out=$(sweepctl plan "$KEY" --json)
    is "$(jq '.plan.rows | length' <<< "$out")" "$POINTS" 'the plan has every point'
    is "$(jq '[.plan.rows[].node] | unique | length' <<< "$out")" 8 'on all nodes'
    is "$(jq '.plan.ratio < 1.1 and .plan.ratio >= 1' <<< "$out")" true 'near its bound'
}

conflicts()
{
    local first second
    first=$(sweepctl submit "$KEY" --json --conc 1 | jq -r .sweep.id)
    check_fails 'a second submit of the key is a conflict' 6 sweepctl submit "$KEY" --conc 1
    holds "$OUTPUT" "$first" 'the conflict names the active sweep'
    second=$(sweepctl submit "$KEY" --json --conc 1 --supersede | jq -r .sweep.id)
    wait_for 60 sweep_done "$first"
    holds "$(api "sweeps/$first" | jq -r .sweep.reason)" "superseded by $second" 'the superseded one says by which'
    check 'cancel is accepted' sweepctl cancel "$second"
    wait_for 60 sweep_done "$second"
    tap_result $? 'the cancelled one ends'
    wait_for 30 no_live_jobs
    is "$(live_jobs)" 0 'no job of either is left'
    is "$(sweepctl submit "$KEY" --json --points 'tep4-c40,TP2/EP2-c4' --packed --fast | jq .sweep.points_total)" 2 \
        'points as people write them'
    wait_for 60 sweep_done "$(sweepctl status last --json | jq -r .sweep.id)"
    is "$(sweepctl status last --json | jq -c .sweep.outcomes)" '{"pass":2}' 'packed and fast'
}

bed_up --speed 1200
is "$(api health | jq -r .status)" ok 'healthy'
official_sweep
one_bad_point
fail_fast
reading_over_tcp
the_event_log
a_plan
empty_lists
refusals
a_bad_recipe
conflicts
tap_done
