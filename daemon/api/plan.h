// SPDX-License-Identifier: GPL-2.0-or-later
// What a sweep would do on the nodes that there are.
#ifndef SWEEPD_API_PLAN_H
#define SWEEPD_API_PLAN_H

#include "app.h"

// Answers the request later with the plan of a checked sweep, whose ownership
// is taken: the search runs on the preflight worker.
void plan_answer(struct app *a, uint64_t request, struct sweep *s);

#endif
