// SPDX-License-Identifier: GPL-2.0-or-later
#include "pages.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "base/version.h"
#include "spool.h"

enum { PAGE_PATH_MAX = 512 };
#define JSON_TYPE "application/json"
#define US_PER_HOUR (3600.0 * 1e6)

// --- small pieces -------------------------------------------------------------------

static void set_time(json_t *o, const char *name, int64_t wall)
{
    char text[CLOCK_TEXT_MAX];

    json_object_set_new(o, name,
                        wall ? json_string(clock_text(wall, text, sizeof(text))) : json_null());
}

static void set_number(json_t *o, const char *name, double d)
{
    json_object_set_new(o, name, isfinite(d) ? json_real(d) : json_null());
}

static void set_text(json_t *o, const char *name, const char *text)
{
    // What came from outside may be cut in the middle of a character.
    char *clean = mem_strdup(text);

    utf8_clean(clean);
    json_object_set_new(o, name, json_string(clean));
    free(clean);
}

static void set_text_or_null(json_t *o, const char *name, const char *text)
{
    if (text[0])
        set_text(o, name, text);
    else
        json_object_set_new(o, name, json_null());
}

static json_t *document(void)
{
    json_t *o = json_object();

    json_object_set_new(o, "schema_version", json_integer(JSON_SCHEMA_VERSION));
    set_time(o, "as_of", clock_wall_us());
    return o;
}

static void finish(json_t *o, struct str *out)
{
    char *text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(9));

    str_add(out, text ? text : "{}");
    free(text);
    json_decref(o);
}

// --- sweeps ---------------------------------------------------------------------------

static json_t *outcome_counts(const struct sweep_counts *c)
{
    json_t *o = json_object();

    for (int i = OUTCOME_PASS; i < OUTCOME_COUNT; i++)
        if (c->outcomes[i])
            json_object_set_new(o, outcome_name((enum outcome)i),
                                json_integer((json_int_t)c->outcomes[i]));
    return o;
}

// GPU time that was held, by what became of it.
static json_t *gpu_hours(const struct sweep *s)
{
    double useful = 0;
    double failed = 0;

    for (size_t i = 0; i < s->point_count; i++) {
        const struct sweep_point *p = &s->points[i];

        for (size_t k = 0; k < p->attempt_count; k++) {
            const struct attempt *t = &p->attempts[k];

            if (!t->started_at || !t->ended_at)
                continue;
            double held =
                (double)(t->ended_at - t->started_at) / US_PER_HOUR * point_gpus(&p->point);
            if (outcome_class(t->outcome) == CLASS_OK)
                useful += held;
            else
                failed += held;
        }
    }
    return json_pack("{s:f,s:f}", "useful", useful, "failed", failed);
}

// Nodes that share the work that is left: those that could take it, or do.
static size_t nodes_for(const struct app *a, const struct sweep *s, size_t active)
{
    const char *why_not;
    size_t n = 0;

    for (size_t i = 0; i < a->core.node_count; i++)
        n += !strcmp(a->core.nodes[i].fleet, s->runner) && node_usable(&a->core.nodes[i], &why_not);
    if (!n)
        n = active;
    return n ? n : 1;
}

static json_t *sweep_object(const struct app *a, const struct sweep *s)
{
    struct sweep_counts c = sweep_count(s);
    json_t *o = json_object();
    int64_t left;
    int64_t now = clock_wall_us();
    double progress = sweep_progress(s, now, &left);
    size_t nodes = nodes_for(a, s, c.active);

    set_text(o, "id", s->id);
    set_text(o, "key", s->key);
    set_text(o, "state", sweep_state_name(s->state));
    set_text(o, "owner", s->owner);
    set_time(o, "created_at", s->created_at);
    set_time(o, "ended_at", s->ended_at);
    set_text(o, "on_failure", on_failure_name(s->on_failure));
    json_object_set_new(o, "fast", json_boolean(s->fast));
    set_text(o, "placement", placement_name(s->placement));
    set_text(o, "image", s->image);
    set_text(o, "model", s->model);
    set_text(o, "runner", s->runner);
    set_text(o, "bundle", s->bundle);
    json_object_set_new(o, "points_total", json_integer((json_int_t)s->point_count));
    json_object_set_new(o, "points",
                        json_pack("{s:I,s:I,s:I}", "waiting", (json_int_t)c.waiting, "active",
                                  (json_int_t)c.active, "done", (json_int_t)c.done));
    json_object_set_new(o, "outcomes", outcome_counts(&c));
    set_number(o, "progress", s->state == SWEEP_DONE ? 1.0 : progress);
    set_time(o, "eta", s->state == SWEEP_DONE ? 0 : now + left / (int64_t)nodes);
    set_text(o, "reason", s->reason);
    json_object_set_new(o, "gpu_hours", gpu_hours(s));
    return o;
}

