#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Qwen3.5-397B-A17B in FP8 on MI325X: SGLang with its MTP head as draft, agentic replay.
set -uo pipefail

# shellcheck source=slurm/recipes/driver.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/driver.sh"

# shellcheck disable=SC2034 # read by the driver
readonly RECIPE_READS=(
    MODEL MODEL_PREFIX MODEL_PATH FRAMEWORK PRECISION TP PP_SIZE DCP_SIZE PCP_SIZE EP_SIZE DP_ATTENTION
    CONC SPEC_DECODING EVAL_ONLY SCENARIO_TYPE KV_OFFLOADING KV_OFFLOAD_BACKEND TOTAL_CPU_DRAM_GB
    DURATION AIPERF_EXPERIMENTAL_FAST AIPERF_FAILED_REQUEST_THRESHOLD
    AIPERF_LIVE_FAILED_REQUEST_THRESHOLD AIPERF_WARMUP_REQUESTS_PER_LANE
    AIPERF_TRACE_IDLE_GAP_CAP_SECONDS AGENTIC_WARMUP_GRACE_PERIOD SCHEDULER_RECV_INTERVAL
)

# Golden acceptance length of qwen3.5 with thinking on and 3 draft tokens.
readonly DRAFT_STEPS=3
readonly GOLDEN_AL=3.39

readonly CORPUS=semianalysis_cc_traces_weka_062126_256k
readonly CORPUS_ENTRIES=393
readonly FAST_DURATION_S=1200
readonly FAST_WARMUP_REQUESTS=1

# What a point is expected to take, until past attempts say better: 406 GB of weights in 15 to
# 30 minutes, sooner the more GPUs read side by side; ten warm-up requests a lane took 890 s at
# the lowest concurrency and 2,180 s at a high one.
declare -rA LOAD_SECONDS=([2]=1800 [4]=1350 [8]=1125)
readonly LOAD_SECONDS_OTHER=1800
readonly WARMUP_SECONDS=890
readonly WARMUP_SECONDS_A_LANE=16
readonly WARMUP_FAST_SECONDS=120
readonly EVAL_SECONDS=1800
readonly COLLECT_SECONDS=60

