// SPDX-License-Identifier: GPL-2.0-or-later
// The commands: one row of the table each. A new command is a file cmd_<name>.c
// with its row, declared below and listed in cmd.c.
#ifndef SWEEPCTL_CMD_H
#define SWEEPCTL_CMD_H

#include <stddef.h>

#include "args.h"
#include "ctl.h"

enum { CMD_OPERANDS_ANY = 4096 };

struct command {
    const char *name;
    const char *operands; // as help shows them: "SWEEP [POINT]"
    size_t least, most;   // operands
    const char *summary;  // one line
    const char *more;     // a few lines, NULL: none
    const char *example;
    const struct opt *options;   // own ones, NULL: none
    int (*run)(struct ctl *ctl); // returns the exit code
};

extern const struct command cmd_cancel, cmd_check, cmd_events, cmd_help, cmd_matrix, cmd_nodes,
    cmd_plan, cmd_points, cmd_results, cmd_status, cmd_submit, cmd_version;

extern const struct opt cmd_common_options[]; // of all commands

const struct command *cmd_find(const char *name); // NULL: none
const char *cmd_near(const char *written);        // NULL: none is near

void cmd_help_all(struct str *out);
void cmd_help_one(const struct command *c, struct str *out);

#endif
