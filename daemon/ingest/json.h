// SPDX-License-Identifier: GPL-2.0-or-later
// A streaming JSON reader: calls back for every value with the path to it,
// keeps nothing else, and needs the same memory for a file of any size.
// Numbers without a fraction or an exponent stay exact 64-bit integers.
// What is wrong with the text becomes findings.
#ifndef SWEEPD_INGEST_JSON_H
#define SWEEPD_INGEST_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ingest/finding.h"

enum json_type {
    VALUE_NULL,
    VALUE_BOOL,
    VALUE_INT,
    VALUE_REAL,
    VALUE_TEXT,
    VALUE_OBJECT, // begins
    VALUE_ARRAY,  // begins
    VALUE_END,    // of the container that the path names
};

struct json_value {
    enum json_type type;
    bool flag;       // VALUE_BOOL; VALUE_END: an array ends
    int64_t integer; // VALUE_INT
    double real;     // VALUE_INT and VALUE_REAL, finite
    const char
        *text; // VALUE_TEXT, not terminated, well-formed UTF-8; VALUE_INT, VALUE_REAL: as written
    size_t len;
};

struct json;

struct json_spec {
    const char *file; // named in findings; must outlive the reader
    struct findings *findings;
    const char *skip; // containers under this name are left out, NULL: none
    // How bad a document is that cannot be read to its end.
    enum severity broken;
    void (*value)(void *ctx, const struct json *j, const struct json_value *v);
    void *ctx;
};

struct json *json_create(const struct json_spec *spec);
void json_free(struct json *j); // NULL is fine

// Starts a document whose first byte stands at `offset`; findings carry `line`
// (0: unknown). Must be called before the first json_feed.
void json_begin(struct json *j, int64_t offset, int64_t line);

// False once the document is known to be broken; the finding is made then.
bool json_feed(struct json *j, const char *bytes, size_t len);

// Ends the document. True when exactly one whole value was read. A document
// that stops in the middle is a finding `cut`.
bool json_finish(struct json *j);

// Gives up the document without a finding.
void json_drop(struct json *j);

// --- within value() ---

// Whether the value is at this path, such as "metrics/*/series/*/stats/avg":
// names separated by slashes, `*` for any name or any element of an array.
// The empty path is the document itself.
bool json_at(const struct json *j, const char *path);

// The name of the value's ancestor at this level, from 0; the value's own name
// is at json_depth() - 1. NULL for an element of an array or an overlong name.
const char *json_name(const struct json *j, int level);
int json_depth(const struct json *j);
bool json_in_array(const struct json *j); // the value is an element of an array

// Where in the file the value is, for findings.
struct place json_place(const struct json *j);

#endif
