// SPDX-License-Identifier: GPL-2.0-or-later
// Following a sweep: asking again and again, cheaply (what has not changed is
// not sent), and living through a restart of the server.
#ifndef SWEEPCTL_FOLLOW_H
#define SWEEPCTL_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "ctl.h"
#include "find.h"
#include "view.h"

enum { FOLLOW_INTERVAL_MS = 1000 };

struct follow {
    struct ctl *ctl;
    char id[FIND_ID_MAX];
    struct answer sweep, points; // the last good ones; doc NULL before the first
    struct answer refused;       // after FOLLOW_REFUSED
};

void follow_init(struct follow *f, struct ctl *ctl, const char *id);
void follow_done(struct follow *f);

enum follow_news {
    FOLLOW_SAME,
    FOLLOW_CHANGED,
    FOLLOW_AWAY,    // the server does not answer, or cannot now: *e says why
    FOLLOW_REFUSED, // it will never answer this: follow_fail() prints it
};

// Asks once.
enum follow_news follow_ask(struct follow *f, struct err *e);
int follow_fail(const struct follow *f); // returns the exit code
// Asks until there is an answer or patience is over. Returns 0, or an exit code
// when it has printed a failure.
int follow_patiently(struct follow *f, bool *ret_changed);

struct view follow_view(const struct follow *f);

// Follows to the end of the sweep and tells it as lines (lines.h) unless quiet.
// Returns 0 when the sweep ended (the last documents are in f), or an exit code.
int follow_to_end(struct follow *f, bool quiet);

#endif
