// SPDX-License-Identifier: GPL-2.0-or-later
// sweepctl: finds the command, reads its arguments, runs it.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "ctl.h"
#include "term.h"
#include "text.h"

static int usage(const struct ctl *ctl, const struct err *e)
{
    struct str fix = {0};

    str_addf(&fix, "`sweepctl help%s%s` shows what there is", ctl->command ? " " : "",
             ctl->command ? ctl->command : "");
    int code = ctl_fail(ctl, CTL_USAGE, "usage", str_text(&fix), "%s", e->text);
    str_free(&fix);
    return code;
}

static int check_operands(const struct command *c, const struct args *args, struct err *e)
{
    size_t count = args_operand_count(args);

    if (count < c->least)
        return err_set(e, -EINVAL, "it needs %s", c->operands);
    if (count > c->most)
        return err_set(e, -EINVAL, "\"%s\" is one too many: it takes %s",
                       args_operand(args, c->most), c->most ? c->operands : "no operands");
    return 0;
}

static void show_help(const struct command *c)
{
    struct str out = {0};

    if (c)
        cmd_help_one(c, &out);
    else
        cmd_help_all(&out);
    ctl_print(&out);
    str_free(&out);
}

// --json counts before anything is known to be well-formed: an error of the
// grammar is reported in the form that was asked for.
static bool wants_json(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (!strcmp(argv[i], "--json"))
            return true;
    return false;
}

// Takes the word at `at` out of argv.
static void take_out(int argc, char **argv, int at)
{
    memmove(argv + at, argv + at + 1, (size_t)(argc - at) * sizeof(*argv));
}

static int run_command(struct ctl *ctl, const struct command *c, int argc, char **argv)
{
    struct err e = {0};

    ctl->command = c->name;
    if (args_parse(cmd_common_options, c->options, c->least, argc, argv, &ctl->args, &e))
        return usage(ctl, &e);
    ctl->json = args_has(ctl->args, "json");
    if (args_has(ctl->args, "no-color"))
        term_no_color();
    if (args_has(ctl->args, "utc"))
        text_use_utc();
    if (args_has(ctl->args, "help")) {
        show_help(c);
        return CTL_OK;
    }
    if (args_has(ctl->args, "version"))
        return cmd_version.run(ctl);
    if (check_operands(c, ctl->args, &e))
        return usage(ctl, &e);
    return c->run(ctl);
}

static int run(struct ctl *ctl, int argc, char **argv)
{
    struct err e = {0};
    int at = args_first_word(cmd_common_options, argc, argv, &e);

    if (at < 0)
        return usage(ctl, &e);
    if (at >= argc) { // options alone: --help, --version, or nothing to do
        int code = run_command(ctl, &cmd_help, argc, argv);

        return code || args_has(ctl->args, "help") || args_has(ctl->args, "version") ? code
                                                                                     : CTL_USAGE;
    }
    const char *name = argv[at];
    const struct command *c = cmd_find(name);
    if (!c) {
        const char *near = cmd_near(name);

        err_set(&e, -EINVAL, "no command \"%.64s\"%s%s%s", name, near ? "; did you mean " : "",
                near ? near : "", near ? "?" : "");
        return usage(ctl, &e);
    }
    take_out(argc, argv, at);
    return run_command(ctl, c, argc - 1, argv);
}

int main(int argc, char **argv)
{
    struct ctl ctl = {.json = wants_json(argc, argv)};

    term_init();
    int code = run(&ctl, argc, argv);
    ctl_done(&ctl);
    return code;
}
