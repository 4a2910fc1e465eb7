// SPDX-License-Identifier: GPL-2.0-or-later
// sweep-ingest: runs it on an attempt's folder and turns its JSON into the
// facts that a verdict needs and the numbers that tables show.
#ifndef SWEEPD_FACTS_H
#define SWEEPD_FACTS_H

#include "base/str.h"
#include "conf.h"
#include "core/verdict.h"

// Blocks for as long as the child runs (bounded by the configuration). On
// success *ret_summary is the child's whole output, owned by the caller.
// `exit_code` is the replay client's.
int facts_ingest(const struct conf *conf, const char *dir, int exit_code, struct facts *ret,
                 struct metrics *ret_metrics, char **ret_summary, struct err *e) MUST_CHECK;

// The second half of it: JSON -> facts and numbers. -EPROTO.
int facts_parse(const char *json, size_t len, struct facts *ret, struct metrics *ret_metrics,
                struct err *e) MUST_CHECK;

#endif
