// SPDX-License-Identifier: GPL-2.0-or-later
// All that was read of one attempt, before it is written out.
#ifndef SWEEPD_INGEST_RUN_H
#define SWEEPD_INGEST_RUN_H

#include "ingest/context.h"
#include "ingest/evaluation.h"
#include "ingest/layout.h"
#include "ingest/metrics.h"
#include "ingest/power.h"
#include "ingest/requests.h"
#include "ingest/serverinfo.h"
#include "ingest/source.h"
#include "ingest/summary.h"

struct run {
    struct root root;
    struct layout layout;
    struct context context; // what was asked
    struct context server;  // what the server's environment said
    struct summary summary;
    struct requests requests;
    struct metrics metrics;
    int64_t pool_tokens; // by the server's log, 0: unknown
    struct serverinfo serverinfo;
    struct power power;
    struct evaluation evaluation;
    struct findings findings;
    struct artifacts artifacts;
};

#endif
