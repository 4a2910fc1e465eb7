// SPDX-License-Identifier: GPL-2.0-or-later
#include "spec/fields.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"

enum {
    FIELDS_MAX = 64, // in one table
    SHOWN_MAX = 80,  // bytes of a file's text that a message repeats
    LIST_TEXT_MAX = 400,
};

const char *fields_nearest(const char *written, const char *const *words)
{
    size_t len = strlen(written);
    // A short word needs a close match, or everything would be "near".
    int limit = len <= 2 ? 1 : len <= 8 ? 2 : 3;
    const char *best = NULL;

    for (; *words; words++) {
        int d = str_distance(written, *words, limit);

        if (d <= limit) {
            limit = d - 1;
            best = *words;
        }
    }
    return best;
}

static const char *join(const char *const *words, char *buf, size_t size)
{
    static const char comma[] = ", ";
    size_t used = 0;

    buf[0] = '\0';
    for (; *words; words++) {
        if (used + strlen(comma) + strlen(*words) >= size)
            break;
        if (used) {
            str_copy(buf + used, size - used, comma);
            used += strlen(comma);
        }
        str_copy(buf + used, size - used, *words);
        used += strlen(*words);
    }
    return buf;
}

static int unknown_field(const struct field_table *t, const char *file,
                         const struct yaml_value *key, struct err *e)
{
    const char *names[FIELDS_MAX + 1] = {0};
    char list[LIST_TEXT_MAX];
    const char *near;

    for (size_t i = 0; i < t->count && i < FIELDS_MAX; i++)
        names[i] = t->fields[i].name;
    near = key->type == YAML_STRING ? fields_nearest(key->text, names) : NULL;
    if (near)
        return yaml_err(e, file, key, "unknown field '%.*s' in %s; did you mean '%s'?", SHOWN_MAX,
                        key->text, t->what, near);
    return yaml_err(e, file, key, "unknown field '%.*s' in %s; known are: %s", SHOWN_MAX, key->text,
                    t->what, join(names, list, sizeof(list)));
}

static const struct field *find(const struct field_table *t, const struct yaml_value *key)
{
    if (key->type != YAML_STRING)
        return NULL;
    for (size_t i = 0; i < t->count; i++)
        if (strcmp(t->fields[i].name, key->text) == 0)
            return &t->fields[i];
    return NULL;
}

static int wrong_type(const char *file, const struct yaml_value *v, const char *what,
                      const char *wanted, struct err *e)
{
    if (strcmp(wanted, "a text") == 0 && v->type != YAML_LIST && v->type != YAML_MAP &&
        v->type != YAML_NULL)
        return yaml_err(e, file, v, "%s must be a text, but %.*s reads as %s; put it in quotes",
                        what, SHOWN_MAX, v->text, yaml_type_name(v->type));
    return yaml_err(e, file, v, "%s must be %s, not %s", what, wanted, yaml_type_name(v->type));
}

static bool has_control(const struct yaml_value *v)
{
    for (size_t i = 0; i < v->text_len; i++)
        if ((unsigned char)v->text[i] < 0x20 || v->text[i] == 0x7f)
            return true;
    return false;
}

int fields_text(const char *file, const struct yaml_value *v, const char *what, const char **ret,
                struct err *e)
{
    if (v->type != YAML_STRING)
        return wrong_type(file, v, what, "a text", e);
    if (!v->text_len)
        return yaml_err(e, file, v, "%s must not be empty", what);
    if (has_control(v))
        return yaml_err(e, file, v, "%s must not hold line breaks or control characters", what);
    *ret = v->text;
    return 0;
}

int fields_int(const char *file, const struct yaml_value *v, const char *what, int min, int max,
               int *ret, struct err *e)
{
    if (v->type != YAML_INT)
        return wrong_type(file, v, what, "a whole number", e);
    if (v->integer < min || v->integer > max)
        return yaml_err(e, file, v, "%s is %lld; it must be from %d to %d", what,
                        (long long)v->integer, min, max);
    *ret = (int)v->integer;
    return 0;
}

int fields_list(const char *file, const struct yaml_value *v, const char *what, struct err *e)
{
    return v->type == YAML_LIST ? 0 : wrong_type(file, v, what, "a list", e);
}

static int check_choice(const struct field *f, const char *file, const struct yaml_value *v,
                        struct err *e)
{
    char list[LIST_TEXT_MAX];
    const char *near = fields_nearest(v->text, f->choices);

    for (const char *const *c = f->choices; *c; c++)
        if (strcmp(*c, v->text) == 0)
            return 0;
    if (near)
        return yaml_err(e, file, v, "%s: '%.*s' is not one of %s; did you mean '%s'?", f->name,
                        SHOWN_MAX, v->text, join(f->choices, list, sizeof(list)), near);
    return yaml_err(e, file, v, "%s: '%.*s' is not one of %s", f->name, SHOWN_MAX, v->text,
                    join(f->choices, list, sizeof(list)));
}

static int read_field(const struct field *f, const char *file, const struct yaml_value *v,
                      void *target, struct err *e)
{
    void *member = (char *)target + f->offset;
    int rc;

    switch (f->kind) {
    case FIELD_TEXT:
        rc = fields_text(file, v, f->name, member, e);
        return rc || !f->choices ? rc : check_choice(f, file, v, e);
    case FIELD_INT:
        return fields_int(file, v, f->name, f->min, f->max, member, e);
    case FIELD_BOOL:
        if (v->type != YAML_BOOL)
            return wrong_type(file, v, f->name, "true or false", e);
        *(bool *)member = v->boolean;
        return 0;
    case FIELD_NODE:
        *(const struct yaml_value **)member = v;
        return 0;
    }
    return 0;
}

int fields_read(const struct field_table *t, const char *file, const struct yaml_value *map,
                void *target, struct err *e)
{
    if (map->type != YAML_MAP)
        return wrong_type(file, map, t->what, "a map", e);
    for (size_t i = 0; i < map->count; i++) {
        const struct field *f = find(t, map->pairs[i].key);
        const struct yaml_value *v = map->pairs[i].value;
        int rc;

        if (!f)
            return unknown_field(t, file, map->pairs[i].key, e);
        if (v->type == YAML_NULL && !f->required)
            continue;
        rc = read_field(f, file, v, target, e);
        if (rc)
            return rc;
    }
    for (size_t i = 0; i < t->count; i++)
        if (t->fields[i].required && !yaml_value_get(map, t->fields[i].name))
            return yaml_err(e, file, map, "%s lacks the field '%s'", t->what, t->fields[i].name);
    return 0;
}

const struct yaml_value *fields_get(const struct yaml_value *map, const char *key)
{
    const struct yaml_value *v = yaml_value_get(map, key);

    return v && v->type != YAML_NULL ? v : NULL;
}

const struct yaml_value *fields_place(const struct yaml_value *map, const char *key)
{
    const struct yaml_value *v = fields_get(map, key);

    return v ? v : map;
}
