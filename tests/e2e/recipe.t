#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 60
# What the official recipe would run, point by point, as it renders it.
# shellcheck disable=SC2317,SC2016 # functions are called through check; jq has its own variables
set -u

TREE=$(readlink -f -- "$(dirname -- "${BASH_SOURCE[0]}")/../..")
TMP=${TMPDIR:?}
RECIPE=$TREE/slurm/recipes/qwen3.5_fp8_mi325x_mtp.sh
# shellcheck source=tests/lib/tap.sh
. "$TREE/tests/lib/tap.sh"

readonly RENDER_MS_MAX=2000   # for 32 points; 200 on an idle machine

# tp ep concurrencies: the arms of the official sweep.
readonly ARMS='2 2 1 4 6
4 1 1 8 16 32 40 48
4 4 4 16 32 40 48
8 1 1 4 8 12 16 24 32 40 48 64 80
8 8 4 16 24 32 40 48 64'

block() # NAME TP EP CONC [KEY=VALUE...]
{
    local name=$1 tp=$2 ep=$3 conc=$4
    shift 4
    printf '%s\n' "SWEEPD_POINT=$name" MODEL=Qwen/Qwen3.5-397B-A17B-FP8 MODEL_PREFIX=qwen3.5 \
        IMAGE=lmsysorg/sglang:v0.5.16-rocm720-mi30x FRAMEWORK=sglang PRECISION=fp8 "TP=$tp" PP_SIZE=1 \
        DCP_SIZE=1 PCP_SIZE=1 "EP_SIZE=$ep" DP_ATTENTION=false "CONC=$conc" SPEC_DECODING=mtp DISAGG=false \
        RUN_EVAL=false EVAL_ONLY=false SCENARIO_TYPE=agentic-coding IS_AGENTIC=1 KV_OFFLOADING=none \
        KV_OFFLOAD_BACKEND= TOTAL_CPU_DRAM_GB=0 DURATION=3600 "GPU_COUNT=$tp" RUNNER_TYPE=cluster:mi325x-amds \
        ISL=0 OSL=0 MAX_MODEL_LEN=0 AIPERF_EXPERIMENTAL_FAST=0 AIPERF_FAILED_REQUEST_THRESHOLD=0.10 "$@" ''
}

official()
{
    local tp ep concs conc
    while read -r tp ep concs; do
        for conc in $concs; do
            if [ "$ep" -eq 1 ]; then
                block "tp$tp-c$conc" "$tp" "$ep" "$conc"
            else
                block "tp${tp}ep$ep-c$conc" "$tp" "$ep" "$conc"
            fi
        done
    done <<< "$ARMS"
}

render()
{
    bash "$RECIPE" --render
}

one() # KEY=VALUE...: the line of TP4 c40 with these on top
{
    block tp4-c40 4 1 40 "$@" | render
}

# --- the whole of it ---------------------------------------------------------------

test_official()
{
    local begin end
    begin=${EPOCHREALTIME/[.,]/}
    official | render > "$TMP/all"
    end=${EPOCHREALTIME/[.,]/}
    check "32 points are rendered in $(((end - begin) / 1000)) ms" test $(((end - begin) / 1000)) -lt "$RENDER_MS_MAX"
    is "$(wc -l < "$TMP/all")" 32 'a line for each of the 32 points'
    check 'each line is a JSON object of the documented form' jq -es 'all(
        (keys == ["meta","point","replay","server"]) and
        (.server.argv + .replay.argv | all(type == "string")) and
        (.server.env | all(type == "string")))' "$TMP/all"
    is "$(jq -r .point "$TMP/all")" "$(official | sed -n 's/^SWEEPD_POINT=//p')" 'in the order of the blocks'
    is "$(jq -c '[.server]' "$TMP/all" | sort -u | wc -l)" 32 'no two points start the same server'
    is "$(jq -c '.meta | del(.expected_s)' "$TMP/all" | sort -u)" \
        '{"draft_tokens":3,"thinking":"on","golden_al":3.39,"official":true,"client_flags":"agentx-harness"}' \
        'it says of itself what it is made for'
    # 406 GB in 15 to 30 minutes by the number of GPUs, a warm-up of 890 to 2,180 s, an hour, a minute.
    is "$(jq -s 'all(.meta.expected_s | .load >= 900 and .load <= 1800 and .warmup >= 890 and .warmup <= 2180
        and .profile == 3600 and .collect == 60)' "$TMP/all")" true 'and what it expects each part to take'
}

