#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# suites: check check-san
# timeout: 240
# Pairs of stand-ins on loopback: what the client reports of the server, the clock, the flags,
# the scenario's locks, the artifacts and the faults. With --long all 32 points of the official
# matrix are measured instead of those around the peaks.
set -u
. tests/lib/tap.sh

BUILD=${SWEEPD_BUILD:-build}
WORK=$(mktemp -d)
MODEL=Qwen/Qwen3.5-397B-A17B-FP8
DATASET=semianalysis_cc_traces_weka_062126_256k
SERVER="" CLIENT="" PORT="" OUT="" STATUS=""
FAST=50000 # so fast that the processor is the limit
export SGLANG_SIMULATE_ACC_LEN=3.39 SGLANG_SIMULATE_ACC_METHOD=match-expected
export SGLANG_SIMULATE_ACC_TOKEN_MODE=real-draft-token
export STANDIN_FAULTS=$WORK/faults SWEEPD_POINT=a-point STANDIN_SPEED=$FAST
unset STANDIN_RATE STANDIN_FLAGS STANDIN_STARTS SWEEPD_ATTEMPT

stop_server()
{
    [ -n "$SERVER" ] || return 0
    kill "$SERVER" 2> /dev/null
    wait "$SERVER"
    SERVER_STATUS=$?
    SERVER=""
}

clean_up()
{
    [ -z "$CLIENT" ] || kill -KILL "$CLIENT" 2> /dev/null
    stop_server
    rm -rf "$WORK"
}
trap clean_up EXIT
trap 'exit 1' INT TERM

server_args() # TP EP CONC
{
    local memory=0.80
    [ "$1" != 2 ] || memory=0.95
    ARGS=(--model-path "$MODEL" --served-model-name "$MODEL" --host 0.0.0.0 --port "$PORT"
        --trust-remote-code --tp "$1" --dp 1 --ep-size "$2" --attention-backend aiter
        --quantization fp8 --kv-cache-dtype fp8_e4m3 --mamba-ssm-dtype bfloat16
        --mem-fraction-static "$memory" --model-loader-extra-config '{"threads": 8}'
        --watchdog-timeout 1200 --enable-aiter-allreduce-fusion --page-size 16
        --cuda-graph-max-bs 64 --max-running-requests $((2 * $3)) --max-prefill-tokens 32768
        --chunked-prefill-size 32768 --scheduler-recv-interval 30 --stream-interval 50
        --tokenizer-worker-num 6 --tokenizer-path "$MODEL" --reasoning-parser qwen3
        --tool-call-parser qwen3_coder --speculative-algorithm EAGLE --speculative-num-steps 3
        --speculative-eagle-topk 1 --speculative-num-draft-tokens 4 --enable-metrics
        --enable-cache-report)
}

get() # PATH: the status, and the body in $WORK/body
{
    curl -s -m 5 -o "$WORK/body" -w '%{http_code}' "http://127.0.0.1:$PORT$1"
}

# A server on a port that was free; returns when it answers at all.
start_server() # TP EP CONC
{
    local try
    for try in 1 2 3 4 5; do
        PORT=$((20000 + RANDOM % 12000))
        server_args "$@"
        "$BUILD/standin-server" "${ARGS[@]}" 2> "$WORK/server.log" &
        SERVER=$!
        until [ "$(get /health)" != 000 ] || ! kill -0 "$SERVER" 2> /dev/null; do sleep 0.02; done
        grep -q 'cannot listen' "$WORK/server.log" || return 0
        stop_server
    done
    echo "no free port after $try tries" >&2
    exit 1
}

wait_ready() # false when the server dies first
{
    until [ "$(get /health)" = 200 ]; do
        kill -0 "$SERVER" 2> /dev/null || return 1
        sleep 0.02
    done
}

