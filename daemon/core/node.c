// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/node.h"

#include <string.h>

static const struct {
    const char *name;
    unsigned flag;
} flags[] = {
    {"DRAIN", NODE_DRAIN},
    {"COMPLETING", NODE_COMPLETING},
    {"NO_RESPOND", NODE_NO_RESPOND},
    {"PLANNED", NODE_PLANNED},
    {"RESERVED", NODE_RESERVED},
    {"MAINT", NODE_MAINT},
    {"POWERED_DOWN", NODE_POWER},
    {"POWERING_UP", NODE_POWER},
    {"POWERING_DOWN", NODE_POWER},
    {"POWER_DOWN", NODE_POWER},
    {"POWER_UP", NODE_POWER},
    {"POWER_DRAIN", NODE_POWER},
    {"REBOOT", NODE_POWER},
    {"FAIL", NODE_FAIL},
    {"INVALID_REG", NODE_FAIL},
    {"BLOCKED", NODE_FAIL},
    {"CLOUD", 0},
    {"NET", 0},
    {"EXTERNAL", 0},
    {"UNDRAIN", 0},
    {"RESUME", 0},
    {"REBOOT_CANCEL", 0},
    {"DYNAMIC_NORM", 0},
};

unsigned node_flag_from_name(const char *name)
{
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
        if (!strcmp(flags[i].name, name))
            return flags[i].flag;
    // A flag that we do not know may mean that the node is not to be used.
    return NODE_FAIL;
}

bool node_usable(const struct node *n, const char **ret_why_not)
{
    static const struct {
        unsigned flag;
        const char *why;
    } bars[] = {
        {NODE_DRAIN, "drained"},
        {NODE_FAIL, "failing"},
        {NODE_NO_RESPOND, "not responding"},
        {NODE_POWER, "powered down or booting"},
        {NODE_MAINT, "in maintenance"},
        {NODE_RESERVED, "reserved"},
        {NODE_PLANNED, "planned for another job"},
    };

    *ret_why_not = NULL;
    if (strcmp(n->state, "IDLE") != 0 && strcmp(n->state, "MIXED") != 0 &&
        strcmp(n->state, "ALLOCATED") != 0)
        *ret_why_not = "down";
    for (size_t i = 0; !*ret_why_not && i < sizeof(bars) / sizeof(bars[0]); i++)
        if (n->flags & bars[i].flag)
            *ret_why_not = bars[i].why;
    if (!*ret_why_not && !n->gpus_total)
        *ret_why_not = "no GPU of the fleet's type";
    return !*ret_why_not;
}

bool node_idle(const struct node *n)
{
    return !strcmp(n->state, "IDLE") && !(n->flags & NODE_COMPLETING) && !n->gpus_used &&
           !n->cpus_alloc;
}
