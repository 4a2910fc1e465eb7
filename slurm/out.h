// SPDX-License-Identifier: GPL-2.0-or-later
// Writes one line of JSON into a string, member by member. Texts come from a
// cluster where anyone may name a job, so they are made safe here: bytes that
// are no UTF-8 become U+FFFD, control characters are escaped (the line stays one
// line) and a text over OUT_TEXT_MAX bytes is cut.
//
// `key` is NULL for the elements of an array. Commas are put by the writer.
#ifndef SWEEPD_SLURM_OUT_H
#define SWEEPD_SLURM_OUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum { OUT_TEXT_MAX = 4096 };

void out_object(struct str *s, const char *key); // "key":{
void out_array(struct str *s, const char *key);  // "key":[
void out_end(struct str *s, char bracket);       // '}' or ']'

void out_text(struct str *s, const char *key, const char *text); // NULL: ""
void out_int(struct str *s, const char *key, int64_t value);
void out_bool(struct str *s, const char *key, bool value);
// Members or elements that were written before by these functions; may be empty.
void out_ready(struct str *s, const struct str *piece);

#endif
