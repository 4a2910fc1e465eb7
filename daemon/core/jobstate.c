// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/jobstate.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    enum job_fate fate;
    enum outcome outcome;
} states[] = {
    {"PENDING", FATE_PENDING, OUTCOME_NONE},
    {"RUNNING", FATE_RUNNING, OUTCOME_NONE},
    {"SUSPENDED", FATE_RUNNING, OUTCOME_NONE},
    // Ended without an end record: the payload's results were not collected.
    {"COMPLETE", FATE_ENDED, OUTCOME_COLLECT},
    {"CANCELLED", FATE_ENDED, OUTCOME_CANCELLED},
    {"FAILED", FATE_ENDED, OUTCOME_COLLECT},
    {"TIMEOUT", FATE_ENDED, OUTCOME_TIMEOUT},
    {"NODE_FAIL", FATE_ENDED, OUTCOME_NODE_FAIL},
    {"PREEMPTED", FATE_ENDED, OUTCOME_PREEMPTED},
    {"BOOT_FAIL", FATE_ENDED, OUTCOME_BOOT_FAIL},
    {"DEADLINE", FATE_ENDED, OUTCOME_SLURM},
    {"OOM", FATE_ENDED, OUTCOME_OOM},
};

static const struct {
    const char *name;
    enum job_flag flag;
} flags[] = {
    {"COMPLETING", JOB_COMPLETING},   {"REQUEUE", JOB_REQUEUED},
    {"REQUEUE_HOLD", JOB_REQUEUED},   {"SPECIAL_EXIT", JOB_REQUEUED},
    {"CONFIGURING", JOB_CONFIGURING}, {"RESIZING", JOB_RESIZING},
    {"REVOKED", JOB_REVOKED},         {"LAUNCH_FAILED", JOB_LAUNCH_FAILED},
};

unsigned job_flag_from_name(const char *name)
{
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
        if (!strcmp(flags[i].name, name))
            return flags[i].flag;
    return JOB_OTHER_FLAG;
}

struct job_view job_view(const struct job *job)
{
    struct job_view view = {FATE_UNKNOWN, OUTCOME_NONE};

    for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
        if (!strcmp(states[i].name, job->state)) {
            view.fate = states[i].fate;
            view.outcome = states[i].outcome;
        }
    }
    if (view.fate != FATE_ENDED)
        return view;
    // A requeued job shows the state of the run that ended until it waits
    // again: it is not at its end.
    if (job->flags & JOB_REQUEUED)
        return (struct job_view){FATE_PENDING, OUTCOME_NONE};
    // Its processes are still being ended: the end record may yet come.
    if (job->flags & JOB_COMPLETING)
        return (struct job_view){FATE_RUNNING, OUTCOME_NONE};
    if (job->flags & (JOB_REVOKED | JOB_LAUNCH_FAILED))
        view.outcome = OUTCOME_SLURM;
    return view;
}
