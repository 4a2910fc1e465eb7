// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "spec/yaml.h"

const char *yaml_type_name(enum yaml_type type)
{
    static const char *const names[] = {
        [YAML_NULL] = "nothing",   [YAML_BOOL] = "true or false", [YAML_INT] = "a whole number",
        [YAML_FLOAT] = "a number", [YAML_TIME] = "a date",        [YAML_STRING] = "a text",
        [YAML_LIST] = "a list",    [YAML_MAP] = "a map",
    };

    return names[type];
}

int yaml_err(struct err *e, const char *name, const struct yaml_value *at, const char *fmt, ...)
{
    char text[ERR_TEXT_MAX];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    return err_set(e, -EINVAL, "%s:%d:%d: %s", name, at->line, at->column, text);
}

bool yaml_is_scalar(const struct yaml_value *v)
{
    return v->type != YAML_LIST && v->type != YAML_MAP;
}

int yaml_key_compare(const struct yaml_value *a, const struct yaml_value *b)
{
    if (a->type != b->type)
        return a->type < b->type ? -1 : 1;
    if (a->type == YAML_INT)
        return (a->integer > b->integer) - (a->integer < b->integer);
    if (a->type == YAML_BOOL)
        return (int)a->boolean - (int)b->boolean;
    size_t len = a->text_len < b->text_len ? a->text_len : b->text_len;
    int order = a->type == YAML_NULL ? 0 : memcmp(a->text, b->text, len);
    if (!order && a->type != YAML_NULL)
        order = (a->text_len > b->text_len) - (a->text_len < b->text_len);
    return order;
}

const struct yaml_value *yaml_value_get(const struct yaml_value *map, const char *key)
{
    if (!map || map->type != YAML_MAP)
        return NULL;
    for (size_t i = 0; i < map->count; i++) {
        const struct yaml_value *k = map->pairs[i].key;

        if (k->type == YAML_STRING && strcmp(k->text, key) == 0)
            return map->pairs[i].value;
    }
    return NULL;
}

static bool same_list(const struct yaml_value *a, const struct yaml_value *b)
{
    for (size_t i = 0; i < a->count; i++)
        if (!yaml_value_equal(a->items[i], b->items[i]))
            return false;
    return true;
}

static bool same_map(const struct yaml_value *a, const struct yaml_value *b)
{
    for (size_t i = 0; i < a->count; i++) {
        size_t tried = 0, j = i; // most maps have their keys in the same order

        for (; tried < b->count; tried++, j = (j + 1) % b->count)
            if (yaml_key_compare(a->pairs[i].key, b->pairs[j].key) == 0)
                break;
        if (tried == b->count || !yaml_value_equal(a->pairs[i].value, b->pairs[j].value))
            return false;
    }
    return true;
}

bool yaml_value_equal(const struct yaml_value *a, const struct yaml_value *b)
{
    bool numbers = (a->type == YAML_INT || a->type == YAML_FLOAT) &&
                   (b->type == YAML_INT || b->type == YAML_FLOAT);

    if (numbers)
        return a->type == YAML_INT && b->type == YAML_INT ? a->integer == b->integer
                                                          : a->number == b->number;
    if (a->type != b->type)
        return false;
    if (yaml_is_scalar(a))
        return yaml_key_compare(a, b) == 0;
    if (a->count != b->count)
        return false;
    return a->type == YAML_LIST ? same_list(a, b) : same_map(a, b);
}