# Every argument of one point, as the published launcher has it.
test_every_argument()
{
    local server=(
        python3 -m sglang.launch_server --model-path Qwen/Qwen3.5-397B-A17B-FP8
        --served-model-name Qwen/Qwen3.5-397B-A17B-FP8 --host 0.0.0.0 --port 0 --trust-remote-code
        --tp 4 --dp 1 --ep-size 4 --attention-backend aiter --quantization fp8 --kv-cache-dtype fp8_e4m3
        --mamba-ssm-dtype bfloat16 --mem-fraction-static 0.80
        --model-loader-extra-config '{"enable_multithread_load": true, "num_threads": 8}'
        --watchdog-timeout 1200 --enable-aiter-allreduce-fusion --page-size 16
        --cuda-graph-max-bs 40 --max-running-requests 80 --max-prefill-tokens 32768
        --chunked-prefill-size 32768 --scheduler-recv-interval 30 --stream-interval 50
        --tokenizer-worker-num 6 --tokenizer-path Qwen/Qwen3.5-397B-A17B-FP8
        --reasoning-parser qwen3 --tool-call-parser qwen3_coder --speculative-algorithm EAGLE
        --speculative-num-steps 3 --speculative-eagle-topk 1 --speculative-num-draft-tokens 4
        --enable-metrics --enable-cache-report
    ) client=(
        aiperf profile --scenario inferencex-agentx-mvp --url http://localhost:0
        --endpoint /v1/chat/completions --endpoint-type chat --streaming
        --model Qwen/Qwen3.5-397B-A17B-FP8 --tokenizer Qwen/Qwen3.5-397B-A17B-FP8 --concurrency 40
        --benchmark-duration 3600 --stats-interval 30 --random-seed 42 --failed-request-threshold 0.10
        --trajectory-start-min-ratio 0.25 --trajectory-start-max-ratio 0.75 --warmup-requests-per-lane 10
        --trace-idle-gap-cap-seconds 300 --warmup-grace-period 1800 --use-server-token-count
        --no-gpu-telemetry --tokenizer-trust-remote-code --num-dataset-entries 393 --slice-duration 1.0
        --server-metrics http://localhost:0/metrics --output-artifact-dir /RESULT_DIR/aiperf_artifacts
        --public-dataset semianalysis_cc_traces_weka_062126_256k --apply-chat-template
    )
    block tp4ep4-c40 4 4 40 | render > "$TMP/one"
    is "$(jq -r '.server.argv[]' "$TMP/one")" "$(printf '%s\n' "${server[@]}")" 'every argument of the server of tp4ep4-c40'
    is "$(jq -r '.replay.argv[]' "$TMP/one")" "$(printf '%s\n' "${client[@]}")" 'every argument of its client'
    is "$(jq -r '.server.env | to_entries[] | "\(.key)=\(.value)"' "$TMP/one" | sort | paste -sd ' ')" \
        'PYTHONNOUSERSITE=1 SGLANG_SIMULATE_ACC_LEN=3.39 SGLANG_SIMULATE_ACC_METHOD=match-expected SGLANG_SIMULATE_ACC_TOKEN_MODE=real-draft-token SGLANG_TIMEOUT_KEEP_ALIVE=1800 SGLANG_USE_AITER=1 SGLANG_USE_AITER_UNIFIED_ATTN=1' \
        'the environment of the server'
    is "$(jq -r '.replay.env | to_entries[] | "\(.key)=\(.value)"' "$TMP/one" | sort | paste -sd ' ')" \
        'AIPERF_DATASET_CONFIGURATION_TIMEOUT=1800 AIPERF_DATASET_WEKA_LIVE_ASSISTANT_RESPONSES=0 AIPERF_HTTP_TCP_USER_TIMEOUT=900000 AIPERF_REQUIRED_SERVER_METRIC_PREFIX=sglang: AIPERF_SERVER_METRICS_URLS=http://localhost:0/metrics AIPERF_SERVICE_PROFILE_CONFIGURE_TIMEOUT=1800 AIPERF_UI_REALTIME_METRICS_ENABLED=true PYTHONNOUSERSITE=1' \
        'the environment of the client'
}

# tp, ep, static memory, graph batch, running requests, tokenizers, concurrency.
test_per_point()
{
    local point want
    while read -r point want; do
        is "$(jq -r --arg p "$point" 'def v($a; $k): $a[($a | index($k)) + 1];
            select(.point == $p) | .server.argv as $s | .replay.argv as $r |
            [v($s; "--tp"), v($s; "--ep-size"), v($s; "--mem-fraction-static"), v($s; "--cuda-graph-max-bs"),
             v($s; "--max-running-requests"), v($s; "--tokenizer-worker-num"), v($r; "--concurrency")] | join(" ")' \
            "$TMP/all")" "$want" "the sizes of $point"
    done << 'END'
tp2ep2-c1 2 2 0.95 1 2 1 1
tp2ep2-c6 2 2 0.95 6 12 1 6
tp4-c1 4 1 0.80 1 2 6 1
tp4-c48 4 1 0.80 48 96 6 48
tp4ep4-c16 4 4 0.80 16 32 6 16
tp8-c64 8 1 0.80 64 128 6 64
tp8-c80 8 1 0.80 64 160 6 80
tp8ep8-c64 8 8 0.80 64 128 6 64
END
}

# --- modes -------------------------------------------------------------------------

