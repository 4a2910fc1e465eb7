// SPDX-License-Identifier: GPL-2.0-or-later
// JSON documents: reading those of the server and building our own. A reader
// may ask for anything of anything: what is absent, or of another type, is an
// empty text, NaN, the fallback or NULL, so no document can break a caller.
#ifndef SWEEPCTL_DOC_H
#define SWEEPCTL_DOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct doc; // a JSON value

// *ret is owned by the caller, to be given to doc_free(). -EPROTO with the
// place in e when the bytes are not one JSON object or list.
int doc_parse(const char *bytes, size_t len, struct doc **ret, struct err *e) MUST_CHECK;
void doc_free(struct doc *d); // NULL is fine

// Reading. d may be NULL; what is returned lives as long as d.
const struct doc *doc_get(const struct doc *d, const char *name);
const char *doc_text(const struct doc *d, const char *name);
double doc_number(const struct doc *d, const char *name);
int64_t doc_int(const struct doc *d, const char *name, int64_t fallback);
bool doc_flag(const struct doc *d, const char *name);
size_t doc_count(const struct doc *list);
const struct doc *doc_at(const struct doc *list, size_t i);
const char *doc_string(const struct doc *d);                      // of a text value
const char *doc_first_name(const struct doc *d);                  // of an object, NULL when empty
const char *doc_next_name(const struct doc *d, const char *name); // NULL after the last

// Building. Each new value is owned by the caller until it is put somewhere.
struct doc *doc_document(void); // an object that carries schema_version
struct doc *doc_object(void);
struct doc *doc_list(void);
void doc_put(struct doc *object, const char *name, struct doc *value);         // takes value
void doc_share(struct doc *object, const char *name, const struct doc *value); // NULL: null
void doc_push(struct doc *list, struct doc *value);                            // takes value
void doc_push_shared(struct doc *list, const struct doc *value);
// Appends the items of `more` to the list that is a member of object.
void doc_append(struct doc *object, const char *name, const struct doc *more);
void doc_push_text(struct doc *list, const char *text);
void doc_push_int(struct doc *list, int64_t value);
void doc_put_int(struct doc *object, const char *name, int64_t value);
void doc_put_flag(struct doc *object, const char *name, bool value);
// Bytes that are not UTF-8 become question marks.
void doc_put_text(struct doc *object, const char *name, const char *text);

// False, and nothing is put, when the bytes are not UTF-8.
bool doc_put_bytes(struct doc *object, const char *name, const char *bytes, size_t len);

// Appends d as text; pretty: indented, with a line feed at the end.
void doc_write(const struct doc *d, struct str *out, bool pretty);

#endif
