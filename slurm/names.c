// SPDX-License-Identifier: GPL-2.0-or-later
#include "slurm/names.h"

#include <slurm/slurm.h>
#include <stdio.h>

#include "slurm/out.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct flag {
    uint32_t bits; // set when any of them is
    const char *name;
};

static const char *const job_states[] = {
    [JOB_PENDING] = "PENDING",     [JOB_RUNNING] = "RUNNING",     [JOB_SUSPENDED] = "SUSPENDED",
    [JOB_COMPLETE] = "COMPLETE",   [JOB_CANCELLED] = "CANCELLED", [JOB_FAILED] = "FAILED",
    [JOB_TIMEOUT] = "TIMEOUT",     [JOB_NODE_FAIL] = "NODE_FAIL", [JOB_PREEMPTED] = "PREEMPTED",
    [JOB_BOOT_FAIL] = "BOOT_FAIL", [JOB_DEADLINE] = "DEADLINE",   [JOB_OOM] = "OOM",
};

// NODE_STATE_UNKNOWN is absent: it is called UNKNOWN_0 like any number that
// says nothing about the node.
static const char *const node_states[] = {
    [NODE_STATE_DOWN] = "DOWN",           [NODE_STATE_IDLE] = "IDLE",
    [NODE_STATE_ALLOCATED] = "ALLOCATED", [NODE_STATE_ERROR] = "ERROR",
    [NODE_STATE_MIXED] = "MIXED",         [NODE_STATE_FUTURE] = "FUTURE",
};

// Flags are macros, so a release that lacks one is seen by the preprocessor.
static const struct flag job_flags[] = {
#ifdef JOB_LAUNCH_FAILED
    {JOB_LAUNCH_FAILED, "LAUNCH_FAILED"},
#endif
#ifdef JOB_UPDATE_DB
    {JOB_UPDATE_DB, "UPDATE_DB"},
#endif
#ifdef JOB_GETENV_FAILED
    {JOB_GETENV_FAILED, "GETENV_FAILED"},
#endif
    {JOB_REQUEUE, "REQUEUE"},
    {JOB_REQUEUE_HOLD, "REQUEUE_HOLD"},
    {JOB_SPECIAL_EXIT, "SPECIAL_EXIT"},
    {JOB_RESIZING, "RESIZING"},
    {JOB_CONFIGURING, "CONFIGURING"},
    {JOB_COMPLETING, "COMPLETING"},
    {JOB_STOPPED, "STOPPED"},
#ifdef JOB_RECONFIG_FAIL
    {JOB_RECONFIG_FAIL, "RECONFIG"},
#endif
#ifdef JOB_POWER_UP_NODE
    {JOB_POWER_UP_NODE, "POWER_UP_NODE"},
#endif
    {JOB_REVOKED, "REVOKED"},
#ifdef JOB_REQUEUE_FED
    {JOB_REQUEUE_FED, "REQUEUE_FED"},
#endif
#ifdef JOB_RESV_DEL_HOLD
    {JOB_RESV_DEL_HOLD, "RESV_DEL_HOLD"},
#endif
    {JOB_SIGNALING, "SIGNALING"},
    {JOB_STAGE_OUT, "STAGE_OUT"},
#ifdef JOB_EXPEDITING
    {JOB_EXPEDITING, "EXPEDITING"},
#endif
};

