// SPDX-License-Identifier: GPL-2.0-or-later
// The size of the KV pool as the server logs it when it starts:
// `max_total_num_tokens=<n>` on a line of each rank that carries a tag
// `DP<i> TP<i> EP<i>`, summed over the tags; from a single rank times dp_size.
#ifndef SWEEPD_INGEST_SERVERLOG_H
#define SWEEPD_INGEST_SERVERLOG_H

#include <stdint.h>

#include "ingest/source.h"

// Reads what source_open allows. Tokens, 0 when the log does not say.
int64_t serverlog_pool_tokens(struct source *s, struct findings *f);

#endif
