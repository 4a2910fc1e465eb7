// SPDX-License-Identifier: GPL-2.0-or-later
// cancel: ends a sweep; what has been measured stays.
#include "cmd.h"
#include "find.h"
#include "view.h"

static int run_cancel(struct ctl *ctl)
{
    char id[FIND_ID_MAX];
    struct str path = {0};
    struct str out = {0};
    struct doc *answer = NULL;
    int code = find_sweep(ctl, args_operand(ctl->args, 0), id);

    if (code)
        return code;
    find_path(&path, id, "cancel");
    code = ctl_post(ctl, str_text(&path), NULL, &answer);
    if (!code && ctl->json) {
        ctl_print_doc(answer);
    } else if (!code) {
        const struct doc *sweep = view_part(answer, "sweep");

        str_addf(&out, "%s is %s: ", id, doc_text(sweep, "state"));
        view_counts(sweep, &out);
        str_add(&out, "\nwhat has been measured stays\n");
        ctl_print(&out);
    }
    str_free(&path);
    str_free(&out);
    doc_free(answer);
    return code;
}

const struct command cmd_cancel = {
    .name = "cancel",
    .operands = "SWEEP",
    .least = 1,
    .most = 1,
    .summary = "end a sweep; what has been measured stays",
    .example = "sweepctl cancel s12-7f3a",
    .run = run_cancel,
};
