// SPDX-License-Identifier: GPL-2.0-or-later
// Living through a restart of the server: asking again, more and more seldom,
// until it answers or PATIENCE_S are over. Said on standard error once.
#ifndef SWEEPCTL_PATIENCE_H
#define SWEEPCTL_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum {
    PATIENCE_S = 600,
    PATIENCE_FIRST_MS = 200,
    PATIENCE_MOST_MS = 2000,
};

// Zeroed: the server answers.
struct patience {
    int64_t since; // monotonic time of the first failure, 0: none
    int wait_ms;
};

// Statuses of the server that pass by themselves: a standby, a restart, too
// much to do.
bool patience_weather(int status);
// The server did not answer, for the reason in e. Waits a little and returns
// true; false when patience is over.
bool patience_wait(struct patience *p, const struct err *e);
// It answered.
void patience_end(struct patience *p);

#endif
