// SPDX-License-Identifier: GPL-2.0-or-later
// What preflight found, for people: the rule's code, the place, what is wrong
// and what to do.
#ifndef SWEEPCTL_FINDINGS_H
#define SWEEPCTL_FINDINGS_H

#include <stddef.h>

#include "base/str.h"
#include "doc.h"

// Appends a list of findings, errors first; nothing for NULL. width 0: no limit.
void findings_write(const struct doc *findings, struct str *out, int width);
// Findings whose severity is "error".
size_t findings_errors(const struct doc *findings);

#endif
