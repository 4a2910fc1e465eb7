#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# suites: check check-san
# timeout: 240
# The batch script's body and the recipe's driver, without Slurm: a bundle, attempts, and a
# small model server and replay client that do what a case asks for.
# shellcheck disable=SC2317 # functions are called through check and wait_for
set -u

TREE=$(readlink -f -- "$(dirname -- "${BASH_SOURCE[0]}")/../..")
TMP=${TMPDIR:?}
BUNDLE=$TMP/bundle
FAKES=$TREE/tests/e2e/job
# shellcheck source=tests/lib/process.sh
. "$TREE/tests/lib/process.sh"
# shellcheck source=tests/lib/tap.sh
. "$TREE/tests/lib/tap.sh"

readonly PHASE_SECONDS=15   # for a job to reach a phase
readonly END_SECONDS=30     # for a job to end

finish()
{
    local mark
    for mark in "${!TOKENS[@]}"; do
        reap "SWEEPD_TOKEN=${TOKENS[$mark]}"
    done
    [ -z "${HOLDER:-}" ] || kill "$HOLDER" 2> /dev/null
    rm -rf -- "${TMP:?}"/*
}

# --- attempts ----------------------------------------------------------------------

declare -A TOKENS PIDS

make_bundle() # FOLDER
{
    mkdir -p "$1"
    cp "$TREE/slurm/job.sh" "$TREE/slurm/recipes/lib.sh" "$TREE/slurm/recipes/driver.sh" "$1"
    cp "$TREE/slurm/recipes/qwen3.5_fp8_mi325x_mtp.sh" "$1/recipe.sh"
    cp "$TREE/etc/flags/agentx-harness.txt" "$1/flags.txt"
    (cd "$1" && sha256sum job.sh recipe.sh lib.sh driver.sh flags.txt > MANIFEST)
}

# attempt NAME [KEY=VALUE...]: a folder with its job.env. A later line wins over an earlier one.
attempt()
{
    local name=$1 token
    shift
    token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
    TOKENS[$name]=$token
    mkdir -p "$TMP/$name"
    printf '%s\n' SWEEPD_SWEEP=1 SWEEPD_POINT=tp4-c40 SWEEPD_ATTEMPT=1 "SWEEPD_TOKEN=$token" \
        MODEL=Qwen/Qwen3.5-397B-A17B-FP8 MODEL_PREFIX=qwen3.5 IMAGE=lmsysorg/sglang:v1 FRAMEWORK=sglang \
        PRECISION=fp8 TP=4 PP_SIZE=1 DCP_SIZE=1 PCP_SIZE=1 EP_SIZE=1 DP_ATTENTION=false CONC=40 \
        SPEC_DECODING=mtp EVAL_ONLY=false SCENARIO_TYPE=agentic-coding KV_OFFLOADING=none \
        KV_OFFLOAD_BACKEND= TOTAL_CPU_DRAM_GB=0 DURATION=3600 AIPERF_EXPERIMENTAL_FAST=0 \
        "SWEEPD_SERVER_CMD=$FAKES/server" "SWEEPD_REPLAY_CMD=$FAKES/client" \
        SWEEPD_HEALTH_INTERVAL=0.05 SWEEPD_WATCH_INTERVAL=0.05 SWEEPD_STOP_GRACE=5 SWEEPD_TERM_GRACE=8 \
        "FAKE_STARTS=$TMP/$name.starts" "$@" > "$TMP/$name/job.env"
}

# As Slurm starts it: nothing in the environment but the whitelist and Slurm's own.
start() # NAME
{
    env -i "PATH=${JOB_PATH:-$PATH}" "HOME=$TMP" "TMPDIR=$TMP" "SWEEPD_ATTEMPT_DIR=$TMP/$1" \
        "SWEEPD_TOKEN=${TOKENS[$1]}" SLURM_JOB_ID=17 SLURMD_NODENAME=mi325x-amds_03 \
        bash "${JOB_BUNDLE:-$BUNDLE}/job.sh" >> "$TMP/$1/job.log" 2>&1 &
    PIDS[$1]=$!
}

ended()
{
    ! proc_start "${PIDS[$1]}" > /dev/null
}

finish_job() # NAME: sets STATUS
{
    wait_for "$END_SECONDS" ended "$1" || tap_result 1 "$1 ends in $END_SECONDS s" "$(cat "$TMP/$1/job.log")"
    wait "${PIDS[$1]}"
    STATUS=$?
}

run() # NAME
{
    start "$1"
    finish_job "$1"
}

in_phase() # NAME PHASE
{
    local word
    { read -r word _ < "$TMP/$1/phase"; } 2> /dev/null && [ "$word" = "$2" ]
}

reach() # NAME PHASE
{
    wait_for "$PHASE_SECONDS" in_phase "$1" "$2" ||
        tap_result 1 "$1 reaches the phase $2" "$(cat "$TMP/$1/job.log")"
}

field() # NAME JQ-PATH
{
    jq -r "$2" "$TMP/$1/end.json" 2>&1
}

# ends NAME REASON EXIT-CODE PHASE: the record says so, and nothing of the job is left.
ends()
{
    is "$(field "$1" '[.version, .token, .job_id, .node, .reason, .exit_code, .phase] | join(" ")')" \
        "1 ${TOKENS[$1]} 17 mi325x-amds_03 $2 $3 $4" "$1: the end record says $2" || sed 's/^/#   /' "$TMP/$1/job.log"
    is "$(marked "SWEEPD_TOKEN=${TOKENS[$1]}" | wc -l)" 0 "$1: no process is left"
    is "$(find "$TMP/$1" -maxdepth 1 -name '.*' -type f)" '' "$1: no temporary file is left"
    [ ! -e "$TMP/sweepd-${TOKENS[$1]}" ]
    tap_result $? "$1: its scratch folder is gone"
}

# --- a job that goes well -------------------------------------------------------------

test_pass()
{
    local sum port
    attempt pass
    run pass
    is "$STATUS" 0 'a job that goes well ends with 0'
    ends pass 'done' 0 collect
    sum=$(sha256sum < "$TMP/pass/aiperf_artifacts/profile_export_aiperf.json")
    is "$(field pass '.files["aiperf_artifacts/profile_export_aiperf.json"]')" "${sum%% *}" 'artifacts are listed with their sums'
    is "$(field pass '.files | length')" 2 'also one with an odd name'
    port=$(field pass .port)
    check 'the port is of the range' test "$port" -ge 40000 -a "$port" -le 49999
    check 'the times are in order' jq -e '.claimed_at > 1700000000 and .ended_at >= .claimed_at' "$TMP/pass/end.json"
    holds "$(cat "$TMP/pass/claim")" "job ${TOKENS[pass]} 17 mi325x-amds_03 " 'the claim says whose it is'
    holds "$(cat "$TMP/pass/server_env.txt")" 'SGLANG_SIMULATE_ACC_LEN=3.39' 'the environment is read back from the server'
    is "$(jq -c '[.api_key, .hf_token, .tokenizer_path, .tp_size]' "$TMP/pass/server_info.json")" \
        '["redacted","redacted","kept",4]' 'secrets are cut out of server_info.json'
    rendered_equals_run pass "$port"
}

# What was checked before is what ran, but for the port and the folder.
rendered_equals_run() # NAME PORT
{
    local line
    line=$(bash "$BUNDLE/recipe.sh" --render < "$TMP/$1/job.env" | jq -c . |
        sed "s|/RESULT_DIR|$TMP/$1|g; s|localhost:0|localhost:$2|g; s|\"--port\",\"0\"|\"--port\",\"$2\"|")
    is "$(cat "$TMP/$1/server_command.txt")" "$(jq -r '.server.argv[]' <<< "$line")" 'the server ran as rendered'
    is "$(cat "$TMP/$1/replay_command.txt")" "$(jq -r '.replay.argv[]' <<< "$line")" 'the client ran as rendered'
}

# --- the claim ------------------------------------------------------------------------

test_race()
{
    local round first starts
    for round in 1 2 3; do
        attempt "race$round"
        start "race$round"
        first=${PIDS[race$round]}
        start "race$round"
        finish_job "race$round"
        PIDS[race$round]=$first
        finish_job "race$round"
        starts=$(wc -l < "$TMP/race$round.starts")
        is "$starts" 1 "of two copies at once exactly one runs ($round)"
        ends "race$round" 'done' 0 collect
        is "$(grep -c 'this attempt is taken' "$TMP/race$round/job.log")" 1 'the other one says why not'
    done
    attempt once
    run once
    run once
    is "$STATUS $(wc -l < "$TMP/once.starts")" '0 1' 'a copy that wakes up late does nothing'
}

test_revoked()
{
    local before
    attempt revoked
    echo "revoked ${TOKENS[revoked]} daemon-1" > "$TMP/revoked/claim"
    run revoked
    is "$STATUS" 0 'a revoked attempt ends quietly'
    before='claim job.env job.log'
    is "$(find "$TMP/revoked" -mindepth 1 -printf '%f\n' | sort | paste -sd ' ')" "$before" 'and touches nothing'
    is "$(cat "$TMP/revoked/claim")" "revoked ${TOKENS[revoked]} daemon-1" 'the claim stays as it was'
    check_fails 'without its folder the job fails' 1 env SWEEPD_ATTEMPT_DIR="$TMP/nowhere" \
        SWEEPD_TOKEN="${TOKENS[revoked]}" SLURM_JOB_ID=1 bash "$BUNDLE/job.sh"
    check_fails 'without a token as well' 1 env SWEEPD_ATTEMPT_DIR="$TMP/revoked" SWEEPD_TOKEN=x SLURM_JOB_ID=1 \
        bash "$BUNDLE/job.sh"
}

# --- signals --------------------------------------------------------------------------

test_signals()
{
    attempt term FAKE_CLIENT=hold
    start term
    reach term profile
    kill -TERM "${PIDS[term]}"
    finish_job term
    ends term terminated 143 profile
    is "$(field term .signal)" 15 'the signal is recorded'
    check 'artifacts so far are listed' jq -e '.files | length == 2' "$TMP/term/end.json"

    attempt limit FAKE_CLIENT=hold
    start limit
    reach limit profile
    kill -USR1 "${PIDS[limit]}"
    finish_job limit
    ends limit time_limit 143 profile
    is "$(field limit .signal)" 10 'the warning of the time limit is recorded'

    attempt loading FAKE_SERVER=deaf
    start loading
    reach loading server
    kill -TERM "${PIDS[loading]}"
    kill -TERM "${PIDS[loading]}" 2> /dev/null # Slurm sends more than one
    finish_job loading
    ends loading terminated 143 server

    attempt killed FAKE_CLIENT=hold
    start killed
    reach killed profile
    kill -KILL "$(pgrep -f -- "recipe.sh --run $TMP/killed")"
    finish_job killed
    ends killed replay_failed 137 profile
}

# The whole job is told at once, as Slurm does: its end is still called by its name.
test_signal_to_all()
{
    local pids
    attempt all FAKE_CLIENT=hold
    start all
    reach all profile
    mapfile -t pids < <(marked "SWEEPD_TOKEN=${TOKENS[all]}")
    check 'the job has several processes' test ${#pids[@]} -ge 4
    kill -TERM "${pids[@]}" 2> /dev/null
    finish_job all
    ends all terminated 143 profile
}

# --- the server -----------------------------------------------------------------------

test_server()
{
    attempt deaf FAKE_SERVER=deaf SWEEPD_SERVER_TIMEOUT=1
    run deaf
    ends deaf server_timeout 1 server
    holds "$(field deaf .detail)" 'not ready after 1 s' 'the detail says how long was waited'

    attempt dies FAKE_SERVER=die
    run dies
    ends dies server_start 1 server
    is "$(field dies .detail)" 'the model server ended with status 3: cannot load' 'its status and last words are kept'

    attempt taken FAKE_SERVER=taken
    run taken
    ends taken port 1 server

    attempt oom FAKE_SERVER=oom
    run oom
    ends oom oom 1 server

    attempt nosuch SWEEPD_SERVER_CMD=/nonexistent/server
    run nosuch
    ends nosuch server_start 1 server

    attempt crash "FAKE_SERVER=crash $TMP/crash.now" FAKE_CLIENT=hold
    start crash
    reach crash profile
    touch "$TMP/crash.now"
    finish_job crash
    ends crash server_died 143 profile
    holds "$(field crash .detail)" 'ended with status 9' 'its status is kept'
}

# What reaches the server is read back before an hour is spent on it.
test_gate()
{
    attempt unset "SWEEPD_SERVER_CMD=env -u SGLANG_SIMULATE_ACC_LEN $FAKES/server"
    run unset
    ends unset config 1 server
    is "$(field unset .detail)" "the server's SGLANG_SIMULATE_ACC_LEN is '', not '3.39' as checked" \
        'a setting that does not reach the server ends the job'
    attempt other "SWEEPD_SERVER_CMD=env SGLANG_SIMULATE_ACC_LEN=3.33 $FAKES/server"
    run other
    ends other config 1 server
    check_fails 'before the client starts' 1 test -e "$TMP/other.starts"
}

# A server and its child ignore SIGTERM; the child has a session of its own and no environment.
test_stubborn()
{
    local pid
    attempt stubborn "FAKE_SERVER=stubborn $TMP/stubborn.pid" SWEEPD_STOP_GRACE=1
    run stubborn
    ends stubborn 'done' 0 collect
    pid=$(cat "$TMP/stubborn.pid")
    check 'the child had its own session' test -n "$pid"
    check_fails 'it is gone as well' 1 proc_start "$pid"

    attempt tough "FAKE_SERVER=stubborn $TMP/tough.pid" FAKE_CLIENT=hold SWEEPD_TERM_GRACE=2
    start tough
    reach tough profile
    kill -TERM "${PIDS[tough]}"
    finish_job tough
    ends tough terminated 137 profile
    check_fails 'a recipe that takes too long does not save it' 1 proc_start "$(cat "$TMP/tough.pid")"
}

# --- the client -----------------------------------------------------------------------

test_client()
{
    attempt three 'FAKE_CLIENT=exit 3'
    run three
    is "$STATUS" 3 'the job ends with the status of the client'
    ends three replay_failed 3 collect
    check 'its artifacts are listed' jq -e '.files | length == 2' "$TMP/three/end.json"

    attempt unknown SWEEPD_REPLAY_CMD=/nonexistent/client
    run unknown
    ends unknown replay_failed 127 warmup
}

test_hooks()
{
    # shellcheck disable=SC2016 # for the hook's own shell
    printf '#!/bin/sh\nmkdir -p "$SWEEPD_CLIENT_DIR/bin" && cp "$1" "$SWEEPD_CLIENT_DIR/bin/aiperf"\n' > "$TMP/install"
    chmod +x "$TMP/install"
    attempt hooks "SWEEPD_CLIENT_HOOK=$TMP/install $FAKES/client" SWEEPD_REPLAY_CMD=aiperf
    run hooks
    ends hooks 'done' 0 collect
    attempt nohook SWEEPD_CLIENT_HOOK=false
    run nohook
    ends nohook image 1 image
    attempt noweights SWEEPD_WEIGHTS_HOOK='sleep 30' SWEEPD_HOOK_TIMEOUT=0.1
    run noweights
    ends noweights weights 1 weights
}

# --- what comes in --------------------------------------------------------------------

refused() # NAME TEXT LINE...
{
    local name=$1 text=$2
    shift 2
    attempt "$name" "$@"
    run "$name"
    ends "$name" config 1 prolog
    holds "$(field "$name" .detail)" "$text" "$name: $text"
    check_fails "$name: nothing was started" 1 test -e "$TMP/$name.starts"
}

test_hostile_environment()
{
    # shellcheck disable=SC2016 # nothing may expand
    local text='$(touch '$TMP'/pwned) `touch '$TMP'/pwned` "a" '\''b'\'' \ * ; & |'
    attempt literal "MODEL=$text"
    run literal
    ends literal 'done' 0 collect
    check 'a value is taken as it stands' grep -qxF -- "$text" "$TMP/literal/server_command.txt"
    refused command 'not a KEY=VALUE line' "touch $TMP/pwned"
    refused lower 'not a KEY=VALUE line' 'path=/tmp'
    refused subscript 'not a KEY=VALUE line' "A[\$(touch $TMP/pwned)]=1"
    refused shell 'BASH_ENV may not be set' "BASH_ENV=$TMP/pwned"
    refused slurm 'SLURM_CONF may not be set' 'SLURM_CONF=/tmp/x'
    refused clock 'SECONDS may not be set' 'SECONDS=0'
    refused constant 'POLL_SECONDS may not be set' 'POLL_SECONDS=9'
    refused control 'control character' $'MODEL=a\tb'
    refused foreign 'another attempt' 'SWEEPD_TOKEN=00000000000000000000000000000000'
    refused range 'no range of ports' 'SWEEPD_PORT_RANGE=50000-40000'
    refused container 'neither none nor pyxis' 'SWEEPD_CONTAINER=docker'
    check_fails 'nothing of it was run' 1 test -e "$TMP/pwned"

    attempt missing
    rm "$TMP/missing/job.env"
    run missing
    ends missing config 1 prolog
    attempt eval EVAL_ONLY=true
    run eval
    ends eval config 1 prolog
    is "$(field eval .detail)" 'evaluation is not available in this recipe yet' 'an evaluation is refused in words'
    attempt unfit EP_SIZE=3
    run unfit
    ends unfit config 1 prolog
    holds "$(field unfit .detail)" 'EP_SIZE=3 does not divide TP=4' 'so is a point that the recipe cannot run'
}

test_hostile_text()
{
    # shellcheck disable=SC2016 # for the script itself
    printf '#!/bin/sh\nprintf "quote \\" back \\\\\\\\ tab \\t bell \\007 bad \\377\\300 good \\303\\251\\n"\nexit 7\n' > "$TMP/odd-server"
    chmod +x "$TMP/odd-server"
    attempt odd "SWEEPD_SERVER_CMD=$TMP/odd-server"
    run odd
    ends odd server_start 1 server
    is "$(field odd .detail)" $'the model server ended with status 7: quote " back \\ tab \t bell \x07 bad ?? good é' \
        'any bytes become valid JSON'
}

# --- ports ----------------------------------------------------------------------------

hold_ports() # PORT...
{
    perl -MIO::Socket::INET -e '
        my @held = map { IO::Socket::INET->new(LocalAddr => "0.0.0.0", LocalPort => $_, Listen => 5) or exit 1 } @ARGV;
        $| = 1; print "held\n";
        while (my $c = $held[0]->accept) { <$c>; print $c "HTTP/1.1 200 OK\r\n\r\n"; close $c }' "$@" > "$TMP/held.out" &
    HOLDER=$!
    wait_for "$PHASE_SECONDS" test -s "$TMP/held.out"
}

release_ports()
{
    kill "$HOLDER" 2> /dev/null
    wait "$HOLDER" 2> /dev/null
    HOLDER=
    rm -f "$TMP/held.out"
}

test_ports()
{
    local base
    for base in 28120 28240 28360; do # a range that nobody else has
        hold_ports "$base" "$((base + 1))" "$((base + 3))" && break
        release_ports
    done
    attempt held "SWEEPD_PORT_RANGE=$base-$((base + 3))"
    run held
    ends held 'done' 0 collect
    is "$(field held .port)" "$((base + 2))" 'the one free port of a range is found'
    attempt full "SWEEPD_PORT_RANGE=$base-$((base + 1))"
    run full
    ends full port 1 prolog
    release_ports

    attempt stolen FAKE_SERVER=deaf "SWEEPD_PORT_RANGE=$base-$base" SWEEPD_HEALTH_INTERVAL=0.5
    start stolen
    reach stolen server
    hold_ports "$base"
    finish_job stolen
    ends stolen port 1 server
    holds "$(field stolen .detail)" 'no process of this job listens' "another one's answer does not pass for the server's"
    release_ports
}

# --- disk and bundle ------------------------------------------------------------------

test_full_disk()
{
    attempt fulldisk
    ln -s /dev/full "$TMP/fulldisk/.end.json.new"
    run fulldisk
    ends fulldisk 'done' 0 collect
    is "$(field fulldisk .detail)" 'the disk was full' 'a small record over reserved blocks is left'
    is "$(stat -c %s "$TMP/fulldisk/end.json")" 4096 'of the size that was reserved'
}

test_bundle()
{
    attempt changed
    make_bundle "$TMP/changed-bundle"
    echo '# more' >> "$TMP/changed-bundle/recipe.sh"
    JOB_BUNDLE=$TMP/changed-bundle run changed
    ends changed config 1 prolog
    holds "$(field changed .detail)" 'differs from its manifest' 'a changed bundle is not run'
    attempt nolib
    make_bundle "$TMP/nolib-bundle"
    rm "$TMP/nolib-bundle/lib.sh"
    JOB_BUNDLE=$TMP/nolib-bundle run nolib
    ends nolib config 1 prolog
}

# --- the container --------------------------------------------------------------------

test_container()
{
    local words first
    attempt box1 SWEEPD_CONTAINER=pyxis "SWEEPD_SQUASH_DIR=$TMP/squash" "FAKE_CALLS=$TMP/calls" \
        SWEEPD_CONTAINER_MOUNTS=/models:/models
    attempt box2 SWEEPD_CONTAINER=pyxis "SWEEPD_SQUASH_DIR=$TMP/squash" "FAKE_CALLS=$TMP/calls"
    JOB_PATH=$FAKES/bin:$PATH start box1
    JOB_PATH=$FAKES/bin:$PATH start box2
    finish_job box1
    ends box1 'done' 0 collect
    finish_job box2
    ends box2 'done' 0 collect
    is "$(grep -c '^enroot import' "$TMP/calls")" 1 'two jobs of one node import an image once'
    check 'the image has its final name' test -s "$TMP/squash/lmsysorg_sglang_v1.sqsh"
    words=$(grep "^srun .*$TMP/box1" "$TMP/calls")
    first="srun --ntasks=1 --cpu-bind=none --container-image=$TMP/squash/lmsysorg_sglang_v1.sqsh"
    first+=" --container-mounts=$TMP/box1:$TMP/box1,$BUNDLE:$BUNDLE,/dev/kfd:/dev/kfd,/dev/dri:/dev/dri,/models:/models"
    first+=" --container-mount-home --container-writable --container-remap-root --container-workdir=$TMP/box1"
    first+=" --no-container-entrypoint --export=ALL bash $BUNDLE/recipe.sh --run $TMP/box1 "
    holds "$words" "$first" 'the recipe is run inside it'
    is "$(tail -n 1 "$TMP/box1/server_env.txt")" 'SGLANG_SIMULATE_ACC_TOKEN_MODE=real-draft-token' \
        "the image's environment does not win over job.env"
    holds "$(cat "$TMP/box1/replay_command.txt")" $'--benchmark-duration\n3600\n' 'nor over the duration'

    attempt noimage SWEEPD_CONTAINER=pyxis "SWEEPD_SQUASH_DIR=$TMP/squash2" "FAKE_CALLS=$TMP/calls" IMAGE=bad:v1
    JOB_PATH=$FAKES/bin:$PATH run noimage
    ends noimage image 1 image
    is "$(find "$TMP/squash2" -name '*.sqsh*' ! -name '*.lock')" '' 'a broken import leaves no image behind'
}

trap finish EXIT
make_bundle "$BUNDLE"
test_pass
test_race
test_revoked
test_signals
test_signal_to_all
test_server
test_gate
test_stubborn
test_client
test_hooks
test_hostile_environment
test_hostile_text
test_ports
test_full_disk
test_bundle
test_container
tap_done
