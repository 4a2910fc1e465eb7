// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/attempt.h"

#include <string.h>

static const char *const names[ATTEMPT_STATE_COUNT] = {
    [ATTEMPT_INTENT] = "intent",   [ATTEMPT_SUBMITTED] = "submitted", [ATTEMPT_PENDING] = "pending",
    [ATTEMPT_RUNNING] = "running", [ATTEMPT_ENDED] = "ended",         [ATTEMPT_JUDGED] = "judged",
    [ATTEMPT_LOST] = "lost",
};

const char *attempt_state_name(enum attempt_state s)
{
    return names[s];
}

enum attempt_state attempt_state_from_name(const char *name)
{
    int i = 0;

    while (i < ATTEMPT_STATE_COUNT && strcmp(names[i], name) != 0)
        i++;
    return (enum attempt_state)i;
}