void pages_sweeps(const struct app *a, const char *state, const char *key, struct str *out)
{
    json_t *doc = document();
    json_t *list = json_array();

    for (size_t i = a->core.sweep_count; i-- > 0;) {
        const struct sweep *s = a->core.sweeps[i];

        if ((state && strcmp(state, sweep_state_name(s->state)) != 0) ||
            (key && strcmp(key, s->key) != 0))
            continue;
        json_array_append_new(list, sweep_object(a, s));
    }
    json_object_set_new(doc, "sweeps", list);
    finish(doc, out);
}

void pages_sweep(const struct app *a, const struct sweep *s, struct str *out)
{
    json_t *doc = document();

    json_object_set_new(doc, "sweep", sweep_object(a, s));
    finish(doc, out);
}

// --- points ---------------------------------------------------------------------------

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
    set_text_or_null(o, "phase", t->phase);
    set_text_or_null(o, "slurm_state", t->slurm_state);
    set_text(o, "slurm_reason", t->slurm_reason);
    json_object_set_new(o, "job_id", t->job_id ? json_integer(t->job_id) : json_null());
    set_text_or_null(o, "node", t->node);
    set_time(o, "started_at", t->started_at);
    set_time(o, "ended_at", t->ended_at);
    set_number(o, "al", t->metrics.al);
    set_number(o, "total_tps_per_gpu", t->metrics.total_tps_per_gpu);
    set_number(o, "output_tps_per_user", t->metrics.output_tps_per_user);
    set_number(o, "ttft_p90_s", t->metrics.ttft_p90_s);
    json_object_set_new(o, "requests", judged ? json_integer(t->metrics.requests) : json_null());
}

static json_t *point_object(const struct sweep_point *p)
{
    json_t *o = json_object();
    char arm[POINT_NAME_MAX];

    point_arm(&p->point, arm, sizeof(arm));
    set_text(o, "name", p->point.name);
    set_text(o, "arm", arm);
    set_text(o, "kind", point_kind_name(p->point.kind));
    set_text(o, "state", point_state_name(p->state));
    set_text_or_null(o, "outcome", outcome_name(p->outcome));
    set_text_or_null(o, "class", outcome_class_name(outcome_class(p->outcome)));
    set_text(o, "reason", p->reason);
    set_axes(o, &p->point);
    json_object_set_new(o, "attempts", json_integer((json_int_t)p->attempt_count));
    set_attempt(o, shown(p));
    json_object_set_new(o, "expected_s", json_integer(p->expected_us / US_PER_S));
    return o;
}

void pages_points(const struct app *a, const struct sweep *s, struct str *out)
{
    json_t *doc = document();
    json_t *list = json_array();

    (void)a;
    set_text(doc, "sweep", s->id);
    for (size_t i = 0; i < s->point_count; i++)
        json_array_append_new(list, point_object(&s->points[i]));
    json_object_set_new(doc, "points", list);
    finish(doc, out);
}

