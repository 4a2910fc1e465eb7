// SPDX-License-Identifier: GPL-2.0-or-later
// The recipe's variables of one point, and the recipe's name. Pure.
#ifndef SWEEPD_SPEC_JOBENV_H
#define SWEEPD_SPEC_JOBENV_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "core/point.h"
#include "spec/matrix.h"

enum { FAST_DURATION_S = 1200 }; // profile of fast mode; canonical points say their own

// Appends the `KEY=VALUE` lines of docs/architecture.md, section job.env, that
// follow from the row: what the job adds on its node is not among them.
// -EINVAL when a text holds a line break or another control character.
int jobenv_build(const struct matrix_row *row, const struct point *p, bool fast, struct str *out,
                 struct err *e) MUST_CHECK;

// "<model-prefix>_<precision>_<hardware>[_mtp].sh". `hardware` is the fleet's
// word for it; NULL takes the runner label's, "cluster:mi325x-amds" -> "mi325x".
// Returns false when it does not fit, or would lead out of the recipes folder.
bool jobenv_recipe(const struct matrix_row *row, const char *hardware, char *buf, size_t size);

#endif
