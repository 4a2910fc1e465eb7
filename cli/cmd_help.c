// SPDX-License-Identifier: GPL-2.0-or-later
// help and version.
#include <stdio.h>

#include "base/version.h"
#include "cmd.h"

static int run_help(struct ctl *ctl)
{
    const char *name = args_operand(ctl->args, 0);
    const struct command *c = name ? cmd_find(name) : NULL;
    struct str out = {0};

    if (name && !c) {
        const char *near = cmd_near(name);

        return ctl_fail(ctl, CTL_USAGE, "usage", "`sweepctl help` lists the commands",
                        "no command \"%.64s\"%s%s%s", name, near ? "; did you mean " : "",
                        near ? near : "", near ? "?" : "");
    }
    if (c)
        cmd_help_one(c, &out);
    else
        cmd_help_all(&out);
    ctl_print(&out);
    str_free(&out);
    return CTL_OK;
}

static int run_version(struct ctl *ctl)
{
    struct str out = {0};

    if (ctl->json) {
        struct doc *d = doc_document();

        doc_put_text(d, "version", SWEEPD_VERSION);
        ctl_print_doc(d);
        doc_free(d);
        return CTL_OK;
    }
    str_add(&out, "sweepctl " SWEEPD_VERSION "\n");
    ctl_print(&out);
    str_free(&out);
    return CTL_OK;
}

const struct command cmd_help = {
    .name = "help",
    .operands = "[COMMAND]",
    .most = 1,
    .summary = "this list, or what a command takes",
    .example = "sweepctl help submit",
    .run = run_help,
};

const struct command cmd_version = {
    .name = "version",
    .operands = "",
    .summary = "the version of sweepctl; asks no server",
    .example = "sweepctl version --json",
    .run = run_version,
};