client_args() # CONC SECONDS WARMUPS [MORE...]
{
    ARGS=(profile --scenario inferencex-agentx-mvp --url "http://localhost:$PORT"
        --endpoint /v1/chat/completions --endpoint-type chat --streaming --model "$MODEL"
        --tokenizer "$MODEL" --concurrency "$1" --benchmark-duration "$2" --stats-interval 30
        --random-seed 42 --failed-request-threshold 0.10 --trajectory-start-min-ratio 0.25
        --trajectory-start-max-ratio 0.75 --warmup-requests-per-lane "$3"
        --trace-idle-gap-cap-seconds 300 --warmup-grace-period 1800 --use-server-token-count
        --no-gpu-telemetry --tokenizer-trust-remote-code --num-dataset-entries 393
        --slice-duration 1.0 --server-metrics "http://localhost:$PORT/metrics"
        --output-artifact-dir "$OUT" --public-dataset "$DATASET" --apply-chat-template "${@:4}")
}

client() # NAME CLIENT-ARGUMENTS...: STATUS, OUT
{
    OUT=$WORK/$1
    mkdir -p "$OUT"
    client_args "${@:2}"
    "$BUILD/standin-replay" "${ARGS[@]}" > "$OUT/stdout" 2> "$OUT/stderr"
    STATUS=$?
}

# One pair: NAME TP EP CONC SECONDS WARMUPS [MORE...]
pair()
{
    start_server "$2" "$3" "$4"
    wait_ready && client "$1" "$4" "$5" "$6" "${@:7}"
    stop_server
}

fault() { echo "a-point $1" > "$WORK/faults"; }
no_fault() { rm -f "$WORK/faults"; }

summary() { jq -r "$1" "$OUT/profile_export_aiperf.json"; }
reasons() { summary '.metadata.submission_invalid_reasons // [] | join(" ")'; }
files() { find "$OUT" -name "*$1*" | wc -l; } # of which the name has the text
metric() # NAME FIELD of the server's first series
{
    jq -r --arg m "sglang:$1" ".metrics[\$m].series[0].stats.$2" "$OUT/server_metrics_export.json"
}

# true when the awk condition on the numbers a, b, c, d holds
that()
{
    awk -v a="${2:-0}" -v b="${3:-0}" -v c="${4:-0}" -v d="${5:-0}" "BEGIN { exit !($1) }"
}
is_true() # NAME CONDITION NUMBERS...
{
    that "${@:2}"
    tap_result $? "$1" "$2 with ${*:3}"
}

# --- throughput over concurrency ------------------------------------------------
# The peaks are known from measurements on the real machines.

arm() # TP EP PEAK CONCURRENCIES...
{
    local tp=$1 ep=$2 peak=$3 conc rate best=0 at=none last=0 bad=""
    shift 3
    for conc; do
        pair "tp${tp}ep$ep-c$conc" "$tp" "$ep" "$conc" 3600 10
        rate=$(summary .total_token_throughput.avg)
        that 'a < b' "$best" "$rate" && { best=$rate at=$conc; }
        last=$rate
        [ "$STATUS" -eq 0 ] && [ "$(summary .metadata.submission_valid)" = true ] &&
            that 'a > 3.34 && a < 3.44 && b >= 0.95' "$(metric spec_accept_length avg)" \
                "$(summary .metadata.metric_duration_coverage[0].ttft_ratio)" ||
            bad+=" c$conc (exit $STATUS, AL $(metric spec_accept_length avg))"
    done
    is "$at" "$peak" "TP$tp/EP$ep: total throughput peaks at c$peak"
    is "$bad" '' "TP$tp/EP$ep: every point is valid, AL within 0.05 of 3.39, coverage above 0.95"
    [ "$conc" = "$peak" ] ||
        is_true "TP$tp/EP$ep: c$conc is clearly below c$peak" 'a < 0.95 * b' "$last" "$best"
}

if [ "${1:-}" = --long ]; then
    arm 2 2 4 1 4 6
    arm 4 1 40 1 8 16 32 40 48
    arm 4 4 40 4 16 32 40 48
    arm 8 1 64 1 4 8 12 16 24 32 40 48 64 80
    arm 8 8 64 4 16 24 32 40 48 64
else
    arm 2 2 4 1 4 6
    arm 4 1 40 8 32 40 48
    arm 4 4 40 4 32 40 48
    arm 8 1 64 16 48 64 80
    arm 8 8 64 16 48 64
fi

# --- what the client measures is what the server does ----------------------------

