// SPDX-License-Identifier: GPL-2.0-or-later
// An attempt's folder in, one JSON document out (docs/ingest.md).
#ifndef SWEEPD_INGEST_INGEST_H
#define SWEEPD_INGEST_INGEST_H

#include "base/err.h"
#include "base/str.h"

struct ingest_options {
    const char *folder;
    const char *expect;  // file of KEY=VALUE lines, NULL: job.env of the folder
    int64_t tp, pp, pcp; // over what the file says; 0: not given
};

// Appends the document to *ret. Bad artifacts are findings in it, not errors:
// this fails only when the folder or a file named in the options cannot be
// opened. Blocks; not for the loop.
int ingest_run(const struct ingest_options *options, struct str *ret, struct err *e) MUST_CHECK;

#endif
