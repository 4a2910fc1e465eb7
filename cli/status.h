// SPDX-License-Identifier: GPL-2.0-or-later
// The status of one sweep, whole: what `status` prints, and `submit --wait` at
// the end.
#ifndef SWEEPCTL_STATUS_H
#define SWEEPCTL_STATUS_H

#include "ctl.h"
#include "view.h"

void status_text(const struct view *v, struct str *out, int width);
void status_print(const struct view *v);
// One document: the sweep, and the points that ended without a pass.
void status_print_json(const struct view *v);

// Follows the sweep to its end as lines (none with --json), then prints it.
// Returns 0 only when every point passed.
int status_follow(struct ctl *ctl, const char *id);
// Full-screen until the sweep ends or the user quits. Only on a terminal.
// Returns the exit code: 1 when it ended and not every point passed.
int watch_run(struct ctl *ctl, const char *id);

#endif
