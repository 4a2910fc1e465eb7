// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd.h"

#include <string.h>

#include "near.h"
#include "term.h"
#include "text.h"

// In the order in which a sweep is lived through, and help shows them.
static const struct command *const commands[] = {
    &cmd_matrix,  &cmd_check,  &cmd_plan,  &cmd_submit, &cmd_status,  &cmd_points,
    &cmd_results, &cmd_cancel, &cmd_nodes, &cmd_events, &cmd_version, &cmd_help,
};

enum { COMMAND_COUNT = sizeof(commands) / sizeof(commands[0]), NAME_COLUMN = 10 };

const struct opt cmd_common_options[] = {
    {"json", '\0', NULL, 0, "one JSON document, also for failures (on standard error)"},
    {"server", 's', "URL", 0, "unix:/path or http://host:port (or SWEEPD_SERVER)"},
    {"utc", '\0', NULL, 0, "times in UTC"},
    {"no-color", '\0', NULL, 0, "no colours (also NO_COLOR; off in pipes)"},
    {"help", 'h', NULL, 0, "this text"},
    {"version", 'V', NULL, 0, NULL},
    {0},
};

const struct command *cmd_find(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (!strcmp(commands[i]->name, name))
            return commands[i];
    return NULL;
}

const char *cmd_near(const char *written)
{
    const char *names[COMMAND_COUNT];

    for (size_t i = 0; i < COMMAND_COUNT; i++)
        names[i] = commands[i]->name;
    return near_word(written, names, COMMAND_COUNT);
}

void cmd_help_all(struct str *out)
{
    str_add(out, "usage: sweepctl COMMAND [OPTION..] [OPERAND..]\n\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        str_add(out, "  ");
        term_add(out, STYLE_BOLD, commands[i]->name);
        text_spaces(out, NAME_COLUMN - text_width(commands[i]->name));
        str_addf(out, "%s\n", commands[i]->summary);
    }
    str_add(out, "\n"
                 "A SWEEP is an id (s12-7f3a), the beginning of one, a config key, or last.\n"
                 "Every command takes --json, --server URL, --utc, --no-color and --help.\n"
                 "Exit codes: 0 ok, 1 points failed, 2 usage or invalid input, 3 server not\n"
                 "reachable, 4 refused, 5 not found, 6 conflict.\n\n"
                 "example: sweepctl submit qwen3.5-fp8-mi325x-sglang-agentic-mtp --wait\n");
}

static void option_line(struct str *out, const struct opt *o)
{
    struct str left = {0};
    enum { OPTION_COLUMN = 24 };

    if (!o->help)
        return;
    if (o->letter)
        str_addf(&left, "-%c, ", o->letter);
    str_addf(&left, "--%s%s%s%s", o->name, o->arg ? " " : "", o->arg ? o->arg : "",
             o->flags & OPT_LIST ? (o->flags & OPT_COMMA ? ",.." : "..") : "");
    int width = text_width(str_text(&left));
    str_addf(out, "  %s", str_text(&left));
    text_spaces(out, width < OPTION_COLUMN - 1 ? OPTION_COLUMN - width : 1);
    str_addf(out, "%s\n", o->help);
    str_free(&left);
}

void cmd_help_one(const struct command *c, struct str *out)
{
    str_addf(out, "usage: sweepctl %s%s%s%s\n%s\n", c->name, c->options ? " [OPTION..]" : "",
             c->operands[0] ? " " : "", c->operands, c->summary);
    if (c->more)
        str_addf(out, "%s\n", c->more);
    str_add_char(out, '\n');
    for (const struct opt *o = c->options; o && o->name; o++)
        option_line(out, o);
    for (const struct opt *o = cmd_common_options; o->name; o++)
        option_line(out, o);
    str_addf(out, "\nexample: %s\n", c->example);
}
