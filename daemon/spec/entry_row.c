// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "spec/entry.h"
#include "spec/fields.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define AT(member) offsetof(struct raw_row, member)

static const char *const spec_modes[] = {"mtp", "draft_model", "none", NULL};
static const char *const kv_modes[] = {"none", "dram", NULL};

// A row before its rules are checked; 0 and NULL mean "not written".
struct raw_row {
    int tp, pp, dcp, pcp, ep;
    bool dp_attn;
    const char *spec, *kv, *p2p;
    const struct yaml_value *backend, *router, *prefill, *decode, *list;
    int start, end;
};

#define PARALLEL(name, member)                                                                     \
    {                                                                                              \
        name, FIELD_INT, false, AT(member), 1, ENTRY_PARALLEL_MAX, NULL                            \
    }
#define CONC(name, member)                                                                         \
    {                                                                                              \
        name, FIELD_INT, false, AT(member), 1, ENTRY_CONC_MAX, NULL                                \
    }
#define NODE(name, member)                                                                         \
    {                                                                                              \
        name, FIELD_NODE, false, AT(member), 0, 0, NULL                                            \
    }
#define TEXT(name, member, words)                                                                  \
    {                                                                                              \
        name, FIELD_TEXT, false, AT(member), 0, 0, words                                           \
    }
#define TP_FIELDS                                                                                  \
    PARALLEL("pp", pp), PARALLEL("dcp-size", dcp), PARALLEL("pcp-size", pcp), PARALLEL("ep", ep),  \
    {                                                                                              \
        "dp-attn", FIELD_BOOL, false, AT(dp_attn), 0, 0, NULL                                      \
    }
#define COMMON_FIELDS                                                                              \
    TEXT("spec-decoding", spec, spec_modes), NODE("router", router), NODE("conc-list", list),      \
        CONC("conc-start", start), CONC("conc-end", end)
#define WORKER_FIELDS                                                                              \
    NODE("prefill", prefill), NODE("decode", decode), TEXT("kv-p2p-transfer", p2p, NULL)
#define KV_FIELDS TEXT("kv-offloading", kv, kv_modes), NODE("kv-offload-backend", backend)

static const struct field fixed_single[] = {
    {"tp", FIELD_INT, true, AT(tp), 1, ENTRY_PARALLEL_MAX, NULL},
    TP_FIELDS,
    TEXT("kv-p2p-transfer", p2p, NULL),
    COMMON_FIELDS};
static const struct field fixed_multi[] = {{"prefill", FIELD_NODE, true, AT(prefill), 0, 0, NULL},
                                           {"decode", FIELD_NODE, true, AT(decode), 0, 0, NULL},
                                           TEXT("kv-p2p-transfer", p2p, NULL),
                                           COMMON_FIELDS};
static const struct field agentic[] = {PARALLEL("tp", tp), TP_FIELDS, COMMON_FIELDS, WORKER_FIELDS,
                                       KV_FIELDS};

static const struct field_table *table_of(bool multinode, bool is_agentic)
{
    static const struct field_table tables[] = {
        {"a search-space row", agentic, COUNT(agentic)},
        {"a search-space row", fixed_single, COUNT(fixed_single)},
        {"a search-space row", fixed_multi, COUNT(fixed_multi)},
    };

    return &tables[is_agentic ? 0 : multinode ? 2 : 1];
}

struct raw_component {
    const char *name, *version;
};

int entry_read_component(const char *file, const struct yaml_value *node, const char *what,
                         struct matrix_component *ret, struct err *e)
{
    static const struct field fields[] = {
        {"name", FIELD_TEXT, true, offsetof(struct raw_component, name), 0, 0, NULL},
        {"version", FIELD_TEXT, false, offsetof(struct raw_component, version), 0, 0, NULL},
    };
    const struct field_table table = {what, fields, COUNT(fields)};
    struct raw_component raw = {0};
    int rc = fields_read(&table, file, node, &raw, e);

