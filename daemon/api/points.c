// SPDX-License-Identifier: GPL-2.0-or-later
#include "api/points.h"

#include <math.h>

#include "api/doc.h"
#include "api/reply.h"
#include "base/clock.h"
#include "spool.h"

// The attempt that a point shows: the one that counts, else the last.
static const struct attempt *shown(const struct sweep_point *p)
{
    const struct attempt *t = sweep_point_chosen(p);

    if (!t && p->attempt_count)
        t = &p->attempts[p->attempt_count - 1];
    return t;
}

static void set_axes(json_t *o, const struct point *q)
{
    json_object_set_new(o, "tp", json_integer(q->tp));
    json_object_set_new(o, "pp", json_integer(q->pp));
    json_object_set_new(o, "ep", json_integer(q->ep));
    json_object_set_new(o, "dcp", json_integer(q->dcp));
    json_object_set_new(o, "pcp", json_integer(q->pcp));
    json_object_set_new(o, "dp_attn", json_boolean(q->dp_attn));
    json_object_set_new(o, "conc", json_integer(q->conc));
    json_object_set_new(o, "gpus", json_integer(point_gpus(q)));
}

static void set_attempt(json_t *o, const struct attempt *t)
{
    static const struct attempt none = {.metrics = {NAN, NAN, NAN, NAN, NAN, NAN, 0}};
    bool judged = t && t->state == ATTEMPT_JUDGED;

    json_object_set_new(o, "attempt_state",
                        t ? json_string(attempt_state_name(t->state)) : json_null());
    if (!t)
        t = &none;
    doc_set_text_or_null(o, "phase", t->phase);
    doc_set_text_or_null(o, "slurm_state", t->slurm_state);
    doc_set_text(o, "slurm_reason", t->slurm_reason);
    json_object_set_new(o, "job_id", t->job_id ? json_integer(t->job_id) : json_null());
    doc_set_text_or_null(o, "node", t->node);
    doc_set_time(o, "started_at", t->started_at);
    doc_set_time(o, "ended_at", t->ended_at);
    doc_set_number(o, "al", t->metrics.al);
    doc_set_number(o, "total_tps_per_gpu", t->metrics.total_tps_per_gpu);
    doc_set_number(o, "output_tps_per_user", t->metrics.output_tps_per_user);
    doc_set_number(o, "ttft_p90_s", t->metrics.ttft_p90_s);
    json_object_set_new(o, "requests", judged ? json_integer(t->metrics.requests) : json_null());
}

// What the schedule says of a point that waits; null where it says nothing.
static json_t *planned_object(const struct core *c, const struct sweep_point *p)
{
    json_t *o;

    if (p->state != POINT_WAITING || !p->planned_node || p->planned_node > c->node_count)
        return json_null();
    o = json_object();
    doc_set_text(o, "node", c->nodes[p->planned_node - 1].name);
    doc_set_time(o, "start", p->planned_start);
    doc_set_time(o, "end", p->planned_end);
    return o;
}

static json_t *point_object(const struct core *c, const struct sweep_point *p)
{
    json_t *o = json_object();
    char arm[POINT_NAME_MAX];

    point_arm(&p->point, arm, sizeof(arm));
    doc_set_text(o, "name", p->point.name);
    doc_set_text(o, "arm", arm);
    doc_set_text(o, "kind", point_kind_name(p->point.kind));
    doc_set_text(o, "state", point_state_name(p->state));
    doc_set_text_or_null(o, "outcome", outcome_name(p->outcome));
    doc_set_text_or_null(o, "class", outcome_class_name(outcome_class(p->outcome)));
    doc_set_text(o, "reason", p->reason);
    set_axes(o, &p->point);
    json_object_set_new(o, "attempts", json_integer((json_int_t)p->attempt_count));
    set_attempt(o, shown(p));
    json_object_set_new(o, "expected_s", json_integer(p->expected_us / US_PER_S));
    json_object_set_new(o, "planned", planned_object(c, p));
    return o;
}

void points_document(const struct core *c, const struct sweep *s, struct str *out)
{
    json_t *doc = doc_open();
    json_t *list = json_array();

    doc_set_text(doc, "sweep", s->id);
    for (size_t i = 0; i < s->point_count; i++)
        json_array_append_new(list, point_object(c, &s->points[i]));
    json_object_set_new(doc, "points", list);
    doc_close(doc, out);
}

