// SPDX-License-Identifier: GPL-2.0-or-later
// How a handler answers: at once with a document, with a problem, or when the
// change that it made is durable.
#ifndef SWEEPD_API_REPLY_H
#define SWEEPD_API_REPLY_H

#include <stdbool.h>
#include <stdint.h>

#include "app.h"
#include "base/str.h"

enum {
    HTTP_OK = 200,
    HTTP_CREATED = 201,
    HTTP_BAD_REQUEST = 400,
    HTTP_FORBIDDEN = 403,
    HTTP_NOT_FOUND = 404,
    HTTP_NOT_ALLOWED = 405,
    HTTP_CONFLICT = 409,
    HTTP_UNAVAILABLE = 503,
};
#define JSON_TYPE "application/json"

// Sends the JSON text and frees it.
void reply_json(struct app *a, uint64_t request, int status, struct str *text);
// 404; what: a sentence.
void reply_not_found(struct app *a, uint64_t request, const char *what);
// 400; detail: what is wrong with which member or parameter.
void reply_bad_request(struct app *a, uint64_t request, const char *detail, const char *fix);

// Answers with the sweep's document when everything journalled so far is durable.
void reply_when_durable(struct app *a, uint64_t request, int64_t sweep, int status);
// A write needs the writer and the database. Answers and returns false when
// there is none.
bool reply_may_write(struct app *a, uint64_t request);

#endif