pair base 4 1 8 1200 1
BASE=$OUT
BASE_ITL=$(summary .inter_token_latency.avg)
BASE_TTFT=$(summary .time_to_first_token.avg)
BASE_TOTAL=$(summary .total_token_throughput.avg)
is "$STATUS" 0 'a plain run: exit 0'
is "$(summary .error_request_count)" null 'a plain run: no error count at all'
for pair in prompt_tokens:total_isl generation_tokens:total_osl num_requests:request_count; do
    is "$(metric "${pair%:*}" total)" "$(summary ".${pair#*:}.avg")" \
        "the server's counter ${pair%:*} is the client's ${pair#*:}"
done
is_true 'prefix cache hits: about 0.93 of the prompt tokens' 'a / b > 0.90 && a / b < 0.96' \
    "$(metric cached_tokens total)" "$(metric prompt_tokens total)"
is_true 'prompts of 60k to 95k tokens and outputs of 280 to 400 in the median' \
    'a > 60000 && a < 95000 && b > 280 && b < 400' "$(summary .input_sequence_length.p50)" \
    "$(summary .output_sequence_length.p50)"
is_true 'AL from the counters is 3.39 less what outputs cut off' 'a > 3.36 && a < 3.40' \
    "$(jq '.metrics | (."sglang:generation_tokens".series[0].stats.total -
        ."sglang:num_requests".series[0].stats.total) /
        ."sglang:spec_verify_calls".series[0].stats.total' "$OUT/server_metrics_export.json")"

STANDIN_RATE=0.5 pair half 4 1 8 1200 1
is_true 'at half the rate ITL doubles' 'a / b > 1.9 && a / b < 2.15' \
    "$(summary .inter_token_latency.avg)" "$BASE_ITL"
is_true 'at half the rate TTFT doubles' 'a / b > 1.8 && a / b < 2.6' \
    "$(summary .time_to_first_token.avg)" "$BASE_TTFT"
is_true 'at half the rate throughput is lower' 'a < 0.95 * b' \
    "$(summary .total_token_throughput.avg)" "$BASE_TOTAL"

SGLANG_SIMULATE_ACC_LEN=2.49 pair short 4 1 8 1200 1
is_true 'asked for an acceptance length of 2.49, it is that' 'a > 2.44 && a < 2.54' \
    "$(metric spec_accept_length avg)"
is_true 'and ITL grows by 3.39 / 2.49' 'a / b / (3.39 / 2.49) > 0.95 && a / b / (3.39 / 2.49) < 1.05' \
    "$(summary .inter_token_latency.avg)" "$BASE_ITL"

unset SGLANG_SIMULATE_ACC_LEN
pair real 4 1 8 1200 1
export SGLANG_SIMULATE_ACC_LEN=3.39
is_true 'without simulation acceptance is real, about 2.6' 'a > 2.5 && a < 2.7' \
    "$(metric spec_accept_length avg)"

# --- the clock -------------------------------------------------------------------

start=$(date +%s%N)
STANDIN_SPEED=1500 pair slow 4 1 8 1200 1
took=$((($(date +%s%N) - start) / 1000000))
is_true 'virtual time runs no faster than the speed allows' 'a >= 1200 / 1.5' "$took"
# shellcheck disable=SC2016 # the dollars are those of jq
numbers='del(.benchmark_id, .input_config, .run_info, .start_time, .end_time,
    .min_request_timestamp, .max_response_timestamp) | [paths(numbers) as $p | getpath($p)][]'
paste <(jq "$numbers" "$BASE/profile_export_aiperf.json") \
    <(jq "$numbers" "$WORK/slow/profile_export_aiperf.json") > "$WORK/numbers"
is_true 'two speeds: there are numbers to compare' 'a > 150' "$(wc -l < "$WORK/numbers")"
is "$(awk '$1 != $2 { d = $1 - $2; if (d < 0) d = -d; m = $1 < 0 ? -$1 : $1
    if (NF != 2 || d > 0.01 * m) n++ } END { print n + 0 }' "$WORK/numbers")" 0 \
    'two speeds: no number of the summary differs by more than 1 %'
