// SPDX-License-Identifier: GPL-2.0-or-later
// submit: makes a sweep, and waits for its end when asked to.
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "find.h"
#include "request.h"
#include "status.h"
#include "term.h"
#include "view.h"

enum { HINT_MAX = 256 };

static char interrupt_hint[HINT_MAX]; // built before the handler is set

static void on_interrupt(int number)
{
    ssize_t ignored = write(STDERR_FILENO, interrupt_hint, strlen(interrupt_hint));

    (void)ignored;
    signal(number, SIG_DFL);
    raise(number);
}

// Ctrl-C ends the waiting, not the sweep; a user should not have to guess that.
static void explain_interrupts(const char *id)
{
    struct sigaction action = {.sa_handler = on_interrupt};

    snprintf(interrupt_hint, sizeof(interrupt_hint),
             "\nThe sweep goes on.\n  sweepctl status %s --watch   follow it\n"
             "  sweepctl cancel %s           stop it\n",
             id, id);
    sigaction(SIGINT, &action, NULL);
}

static void say_submitted(const struct view *v)
{
    struct str out = {0};
    struct str eta = {0};
    const char *id = doc_text(v->sweep, "id");

    term_add(&out, STYLE_BOLD, id);
    str_addf(&out, "  %s\n%lld points, %s, %s", doc_text(v->sweep, "key"),
             (long long)doc_int(v->sweep, "points_total", 0), doc_text(v->sweep, "placement"),
             doc_text(v->sweep, "on_failure"));
    view_eta(v, &eta);
    str_addf(&out, "%s%s\n", eta.len ? ", " : "", str_text(&eta));
    ctl_print(&out);
    str_free(&eta);
    str_free(&out);
}

static void say_next(const char *id)
{
    struct str out = {0};

    str_addf(&out, "\n  sweepctl status %s --watch   follow it\n", id);
    str_addf(&out, "  sweepctl results %s          what was measured\n", id);
    str_addf(&out, "  sweepctl cancel %s           stop it\n", id);
    ctl_print(&out);
    str_free(&out);
}

static int check_modes(const struct ctl *ctl)
{
    if (args_has(ctl->args, "fail-fast") && args_has(ctl->args, "keep-going"))
        return ctl_fail(ctl, CTL_USAGE, "usage", "choose one",
                        "--fail-fast and --keep-going exclude each other");
    return CTL_OK;
}

static int run_submit(struct ctl *ctl)
{
    struct doc *body = NULL;
    struct doc *answer = NULL;
    char id[FIND_ID_MAX];
    int code = check_modes(ctl);

    if (!code)
        code = request_build(ctl, &body);
    if (code)
        return code;
    if (args_has(ctl->args, "fail-fast"))
        doc_put_text(body, "on_failure", "fail-fast");
    if (args_has(ctl->args, "keep-going"))
        doc_put_text(body, "on_failure", "keep-going");
    doc_put_flag(body, "supersede", args_has(ctl->args, "supersede"));
    code = ctl_post(ctl, "/api/v1/sweeps", body, &answer);
    doc_free(body);
    if (code)
        return code;

    struct view v = view_make(answer, NULL);
    bool wait = args_has(ctl->args, "wait");
    str_copy(id, sizeof(id), doc_text(v.sweep, "id"));
    if (!ctl->json)
        say_submitted(&v);
    if (ctl->json && !wait)
        ctl_print_doc(answer);
    else if (!wait)
        say_next(id);
    doc_free(answer);
    if (!wait)
        return CTL_OK;
    explain_interrupts(id);
    return status_follow(ctl, id);
}

static const struct opt options[] = {
    REQUEST_OPTIONS,
    {"fail-fast", '\0', NULL, 0, "the first failure of the recipe cancels the rest"},
    {"keep-going", '\0', NULL, 0, "nothing is cancelled"},
    {"supersede", '\0', NULL, 0, "cancel the active sweep of the key first"},
    {"wait", 'w', NULL, 0, "until its end; exit 0 only when every point is a pass"},
    {0},
};

const struct command cmd_submit = {
    .name = "submit",
    .operands = "KEY",
    .least = 1,
    .most = 1,
    .summary = "measure the points of a config key",
    .example = "sweepctl submit qwen3.5-fp8-mi325x-sglang-agentic-mtp --conc 4,40 --wait",
    .options = options,
    .run = run_submit,
};
