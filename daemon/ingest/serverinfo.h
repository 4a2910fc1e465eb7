// SPDX-License-Identifier: GPL-2.0-or-later
// The arguments that the server says it runs with, server_info.json: the
// scalars at its top (or below `server_args`), without what may be a secret,
// and the lifetime acceptance length of each of its schedulers.
#ifndef SWEEPD_INGEST_SERVERINFO_H
#define SWEEPD_INGEST_SERVERINFO_H

#include <stdbool.h>
#include <stddef.h>

#include "ingest/out.h"
#include "ingest/source.h"

enum { SERVERINFO_STATES_MAX = 64 };

struct serverinfo {
    bool read;            // to its end
    struct out arguments; // one object
    double accept_length[SERVERINFO_STATES_MAX];
    size_t accept_count;
};

void serverinfo_read(struct serverinfo *i, struct source *s, struct findings *f);
void serverinfo_free(struct serverinfo *i);

#endif