is "$(jq -c .metrics "$BASE/profile_export.jsonl" | sha256sum)" \
    "$(jq -c .metrics "$WORK/slow/profile_export.jsonl" | sha256sum)" \
    'two speeds: the records are the same to the last digit'

# --- the server by itself ---------------------------------------------------------

STANDIN_SPEED=2000 start_server 4 1 24
is "$(get /health)" 503 'health is 503 while the weights load'
wait_ready
is "$(get /v1/models) $(jq -r '.data[0].id' "$WORK/body")" "200 $MODEL" 'models names the model'
curl -sN -m 5 "http://127.0.0.1:$PORT/v1/chat/completions" -d '{"model":"m","stream":true,
    "max_tokens":120,"stream_options":{"include_usage":true},
    "messages":[{"role":"user","content":"hello"}]}' > "$WORK/stream"
is "$(grep -c '"content":"' "$WORK/stream") $(tail -n 2 "$WORK/stream" | head -n 1)" \
    '4 data: [DONE]' 'a stream of 120 tokens: the first, two intervals of 50, the rest'
is "$(grep -o '"completion_tokens":[0-9]*' "$WORK/stream")" '"completion_tokens":120' \
    'its last chunk has the usage'
STANDIN_SPEED=400 client connections 24 900 1 &
CLIENT=$!
want=$(printf '0100007F:%04X' "$PORT")
for _ in $(seq 100); do
    open=$(awk -v to="$want" '$3 == to && $4 == "01"' /proc/net/tcp | wc -l)
    [ "$open" -ge 25 ] && break
    sleep 0.05
done
is_true 'as many connections are open as lanes, and a few for the rest' 'a >= 25 && a <= 27' "$open"
wait "$CLIENT"
CLIENT=""
is "$(get /server_info) $(jq -c '[.tp_size, .ep_size, .page_size, .stream_interval,
    .speculative_num_draft_tokens, .enable_metrics]' "$WORK/body")" '200 [4,1,16,50,4,true]' \
    'server_info has the arguments'
is_true 'and the acceptance over the life of the server' 'a > 3.34 && a < 3.44' \
    "$(jq '.internal_states[0].avg_spec_accept_length' "$WORK/body")"
stop_server
is "$SERVER_STATUS" 0 'SIGTERM ends the server'
check 'the log names the KV pool' grep -qE 'TP0\] max_total_num_tokens=[0-9]+' "$WORK/server.log"
check_fails 'an unknown flag of the server: exit 2' 2 "$BUILD/standin-server" --model-path m \
    --no-such-flag
holds "$OUTPUT" 'unrecognized arguments: --no-such-flag' 'an unknown flag of the server: named'
check_fails 'a malformed value: exit 2' 2 "$BUILD/standin-server" --model-path m --tp four
check_fails 'no model: exit 2' 2 "$BUILD/standin-server" --port 1

# --- flags and locks --------------------------------------------------------------
# No server runs: what is refused is refused before any traffic.

PORT=9
refused() # NAME TEXT ARGUMENTS...
{
    OUT=$WORK/refused
    local from
    client_args 8 3600 10 "${@:3}"
    from=$(date +%s%N)
    check_fails "$1: refused" 1 "$BUILD/standin-replay" "${ARGS[@]}"
    holds "$OUTPUT" "$2" "$1: says why"
    is_true "$1: at once" 'a < 1000' $((($(date +%s%N) - from) / 1000000))
}
refused 'a flag of another client' 'Unknown option: "--use-chat-template"' --use-chat-template
holds "$OUTPUT" '"--apply-chat-template"' 'a flag of another client: the right one is offered'
refused 'an unknown short flag' 'Unknown option: "-z"' -z
refused 'a flag without its value' '"--url" requires an argument' --url
refused 'a stray word' "Unused Tokens: ['word']" --streaming word
refused 'a short profile' 'ScenarioLockError' --benchmark-duration 600
refused 'a list of concurrencies' 'is a sweep' --concurrency 8,16
refused 'a foreign dataset' 'not a dataset of the scenario' --public-dataset sharegpt
refused 'several conflicts' '--cache-bust must be first_turn_prefix' --cache-bust none \
    --ignore-trace-delays --system-idle-gap-cap-seconds 20
