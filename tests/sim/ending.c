// SPDX-License-Identifier: GPL-2.0-or-later
// What each end of a payload leaves behind, and what it must be judged as:
// docs/architecture.md (reasons) and docs/results.md (outcomes).
#include "batch.h"

static const struct {
    const char *reason;
    int exit_code;
    enum outcome outcome;
} endings[END_COUNT] = {
    [END_GOOD] = {"done", 0, OUTCOME_PASS},
    [END_COVERAGE] = {"done", 1, OUTCOME_COVERAGE},
    [END_AL_OFF] = {"done", 0, OUTCOME_AL_OFF},
    [END_ERRORS] = {"done", 0, OUTCOME_ERROR_RATE},
    [END_NO_SUMMARY] = {"replay_failed", 1, OUTCOME_NO_SUMMARY},
    [END_UNREADABLE] = {"done", 0, OUTCOME_COLLECT},
    [END_SERVER_DIED] = {"server_died", 1, OUTCOME_SERVER_DIED},
    [END_SERVER_START] = {"server_start", 1, OUTCOME_SERVER_START},
    [END_GPU_DIRTY] = {"gpu_dirty", 1, OUTCOME_GPU_DIRTY},
    [END_DISK] = {"disk", 1, OUTCOME_DISK},
    [END_PORT] = {"port", 1, OUTCOME_PORT},
    [END_OOM] = {"oom", 1, OUTCOME_OOM},
    [END_IMAGE] = {"image", 1, OUTCOME_IMAGE},
    [END_CONFIG] = {"config", 1, OUTCOME_ARGS_MISMATCH},
    [END_TERMINATED] = {"terminated", 143, OUTCOME_NONE},
    [END_TIME_LIMIT] = {"time_limit", 138, OUTCOME_TIMEOUT},
};

const char *ending_reason(enum ending e)
{
    return endings[e].reason;
}

int ending_exit_code(enum ending e)
{
    return endings[e].exit_code;
}

enum outcome ending_outcome(enum ending e, enum point_kind kind)
{
    // Evaluations run real acceptance: no target is set for them.
    return e == END_AL_OFF && kind == POINT_EVAL ? OUTCOME_PASS : endings[e].outcome;
}

void ending_facts(enum ending e, struct facts *ret)
{
    *ret = (struct facts){
        .has_summary = true,
        .has_requests = true,
        .has_engine_metrics = true,
        .submission_valid = 1,
        .requests_ok = 200,
        .coverage_ttft = 0.99,
        .coverage_itl = 0.99,
        .coverage_required = 0.95,
        .al_gauge = 3.39,
        .al_counter = 3.38,
        .exit_code = endings[e].exit_code,
    };
    if (e == END_COVERAGE) {
        ret->submission_valid = 0;
        ret->coverage_ttft = ret->coverage_itl = 0.90;
        str_copy(ret->reasons[ret->reason_count++], VERDICT_REASON_MAX,
                 "insufficient_profile_metric_coverage");
    } else if (e == END_AL_OFF) {
        ret->al_gauge = 2.61;
    } else if (e == END_ERRORS) {
        ret->error_rate = 0.25;
    } else if (e == END_NO_SUMMARY) {
        ret->has_summary = false;
        ret->requests_ok = 0;
    }
}