test_modes()
{
    block tp8-c80-eval 8 1 80 EVAL_ONLY=true RUN_EVAL=true | render > "$TMP/eval"
    is "$(jq -c '.server.env | keys | map(select(startswith("SGLANG_SIMULATE")))' "$TMP/eval")" '[]' 'an evaluation does not simulate acceptance'
    is "$(jq -r '.server.argv | join(" ")' "$TMP/eval")" "$(jq -r 'select(.point == "tp8-c80") | .server.argv | join(" ")' "$TMP/all")" \
        'but starts the same server'
    is "$(one AIPERF_EXPERIMENTAL_FAST=1 | jq -r '[.meta.official, (.replay.argv | join(" ") | scan("--benchmark-duration [0-9]+|--warmup-requests-per-lane [0-9]+"))] | join(" ")')" \
        'false --benchmark-duration 1200 --warmup-requests-per-lane 1' 'fast mode: 1200 s and one request a lane'
    is "$(one DURATION=900 | jq -r '.replay.argv | index("--unsafe-override")')" null 'an override is never passed'
    is "$(one MODEL_PATH=/models/q | jq -r '.server.argv | join(" ") | scan("--(?:model|tokenizer)-path [^ ]+")')" \
        $'--model-path /models/q\n--tokenizer-path /models/q' 'a local model is served under its own name'
    is "$(one SCHEDULER_RECV_INTERVAL=10 AIPERF_LIVE_FAILED_REQUEST_THRESHOLD=0.2 | jq -r '[.server.argv, .replay.argv] | flatten | join(" ") | scan("--scheduler-recv-interval 10|--failed-request-threshold 0.2")')" \
        $'--scheduler-recv-interval 10\n--failed-request-threshold 0.2' 'what a site may tune'
    is "$(one 'SWEEPD_SERVER_CMD=/opt/a b' SWEEPD_REPLAY_CMD=c | jq -c '[.server.argv[:3], .replay.argv[:2]]')" \
        '[["/opt/a","b","--model-path"],["c","profile"]]' 'other commands'
}

test_refusals()
{
    local text setting
    while IFS='|' read -r setting text; do
        is "$(one "$setting" | jq -r '[.point, .error] | join(": ")')" "tp4-c40: $text" "refused: $setting"
    done << 'END'
TP=|missing: TP
DP_ATTENTION=true|this recipe has no DP attention
EP_SIZE=3|EP_SIZE=3 does not divide TP=4
CONC=0|CONC must be a positive number, not '0'
CONC=08|CONC must be a positive number, not '08'
CONC=a[$(touch x)]|CONC must be a positive number, not 'a[$(touch x)]'
PP_SIZE=2|PP_SIZE=2: this recipe shards by TP and EP alone
KV_OFFLOADING=dram|KV_OFFLOADING=dram: this recipe keeps KV on the GPUs
KV_OFFLOADING=|missing: KV_OFFLOADING
KV_OFFLOAD_BACKEND=hicache|KV_OFFLOAD_BACKEND is set, KV_OFFLOADING is none
SPEC_DECODING=none|SPEC_DECODING=none: this recipe is MTP's
SCENARIO_TYPE=fixed-seq-len|no scenario fixed-seq-len here
bad line|job.env: not a KEY=VALUE line: bad line
END
    is "$({ one EP_SIZE=3; one; } | jq -r 'has("error")' | paste -sd ' ')" 'true false' 'a refused point spoils no other'
    is "$(one 'MODEL=a "b" \c é' | jq -r '.server.argv[4]')" 'a "b" \c é' 'any text becomes valid JSON'
}

# --- it only renders -----------------------------------------------------------------

test_harmless()
{
    mkdir -p "$TMP/empty" "$TMP/bin"
    printf '#!/bin/sh\ntouch "%s/started"\n' "$TMP" | tee "$TMP/bin/python3" "$TMP/bin/aiperf" > "$TMP/bin/hf"
    chmod +x "$TMP/bin"/*
    (cd "$TMP/empty" && official | PATH=$TMP/bin:$PATH render) > "$TMP/again"
    check 'rendering again gives the same bytes' cmp "$TMP/all" "$TMP/again"
    check_fails 'nothing is started' 1 test -e "$TMP/started"
    is "$(find "$TMP/empty" -mindepth 1)" '' 'no file is made'
    official | EVAL_ONLY=true MODEL_PATH=/x SCHEDULER_RECV_INTERVAL=1 SWEEPD_SERVER_CMD=x PORT=9 RESULT_DIR=/y \
        ROCR_VISIBLE_DEVICES=3 AIPERF_EXPERIMENTAL_FAST=1 render > "$TMP/again"
    check "the caller's environment decides nothing" cmp "$TMP/all" "$TMP/again"
    is "$(render < /dev/null)" '' 'no block, no line'
    is "$(block p 4 1 40 | head -n -1 | render | jq -r .point)" p 'the last block needs no empty line'
    check_fails 'it wants to be told what to do' 2 bash "$RECIPE"
}

test_official
test_every_argument
test_per_point
test_modes
test_refusals
test_harmless
rm -rf "${TMP:?}"/*
tap_done