holds "$OUTPUT" '--ignore-trace-delays may not be set' 'several conflicts: the second is named'
holds "$OUTPUT" '--system-idle-gap-cap-seconds must be 10' 'several conflicts: and the third'
[ ! -e "$WORK/refused" ]
tap_result $? 'nothing was written'

# Every flag of the list is known: the complaint is about the one after them all.
mapfile -t all < <(awk -F '\t' '{ print $1; if ($2 != "bool") print "1" }' \
    etc/flags/agentx-harness.txt)
check_fails 'all flags of the list with a foreign one: exit 1' 1 "$BUILD/standin-replay" profile \
    "${all[@]}" -m a -v -vv --not-in-the-list
holds "$OUTPUT" 'Unknown option: "--not-in-the-list"' 'and only that one is refused'

pair override 4 1 4 600 1 --unsafe-override
is "$STATUS $(reasons)" '0 unsafe_override' \
    'an override that breaks a rule: exit 0, invalid'
client nobody 4 900 1
is "$STATUS" 1 'no server: exit 1'

# --- artifacts ----------------------------------------------------------------------

OUT=$BASE
for file in profile_export_aiperf.json profile_export_aiperf.csv profile_export.jsonl \
    server_metrics_export.json server_metrics_export.csv inputs.json; do
    check "$file is there" test -s "$BASE/$file"
done
is "$(jq -s length "$BASE/profile_export.jsonl")" \
    "$(summary '.request_count.avg + .warmup_metrics.request_count.avg')" \
    'a record for each request'
is "$(jq -s '[.[] | select(.metadata.benchmark_phase == "warmup")] | length' \
    "$BASE/profile_export.jsonl")" 8 'of them one warm-up for each lane'
# The formulas, worked out again from the records.
jq -s '[.[] | select(.metadata.benchmark_phase == "profiling")] | {
    itl: ([.[].metrics | select(.output_sequence_length.value > 1) | (.request_latency.value -
        .time_to_first_token.value) / (.output_sequence_length.value - 1)] | add / length),
    latency: ([.[].metadata | .request_end_ns - .request_start_ns] | add / length / 1e6),
    total: (([.[].metrics | .input_sequence_length.value + .output_sequence_length.value] | add) /
        (([.[].metadata.request_end_ns] | max) - ([.[].metadata.request_start_ns] | min)) * 1e9),
    keys: ([.[].metadata | keys_unsorted[]] | unique | join(" ")),
    agents: ([.[] | select(.metadata.conversation_id | test("^trace-[0-9]{3}::sa:[0-9]+$"))] |
        length),
    plain: ([.[] | select(.metadata.conversation_id | test("^trace-[0-9]{3}$"))] | length),
    count: length}' "$BASE/profile_export.jsonl" > "$WORK/again"
again() { jq -r ".$1" "$WORK/again"; }
is_true 'ITL is (latency - TTFT) / (tokens - 1)' 'a / b > 0.9999 && a / b < 1.0001' \
    "$(again itl)" "$BASE_ITL"
is_true 'latency is end - start' 'a / b > 0.9999 && a / b < 1.0001' "$(again latency)" \
    "$(summary .request_latency.avg)"
is_true 'throughput is tokens over the span of the requests' 'a / b > 0.999 && a / b < 1.001' \
    "$(again total)" "$BASE_TOTAL"
is_true 'there are sub-agents, and more turns of agents' 'a > 0 && b > a && a + b == c' \
    "$(again agents)" "$(again plain)" "$(again count)"
for key in session_num x_correlation_id conversation_id turn_index request_start_ns \
    request_ack_ns request_end_ns worker_id benchmark_phase was_cancelled cancellation_time_ns; do
    holds " $(again keys) " " $key " "records have $key"
done
is "$(summary '[.schema_version, .metadata.scenario, .metadata.dataset.hf_dataset_name,
    .metadata.metric_duration_coverage[0].required_ratio, .was_cancelled] | map(tostring) |
    join(" ")')" '1.5 inferencex-agentx-mvp semianalysisai/cc-traces-weka-062126-256k 0.95 false' \
    'the summary says what was run'
