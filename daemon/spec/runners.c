// SPDX-License-Identifier: GPL-2.0-or-later
#include "spec/runners.h"

#include <errno.h>
#include <string.h>

#include "spec/fields.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static int read_label(const char *file, const struct yaml_pair *pair, struct arena *arena,
                      struct runners_label *ret, struct err *e)
{
    const struct yaml_value *list = pair->value;
    int rc = fields_text(file, pair->key, "a label", &ret->name, e);

    if (!rc)
        rc = fields_list(file, list, "the runners of a label", e);
    if (rc)
        return rc;
    if (!list->count)
        return yaml_err(e, file, list, "the label '%s' has no runners; name one or drop it",
                        ret->name);
    if (list->count > RUNNERS_NAMES_MAX)
        return yaml_err(e, file, list, "more than %d runners", RUNNERS_NAMES_MAX);
    ret->runners = arena_alloc(arena, list->count, sizeof(*ret->runners));
    ret->count = list->count;
    for (size_t i = 0; i < list->count && !rc; i++)
        rc = fields_text(file, list->items[i], "a runner", &ret->runners[i], e);
    return rc;
}

static int read_hardware(const char *file, const struct yaml_pair *pair,
                         struct runners_hardware *ret, struct err *e)
{
    static const struct field fields[] = {
        {"available-cpu-dram-mib", FIELD_INT, true,
         offsetof(struct config_hardware, available_cpu_dram_mib), 1, RUNNERS_DRAM_MAX, NULL},
        {"gpus-per-node", FIELD_INT, true, offsetof(struct config_hardware, gpus_per_node), 1,
         RUNNERS_GPUS_MAX, NULL},
    };
    static const struct field_table table = {"a hardware entry", fields, COUNT(fields)};
    int rc = fields_text(file, pair->key, "a label", &ret->label, e);

    return rc ? rc : fields_read(&table, file, pair->value, &ret->facts, e);
}

static int check_map(const char *file, const struct yaml_value *map, const char *what,
                     struct err *e)
{
    if (map->type != YAML_MAP)
        return yaml_err(e, file, map, "'%s' must be a map, not %s", what,
                        yaml_type_name(map->type));
    if (map->count > RUNNERS_LABELS_MAX)
        return yaml_err(e, file, map, "'%s' has more than %d labels", what, RUNNERS_LABELS_MAX);
    return 0;
}

static int read_labels(const char *file, const struct yaml_value *map, struct arena *arena,
                       struct runners *r, struct err *e)
{
    int rc = check_map(file, map, "labels", e);

    if (rc)
        return rc;
    r->labels = arena_alloc(arena, map->count, sizeof(*r->labels));
    r->label_count = map->count;
    for (size_t i = 0; i < map->count && !rc; i++)
        rc = read_label(file, &map->pairs[i], arena, &r->labels[i], e);
    return rc;
}

static int read_all_hardware(const char *file, const struct yaml_value *map, struct arena *arena,
                             struct runners *r, struct err *e)
{
    int rc = check_map(file, map, "hardware", e);

    if (rc)
        return rc;
    r->hardware = arena_alloc(arena, map->count, sizeof(*r->hardware));
    r->hardware_count = map->count;
    for (size_t i = 0; i < map->count && !rc; i++)
        rc = read_hardware(file, &map->pairs[i], &r->hardware[i], e);
    return rc;
}

int runners_read(const struct yaml_doc *doc, struct arena *arena, struct runners *ret,
                 struct err *e)
{
    struct maps {
        const struct yaml_value *labels, *hardware;
    } maps = {0};
    const struct field fields[] = {
        {"labels", FIELD_NODE, true, offsetof(struct maps, labels), 0, 0, NULL},
        {"hardware", FIELD_NODE, false, offsetof(struct maps, hardware), 0, 0, NULL},
    };
    const struct field_table table = {"the runners file", fields, COUNT(fields)};
    const char *file = yaml_doc_name(doc);
    int rc = fields_read(&table, file, yaml_doc_root(doc), &maps, e);

    if (!rc)
        rc = read_labels(file, maps.labels, arena, ret, e);
    if (!rc && maps.hardware)
        rc = read_all_hardware(file, maps.hardware, arena, ret, e);
    return rc;
}

const struct runners_label *runners_find(const struct runners *r, const char *label)
{
    for (size_t i = 0; i < r->label_count; i++)
        if (strcmp(r->labels[i].name, label) == 0)
            return &r->labels[i];
    return NULL;
}

const struct config_hardware *runners_find_hardware(const struct runners *r, const char *label)
{
    for (size_t i = 0; i < r->hardware_count; i++)
        if (strcmp(r->hardware[i].label, label) == 0)
            return &r->hardware[i].facts;
    return NULL;
}
