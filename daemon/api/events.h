// SPDX-License-Identifier: GPL-2.0-or-later
// The event log, by cursor.
#ifndef SWEEPD_API_EVENTS_H
#define SWEEPD_API_EVENTS_H

#include "api/route.h"

void events_get(struct app *a, const struct call *c);

#endif
