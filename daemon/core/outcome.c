// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/outcome.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    enum outcome_class cls;
    enum blame blame;
} outcomes[OUTCOME_COUNT] = {
    [OUTCOME_NONE] = {"", CLASS_NONE, BLAME_NONE},
    [OUTCOME_PASS] = {"pass", CLASS_OK, BLAME_NONE},
    [OUTCOME_COVERAGE] = {"coverage", CLASS_USABLE, BLAME_NONE},
    [OUTCOME_PARTIAL] = {"partial", CLASS_USABLE, BLAME_NONE},
    [OUTCOME_RUN_CANCELLED] = {"run_cancelled", CLASS_BENCHMARK, BLAME_RECIPE},
    [OUTCOME_NO_SUMMARY] = {"no_summary", CLASS_BENCHMARK, BLAME_RECIPE},
    [OUTCOME_BAD_ARTIFACT] = {"bad_artifact", CLASS_BENCHMARK, BLAME_RECIPE},
    [OUTCOME_OVERRIDE] = {"override", CLASS_BENCHMARK, BLAME_RECIPE},
    [OUTCOME_ERROR_RATE] = {"error_rate", CLASS_BENCHMARK, BLAME_RECIPE},
    [OUTCOME_OVERFLOW] = {"overflow", CLASS_BENCHMARK, BLAME_RECIPE},
    [OUTCOME_NO_SERVER_METRICS] = {"no_server_metrics", CLASS_BENCHMARK, BLAME_RECIPE},
    [OUTCOME_ARGS_MISMATCH] = {"args_mismatch", CLASS_BENCHMARK, BLAME_RECIPE},
    [OUTCOME_AL_OFF] = {"al_off", CLASS_BENCHMARK, BLAME_RECIPE},
    [OUTCOME_GPU_RESIDENT] = {"gpu_resident", CLASS_BENCHMARK, BLAME_RECIPE},
    [OUTCOME_STALLED] = {"stalled", CLASS_BENCHMARK, BLAME_RECIPE},
    [OUTCOME_EVAL_LOW] = {"eval_low", CLASS_BENCHMARK, BLAME_RECIPE},
    [OUTCOME_SERVER_START] = {"server_start", CLASS_UNCLEAR, BLAME_UNKNOWN},
    [OUTCOME_SERVER_DIED] = {"server_died", CLASS_UNCLEAR, BLAME_UNKNOWN},
    [OUTCOME_OOM] = {"oom", CLASS_UNCLEAR, BLAME_UNKNOWN},
    [OUTCOME_PORT] = {"port", CLASS_UNCLEAR, BLAME_UNKNOWN},
    [OUTCOME_TIMEOUT] = {"timeout", CLASS_UNCLEAR, BLAME_UNKNOWN},
    [OUTCOME_GPU_DIRTY] = {"gpu_dirty", CLASS_INFRA, BLAME_NODE},
    [OUTCOME_DISK] = {"disk", CLASS_INFRA, BLAME_NODE},
    [OUTCOME_NODE_FAIL] = {"node_fail", CLASS_INFRA, BLAME_NODE},
    [OUTCOME_BOOT_FAIL] = {"boot_fail", CLASS_INFRA, BLAME_NODE},
    [OUTCOME_IMAGE] = {"image", CLASS_INFRA, BLAME_CLUSTER},
    [OUTCOME_WEIGHTS] = {"weights", CLASS_INFRA, BLAME_CLUSTER},
    [OUTCOME_PREEMPTED] = {"preempted", CLASS_INFRA, BLAME_CLUSTER},
    [OUTCOME_SLURM] = {"slurm", CLASS_INFRA, BLAME_CLUSTER},
    [OUTCOME_COLLECT] = {"collect", CLASS_INFRA, BLAME_CLUSTER},
    [OUTCOME_CANCELLED] = {"cancelled", CLASS_OTHER, BLAME_NONE},
    [OUTCOME_LOST] = {"lost", CLASS_OTHER, BLAME_NONE},
};

static const char *const class_names[] = {"",        "ok",    "usable", "benchmark",
                                          "unclear", "infra", "other"};
static const char *const blame_names[] = {"", "recipe", "unknown", "node", "cluster"};

const char *outcome_name(enum outcome o)
{
    return outcomes[o].name;
}

enum outcome outcome_from_name(const char *name)
{
    for (int i = 0; i < OUTCOME_COUNT; i++)
        if (!strcmp(outcomes[i].name, name))
            return (enum outcome)i;
    return OUTCOME_NONE;
}

enum outcome_class outcome_class(enum outcome o)
{
    return outcomes[o].cls;
}

enum blame outcome_first_blame(enum outcome o)
{
    return outcomes[o].blame;
}

const char *outcome_class_name(enum outcome_class c)
{
    return class_names[c];
}

const char *blame_name(enum blame b)
{
    return blame_names[b];
}

enum blame blame_from_name(const char *name)
{
    for (size_t i = 0; i < sizeof(blame_names) / sizeof(blame_names[0]); i++)
        if (!strcmp(blame_names[i], name))
            return (enum blame)i;
    return BLAME_NONE;
}
