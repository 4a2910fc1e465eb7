// SPDX-License-Identifier: GPL-2.0-or-later
// The nodes of the fleets.
#ifndef SWEEPD_API_NODES_H
#define SWEEPD_API_NODES_H

#include "api/route.h"
#include "base/str.h"

void nodes_document(const struct app *a, struct str *out);

void nodes_get(struct app *a, const struct call *c);

#endif
