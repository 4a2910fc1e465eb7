// SPDX-License-Identifier: GPL-2.0-or-later
// Instants as the tools around a run write them.
#ifndef SWEEPD_INGEST_INSTANT_H
#define SWEEPD_INGEST_INSTANT_H

#include <stdbool.h>

#include "base/err.h"

// The whole of text: seconds or milliseconds since the epoch, or
// "2026-08-12T05:20:00.25+02:00" with `/`, a space, no fraction or no offset.
// *ret_zoned: the text says what offset it has, or is since the epoch;
// otherwise *ret is as if it were UTC. -EINVAL for anything else.
int instant_parse(const char *text, double *ret, bool *ret_zoned) MUST_CHECK;

// "+0530", "-08:00", "Z" to seconds east of Greenwich. -EINVAL.
int offset_parse(const char *text, double *ret_s) MUST_CHECK;

#endif
