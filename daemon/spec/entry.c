// SPDX-License-Identifier: GPL-2.0-or-later
#include "spec/entry.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "spec/fields.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

// Agentic points run on one exact fleet, which a cluster label names.
static const char cluster_prefix[] = "cluster:";

struct raw_entry {
    const char *image, *model, *model_prefix, *precision, *framework, *runner;
    bool multinode, disagg;
    const struct yaml_value *router, *scenarios;
    const char *p2p;
};

#define TEXT(name, member, required)                                                               \
    {                                                                                              \
        name, FIELD_TEXT, required, offsetof(struct raw_entry, member), 0, 0, NULL                 \
    }

static const struct field entry_fields[] = {
    TEXT("image", image, true),
    TEXT("model", model, true),
    TEXT("model-prefix", model_prefix, true),
    TEXT("precision", precision, true),
    TEXT("framework", framework, true),
    TEXT("runner", runner, true),
    {"multinode", FIELD_BOOL, true, offsetof(struct raw_entry, multinode), 0, 0, NULL},
    {"disagg", FIELD_BOOL, false, offsetof(struct raw_entry, disagg), 0, 0, NULL},
    {"router", FIELD_NODE, false, offsetof(struct raw_entry, router), 0, 0, NULL},
    TEXT("kv-p2p-transfer", p2p, false),
    {"scenarios", FIELD_NODE, true, offsetof(struct raw_entry, scenarios), 0, 0, NULL},
};

// --- scenarios ---------------------------------------------------------------

struct raw_scenario {
    int isl, osl;
    const struct yaml_value *utilization, *space;
};

static const struct field fixed_fields[] = {
    {"isl", FIELD_INT, true, offsetof(struct raw_scenario, isl), 1, ENTRY_LENGTH_MAX, NULL},
    {"osl", FIELD_INT, true, offsetof(struct raw_scenario, osl), 1, ENTRY_LENGTH_MAX, NULL},
    {"search-space", FIELD_NODE, true, offsetof(struct raw_scenario, space), 0, 0, NULL},
};
static const struct field agentic_fields[] = {
    {"dram-utilization", FIELD_NODE, false, offsetof(struct raw_scenario, utilization), 0, 0, NULL},
    {"search-space", FIELD_NODE, true, offsetof(struct raw_scenario, space), 0, 0, NULL},
};

static int check_utilization(const char *file, const struct yaml_value *v, struct err *e)
{
    if (v->type != YAML_FLOAT && v->type != YAML_INT)
        return yaml_err(e, file, v, "dram-utilization must be a number, not %s",
                        yaml_type_name(v->type));
    if (!(v->number > 0 && v->number <= 1))
        return yaml_err(e, file, v, "dram-utilization is %s; it must be over 0 and at most 1",
                        v->text);
    return 0;
}

static int read_rows(const struct entry *en, const struct yaml_value *space, bool agentic,
                     struct arena *arena, struct entry_scenario *ret, struct err *e)
{
    int rc = fields_list(en->file, space, "search-space", e);

    if (rc)
        return rc;
    if (!space->count)
        return yaml_err(e, en->file, space, "search-space is empty; give it a row");
    if (space->count > ENTRY_ROWS_MAX)
        return yaml_err(e, en->file, space, "search-space has more than %d rows", ENTRY_ROWS_MAX);
    ret->rows = arena_alloc(arena, space->count, sizeof(*ret->rows));
    ret->row_count = space->count;
    for (size_t i = 0; i < space->count && !rc; i++) {
        struct entry_row *row = &ret->rows[i];

        rc = entry_read_row(en->file, space->items[i], en->multinode, agentic, arena, row, e);
        if (!rc && strcmp(row->kv_offloading, "dram") == 0 && !ret->utilization)
            rc = yaml_err(e, en->file, fields_get(space->items[i], "kv-offloading"),
                          "kv-offloading: dram needs dram-utilization beside search-space");
    }
    return rc;
}

static int read_scenario(const struct entry *en, const struct yaml_value *node, bool agentic,
                         struct arena *arena, struct entry_scenario *ret, struct err *e)
{
    const struct field_table table = {
        agentic ? "an agentic-coding scenario" : "a fixed-seq-len scenario",
        agentic ? agentic_fields : fixed_fields,
        agentic ? COUNT(agentic_fields) : COUNT(fixed_fields),
    };
    struct raw_scenario raw = {0};
    int rc = fields_read(&table, en->file, node, &raw, e);

    if (!rc && raw.utilization)
        rc = check_utilization(en->file, raw.utilization, e);
    if (rc)
        return rc;
    *ret = (struct entry_scenario){.isl = raw.isl, .osl = raw.osl, .utilization = raw.utilization};
    return read_rows(en, raw.space, agentic, arena, ret, e);
}

static int read_scenario_list(const struct entry *en, const struct yaml_value *list, bool agentic,
                              struct arena *arena, struct entry_scenario **ret, size_t *ret_count,
                              struct err *e)
{
    const char *what = agentic ? "agentic-coding" : "fixed-seq-len";
    int rc = list ? fields_list(en->file, list, what, e) : 0;

