// SPDX-License-Identifier: GPL-2.0-or-later
// The pieces that the JSON documents of docs/api.md are built from.
#ifndef SWEEPD_API_DOC_H
#define SWEEPD_API_DOC_H

#include <jansson.h>
#include <stdint.h>

#include "base/str.h"

// A document of its own: schema_version and as_of.
json_t *doc_open(void);
// Appends the object as text and frees it.
void doc_close(json_t *o, struct str *out);

// wall: microseconds since 1970; 0 becomes null.
void doc_set_time(json_t *o, const char *name, int64_t wall);
// What is not finite becomes null.
void doc_set_number(json_t *o, const char *name, double d);
// The text may be any bytes: what is no UTF-8 is replaced.
void doc_set_text(json_t *o, const char *name, const char *text);
void doc_set_text_or_null(json_t *o, const char *name, const char *text); // "" becomes null

#endif
