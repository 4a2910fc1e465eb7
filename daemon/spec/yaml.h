// SPDX-License-Identifier: GPL-2.0-or-later
// YAML bytes -> a tree of values that know their place. Plain scalars are
// resolved by the YAML 1.1 rules of PyYAML's safe loader, so that a file means
// here what it means to the tools that publish it. Hostile input is bounded in
// bytes, depth and nodes, aliases included. Pure.
#ifndef SWEEPD_SPEC_YAML_H
#define SWEEPD_SPEC_YAML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum {
    YAML_DEPTH_MAX = 64,
    YAML_NODES_MAX = 1000000, // as a walk sees them: an alias counts what it stands for
    YAML_ANCHORS_MAX = 1000,
    YAML_BYTES_MAX = 16 << 20,
};

enum yaml_type {
    YAML_NULL,
    YAML_BOOL,
    YAML_INT,
    YAML_FLOAT,
    YAML_TIME, // a date, or a date with a time; kept as text
    YAML_STRING,
    YAML_LIST,
    YAML_MAP,
};

struct yaml_value {
    enum yaml_type type;
    int line, column;          // from 1
    bool plain;                // a scalar written without quotes
    bool boolean;              // YAML_BOOL
    int64_t integer;           // YAML_INT; a number that does not fit is an error of the document
    double number;             // YAML_FLOAT and YAML_INT
    const char *text;          // scalars: what was written, without the quotes
    size_t text_len;           // text holds no zero byte
    struct yaml_value **items; // YAML_LIST
    struct yaml_pair *pairs;   // YAML_MAP, in written order
    size_t count;              // of items or pairs
    size_t weight;             // private: nodes below and at this one
};

struct yaml_pair {
    struct yaml_value *key; // a scalar
    struct yaml_value *value;
};

struct yaml_doc;

// Parses the one document in bytes. *ret is owned by the caller, to be given to
// yaml_doc_free(). -EINVAL or -E2BIG, with "name:line:column: text" in e. An
// empty text gives a null root. Merge keys (<<) are carried out.
int yaml_doc_parse(const char *name, const char *bytes, size_t len, struct yaml_doc **ret,
                   struct err *e) MUST_CHECK;
void yaml_doc_free(struct yaml_doc *doc); // NULL is fine

const struct yaml_value *yaml_doc_root(const struct yaml_doc *doc); // as long as the doc lives
const char *yaml_doc_name(const struct yaml_doc *doc);

// The value under a text key of a map, or NULL.
const struct yaml_value *yaml_value_get(const struct yaml_value *map, const char *key);
bool yaml_is_scalar(const struct yaml_value *v); // neither a list nor a map
// An order of scalars in which equal keys are neighbours: 1 and 0x1 are equal.
int yaml_key_compare(const struct yaml_value *a, const struct yaml_value *b);
bool yaml_value_equal(const struct yaml_value *a,
                      const struct yaml_value *b); // places do not count
const char *yaml_type_name(enum yaml_type type);   // "a list", "a text"

// Fills e with "name:line:column: text" and returns -EINVAL.
int yaml_err(struct err *e, const char *name, const struct yaml_value *at, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

#endif