is_true 'the theoretical cache rate is sum over count' 'a / b * 100 - c < 0.001 && a / b > 0.9' \
    "$(summary .theoretical_prefix_cache_hit.sum)" "$(summary .theoretical_prefix_cache_hit.count)" \
    "$(summary .theoretical_prefix_cache_hit.avg)"
is "$(jq -r '[.metrics | keys[] | select(endswith("_total"))] | length' \
    "$BASE/server_metrics_export.json")" 0 'counters lose _total'
is_true 'slices are bounded' 'a > 10 && a <= 61' "$(jq '[.metrics[].series[].timeslices | length] |
    max' "$BASE/server_metrics_export.json")"
is "$(jq -r '.metrics."sglang:cached_tokens".series[0].labels.cache_source' \
    "$BASE/server_metrics_export.json")" device 'cached tokens name their source'
for marker in 'Phase warmup progress' 'Phase warmup complete' 'Phase profiling started' \
    'Phase profiling progress: returned=' 'Phase profiling complete'; do
    check "the log has: $marker" grep -q "^$marker" "$BASE/stdout"
done

# --- faults ---------------------------------------------------------------------------

coverage() { summary '.metadata.metric_duration_coverage[0] | [.ttft_ratio,
    .inter_token_latency_ratio] | max'; }

fault 'al-off'
pair al-off 4 1 8 1200 1
is_true 'al-off: AL is real though the variable is set' 'a > 2.5 && a < 2.7' \
    "$(metric spec_accept_length avg)"
fault 'coverage 0.92'
pair coverage 2 2 1 1200 1
is "$STATUS $(reasons)" '1 insufficient_profile_metric_coverage' 'coverage: exit 1 and the reason'
is_true 'coverage: the ratio asked for' 'a > 0.91 && a < 0.94' "$(coverage)"
holds "$(cat "$OUT/stderr")" 'ProfileMetricCoverageError' 'coverage: named on stderr'
# The rule, worked out again from the records.
is_true 'coverage: last observation over the duration' 'a - b < 1e-6 && b - a < 1e-6' \
    "$(jq -s --argjson min "$(summary .min_request_timestamp.avg)" '
        ([.[] | select(.metadata.benchmark_phase == "warmup") | .metadata.request_end_ns] | max) as
        $begin | ([.[] | select(.metrics.inter_token_latency) | .metadata.request_end_ns] | max) as
        $last | ($last - $begin) / 1200e9' "$OUT/profile_export.jsonl")" \
    "$(summary .metadata.metric_duration_coverage[0].inter_token_latency_ratio)"
fault 'stall 300'
pair stall 4 1 4 900 1
is "$STATUS $(reasons)" '1 insufficient_profile_metric_coverage' 'stall: exit 1 and the reason'
is_true 'stall: nothing after it' 'a < 0.36' "$(coverage)"
fault 'http-errors 0.4'
pair http-errors 4 1 4 900 1
is "$STATUS $(reasons) $(summary .was_cancelled)" '1 run_cancelled true' \
    'http-errors: the failure threshold ends the run'
is "$(summary '.error_summary[0].error_details.code')" 500 'http-errors: the errors are counted'
holds "$(cat "$OUT/stderr")" '--failed-request-threshold' 'http-errors: the limit is named'
fault 'http-errors 0.02'
pair some-errors 4 1 16 900 1
is_true 'some errors: exit 0, and their number beside the completed' 'a == 0 && b > 0 && b + c == d' \
    "$STATUS" "$(summary .error_request_count.avg)" "$(summary .request_count.avg)" \
    "$(summary .completed_request_count.avg)"
fault 'overflow 0.05'
pair overflow 4 1 4 900 1
is "$STATUS $(reasons)" '0 context_overflow_rate_exceeded' 'overflow: exit 0, invalid'
fault 'warmup-error'
pair warmup-error 4 1 4 900 1
is "$STATUS $(reasons) $(summary .request_count.avg)" '1 run_cancelled 0' \
    'warmup-error: cancelled before the profile'
