// SPDX-License-Identifier: GPL-2.0-or-later
// Any bytes as YAML: either a tree that can be walked within its limits, or an
// error that names a place.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "spec/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t walk(const struct yaml_value *v, int depth)
{
    size_t n = 1;

    if (depth > YAML_DEPTH_MAX * YAML_DEPTH_MAX)
        abort();
    for (size_t i = 0; v->type == YAML_LIST && i < v->count; i++)
        n += walk(v->items[i], depth + 1);
    for (size_t i = 0; v->type == YAML_MAP && i < v->count; i++)
        n += walk(v->pairs[i].key, depth + 1) + walk(v->pairs[i].value, depth + 1);
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct yaml_doc *doc = NULL;
    struct err e = {0};

    if (yaml_doc_parse("f", (const char *)data, size, &doc, &e)) {
        if (strncmp(e.text, "f:", 2) != 0 || doc)
            abort();
        return 0;
    }
    // Twice the limit: keys that a merge brings in stand for themselves again.
    if (walk(yaml_doc_root(doc), 0) > 2 * (size_t)YAML_NODES_MAX)
        abort();
    if (!yaml_value_equal(yaml_doc_root(doc), yaml_doc_root(doc)) && !memmem(data, size, "n", 1) &&
        !memmem(data, size, "N", 1))
        abort(); // only .nan differs from itself
    yaml_doc_free(doc);
    return 0;
}
