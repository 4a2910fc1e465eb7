// SPDX-License-Identifier: GPL-2.0-or-later
// Sweeps and points by the names that people use for them.
#ifndef SWEEPCTL_FIND_H
#define SWEEPCTL_FIND_H

#include <stddef.h>

#include "ctl.h"

enum { FIND_ID_MAX = 64 };

// The id of the sweep that `word` names: its id, the beginning of one, a config
// key (its active sweep, else its newest) or the beginning of one, "last" (the
// newest); NULL is the active sweep, else the newest. Returns 0, or an exit
// code when it has printed a failure.
int find_sweep(struct ctl *ctl, const char *word, char ret_id[FIND_ID_MAX]);

// The point of a list of points that `word` names, as people write points.
// NULL when it has printed a failure; the exit code is CTL_NOT_FOUND.
const struct doc *find_point(const struct ctl *ctl, const struct doc *points, const char *word);

// The path of a sweep's resource: /api/v1/sweeps/ID, then "/below" unless NULL.
void find_path(struct str *path, const char *id, const char *below);

#endif
