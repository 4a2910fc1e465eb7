// SPDX-License-Identifier: GPL-2.0-or-later
// "Did you mean": the known word nearest to a mistyped one.
#ifndef SWEEPCTL_NEAR_H
#define SWEEPCTL_NEAR_H

#include <stddef.h>

// NULL when none is near enough to be what was meant.
const char *near_word(const char *written, const char *const *known, size_t count);

#endif
