// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctl.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "findings.h"
#include "term.h"
#include "text.h"

enum { FAIL_TEXT_MAX = 4096 };

struct failure {
    enum ctl_exit code;
    const char *word, *text, *fix;
    const struct doc *problem; // what the server said, NULL: nothing
};

static const char *const problem_members[] = {"status", "title", "sweep", "findings"};

static void fail_json(const struct failure *f)
{
    struct doc *d = doc_document();
    struct doc *error = doc_object();
    struct str out = {0};

    doc_put_text(error, "code", f->word);
    doc_put_text(error, "text", f->text);
    doc_put_text(error, "fix", f->fix ? f->fix : "");
    doc_put_int(error, "exit", f->code);
    for (size_t i = 0; i < sizeof(problem_members) / sizeof(problem_members[0]); i++) {
        const struct doc *member = doc_get(f->problem, problem_members[i]);

        if (member)
            doc_share(error, problem_members[i], member);
    }
    doc_put(d, "error", error);
    doc_write(d, &out, true);
    fputs(str_text(&out), stderr);
    str_free(&out);
    doc_free(d);
}

static void fail_text(const struct ctl *ctl, const struct failure *f)
{
    struct str out = {0};
    int width = term_errors_tty() ? term_picture_width() : 0;

    str_addf(&out, "sweepctl%s%s: ", ctl->command ? " " : "", ctl->command ? ctl->command : "");
    text_wrap(&out, f->text, (int)out.len, width, 2);
    str_add_char(&out, '\n');
    findings_write(doc_get(f->problem, "findings"), &out, width);
    if (f->fix && f->fix[0]) {
        str_add(&out, "  ");
        text_wrap(&out, f->fix, 2, width, 2);
        str_add_char(&out, '\n');
    }
    fputs(str_text(&out), stderr);
    str_free(&out);
}

static int fail(const struct ctl *ctl, const struct failure *f)
{
    fflush(stdout);
    if (ctl->json)
        fail_json(f);
    else
        fail_text(ctl, f);
    return (int)f->code;
}

int ctl_fail(const struct ctl *ctl, enum ctl_exit code, const char *word, const char *fix,
             const char *fmt, ...)
{
    char text[FAIL_TEXT_MAX];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    return fail(ctl, &(struct failure){code, word, text, fix, NULL});
}

enum ctl_exit ctl_exit_of_status(int status)
{
    if (status < 400)
        return CTL_OK;
    switch (status) {
    case 400:
    case 413:
    case 422:
        return CTL_USAGE;
    case 404:
    case 410:
        return CTL_NOT_FOUND;
    case 409:
    case 412:
        return CTL_CONFLICT;
    default:
        return CTL_REFUSED;
    }
}

int ctl_fail_answer(const struct ctl *ctl, const struct answer *answer)
{
    const struct doc *d = answer->doc;
    const char *text = doc_text(d, "detail");
    const char *word = doc_text(d, "code");
    char bare[64];

    if (!text[0])
        text = doc_text(d, "title");
    if (!text[0]) {
        snprintf(bare, sizeof(bare), "the server refuses with status %d", answer->status);
        text = bare;
    }
    struct failure f = {ctl_exit_of_status(answer->status), word[0] ? word : "internal", text,
                        doc_text(d, "fix"), d};
    return fail(ctl, &f);
}

int ctl_fail_client(const struct ctl *ctl, const struct err *e)
{
    const char *fix = "is sweepd running? --server or SWEEPD_SERVER names another one";

    if (e->code == -EPIPE)
        fix = "what was asked for may have been done or not: `sweepctl status` shows what is there";
    else if (e->code == -EPROTO || e->code == -EFBIG)
        fix = "is that sweepd? --server or SWEEPD_SERVER names another server";
    return fail(ctl, &(struct failure){CTL_UNREACHABLE, "unreachable", e->text, fix, NULL});
}

int ctl_client(struct ctl *ctl)
{
    const char *server = args_value(ctl->args, "server");
    struct err e = {0};

    if (ctl->client)
        return 0;
    if (!server)
        server = getenv("SWEEPD_SERVER");
    if (!server || !server[0])
        server = CLIENT_SERVER_DEFAULT;
    if (client_create(server, &ctl->client, &e))
        return ctl_fail(ctl, CTL_USAGE, "usage", "set --server or SWEEPD_SERVER", "%s", e.text);
    return 0;
}

void ctl_done(struct ctl *ctl)
{
    client_free(ctl->client);
    args_free(ctl->args);
}

static int settle(const struct ctl *ctl, int rc, const struct err *e, struct answer *answer,
                  struct doc **ret)
{
    if (rc)
        return ctl_fail_client(ctl, e);
    if (ctl_exit_of_status(answer->status) == CTL_OK) {
        *ret = answer->doc;
        return 0;
    }
    int code = ctl_fail_answer(ctl, answer);
    doc_free(answer->doc);
    return code;
}

int ctl_get(struct ctl *ctl, const char *path, struct doc **ret)
{
    struct answer answer = {0};
    struct err e = {0};
    int code = ctl_client(ctl);

    if (code)
        return code;
    int rc = client_get(ctl->client, path, NULL, &answer, &e);
    return settle(ctl, rc, &e, &answer, ret);
}

int ctl_post(struct ctl *ctl, const char *path, const struct doc *body, struct doc **ret)
{
    struct answer answer = {0};
    struct err e = {0};
    struct str bytes = {0};
    int code = ctl_client(ctl);

    if (code)
        return code;
    if (body)
        doc_write(body, &bytes, false);
    int rc = client_post(ctl->client, path, &bytes, &answer, &e);
    str_free(&bytes);
    return settle(ctl, rc, &e, &answer, ret);
}

int ctl_get_list(struct ctl *ctl, const char *path, const char *member, struct doc **ret)
{
    struct doc *first = NULL;
    struct doc *page = NULL;
    int code = ctl_get(ctl, path, &first);

    for (int n = 1; !code && n < CTL_PAGES_MAX; n++) {
        const char *next = doc_text(page ? page : first, "next");
        struct doc *more = NULL;

        if (!str_starts(next, "/api/"))
            break;
        code = ctl_get(ctl, next, &more);
        doc_free(page);
        page = more;
        doc_append(first, member, doc_get(page, member));
    }
    doc_free(page);
    if (code)
        doc_free(first);
    else
        *ret = first;
    return code;
}

void ctl_print(const struct str *text)
{
    if (fwrite(str_text(text), 1, text->len, stdout) != text->len || fflush(stdout)) {
        // A pipe whose reader is gone has ended us already, by its signal.
        fprintf(stderr, "sweepctl: cannot write the output: %s\n", strerror(errno));
        exit(CTL_REFUSED);
    }
}

void ctl_print_doc(const struct doc *d)
{
    struct str out = {0};

    doc_write(d, &out, true);
    ctl_print(&out);
    str_free(&out);
}
