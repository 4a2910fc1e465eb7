// SPDX-License-Identifier: GPL-2.0-or-later
#include "doc.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/version.h"

enum { DOC_INDENT = 2 };

// struct doc is json_t under a name that does not show the library.
static json_t *raw(const struct doc *d)
{
    return (json_t *)(uintptr_t)d;
}

static struct doc *wrap(json_t *j)
{
    return (struct doc *)j;
}

int doc_parse(const char *bytes, size_t len, struct doc **ret, struct err *e)
{
    json_error_t where;
    json_t *j = json_loadb(bytes, len, JSON_REJECT_DUPLICATES, &where);

    if (!j)
        return err_set(e, -EPROTO, "line %d, column %d: %s", where.line, where.column, where.text);
    *ret = wrap(j);
    return 0;
}

void doc_free(struct doc *d)
{
    json_decref(raw(d));
}

const struct doc *doc_get(const struct doc *d, const char *name)
{
    return wrap(json_object_get(raw(d), name));
}

const char *doc_string(const struct doc *d)
{
    const char *text = json_string_value(raw(d));

    return text ? text : "";
}

const char *doc_text(const struct doc *d, const char *name)
{
    return doc_string(doc_get(d, name));
}

double doc_number(const struct doc *d, const char *name)
{
    const json_t *j = raw(doc_get(d, name));

    return json_is_number(j) ? json_number_value(j) : NAN;
}

int64_t doc_int(const struct doc *d, const char *name, int64_t fallback)
{
    const json_t *j = raw(doc_get(d, name));

    return json_is_integer(j) ? (int64_t)json_integer_value(j) : fallback;
}

bool doc_flag(const struct doc *d, const char *name)
{
    return json_is_true(raw(doc_get(d, name)));
}

size_t doc_count(const struct doc *list)
{
    return json_array_size(raw(list));
}

const struct doc *doc_at(const struct doc *list, size_t i)
{
    return wrap(json_array_get(raw(list), i));
}

const char *doc_first_name(const struct doc *d)
{
    void *at = json_object_iter(raw(d));

    return at ? json_object_iter_key(at) : NULL;
}

const char *doc_next_name(const struct doc *d, const char *name)
{
    void *at = json_object_iter_at(raw(d), name);

    at = at ? json_object_iter_next(raw(d), at) : NULL;
    return at ? json_object_iter_key(at) : NULL;
}

struct doc *doc_object(void)
{
    return wrap(json_object());
}

struct doc *doc_list(void)
{
    return wrap(json_array());
}

struct doc *doc_document(void)
{
    struct doc *d = doc_object();

    doc_put_int(d, "schema_version", JSON_SCHEMA_VERSION);
    return d;
}

void doc_put(struct doc *object, const char *name, struct doc *value)
{
    json_object_set_new(raw(object), name, raw(value));
}

void doc_share(struct doc *object, const char *name, const struct doc *value)
{
    json_object_set_new(raw(object), name, value ? json_incref(raw(value)) : json_null());
}

void doc_push(struct doc *list, struct doc *value)
{
    json_array_append_new(raw(list), raw(value));
}

void doc_push_shared(struct doc *list, const struct doc *value)
{
    json_array_append(raw(list), raw(value));
}

void doc_append(struct doc *object, const char *name, const struct doc *more)
{
    json_array_extend(json_object_get(raw(object), name), raw(more));
}

static json_t *text_value(const char *text)
{
    json_t *j = json_string(text);

    if (j)
        return j;
    char *copy = mem_strdup(text);
    for (char *p = copy; *p; p++)
        if ((unsigned char)*p >= 0x80)
            *p = '?';
    j = json_string(copy);
    free(copy);
    return j;
}

void doc_push_text(struct doc *list, const char *text)
{
    json_array_append_new(raw(list), text_value(text));
}

void doc_push_int(struct doc *list, int64_t value)
{
    json_array_append_new(raw(list), json_integer(value));
}

void doc_put_text(struct doc *object, const char *name, const char *text)
{
    json_object_set_new(raw(object), name, text_value(text));
}

bool doc_put_bytes(struct doc *object, const char *name, const char *bytes, size_t len)
{
    return !json_object_set_new(raw(object), name, json_stringn(bytes, len));
}

void doc_put_int(struct doc *object, const char *name, int64_t value)
{
    json_object_set_new(raw(object), name, json_integer(value));
}

void doc_put_flag(struct doc *object, const char *name, bool value)
{
    json_object_set_new(raw(object), name, json_boolean(value));
}

static int append(const char *bytes, size_t len, void *out)
{
    str_add_bytes(out, bytes, len);
    return 0;
}

void doc_write(const struct doc *d, struct str *out, bool pretty)
{
    size_t flags = JSON_ENCODE_ANY | (pretty ? JSON_INDENT(DOC_INDENT) : JSON_COMPACT);

    json_dump_callback(raw(d), append, out, flags);
    if (pretty)
        str_add_char(out, '\n');
}
