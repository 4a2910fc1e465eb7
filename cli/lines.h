// SPDX-License-Identifier: GPL-2.0-or-later
// A followed sweep as lines: one for each thing that happened since the last
// look; on a terminal with a progress block below that is drawn over.
#ifndef SWEEPCTL_LINES_H
#define SWEEPCTL_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "view.h"

struct seen_point; // what was last told about a point

struct lines {
    bool quiet;
    int block; // lines of the block on the screen
    struct seen_point *seen;
    size_t seen_count;
};

void lines_init(struct lines *l, bool quiet);
// Prints what is new in v. The first call tells nothing of the past but what ended.
void lines_show(struct lines *l, const struct view *v);
void lines_clear(struct lines *l); // takes the block away; the next lines_show draws it again
void lines_done(struct lines *l);  // that, and frees

#endif