static json_t *evidence_list(const struct verdict *v)
{
    json_t *list = json_array();

    for (size_t i = 0; i < v->count; i++) {
        json_t *o = json_object();

        set_text(o, "rule", v->evidence[i].rule);
        json_object_set_new(o, "holds", json_boolean(v->evidence[i].holds));
        set_text(o, "value", v->evidence[i].value);
        set_text(o, "limit", v->evidence[i].limit);
        set_text(o, "source", v->evidence[i].source);
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
    set_text(o, "token", t->token);
    set_text(o, "state", attempt_state_name(t->state));
    set_text_or_null(o, "outcome", outcome_name(t->outcome));
    set_text_or_null(o, "blame", blame_name(t->blame));
    set_text(o, "reason", t->reason);
    json_object_set_new(o, "job_id", t->job_id ? json_integer(t->job_id) : json_null());
    set_text_or_null(o, "node", t->node);
    set_text_or_null(o, "slurm_state", t->slurm_state);
    set_text(o, "end_reason", t->end_reason);
    json_object_set_new(o, "exit_code", json_integer(t->exit_code));
    set_text_or_null(o, "phase", t->phase);
    set_time(o, "intent_at", t->intent_at);
    set_time(o, "submitted_at", t->submitted_at);
    set_time(o, "started_at", t->started_at);
    set_time(o, "ended_at", t->ended_at);
    set_time(o, "judged_at", t->judged_at);
    set_text(o, "folder", dir);
    json_object_set_new(o, "evidence", evidence_list(&t->verdict));
    return o;
}

void pages_point(const struct app *a, const struct sweep *s, const struct sweep_point *p,
                 struct str *out)
{
    json_t *doc = document();
    json_t *point = point_object(p);
    json_t *list = json_array();

    for (size_t i = 0; i < p->attempt_count; i++)
        json_array_append_new(list, attempt_object(a, s, p, &p->attempts[i]));
    json_object_set_new(point, "attempts", list);
    set_text(doc, "sweep", s->id);
    json_object_set_new(doc, "point", point);
    finish(doc, out);
}

// The summaries are JSON text already: each row is closed around its own.
void pages_results(const struct app *a, const struct sweep *s, struct str *out)
{
    json_t *doc = document();

    (void)a;
    set_text(doc, "sweep", s->id);
    set_text(doc, "key", s->key);
    finish(doc, out);
    out->len--; // the closing brace
    str_add(out, ",\"results\":[");
    for (size_t i = 0; i < s->point_count; i++) {
        const struct attempt *t = sweep_point_chosen(&s->points[i]);

        if (i)
            str_add_char(out, ',');
        finish(point_object(&s->points[i]), out);
        out->len--;
        str_addf(out, ",\"attempt\":%d,\"summary\":%s}", t ? t->number : 0,
                 t && t->summary ? t->summary : "null");
    }
    str_add(out, "]}");
}

// --- nodes ----------------------------------------------------------------------------

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

void pages_nodes(const struct app *a, struct str *out)
{
    json_t *doc = document();
    json_t *list = json_array();

    for (size_t i = 0; i < a->core.node_count; i++) {
        const struct node *n = &a->core.nodes[i];
        const char *why_not;
        json_t *o;

        if (!n->fleet[0])
            continue;
        o = json_object();
        set_text(o, "name", n->name);
        set_text(o, "state", n->state);
        json_object_set_new(o, "flags", words(n->flag_text));
        set_text(o, "fleet", n->fleet);
        json_object_set_new(o, "gpus_total", json_integer(n->gpus_total));
        json_object_set_new(o, "gpus_used", json_integer(n->gpus_used));
        json_object_set_new(o, "usable", json_boolean(node_usable(n, &why_not)));
        set_text(o, "why_not", why_not ? why_not : "");
        set_text(o, "slurm_reason", n->reason);
        json_object_set_new(o, "points", points_on(a, n->name));
        json_array_append_new(list, o);
    }
    json_object_set_new(doc, "nodes", list);
    finish(doc, out);
}

// --- events ---------------------------------------------------------------------------

void pages_events(const struct app *a, int64_t after, int64_t limit, const char *sweep,
                  struct str *out)
{
    json_t *doc = document();
    json_t *list = json_array();
    int64_t last = after;
    size_t n = a->event_count;

    for (size_t i = 0; i < n && limit > 0; i++) {
        const struct app_event *e = &a->events[(a->event_first + i) % APP_EVENTS_KEPT];
        json_t *o;

        if (e->id <= after)
            continue;
        last = e->id;
        if (sweep && strcmp(sweep, e->sweep) != 0)
            continue;
        o = json_object();
        json_object_set_new(o, "id", json_integer(e->id));
        set_time(o, "at", e->wall);
        set_text(o, "sweep", e->sweep);
        set_text(o, "point", e->point);
        json_object_set_new(o, "attempt", json_integer(e->attempt));
        set_text(o, "kind", e->kind);
        set_text(o, "text", e->text);
        json_object_set_new(o, "data", json_object());
        json_array_append_new(list, o);
        limit--;
    }
    json_object_set_new(doc, "events", list);
    json_object_set_new(doc, "last_id", json_integer(last));
    json_object_set_new(doc, "oldest_id", json_integer(n ? a->events[a->event_first].id : 0));
    finish(doc, out);
}

// --- health ---------------------------------------------------------------------------

static json_t *peer_object(const char *state, const char *detail, int64_t last_ok)
{
    json_t *o = json_object();

    set_text(o, "state", state);
    set_text(o, "detail", detail);
    json_object_set_new(
        o, "age_ms", last_ok ? json_integer((clock_mono_us() - last_ok) / US_PER_MS) : json_null());
    return o;
}

static const char *peer_state(bool up, int64_t last_ok)
{
    return up ? "up" : last_ok ? "down" : "starting";
}

static json_t *own_peer(const struct app_peer *p)
{
    bool up = app_peer_up(p);
    const char *detail = p->up && !up ? "it does not answer" : p->detail;

    return peer_object(peer_state(up, p->last_ok), detail, p->last_ok);
}

static const char *role_name(enum app_role role)
{
    return role == ROLE_ACTIVE ? "active" : role == ROLE_STANDBY ? "standby" : "starting";
}

void pages_health_text(const struct app *a, struct str *out)
{
    const struct slurmc_status *slurm = slurmc_status(a->slurmc);
    bool well = app_peer_up(&a->database) && slurm->up && app_peer_up(&a->spool) &&
                a->role != ROLE_STARTING;
    json_t *doc = document();
    size_t active = 0;

    for (size_t i = 0; i < a->core.sweep_count; i++)
        active += a->core.sweeps[i]->state != SWEEP_DONE;
    set_text(doc, "status", well ? "ok" : "degraded");
    set_text(doc, "role", role_name(a->role));
    set_text(doc, "version", SWEEPD_VERSION);
    set_text(doc, "lock_holder", a->lock_holder);
    json_t *s = peer_object(peer_state(slurm->up, slurm->last_ok), slurm->detail, slurm->last_ok);
    set_text(s, "version", slurm->version);
    set_text(s, "cluster", slurm->cluster);
    json_object_set_new(s, "rpcs", json_integer(slurm->rpcs));
    json_object_set_new(doc, "slurm", s);
    json_object_set_new(doc, "database", own_peer(&a->database));
    json_object_set_new(doc, "spool", own_peer(&a->spool));
    json_object_set_new(doc, "sweeps_active", json_integer((json_int_t)active));
    json_t *restart = json_object();
    set_time(restart, "at", a->started_wall);
    json_object_set_new(restart, "attempts_adopted", json_integer((json_int_t)a->adopted));
    json_object_set_new(restart, "adopt_ms",
                        a->adopted_us ? json_integer(a->adopted_us / US_PER_MS) : json_null());
    json_object_set_new(doc, "restart", restart);
    finish(doc, out);
}

// --- publishing ------------------------------------------------------------------------

static void put(struct app *a, const char *path, struct str *text)
{
    http_page_set(a->http, path, JSON_TYPE, str_text(text), text->len, clock_wall_us());
    str_clear(text);
}

static uint64_t versions_of(const struct sweep *s)
{
    uint64_t sum = 1 + s->v.now;

    for (size_t i = 0; i < s->point_count; i++) {
        sum += s->points[i].v.now;
        for (size_t k = 0; k < s->points[i].attempt_count; k++)
            sum += s->points[i].attempts[k].v.now;
    }
    return sum;
}

static void publish_sweep(struct app *a, const struct sweep *s)
{
    char path[PAGE_PATH_MAX];
    struct str text = {0};

    snprintf(path, sizeof(path), "/api/v1/sweeps/%s", s->id);
    pages_sweep(a, s, &text);
    put(a, path, &text);
    snprintf(path, sizeof(path), "/api/v1/sweeps/%s/points", s->id);
    pages_points(a, s, &text);
    put(a, path, &text);
    str_free(&text);
}

void pages_publish(struct app *a)
{
    struct str text = {0};
    bool changed = a->published_count != a->core.sweep_count || !a->published;

    a->publish_at = 0;
    a->published = mem_grow(a->published, a->core.sweep_count + 1, sizeof(*a->published));
    for (size_t i = 0; i < a->core.sweep_count; i++) {
        const struct sweep *s = a->core.sweeps[i];
        uint64_t sum = versions_of(s);

        if (i < a->published_count && a->published[i] == sum)
            continue;
        a->published[i] = sum;
        changed = true;
        publish_sweep(a, s);
    }
    a->published_count = a->core.sweep_count;
    if (changed) {
        pages_sweeps(a, NULL, NULL, &text);
        put(a, "/api/v1/sweeps", &text);
    }
    if (changed || a->nodes_changed) {
        a->nodes_changed = false;
        pages_nodes(a, &text);
        put(a, "/api/v1/nodes", &text);
    }
    str_free(&text);
}

void pages_health(struct app *a)
{
    struct str text = {0};

    pages_health_text(a, &text);
    put(a, "/api/v1/health", &text);
    str_free(&text);
}
