// SPDX-License-Identifier: GPL-2.0-or-later
// What every command works with: its arguments, the server, and the one way
// to end badly. A failure is printed once, on standard error: for people as
// text and next step, with --json as a document; standard output stays empty.
#ifndef SWEEPCTL_CTL_H
#define SWEEPCTL_CTL_H

#include <stdbool.h>

#include "args.h"
#include "base/err.h"
#include "base/str.h"
#include "client.h"
#include "doc.h"

// Exit codes: documented in help, fixed.
enum ctl_exit {
    CTL_OK = 0,
    CTL_POINTS_FAILED = 1,
    CTL_USAGE = 2, // or invalid input
    CTL_UNREACHABLE = 3,
    CTL_REFUSED = 4,
    CTL_NOT_FOUND = 5,
    CTL_CONFLICT = 6,
};

enum { CTL_PAGES_MAX = 1000 }; // of one list

struct ctl {
    const char *command; // for messages, NULL before it is known
    struct args *args;
    struct client *client; // NULL until ctl_client()
    bool json;
};

void ctl_done(struct ctl *ctl);

// Prints a failure and returns `code`. word: stable, for programs. fix: the
// next step, NULL or "": none.
int ctl_fail(const struct ctl *ctl, enum ctl_exit code, const char *word, const char *fix,
             const char *fmt, ...) PRINTF_LIKE(5, 6);
// Prints what the server refused (a problem document) and returns the exit
// code that belongs to the status. extra: text printed below it for people, or NULL.
int ctl_fail_answer(const struct ctl *ctl, const struct answer *answer);
// Prints why the server could not be asked.
int ctl_fail_client(const struct ctl *ctl, const struct err *e);

// Each returns 0, or an exit code when it has printed a failure.
int ctl_client(struct ctl *ctl); // makes ctl->client
int ctl_get(struct ctl *ctl, const char *path, struct doc **ret);
// The document with all items of a list whose pages are linked by `next`.
int ctl_get_list(struct ctl *ctl, const char *path, const char *member, struct doc **ret);
int ctl_post(struct ctl *ctl, const char *path, const struct doc *body, struct doc **ret);

// The exit code of an HTTP status: 0 below 400.
enum ctl_exit ctl_exit_of_status(int status);

// Writes to standard output and flushes; a reader that is gone ends us quietly.
void ctl_print(const struct str *text);
void ctl_print_doc(const struct doc *d);

#endif
