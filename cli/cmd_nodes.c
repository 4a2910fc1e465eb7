// SPDX-License-Identifier: GPL-2.0-or-later
// nodes: where points can run, and what holds a node back.
#include "cmd.h"
#include "table.h"
#include "text.h"

static void join(struct str *out, const struct doc *list)
{
    for (size_t i = 0; i < doc_count(list); i++)
        str_addf(out, "%s%s", out->len ? " " : "", doc_string(doc_at(list, i)));
}

static void add_row(struct table *t, const struct doc *n)
{
    struct str state = {0};
    struct str points = {0};
    bool usable = doc_flag(n, "usable");

    const char *reason = doc_text(n, "slurm_reason");

    str_add(&state, doc_text(n, "state"));
    join(&state, doc_get(n, "flags"));
    if (usable)
        join(&points, doc_get(n, "points"));
    else
        str_addf(&points, "%s%s%s", doc_text(n, "why_not"), reason[0] ? ": " : "", reason);
    table_row(t);
    table_cell(t, STYLE_PLAIN, doc_text(n, "name"));
    table_cell(t, usable ? STYLE_PLAIN : STYLE_WARN, str_text(&state));
    table_cellf(t, STYLE_PLAIN, "%lld/%lld", (long long)doc_int(n, "gpus_used", 0),
                (long long)doc_int(n, "gpus_total", 0));
    table_cell(t, STYLE_PLAIN, doc_text(n, "fleet"));
    table_cell(t, usable ? STYLE_BUSY : STYLE_WARN, str_text(&points));
    str_free(&state);
    str_free(&points);
}

static int run_nodes(struct ctl *ctl)
{
    static const struct column columns[] = {
        {"NODE", ALIGN_LEFT, 0, 0},  {"STATE", ALIGN_LEFT, 8, 0},  {"GPUS", ALIGN_RIGHT, 0, 1},
        {"FLEET", ALIGN_LEFT, 8, 2}, {"POINTS", ALIGN_LEFT, 8, 0},
    };
    struct doc *document = NULL;
    struct str out = {0};
    int code = ctl_get_list(ctl, "/api/v1/nodes", "nodes", &document);

    if (code)
        return code;
    if (ctl->json) {
        ctl_print_doc(document);
    } else {
        const struct doc *nodes = doc_get(document, "nodes");
        struct table *t = table_create(columns, sizeof(columns) / sizeof(columns[0]));

        for (size_t i = 0; i < doc_count(nodes); i++)
            add_row(t, doc_at(nodes, i));
        table_write(t, &out, term_width(), 0);
        table_free(t);
        ctl_print(&out);
    }
    str_free(&out);
    doc_free(document);
    return CTL_OK;
}

const struct command cmd_nodes = {
    .name = "nodes",
    .operands = "",
    .summary = "the nodes of the fleets, what runs there, what holds one back",
    .example = "sweepctl nodes",
    .run = run_nodes,
};
