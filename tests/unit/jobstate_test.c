// SPDX-License-Identifier: GPL-2.0-or-later
// Every base state with every flag, and unknown ones. The table below is
// written from Slurm's documentation of job states, not from the code.
#include "core/jobstate.h"

#include <stdio.h>

#include "tap.h"

static const struct {
    const char *state;
    char fate;           // p pending, r running, e ended, u unknown
    const char *outcome; // when it left no end record
} states[] = {
    {"PENDING", 'p', ""},
    {"RUNNING", 'r', ""},
    {"SUSPENDED", 'r', ""},
    {"COMPLETE", 'e', "collect"},
    {"CANCELLED", 'e', "cancelled"},
    {"FAILED", 'e', "collect"},
    {"TIMEOUT", 'e', "timeout"},
    {"NODE_FAIL", 'e', "node_fail"},
    {"PREEMPTED", 'e', "preempted"},
    {"BOOT_FAIL", 'e', "boot_fail"},
    {"DEADLINE", 'e', "slurm"},
    {"OOM", 'e', "oom"},
    {"UNKNOWN_13", 'u', ""},
    {"", 'u', ""},
};

static const char *const flags[] = {
    "COMPLETING",    "REQUEUE",
    "REQUEUE_HOLD",  "SPECIAL_EXIT",
    "CONFIGURING",   "RESIZING",
    "STAGE_OUT",     "SIGNALING",
    "STOPPED",       "REVOKED",
    "RECONFIG",      "UPDATE_DB",
    "LAUNCH_FAILED", "UNKNOWN_FLAG_0x80000000",
};

static char letter(enum job_fate fate)
{
    switch (fate) {
    case FATE_PENDING:
        return 'p';
    case FATE_RUNNING:
        return 'r';
    case FATE_ENDED:
        return 'e';
    case FATE_UNKNOWN:
        break;
    }
    return 'u';
}

// What a flag does to a state that would be an end.
static char with_flag(const char *flag, char fate)
{
    if (fate != 'e')
        return fate;
    if (!strcmp(flag, "COMPLETING"))
        return 'r'; // its processes are still being ended
    if (!strcmp(flag, "REQUEUE") || !strcmp(flag, "REQUEUE_HOLD") || !strcmp(flag, "SPECIAL_EXIT"))
        return 'p'; // it goes back to the queue
    return 'e';
}

static const char *outcome_with_flag(const char *flag, char fate, const char *outcome)
{
    if (fate != 'e')
        return "";
    if (!strcmp(flag, "REVOKED") || !strcmp(flag, "LAUNCH_FAILED"))
        return "slurm";
    return outcome;
}

int main(void)
{
    for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
        struct job job = {.flags = 0};
        struct job_view view;

        snprintf(job.state, sizeof(job.state), "%s", states[i].state);
        view = job_view(&job);
        CHECK_INT(letter(view.fate), states[i].fate);
        CHECK_TEXT(outcome_name(view.outcome), states[i].outcome);
        for (size_t k = 0; k < sizeof(flags) / sizeof(flags[0]); k++) {
            char fate = with_flag(flags[k], states[i].fate);

            job.flags = job_flag_from_name(flags[k]);
            view = job_view(&job);
            CHECK_INT(letter(view.fate), fate);
            CHECK_TEXT(outcome_name(view.outcome),
                       outcome_with_flag(flags[k], fate, states[i].outcome));
        }
    }
    return tap_done();
}