static json_t *evidence_list(const struct verdict *v)
{
    json_t *list = json_array();

    for (size_t i = 0; i < v->count; i++) {
        json_t *o = json_object();

        doc_set_text(o, "rule", v->evidence[i].rule);
        json_object_set_new(o, "holds", json_boolean(v->evidence[i].holds));
        doc_set_text(o, "value", v->evidence[i].value);
        doc_set_text(o, "limit", v->evidence[i].limit);
        doc_set_text(o, "source", v->evidence[i].source);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *attempt_object(const struct app *a, const struct sweep *s,
                              const struct sweep_point *p, const struct attempt *t)
{
    json_t *o = json_object();
    char dir[SPOOL_PATH_MAX] = "";

    spool_attempt_dir(a->conf->spool, s->id, p->point.name, t->number, dir, sizeof(dir));
    json_object_set_new(o, "number", json_integer(t->number));
    doc_set_text(o, "token", t->token);
    doc_set_text(o, "state", attempt_state_name(t->state));
    doc_set_text_or_null(o, "outcome", outcome_name(t->outcome));
    doc_set_text_or_null(o, "blame", blame_name(t->blame));
    doc_set_text(o, "reason", t->reason);
    json_object_set_new(o, "job_id", t->job_id ? json_integer(t->job_id) : json_null());
    doc_set_text_or_null(o, "node", t->node);
    doc_set_text_or_null(o, "slurm_state", t->slurm_state);
    doc_set_text(o, "end_reason", t->end_reason);
    json_object_set_new(o, "exit_code", json_integer(t->exit_code));
    doc_set_text_or_null(o, "phase", t->phase);
    doc_set_time(o, "intent_at", t->intent_at);
    doc_set_time(o, "submitted_at", t->submitted_at);
    doc_set_time(o, "started_at", t->started_at);
    doc_set_time(o, "ended_at", t->ended_at);
    doc_set_time(o, "judged_at", t->judged_at);
    doc_set_text(o, "folder", dir);
    json_object_set_new(o, "evidence", evidence_list(&t->verdict));
    return o;
}

static void point_text(const struct app *a, const struct sweep *s, const struct sweep_point *p,
                       struct str *out)
{
    json_t *doc = doc_open();
    json_t *point = point_object(&a->core, p);
    json_t *list = json_array();

    for (size_t i = 0; i < p->attempt_count; i++)
        json_array_append_new(list, attempt_object(a, s, p, &p->attempts[i]));
    json_object_set_new(point, "attempts", list);
    doc_set_text(doc, "sweep", s->id);
    json_object_set_new(doc, "point", point);
    doc_close(doc, out);
}

// The summaries are JSON text already: each row is closed around its own.
static void results_text(const struct core *c, const struct sweep *s, struct str *out)
{
    json_t *doc = doc_open();

    doc_set_text(doc, "sweep", s->id);
    doc_set_text(doc, "key", s->key);
    doc_close(doc, out);
    out->len--; // the closing brace
    str_add(out, ",\"results\":[");
    for (size_t i = 0; i < s->point_count; i++) {
        const struct attempt *t = sweep_point_chosen(&s->points[i]);

        if (i)
            str_add_char(out, ',');
        doc_close(point_object(c, &s->points[i]), out);
        out->len--;
        str_addf(out, ",\"attempt\":%d,\"summary\":%s}", t ? t->number : 0,
                 t && t->summary ? t->summary : "null");
    }
    str_add(out, "]}");
}

// --- handlers -------------------------------------------------------------------------

void points_get(struct app *a, const struct call *c)
{
    struct str text = {0};

    points_document(&a->core, c->sweep, &text);
    reply_json(a, c->req->id, HTTP_OK, &text);
}

void point_get(struct app *a, const struct call *c)
{
    struct str text = {0};

    point_text(a, c->sweep, c->point, &text);
    reply_json(a, c->req->id, HTTP_OK, &text);
}

void results_get(struct app *a, const struct call *c)
{
    struct str text = {0};

    results_text(&a->core, c->sweep, &text);
    reply_json(a, c->req->id, HTTP_OK, &text);
}
