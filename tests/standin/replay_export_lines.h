// SPDX-License-Identifier: GPL-2.0-or-later
// profile_export.jsonl: written while the run goes on, in the order in which
// requests ended; those that ended at the same instant in the order of lanes.
#ifndef STANDIN_REPLAY_EXPORT_LINES_H
#define STANDIN_REPLAY_EXPORT_LINES_H

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct lines;

struct lines *lines_create(int fd); // the descriptor stays the caller's
// Writes what is held back, then frees. -errno when a write failed at any time.
int lines_close(struct lines *l, struct err *e) MUST_CHECK;
// Takes the text over. Instants come in order.
void lines_add(struct lines *l, int64_t end_ns, int lane, struct str *text);

#endif