fault 'no-metrics'
pair no-metrics 4 1 4 900 1
is "$STATUS $(files server_metrics)" '0 0' 'no-metrics: exit 0 and no such file'
fault 'host-cache'
pair host-cache 4 1 4 900 1
is "$(jq -r '.metrics."sglang:cached_tokens".series[0].labels.cache_source' \
    "$OUT/server_metrics_export.json")" host 'host-cache: another source'
fault 'replay-exit 5'
pair replay-exit 4 1 4 900 1
is "$STATUS $(summary .metadata.submission_valid)" '5 true' 'replay-exit: complete artifacts'
fault 'replay-crash 7'
pair replay-crash 4 1 4 900 1
is "$STATUS $(files profile_export_aiperf)" '7 0' 'replay-crash: no summary'
fault 'truncate-artifacts'
pair truncate 4 1 4 900 1
holds "$(jq empty "$OUT/profile_export.jsonl" 2>&1)" 'Unfinished JSON term' \
    'truncate-artifacts: the records end within a line'
is "$STATUS" 0 'truncate-artifacts: exit 0'
fault 'no-summary'
pair no-summary 4 1 4 900 1
is "$STATUS $(files profile_export_aiperf)" '0 0' 'no-summary: exit 0 without it'
fault 'server-crash 300'
pair server-crash 4 1 4 900 1
is "$STATUS $SERVER_STATUS $(reasons)" '1 1 run_cancelled' 'server-crash: both end with 1'
for name in server-crash-at-start server-oom-at-start; do
    fault "$name"
    start_server 4 1 4
    wait_ready
    is $? 1 "$name: never ready"
    stop_server
    is "$SERVER_STATUS" 1 "$name: exit 1"
done
holds "$(cat "$WORK/server.log")" 'out of memory' 'server-oom-at-start: the log says so'
fault 'server-never-ready'
STANDIN_SPEED=1e9 start_server 4 1 4
sleep 0.2 # a thousand times what the load takes
is "$(get /health)" 503 'server-never-ready: 503 long after the load'
stop_server
fault 'args-drift'
STANDIN_SPEED=1e9 start_server 4 1 4
wait_ready
is "$(get /server_info) $(jq .chunked_prefill_size "$WORK/body")" '200 16384' \
    'args-drift: server_info tells'
stop_server
fault 'replay-exit 5 times=1'
SWEEPD_ATTEMPT=2 pair second 4 1 4 900 1
is "$STATUS" 0 'times=1: the second attempt is spared'
SWEEPD_POINT=another pair other 4 1 4 900 1
is "$STATUS" 0 'another point is spared'
fault 'no-such-fault'
client unknown 4 900 1
is "$STATUS" 1 'an unknown fault is an error'
no_fault

# --- signals and start lines ------------------------------------------------------------

signalled() # NAME SIGNAL
{
    local started
    start_server 4 1 4
    wait_ready
    OUT=$WORK/$1
    mkdir -p "$OUT"
    client_args 4 3600 1
    STANDIN_SPEED=600 "$BUILD/standin-replay" "${ARGS[@]}" > "$OUT/stdout" 2> "$OUT/stderr" &
    CLIENT=$!
    until grep -qs "$3" "$OUT/stdout" || ! kill -0 "$CLIENT"; do sleep 0.02; done
    started=$(date +%s)
    kill "-$2" "$CLIENT"
    wait "$CLIENT"
    STATUS=$?
    CLIENT=""
    is_true "$2: ends at once" 'a <= 3' $(($(date +%s) - started))
    stop_server
}
export STANDIN_SPEED=600
signalled term TERM 'Phase profiling progress: returned=[1-9]'
is "$STATUS $(reasons) $(summary .was_cancelled)" '143 run_cancelled true' \
    'SIGTERM: 143 and partial artifacts'
fault hang
export STANDIN_SPEED=$FAST
signalled hang INT 'Phase profiling complete'
is "$STATUS $(files aiperf)" '130 0' 'hang: ended by a signal alone, no summary'
no_fault
STANDIN_STARTS=$WORK/starts SWEEPD_TOKEN=t0 SWEEPD_ATTEMPT=3 SLURM_JOB_ID=17 SLURMD_NODENAME=n1 \
    client nobody 4 900 1
is "$(cat "$WORK/starts")" 't0 a-point 3 17 n1' 'a start leaves its line'

tap_done
