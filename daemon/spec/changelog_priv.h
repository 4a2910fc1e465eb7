// SPDX-License-Identifier: GPL-2.0-or-later
// Steps of a changelog's expansion.
#ifndef SWEEPD_SPEC_CHANGELOG_PRIV_H
#define SWEEPD_SPEC_CHANGELOG_PRIV_H

#include "spec/changelog.h"
#include "spec/config_priv.h"

// What append-only entries may have changed: each config key (by its index in
// the head's entries) with the scenarios that were selected for it, as bits.
int delta_check_scope(const struct changelog *c, const struct config *base,
                      const struct config *head, const unsigned *selected,
                      struct err *e) MUST_CHECK;

// Reduces `head` to the points that `base` does not have. Every recipe and
// concurrency of base must still be there. `entry` is named in messages.
int delta_reduce(const struct changelog *c, const struct changelog_entry *entry,
                 const struct matrix *base, struct matrix *head, struct err *e) MUST_CHECK;

#endif
