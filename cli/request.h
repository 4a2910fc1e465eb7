// SPDX-License-Identifier: GPL-2.0-or-later
// The body of submit and plan, from the options that both take.
#ifndef SWEEPCTL_REQUEST_H
#define SWEEPCTL_REQUEST_H

#include "ctl.h"

// Rows for the option tables of the commands.
#define REQUEST_OPTIONS                                                                            \
    {"config", 'c', "FILE", OPT_LIST, "matrices to use instead of the daemon's own"},              \
        {"conc", '\0', "N", OPT_LIST | OPT_COMMA, "only these concurrencies"},                     \
        {"points", 'p', "POINT", OPT_LIST | OPT_COMMA, "only these points: tp4-c40,tep4-c16"},     \
        {"fast", '\0', NULL, 0, "short profile, never published"},                                 \
    {                                                                                              \
        "packed", '\0', NULL, 0, "points of the sweep may share a node"                            \
    }

// *ret is owned by the caller. Returns 0, or an exit code when it has printed a
// failure: a file that cannot be read, a concurrency that is no number.
int request_build(struct ctl *ctl, struct doc **ret);

#endif
