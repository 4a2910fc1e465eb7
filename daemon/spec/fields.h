// SPDX-License-Identifier: GPL-2.0-or-later
// Reads a YAML map into a struct by a table: which fields exist, their types,
// which must be there. Everything else in the map is an error with its place.
#ifndef SWEEPD_SPEC_FIELDS_H
#define SWEEPD_SPEC_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "spec/yaml.h"

enum field_kind {
    FIELD_TEXT, // const char *, not empty, without control characters
    FIELD_INT,  // int in [min, max]
    FIELD_BOOL, // bool
    FIELD_NODE, // const struct yaml_value *, for the caller to read
};

struct field {
    const char *name;
    enum field_kind kind;
    bool required;
    size_t offset;              // of the member
    int min, max;               // FIELD_INT
    const char *const *choices; // FIELD_TEXT: NULL-terminated, or NULL for any
};

struct field_table {
    const char *what; // "a search-space row", for messages
    const struct field *fields;
    size_t count;
};

// An absent or null field that is not required leaves its member untouched.
// Texts stay owned by the document. -EINVAL with the place in e.
int fields_read(const struct field_table *table, const char *file, const struct yaml_value *map,
                void *target, struct err *e) MUST_CHECK;

// The value under key when it is there and not null.
const struct yaml_value *fields_get(const struct yaml_value *map, const char *key);
// Where to point for a field: at its value, or at the map when it is absent.
const struct yaml_value *fields_place(const struct yaml_value *map, const char *key);

// Checks single values; `what` names them in messages.
int fields_text(const char *file, const struct yaml_value *v, const char *what, const char **ret,
                struct err *e) MUST_CHECK;
int fields_int(const char *file, const struct yaml_value *v, const char *what, int min, int max,
               int *ret, struct err *e) MUST_CHECK;
// A list that may be empty.
int fields_list(const char *file, const struct yaml_value *v, const char *what,
                struct err *e) MUST_CHECK;

// The word of a NULL-terminated list that is nearest to `written`, or NULL when
// none is near enough to be meant.
const char *fields_nearest(const char *written, const char *const *words);

#endif