static const struct flag node_flags[] = {
#ifdef NODE_STATE_NET
    {NODE_STATE_NET, "NET"},
#endif
#ifdef NODE_STATE_EXTERNAL
    {NODE_STATE_EXTERNAL, "EXTERNAL"},
#endif
    {NODE_STATE_RES, "RESERVED"},
    {NODE_STATE_UNDRAIN, "UNDRAIN"},
    {NODE_STATE_CLOUD, "CLOUD"},
#ifdef NODE_RESUME
    {NODE_RESUME, "RESUME"},
#endif
    {NODE_STATE_DRAIN, "DRAIN"},
    {NODE_STATE_COMPLETING, "COMPLETING"},
    {NODE_STATE_NO_RESPOND, "NO_RESPOND"},
    {NODE_STATE_POWERED_DOWN, "POWERED_DOWN"},
    {NODE_STATE_FAIL, "FAIL"},
    {NODE_STATE_POWERING_UP, "POWERING_UP"},
    {NODE_STATE_MAINT, "MAINT"},
    {NODE_STATE_REBOOT_REQUESTED | NODE_STATE_REBOOT_ISSUED, "REBOOT"},
#ifdef NODE_STATE_REBOOT_CANCEL
    {NODE_STATE_REBOOT_CANCEL, "REBOOT_CANCEL"},
#endif
    {NODE_STATE_POWERING_DOWN, "POWERING_DOWN"},
#ifdef NODE_STATE_DYNAMIC_FUTURE
    {NODE_STATE_DYNAMIC_FUTURE, "DYNAMIC_FUTURE"},
#endif
    {NODE_STATE_PLANNED, "PLANNED"},
    {NODE_STATE_INVALID_REG, "INVALID_REG"},
#ifdef NODE_STATE_POWER_DOWN
    {NODE_STATE_POWER_DOWN, "POWER_DOWN"},
#endif
#ifdef NODE_STATE_POWER_UP
    {NODE_STATE_POWER_UP, "POWER_UP"},
#endif
#ifdef NODE_STATE_POWER_DRAIN
    {NODE_STATE_POWER_DRAIN, "POWER_DRAIN"},
#endif
#ifdef NODE_STATE_DYNAMIC_NORM
    {NODE_STATE_DYNAMIC_NORM, "DYNAMIC_NORM"},
#endif
#ifdef NODE_STATE_BLOCKED
    {NODE_STATE_BLOCKED, "BLOCKED"},
#endif
};

static const char *base_name(const char *const *names, size_t count, uint32_t base, char *buf,
                             size_t size)
{
    if (base < count && names[base])
        snprintf(buf, size, "%s", names[base]);
    else
        snprintf(buf, size, "UNKNOWN_%u", base);
    return buf;
}

const char *job_state_name(uint32_t state, char *buf, size_t size)
{
    return base_name(job_states, COUNT(job_states), state & JOB_STATE_BASE, buf, size);
}

const char *node_state_name(uint32_t state, char *buf, size_t size)
{
    return base_name(node_states, COUNT(node_states), state & NODE_STATE_BASE, buf, size);
}

static void out_flags(struct str *s, const char *key, uint32_t set, const struct flag *flags,
                      size_t count)
{
    char unknown[NAME_MAX_LEN];

    out_array(s, key);
    for (size_t i = 0; i < count; i++) {
        if (set & flags[i].bits)
            out_text(s, NULL, flags[i].name);
        set &= ~flags[i].bits;
    }
    for (uint32_t bit = 1; set && bit; bit <<= 1) {
        if (!(set & bit))
            continue;
        snprintf(unknown, sizeof(unknown), "UNKNOWN_FLAG_0x%x", bit);
        out_text(s, NULL, unknown);
    }
    out_end(s, ']');
}

void out_job_flags(struct str *s, const char *key, uint32_t state)
{
    out_flags(s, key, state & ~(uint32_t)JOB_STATE_BASE, job_flags, COUNT(job_flags));
}

void out_node_flags(struct str *s, const char *key, uint32_t state)
{
    out_flags(s, key, state & ~(uint32_t)NODE_STATE_BASE, node_flags, COUNT(node_flags));
}

bool job_is_pending(uint32_t state)
{
    return (state & JOB_STATE_BASE) == JOB_PENDING;
}

bool job_is_finished(uint32_t state)
{
    uint32_t base = state & JOB_STATE_BASE;

    return base > JOB_SUSPENDED && base < JOB_END;
}
