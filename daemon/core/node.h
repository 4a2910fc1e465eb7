// SPDX-License-Identifier: GPL-2.0-or-later
// A compute node as the last poll saw it. Pure.
#ifndef SWEEPD_CORE_NODE_H
#define SWEEPD_CORE_NODE_H

#include <stdbool.h>
#include <stddef.h>

enum {
    NODE_NAME_MAX = 256,
    NODE_WORD_MAX = 64,
    NODE_TEXT_MAX = 160,
};

enum node_flag {
    NODE_DRAIN = 1 << 0,
    NODE_COMPLETING = 1 << 1,
    NODE_NO_RESPOND = 1 << 2,
    NODE_PLANNED = 1 << 3, // held for another job by the scheduler
    NODE_RESERVED = 1 << 4,
    NODE_MAINT = 1 << 5,
    NODE_POWER = 1 << 6, // powered down, powering, rebooting
    NODE_FAIL = 1 << 7,  // FAIL, INVALID_REG, or a flag that we do not know
};

struct node {
    char name[NODE_NAME_MAX];
    char state[NODE_WORD_MAX];     // base state, by Slurm's name
    unsigned flags;                // enum node_flag
    char flag_text[NODE_TEXT_MAX]; // Slurm's names, separated by spaces
    char fleet[NODE_TEXT_MAX];     // runner label that it serves, "" for none
    int gpus_total;
    int gpus_used;
    int cpus_total;
    int cpus_alloc;
    char reason[NODE_TEXT_MAX]; // the administrator's, shown only
};

unsigned node_flag_from_name(const char *name); // 0 for names that change nothing

// May jobs of ours be placed there (now, or when its present job ends)? When
// not, *ret_why_not is a static text.
bool node_usable(const struct node *n, const char **ret_why_not);
bool node_idle(const struct node *n); // nothing runs or completes on it

#endif