    if (rc)
        return rc;
    if (strlen(raw.name) > ENTRY_COMPONENT_MAX)
        return yaml_err(e, file, fields_get(node, "name"), "the name of %s is over %d bytes long",
                        what, ENTRY_COMPONENT_MAX);
    if (raw.version && str_starts(raw.version, "image:"))
        return yaml_err(e, file, fields_get(node, "version"),
                        "the version of %s must not begin with 'image:'; write the release", what);
    *ret = (struct matrix_component){
        .name = raw.name,
        .version = raw.version,
        .version_first = strcmp(node->pairs[0].key->text, "version") == 0,
    };
    return 0;
}

// --- workers -----------------------------------------------------------------

struct raw_worker {
    int num_worker, tp, pp, dcp, pcp, ep;
    bool dp_attn;
    const char *hardware;
    const struct yaml_value *settings;
};

#define WORKER_INT(name, member, required, min)                                                    \
    {                                                                                              \
        name, FIELD_INT, required, offsetof(struct raw_worker, member), min, ENTRY_PARALLEL_MAX,   \
            NULL                                                                                   \
    }

// The order of this table is the numbering of matrix_worker.order.
static const struct field worker_fields[] = {
    WORKER_INT("num-worker", num_worker, true, 0),
    WORKER_INT("tp", tp, true, 1),
    WORKER_INT("pp", pp, false, 1),
    WORKER_INT("dcp-size", dcp, false, 1),
    WORKER_INT("pcp-size", pcp, false, 1),
    WORKER_INT("ep", ep, true, 1),
    {"dp-attn", FIELD_BOOL, true, offsetof(struct raw_worker, dp_attn), 0, 0, NULL},
    {"hardware", FIELD_TEXT, false, offsetof(struct raw_worker, hardware), 0, 0, NULL},
    {"additional-settings", FIELD_NODE, false, offsetof(struct raw_worker, settings), 0, 0, NULL},
};

static int read_settings(const char *file, const struct yaml_value *v, struct arena *arena,
                         struct matrix_worker *w, struct err *e)
{
    int rc = fields_list(file, v, "additional-settings", e);

    if (rc)
        return rc;
    if (v->count > ENTRY_SETTINGS_MAX)
        return yaml_err(e, file, v, "more than %d additional-settings", ENTRY_SETTINGS_MAX);
    const char **texts = arena_alloc(arena, v->count, sizeof(*texts));
    for (size_t i = 0; i < v->count && !rc; i++)
        rc = fields_text(file, v->items[i], "an additional setting", &texts[i], e);
    w->has_settings = true;
    w->settings = texts;
    w->setting_count = v->count;
    return rc;
}

// Written fields keep their place; defaults that were not written come last.
static void set_order(const struct yaml_value *node, struct arena *arena, struct matrix_worker *w)
{
    unsigned char *order = arena_alloc(arena, COUNT(worker_fields), 1);
    bool seen[COUNT(worker_fields)] = {false};
    size_t n = 0;

    for (size_t i = 0; i < node->count; i++)
        for (size_t f = 0; f < COUNT(worker_fields); f++)
            if (strcmp(node->pairs[i].key->text, worker_fields[f].name) == 0 &&
                node->pairs[i].value->type != YAML_NULL) {
                order[n++] = (unsigned char)f;
                seen[f] = true;
            }
    for (size_t f = MATRIX_WORKER_PP; f <= MATRIX_WORKER_PCP; f++)
        if (!seen[f])
            order[n++] = (unsigned char)f;
    w->order = order;
    w->order_count = n;
}

static int read_worker(const char *file, const struct yaml_value *node, const char *what,
                       struct arena *arena, struct matrix_worker *ret, struct err *e)
{
    const struct field_table table = {what, worker_fields, COUNT(worker_fields)};
    struct raw_worker raw = {.pp = 1, .dcp = 1, .pcp = 1};
    int rc = fields_read(&table, file, node, &raw, e);

