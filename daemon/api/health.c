// SPDX-License-Identifier: GPL-2.0-or-later
#include "api/health.h"

#include "api/doc.h"
#include "api/reply.h"
#include "base/clock.h"
#include "base/version.h"

static json_t *peer_object(const char *state, const char *detail, int64_t last_ok)
{
    json_t *o = json_object();

    doc_set_text(o, "state", state);
    doc_set_text(o, "detail", detail);
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

void health_document(const struct app *a, struct str *out)
{
    const struct slurmc_status *slurm = slurmc_status(a->slurmc);
    bool well = app_peer_up(&a->database) && slurm->up && app_peer_up(&a->spool) &&
                a->role != ROLE_STARTING;
    json_t *doc = doc_open();
    size_t active = 0;

    for (size_t i = 0; i < a->core.sweep_count; i++)
        active += a->core.sweeps[i]->state != SWEEP_DONE;
    doc_set_text(doc, "status", well ? "ok" : "degraded");
    doc_set_text(doc, "role", role_name(a->role));
    doc_set_text(doc, "version", SWEEPD_VERSION);
    doc_set_text(doc, "lock_holder", a->lock_holder);
    json_t *s = peer_object(peer_state(slurm->up, slurm->last_ok), slurm->detail, slurm->last_ok);
    doc_set_text(s, "version", slurm->version);
    doc_set_text(s, "cluster", slurm->cluster);
    json_object_set_new(s, "rpcs", json_integer(slurm->rpcs));
    json_object_set_new(doc, "slurm", s);
    json_object_set_new(doc, "database", own_peer(&a->database));
    json_object_set_new(doc, "spool", own_peer(&a->spool));
    json_object_set_new(doc, "sweeps_active", json_integer((json_int_t)active));
    json_t *restart = json_object();
    doc_set_time(restart, "at", a->started_wall);
    json_object_set_new(restart, "attempts_adopted", json_integer((json_int_t)a->adopted));
    json_object_set_new(restart, "adopt_ms",
                        a->adopted_us ? json_integer(a->adopted_us / US_PER_MS) : json_null());
    json_object_set_new(doc, "restart", restart);
    doc_close(doc, out);
}

void health_get(struct app *a, const struct call *c)
{
    struct str text = {0};

    health_document(a, &text);
    reply_json(a, c->req->id, HTTP_OK, &text);
}
