// SPDX-License-Identifier: GPL-2.0-or-later
// Problem documents, RFC 9457.
#ifndef SWEEPD_HTTP_PROBLEM_H
#define SWEEPD_HTTP_PROBLEM_H

#include "base/str.h"

#define PROBLEM_TYPE "application/problem+json"

// Adds the document to ret. fix and extra may be NULL; extra is a JSON object
// as text whose members are added, ours first. Returns false, with the document
// written without it, when extra is no JSON object: the caller logs that.
bool problem_write(struct str *ret, int status, const char *code, const char *title,
                   const char *detail, const char *fix, const char *extra);

#endif
