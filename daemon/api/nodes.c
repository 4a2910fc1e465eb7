// SPDX-License-Identifier: GPL-2.0-or-later
#include "api/nodes.h"

#include <string.h>

#include "api/doc.h"
#include "api/reply.h"

static json_t *points_on(const struct app *a, const char *node)
{
    json_t *list = json_array();

    for (size_t i = 0; i < a->core.sweep_count; i++) {
        const struct sweep *s = a->core.sweeps[i];

        for (size_t j = 0; s->state != SWEEP_DONE && j < s->point_count; j++) {
            const struct attempt *t = sweep_point_live(&s->points[j]);

            if (t && t->state == ATTEMPT_RUNNING && !strcmp(t->node, node))
                json_array_append_new(list, json_string(s->points[j].point.name));
        }
    }
    return list;
}

static json_t *words(const char *text)
{
    json_t *list = json_array();

    while (*text) {
        size_t len = strcspn(text, " ");

        json_array_append_new(list, json_stringn(text, len));
        text += len + (text[len] ? 1 : 0);
    }
    return list;
}

void nodes_document(const struct app *a, struct str *out)
{
    json_t *doc = doc_open();
    json_t *list = json_array();

    for (size_t i = 0; i < a->core.node_count; i++) {
        const struct node *n = &a->core.nodes[i];
        const char *why_not;
        json_t *o;

        if (!n->fleet[0])
            continue;
        o = json_object();
        doc_set_text(o, "name", n->name);
        doc_set_text(o, "state", n->state);
        json_object_set_new(o, "flags", words(n->flag_text));
        doc_set_text(o, "fleet", n->fleet);
        json_object_set_new(o, "gpus_total", json_integer(n->gpus_total));
        json_object_set_new(o, "gpus_used", json_integer(n->gpus_used));
        json_object_set_new(o, "usable", json_boolean(node_usable(n, &why_not)));
        doc_set_text(o, "why_not", why_not ? why_not : "");
        doc_set_text(o, "slurm_reason", n->reason);
        json_object_set_new(o, "points", points_on(a, n->name));
        json_array_append_new(list, o);
    }
    json_object_set_new(doc, "nodes", list);
    doc_close(doc, out);
}

void nodes_get(struct app *a, const struct call *c)
{
    struct str text = {0};

    nodes_document(a, &text);
    reply_json(a, c->req->id, HTTP_OK, &text);
}
