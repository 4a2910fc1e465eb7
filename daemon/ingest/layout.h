// SPDX-License-Identifier: GPL-2.0-or-later
// Where the client left its files below an attempt's folder.
#ifndef SWEEPD_INGEST_LAYOUT_H
#define SWEEPD_INGEST_LAYOUT_H

#include "ingest/finding.h"
#include "ingest/root.h"

enum layout_kind {
    LAYOUT_NONE,    // no folder holds a request log or a summary
    LAYOUT_DIRECT,  // in the artifact folder itself
    LAYOUT_PER_RUN, // in a folder of a run below it
};

struct layout {
    enum layout_kind kind;
    char base[FILE_NAME_MAX];   // what lies beside the artifacts: server.log, telemetry
    char folder[FILE_NAME_MAX]; // that holds the client's files, "." for the root
    int runs;                   // folders of runs that hold some
};

// Artifacts lie in aiperf_artifacts/, results/aiperf_artifacts/ or the folder
// itself; there directly or, at most two levels down, in the first folder in
// byte order that holds a request log, then a summary. `aggregate` and
// `phases` hold other things and are passed by.
void layout_find(const struct root *root, struct layout *ret, struct findings *f);

const char *layout_name(enum layout_kind kind);

#endif