    if (rc)
        return rc;
    if (raw.tp % raw.dcp)
        return yaml_err(e, file, fields_place(node, "dcp-size"),
                        "tp %d is not divisible by dcp-size %d", raw.tp, raw.dcp);
    *ret = (struct matrix_worker){
        .num_worker = raw.num_worker,
        .tp = raw.tp,
        .pp = raw.pp,
        .dcp = raw.dcp,
        .pcp = raw.pcp,
        .ep = raw.ep,
        .dp_attn = raw.dp_attn,
        .hardware = raw.hardware,
    };
    set_order(node, arena, ret);
    return raw.settings ? read_settings(file, raw.settings, arena, ret, e) : 0;
}

static int read_workers(const char *file, const struct raw_row *raw, struct arena *arena,
                        struct entry_row *row, struct err *e)
{
    int rc = read_worker(file, raw->prefill, "prefill", arena, &row->prefill, e);

    if (!rc)
        rc = read_worker(file, raw->decode, "decode", arena, &row->decode, e);
    if (rc)
        return rc;
    row->has_workers = true;
    if (!row->prefill.hardware != !row->decode.hardware)
        return yaml_err(e, file, row->prefill.hardware ? raw->decode : raw->prefill,
                        "'hardware' must stand in both prefill and decode, or in neither");
    if (!row->prefill.num_worker)
        return yaml_err(e, file, fields_get(raw->prefill, "num-worker"),
                        "prefill needs at least one worker");
    return 0;
}

// --- concurrencies -----------------------------------------------------------

static int read_conc_list(const char *file, const struct yaml_value *v, struct arena *arena,
                          struct entry_row *row, struct err *e)
{
    int rc = 0;

    if (v->count > ENTRY_CONC_LIST_MAX)
        return yaml_err(e, file, v, "conc-list holds more than %d values", ENTRY_CONC_LIST_MAX);
    row->concs = arena_alloc(arena, v->count, sizeof(*row->concs));
    row->conc_count = v->count;
    for (size_t i = 0; i < v->count && !rc; i++)
        rc = fields_int(file, v->items[i], "a concurrency", 1, ENTRY_CONC_MAX, &row->concs[i], e);
    return rc;
}

static int read_concs(const char *file, const struct yaml_value *node, const struct raw_row *raw,
                      struct arena *arena, struct entry_row *row, struct err *e)
{
    int rc = raw->list ? fields_list(file, raw->list, "conc-list", e) : 0;
    bool list = raw->list && raw->list->count;

    if (rc)
        return rc;
    if (list && (raw->start || raw->end))
        return yaml_err(e, file, raw->list,
                        "conc-list and a range stand side by side; keep conc-list or conc-start "
                        "with conc-end");
    if (list)
        return read_conc_list(file, raw->list, arena, row, e);
    if (!raw->start && !raw->end)
        return yaml_err(e, file, raw->list ? raw->list : node,
                        "no concurrency: give conc-list, or conc-start with conc-end");
    if (!raw->start || !raw->end)
        return yaml_err(e, file, fields_place(node, raw->start ? "conc-start" : "conc-end"),
                        "a range needs both ends: '%s' is missing",
                        raw->start ? "conc-end" : "conc-start");
    if (raw->start > raw->end)
        return yaml_err(e, file, fields_get(node, "conc-start"),
                        "conc-start %d is greater than conc-end %d", raw->start, raw->end);
    row->conc_start = raw->start;
    row->conc_end = raw->end;
    return 0;
}

// --- rules -------------------------------------------------------------------