require_variables()
{
    local name missing=()
    for name in MODEL TP CONC EP_SIZE TOTAL_CPU_DRAM_GB RESULT_DIR DURATION KV_OFFLOADING PORT; do
        [ -n "${!name:-}" ] || missing+=("$name")
    done
    [ ${#missing[@]} -eq 0 ] || refuse "missing: ${missing[*]}"
}

# What this recipe has no arguments for is refused, never ignored.
require_supported()
{
    local name
    for name in TP EP_SIZE CONC DURATION; do
        is_count "${!name}" || refuse "$name must be a positive number, not '${!name}'" || return
    done
    for name in PP_SIZE DCP_SIZE PCP_SIZE; do
        [ "${!name:-1}" = 1 ] || refuse "$name=${!name}: this recipe shards by TP and EP alone" || return
    done
    [ $((TP % EP_SIZE)) -eq 0 ] || refuse "EP_SIZE=$EP_SIZE does not divide TP=$TP" || return
    [ "${DP_ATTENTION:-false}" = false ] || refuse 'this recipe has no DP attention' || return
    [ "${SPEC_DECODING:-mtp}" = mtp ] || refuse "SPEC_DECODING=$SPEC_DECODING: this recipe is MTP's" || return
    [ "$KV_OFFLOADING" = none ] || refuse "KV_OFFLOADING=$KV_OFFLOADING: this recipe keeps KV on the GPUs" || return
    [ -z "${KV_OFFLOAD_BACKEND:-}" ] || refuse 'KV_OFFLOAD_BACKEND is set, KV_OFFLOADING is none' || return
    [ "${SCENARIO_TYPE:-agentic-coding}" = agentic-coding ] || refuse "no scenario $SCENARIO_TYPE here"
}

build_server()
{
    local path=${MODEL_PATH:-$MODEL} graph_batch=$CONC memory=0.80 tokenizers=1
    [ "$CONC" -le 64 ] || graph_batch=64
    # A fourth of the GPUs holds the same weights: without more of the memory, hybrid state,
    # draft and KV pool do not fit. SGLang itself takes 15 % of the share for the draft.
    [ "$TP" -ne 2 ] || memory=0.95
    [ "$TP" -lt 4 ] || tokenizers=6

    read -ra SERVER_ARGV <<< "$SWEEPD_SERVER_CMD"
    SERVER_ARGV+=(
        --model-path "$path" --served-model-name "$MODEL" --host 0.0.0.0 --port "$PORT"
        --trust-remote-code --tp "$TP" --dp 1 --ep-size "$EP_SIZE"
        --attention-backend aiter --quantization fp8 --kv-cache-dtype fp8_e4m3
        --mamba-ssm-dtype bfloat16 --mem-fraction-static "$memory"
        --model-loader-extra-config '{"enable_multithread_load": true, "num_threads": 8}'
        --watchdog-timeout 1200 --enable-aiter-allreduce-fusion --page-size 16
        --cuda-graph-max-bs "$graph_batch" --max-running-requests $((2 * CONC))
        --max-prefill-tokens 32768 --chunked-prefill-size 32768
        --scheduler-recv-interval "${SCHEDULER_RECV_INTERVAL:-30}" --stream-interval 50
        --tokenizer-worker-num "$tokenizers" --tokenizer-path "$path"
        --reasoning-parser qwen3 --tool-call-parser qwen3_coder
        --speculative-algorithm EAGLE --speculative-num-steps "$DRAFT_STEPS"
        --speculative-eagle-topk 1 --speculative-num-draft-tokens $((DRAFT_STEPS + 1))
        --enable-metrics --enable-cache-report
    )
    SERVER_ENV=(
        PYTHONNOUSERSITE=1 SGLANG_USE_AITER=1 SGLANG_USE_AITER_UNIFIED_ATTN=1
        SGLANG_TIMEOUT_KEEP_ALIVE=1800
    )
    [ -z "${ROCR_VISIBLE_DEVICES:-}" ] || SERVER_ENV+=("HIP_VISIBLE_DEVICES=$ROCR_VISIBLE_DEVICES")
    # Throughput is compared at equal acceptance; a score needs the model's own tokens.
    if [ "${EVAL_ONLY:-false}" = true ]; then
        SERVER_UNSET=(SGLANG_SIMULATE_ACC_LEN SGLANG_SIMULATE_ACC_METHOD SGLANG_SIMULATE_ACC_TOKEN_MODE)
    else
        SERVER_ENV+=(
            SGLANG_SIMULATE_ACC_LEN="$GOLDEN_AL" SGLANG_SIMULATE_ACC_METHOD=match-expected
            SGLANG_SIMULATE_ACC_TOKEN_MODE=real-draft-token
        )
    fi
}

build_replay()
{
    local url=http://localhost:$PORT seconds=$DURATION warmup=${AIPERF_WARMUP_REQUESTS_PER_LANE:-10}
    if [ "${AIPERF_EXPERIMENTAL_FAST:-0}" = 1 ]; then
        seconds=$FAST_DURATION_S
        warmup=$FAST_WARMUP_REQUESTS
    fi
    read -ra REPLAY_ARGV <<< "$SWEEPD_REPLAY_CMD"
    REPLAY_ARGV+=(
        profile --scenario inferencex-agentx-mvp --url "$url" --endpoint /v1/chat/completions
        --endpoint-type chat --streaming --model "$MODEL" --tokenizer "$MODEL"
        --concurrency "$CONC" --benchmark-duration "$seconds" --stats-interval 30 --random-seed 42
        --failed-request-threshold
        "${AIPERF_LIVE_FAILED_REQUEST_THRESHOLD:-${AIPERF_FAILED_REQUEST_THRESHOLD:-0.10}}"
        --trajectory-start-min-ratio 0.25 --trajectory-start-max-ratio 0.75
        --warmup-requests-per-lane "$warmup"
        --trace-idle-gap-cap-seconds "${AIPERF_TRACE_IDLE_GAP_CAP_SECONDS:-300}"
        --warmup-grace-period "${AGENTIC_WARMUP_GRACE_PERIOD:-1800}"
        --use-server-token-count --no-gpu-telemetry --tokenizer-trust-remote-code
        --num-dataset-entries "$CORPUS_ENTRIES" --slice-duration 1.0
        --server-metrics "$url/metrics" --output-artifact-dir "$RESULT_DIR/aiperf_artifacts"
        --public-dataset "$CORPUS" --apply-chat-template
    )
    # The second time-out bounds the first one's work, so it must not be smaller.
    REPLAY_ENV=(
        AIPERF_SERVER_METRICS_URLS="$url/metrics" AIPERF_REQUIRED_SERVER_METRIC_PREFIX=sglang:
        PYTHONNOUSERSITE=1 AIPERF_HTTP_TCP_USER_TIMEOUT=900000
        AIPERF_DATASET_CONFIGURATION_TIMEOUT=1800 AIPERF_SERVICE_PROFILE_CONFIGURE_TIMEOUT=1800
        AIPERF_UI_REALTIME_METRICS_ENABLED=true AIPERF_DATASET_WEKA_LIVE_ASSISTANT_RESPONSES=0
    )
}

# The seconds of each part, for the plan.
expected_parts()
{
    local load=${LOAD_SECONDS[$TP]:-$LOAD_SECONDS_OTHER} profile=$DURATION
    local warmup=$((WARMUP_SECONDS + WARMUP_SECONDS_A_LANE * CONC))
    if [ "${AIPERF_EXPERIMENTAL_FAST:-0}" = 1 ]; then
        warmup=$WARMUP_FAST_SECONDS
        profile=$FAST_DURATION_S
    fi
    if [ "${EVAL_ONLY:-false}" = true ]; then
        warmup=0
        profile=$EVAL_SECONDS
    fi
    REPLY="{\"load\":$load,\"warmup\":$warmup,\"profile\":$profile,\"collect\":$COLLECT_SECONDS}"
}

recipe_build()
{
    local official=true
    require_variables || return
    require_supported || return
    build_server
    build_replay
    [ "${AIPERF_EXPERIMENTAL_FAST:-0}" != 1 ] || official=false
    expected_parts
    # shellcheck disable=SC2034 # read by the driver
    META=(
        "\"draft_tokens\":$DRAFT_STEPS" '"thinking":"on"' "\"golden_al\":$GOLDEN_AL"
        "\"official\":$official" '"client_flags":"agentx-harness"'
        "\"expected_s\":$REPLY"
    )
}

recipe_main "$@"