    if (rc || !list)
        return rc;
    if (list->count > ENTRY_ROWS_MAX)
        return yaml_err(e, en->file, list, "%s has more than %d members", what, ENTRY_ROWS_MAX);
    *ret = arena_alloc(arena, list->count, sizeof(**ret));
    *ret_count = list->count;
    for (size_t i = 0; i < list->count && !rc; i++)
        rc = read_scenario(en, list->items[i], agentic, arena, &(*ret)[i], e);
    return rc;
}

static int read_scenarios(const struct yaml_value *node, struct arena *arena, struct entry *en,
                          struct err *e)
{
    struct lists {
        const struct yaml_value *fixed, *agentic;
    } lists = {0};
    const struct field fields[] = {
        {"fixed-seq-len", FIELD_NODE, false, offsetof(struct lists, fixed), 0, 0, NULL},
        {"agentic-coding", FIELD_NODE, false, offsetof(struct lists, agentic), 0, 0, NULL},
    };
    const struct field_table table = {"scenarios", fields, COUNT(fields)};
    int rc = fields_read(&table, en->file, node, &lists, e);

    if (!rc)
        rc = read_scenario_list(en, lists.fixed, false, arena, &en->fixed, &en->fixed_count, e);
    if (!rc)
        rc =
            read_scenario_list(en, lists.agentic, true, arena, &en->agentic, &en->agentic_count, e);
    if (!rc && !en->fixed_count && !en->agentic_count)
        rc = yaml_err(e, en->file, node,
                      "no scenario: fixed-seq-len or agentic-coding needs at least one member");
    return rc;
}

// --- rules over the whole entry ------------------------------------------------

struct scope {
    const struct yaml_value *router_row, *p2p_row, *row_without_p2p; // the first of each
};

static void look_at_rows(const struct entry_scenario *list, size_t count, struct scope *s)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < list[i].row_count; j++) {
            const struct entry_row *row = &list[i].rows[j];

            if (row->router.name && !s->router_row)
                s->router_row = fields_get(row->node, "router");
            if (row->kv_p2p_transfer && !s->p2p_row)
                s->p2p_row = fields_get(row->node, "kv-p2p-transfer");
            if (!row->kv_p2p_transfer && !s->row_without_p2p)
                s->row_without_p2p = row->node;
        }
}

static int check_scope(const struct entry *en, struct err *e)
{
    struct scope s = {0};
    static const char both[] = "%s stands at the top level too; keep one of the two places";

    look_at_rows(en->fixed, en->fixed_count, &s);
    look_at_rows(en->agentic, en->agentic_count, &s);
    if (!en->multinode && (s.p2p_row || en->kv_p2p_transfer))
        return yaml_err(e, en->file,
                        s.p2p_row ? s.p2p_row : fields_get(en->node, "kv-p2p-transfer"),
                        "kv-p2p-transfer needs multinode: true");
    if (en->router.name && s.router_row)
        return yaml_err(e, en->file, s.router_row, both, "router");
    if (en->kv_p2p_transfer && s.p2p_row)
        return yaml_err(e, en->file, s.p2p_row, both, "kv-p2p-transfer");
    if (en->disagg && !en->kv_p2p_transfer && s.row_without_p2p)
        return yaml_err(e, en->file, s.row_without_p2p,
                        "disagg: true needs kv-p2p-transfer, at the top level or in every row");
    return 0;
}

static int check_entry(const struct entry *en, struct err *e)
{
    if (!en->multinode && en->disagg)
        return yaml_err(e, en->file, fields_get(en->node, "disagg"),
                        "disagg: true needs multinode: true");
    if (en->agentic_count && !str_starts(en->runner, cluster_prefix))
        return yaml_err(e, en->file, fields_get(en->node, "runner"),
                        "an entry with agentic-coding needs a runner that begins with '%s', so "
                        "that all points run on one fleet; '%s' does not",
                        cluster_prefix, en->runner);
    return check_scope(en, e);
}

static int read_fields(struct entry *en, struct raw_entry *raw, struct err *e)
{
    const struct field_table table = {"the entry", entry_fields, COUNT(entry_fields)};
    int rc = fields_read(&table, en->file, en->node, raw, e);

    if (rc)
        return rc;
    en->image = raw->image;
    en->model = raw->model;
    en->model_prefix = raw->model_prefix;
    en->precision = raw->precision;
    en->framework = raw->framework;
    en->runner = raw->runner;
    en->multinode = raw->multinode;
    en->disagg = raw->disagg;
    en->kv_p2p_transfer = raw->p2p;
    return raw->router ? entry_read_component(en->file, raw->router, "router", &en->router, e) : 0;
}

int entry_read(const char *file, const struct yaml_value *key, const struct yaml_value *node,
               struct arena *arena, struct entry *ret, struct err *e)
{
    struct entry en = {.file = file, .key_node = key, .node = node};
    struct raw_entry raw = {0};
    int rc = fields_text(file, key, "a config key", &en.key, e);

    if (rc)
        return rc;
    if (strpbrk(en.key, "*?"))
        return yaml_err(e, file, key, "the config key '%s' holds a wildcard; rename it", en.key);
    rc = read_fields(&en, &raw, e);
    if (!rc)
        rc = read_scenarios(raw.scenarios, arena, &en, e);
    if (!rc)
        rc = check_entry(&en, e);
    if (!rc)
        *ret = en;
    return rc;
}
