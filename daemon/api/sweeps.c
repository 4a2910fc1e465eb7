// SPDX-License-Identifier: GPL-2.0-or-later
#include "api/sweeps.h"

#include <stdio.h>
#include <string.h>

#include "api/doc.h"
#include "api/reply.h"
#include "base/clock.h"
#include "core/usage.h"

enum { CANCEL_REASON_MAX = 200 };
#define US_PER_HOUR (3600.0 * 1e6)

static json_t *outcome_counts(const struct sweep_counts *c)
{
    json_t *o = json_object();

    for (int i = OUTCOME_PASS; i < OUTCOME_COUNT; i++)
        if (c->outcomes[i])
            json_object_set_new(o, outcome_name((enum outcome)i),
                                json_integer((json_int_t)c->outcomes[i]));
    return o;
}

static json_t *gpu_hours(const struct app *a, const struct sweep *s)
{
    struct usage u = usage_of(&a->core, s);
    json_t *causes = json_object();
    double failed = 0;

    for (int i = 0; i < OUTCOME_COUNT; i++) {
        failed += u.failed[i];
        if (u.failed[i] > 0)
            json_object_set_new(causes, outcome_name((enum outcome)i),
                                json_real(u.failed[i] / US_PER_HOUR));
    }
    return json_pack("{s:f,s:f,s:o,s:f,s:f}", "useful", u.useful / US_PER_HOUR, "failed",
                     failed / US_PER_HOUR, "failed_by", causes, "idle", u.idle / US_PER_HOUR,
                     "running", u.running / US_PER_HOUR);
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

// By the schedule; where there is none, by the work that is left.
static int64_t eta_of(const struct sweep *s, int64_t now, int64_t even)
{
    if (!s->planned_end)
        return now + even;
    return s->planned_end > now ? s->planned_end : now;
}

static json_t *sweep_object(const struct app *a, const struct sweep *s)
{
    struct sweep_counts c = sweep_count(s);
    json_t *o = json_object();
    int64_t left;
    int64_t now = clock_wall_us();
    double progress = sweep_progress(s, now, &left);
    size_t nodes = nodes_for(a, s, c.active);

    doc_set_text(o, "id", s->id);
    doc_set_text(o, "key", s->key);
    doc_set_text(o, "state", sweep_state_name(s->state));
    doc_set_text(o, "owner", s->owner);
    doc_set_time(o, "created_at", s->created_at);
    doc_set_time(o, "ended_at", s->ended_at);
    doc_set_text(o, "on_failure", on_failure_name(s->on_failure));
    json_object_set_new(o, "fast", json_boolean(s->fast));
    doc_set_text(o, "placement", placement_name(s->placement));
    doc_set_text(o, "image", s->image);
    doc_set_text(o, "model", s->model);
    doc_set_text(o, "runner", s->runner);
    doc_set_text(o, "bundle", s->bundle);
    json_object_set_new(o, "points_total", json_integer((json_int_t)s->point_count));
    json_object_set_new(o, "points",
                        json_pack("{s:I,s:I,s:I}", "waiting", (json_int_t)c.waiting, "active",
                                  (json_int_t)c.active, "done", (json_int_t)c.done));
    json_object_set_new(o, "outcomes", outcome_counts(&c));
    doc_set_number(o, "progress", s->state == SWEEP_DONE ? 1.0 : progress);
    doc_set_time(o, "eta", s->state == SWEEP_DONE ? 0 : eta_of(s, now, left / (int64_t)nodes));
    doc_set_text(o, "reason", s->reason);
    json_object_set_new(o, "gpu_hours", gpu_hours(a, s));
    return o;
}

void sweeps_document(const struct app *a, const char *state, const char *key, struct str *out)
{
    json_t *doc = doc_open();
    json_t *list = json_array();

    for (size_t i = a->core.sweep_count; i-- > 0;) {
        const struct sweep *s = a->core.sweeps[i];

        if ((state && strcmp(state, sweep_state_name(s->state)) != 0) ||
            (key && strcmp(key, s->key) != 0))
            continue;
        json_array_append_new(list, sweep_object(a, s));
    }
    json_object_set_new(doc, "sweeps", list);
    doc_close(doc, out);
}

void sweep_document(const struct app *a, const struct sweep *s, struct str *out)
{
    json_t *doc = doc_open();

    json_object_set_new(doc, "sweep", sweep_object(a, s));
    doc_close(doc, out);
}

// --- handlers -------------------------------------------------------------------------

void sweeps_get(struct app *a, const struct call *c)
{
    struct str text = {0};

    sweeps_document(a, http_query(c->req, "state"), http_query(c->req, "key"), &text);
    reply_json(a, c->req->id, HTTP_OK, &text);
}

void sweep_get(struct app *a, const struct call *c)
{
    struct str text = {0};

    sweep_document(a, c->sweep, &text);
    reply_json(a, c->req->id, HTTP_OK, &text);
}

void sweep_post_cancel(struct app *a, const struct call *c)
{
    const struct http_request *req = c->req;
    const struct sweep *s = c->sweep;
    char reason[CANCEL_REASON_MAX];
    struct event e = app_event(a, EVENT_SWEEP_CANCEL, (struct ref){s->seq, -1, 0});

    if (!reply_may_write(a, req->id))
        return;
    if (s->state == SWEEP_DONE) {
        http_problem(a->http, req->id, HTTP_CONFLICT, "sweep_ended", "Sweep has ended",
                     "There is nothing left to cancel.", NULL, NULL);
        return;
    }
    snprintf(reason, sizeof(reason), "cancelled by uid %u", (unsigned)req->uid);
    e.text = reason;
    app_feed(a, &e);
    reply_when_durable(a, req->id, s->seq, HTTP_OK);
}
