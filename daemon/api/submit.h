// SPDX-License-Identifier: GPL-2.0-or-later
// What takes a matrix: submit, check, plan.
#ifndef SWEEPD_API_SUBMIT_H
#define SWEEPD_API_SUBMIT_H

#include "api/route.h"

void submit_post(struct app *a, const struct call *c);
void check_post(struct app *a, const struct call *c);
void plan_post(struct app *a, const struct call *c);

#endif