static int check_kv(const char *file, const struct yaml_value *node, const struct raw_row *raw,
                    bool multinode, struct entry_row *row, struct err *e)
{
    if (!raw->kv && !multinode)
        return yaml_err(e, file, node,
                        "a search-space row lacks the field 'kv-offloading' (none "
                        "or dram)");
    row->kv_offloading = raw->kv ? raw->kv : "none";
    if (strcmp(row->kv_offloading, "none") == 0) {
        if (raw->backend)
            return yaml_err(e, file, raw->backend,
                            "kv-offload-backend without offloading; drop it, or set "
                            "kv-offloading: dram");
        return 0;
    }
    if (!raw->backend)
        return yaml_err(e, file, fields_get(node, "kv-offloading"),
                        "kv-offloading: %s needs a kv-offload-backend with its name", raw->kv);
    return entry_read_component(file, raw->backend, "kv-offload-backend", &row->kv_backend, e);
}

// Exactly one of tp and the pair of workers, and the one that fits the entry.
static int check_shape(const char *file, const struct yaml_value *node, const struct raw_row *raw,
                       bool multinode, struct err *e)
{
    static const char *const single_only[] = {"pp", "dcp-size", "pcp-size"};

    if (!raw->prefill != !raw->decode)
        return yaml_err(e, file, raw->prefill ? raw->prefill : raw->decode,
                        "'%s' stands alone; workers need both prefill and decode",
                        raw->prefill ? "prefill" : "decode");
    if (raw->tp && raw->prefill)
        return yaml_err(e, file, fields_get(node, "tp"),
                        "'tp' beside prefill and decode; keep one of the two");
    if (!raw->tp && !raw->prefill)
        return yaml_err(e, file, node, "neither 'tp' nor prefill with decode is given");
    if (raw->prefill && !multinode)
        return yaml_err(e, file, raw->prefill, "prefill and decode need multinode: true");
    if (raw->tp && multinode)
        return yaml_err(e, file, fields_get(node, "tp"),
                        "a multi-node row has prefill and decode instead of 'tp'");
    for (size_t i = 0; raw->prefill && i < COUNT(single_only); i++)
        if (yaml_value_get(node, single_only[i]))
            return yaml_err(e, file, yaml_value_get(node, single_only[i]),
                            "'%s' beside prefill and decode; write it inside them", single_only[i]);
    return 0;
}

static int check_row(const char *file, const struct yaml_value *node, const struct raw_row *raw,
                     bool multinode, bool is_agentic, struct entry_row *row, struct err *e)
{
    int rc = check_shape(file, node, raw, multinode, e);

    if (!rc && row->tp % row->dcp)
        rc = yaml_err(e, file, fields_get(node, "dcp-size"),
                      "tp %d is not divisible by dcp-size %d", row->tp, row->dcp);
    if (!rc && raw->router)
        rc = entry_read_component(file, raw->router, "router", &row->router, e);
    if (!rc && is_agentic)
        rc = check_kv(file, node, raw, multinode, row, e);
    return rc;
}

int entry_read_row(const char *file, const struct yaml_value *node, bool multinode, bool is_agentic,
                   struct arena *arena, struct entry_row *ret, struct err *e)
{
    struct raw_row raw = {0};
    int rc = fields_read(table_of(multinode, is_agentic), file, node, &raw, e);

    if (rc)
        return rc;
    *ret = (struct entry_row){
        .node = node,
        .tp = raw.tp,
        .pp = raw.pp ? raw.pp : 1,
        .dcp = raw.dcp ? raw.dcp : 1,
        .pcp = raw.pcp ? raw.pcp : 1,
        .ep = raw.ep ? raw.ep : 1,
        .dp_attn = raw.dp_attn,
        .spec_decoding = raw.spec ? raw.spec : "none",
        .kv_offloading = "none",
        .kv_p2p_transfer = raw.p2p,
    };
    rc = check_row(file, node, &raw, multinode, is_agentic, ret, e);
    if (!rc && raw.prefill)
        rc = read_workers(file, &raw, arena, ret, e);
    return rc ? rc : read_concs(file, node, &raw, arena, ret, e);
}
