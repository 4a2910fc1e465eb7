// SPDX-License-Identifier: GPL-2.0-or-later
#include "scene.h"

#include <stdlib.h>
#include <string.h>

#include "adapter.h"
#include "base/mem.h"
#include "batch.h"
#include "check.h"
#include "ctld.h"
#include "ledger.h"
#include "shell.h"
#include "weather.h"

// After the faults: what a point may still need, however unlucky its attempts.
#define POINT_PATIENCE (3600 * SECOND)
// And after the last sweep has ended, for what it left behind.
#define QUIET_PATIENCE (600 * SECOND)

static void set_policy(struct world *w)
{
    w->policy = policy_default();
    w->policy.scan_interval = rng_range(&w->rng, 3 * SECOND, 6 * SECOND);
    w->policy.end_grace = rng_range(&w->rng, 10 * SECOND, 30 * SECOND);
    w->policy.retry_max = rng_range(&w->rng, 5 * SECOND, 30 * SECOND);
    w->shell.poll_interval = rng_range(&w->rng, 3 * SECOND, 6 * SECOND);
    w->shell.files_room = w->shell.ingest_room = w->shell.slurm_room = 64;
    if (fault(w, FAULT_QUEUE, 0.3)) {
        w->shell.files_room = (int)rng_range(&w->rng, 1, 3);
        w->shell.ingest_room = w->shell.slurm_room = 1;
    }
}

// Some seeds have a kind of fault often, some rarely, some never.
static void set_rates(struct world *w)
{
    static const double rates[] = {0, 0.3, 1, 3};
    double all = rng_chance(&w->rng, 0.03) ? 0 : 1; // and some have none at all

    for (int i = 0; i < FAULT_COUNT; i++)
        w->rate[i] = all * rates[rng_range(&w->rng, 0, 3)];
}

static void set_cluster(struct world *w)
{
    struct ctld *c = &w->ctld;

    c->up = true;
    c->next_id = (uint32_t)rng_range(&w->rng, 1, 1000);
    c->min_job_age = rng_range(&w->rng, 15 * SECOND, 300 * SECOND);
    c->node_count = (int)rng_range(&w->rng, 1, NODES_MAX);
    for (int n = 0; n < c->node_count; n++) {
        c->nodes[n].up = true;
        c->nodes[n].bad = fault(w, FAULT_RESULT, 0.1) ? 0.7 : 0;
    }
}

static struct sweep *make_sweep(struct world *w, int64_t seq)
{
    struct sweep *s = mem_alloc(sizeof(*s));
    struct rng r = rng_create(w->seed * SWEEPS_MAX + (uint64_t)seq); // the same when sent again

    s->seq = seq;
    snprintf(s->id, sizeof(s->id), "s%lld-sim", (long long)seq);
    snprintf(s->key, sizeof(s->key), "key%lld", (long long)seq);
    str_copy(s->runner, sizeof(s->runner), "fleet");
    s->on_failure = rng_chance(&r, 0.5) ? ON_FAILURE_FAIL_FAST : ON_FAILURE_KEEP_GOING;
    s->placement = rng_chance(&r, 0.5) ? PLACE_EXCLUSIVE : PLACE_PACKED;
    s->limits = limits_default();
    s->limits.al_target = 3.39;
    s->point_count = (size_t)rng_range(&r, 1, POINTS_MAX);
    s->points = mem_array(s->point_count, sizeof(*s->points));
    for (size_t i = 0; i < s->point_count; i++) {
        struct point *p = &s->points[i].point;

        *p = (struct point){.pp = 1, .dcp = 1, .pcp = 1, .ep = 1, .conc = (int)i + 1};
        p->tp = 1 << rng_range(&r, 1, 3);
        p->kind = rng_chance(&r, 0.2) ? POINT_EVAL : POINT_THROUGHPUT;
        snprintf(p->name, sizeof(p->name), "tp%d-c%zu", p->tp, i + 1);
        s->points[i].job_env = mem_strdup("");
        s->points[i].expected_us = rng_range(&r, 1, 4) * 60 * SECOND;
    }
    return s;
}

// A client sends its sweep until it is durable.
static void submit_sweep(struct world *w, int index)
{
    int64_t seq = index + 1;
    struct event e = shell_event(w, EVENT_SWEEP_CREATED, (struct ref){seq, -1, 0});

    if (ledger_sweep(w->ledger, seq))
        return;
    timeline_add(&w->timeline, after(w, 5 * SECOND, 20 * SECOND), HAPPEN_SWEEP, index, 0);
    // Numbers are given in the order of the database's.
    if (!w->shell.up || core_sweep(&w->shell.core, seq) || !w->shell.database_up ||
        (index && !ledger_sweep(w->ledger, seq - 1)))
        return;
    e.sweep = make_sweep(w, seq);
    for (size_t i = 0; i < e.sweep->point_count; i++) {
        int kind = (int)(w->seed * 31 + (uint64_t)seq * 7 + i) % 100;

        w->bad_point[index][i] = kind < 6 && w->rate[FAULT_RESULT] > 0;
    }
    trace(w, ALL, "a client submits sweep %lld", (long long)seq);
    shell_feed(w, &e);
    shell_turn(w);
}

static void create(struct world *w)
{
    set_rates(w);
    set_policy(w);
    set_cluster(w);
    w->now = 1000 * SECOND;
    w->calm_at = after(w, 100 * SECOND, 600 * SECOND);
    w->ledger = ledger_create();
    w->sweep_count = (int)rng_range(&w->rng, 1, SWEEPS_MAX);
    for (int i = 0; i < w->sweep_count; i++)
        timeline_add(&w->timeline, after(w, 0, i ? w->calm_at / 4 : SECOND), HAPPEN_SWEEP, i, 0);
    timeline_add(&w->timeline, w->now, HAPPEN_RESTART, 0, 0);
    timeline_add(&w->timeline, w->now, HAPPEN_WEATHER, 0, 0);
}

static void destroy(struct world *w)
{
    if (w->shell.up)
        core_done(&w->shell.core);
    effects_free(&w->shell.effects);
    effects_free(&w->shell.again);
    ledger_free(w->ledger);
    timeline_free(&w->timeline);
    free(w->ctld.jobs);
    free(w->folders);
    free(w->runs);
    free(w->ops);
    str_free(&w->trace);
    free(w);
}

static void happen(struct world *w, const struct happening *h)
{
    switch (h->kind) {
    case HAPPEN_TURN:
        if (h->version == w->shell.wake)
            shell_turn(w);
        return;
    case HAPPEN_ACT:
        adapter_act(w, h->who, h->version);
        return;
    case HAPPEN_DONE:
        adapter_done(w, h->who, h->version);
        shell_turn(w);
        return;
    case HAPPEN_RUN:
        batch_step(w, h->who, h->version);
        return;
    case HAPPEN_RUN_KILL:
        batch_kill(w, h->who);
        return;
    case HAPPEN_PASS:
        ctld_pass(w);
        return;
    case HAPPEN_CLEAR:
        ctld_clear(w, h->who);
        return;
    case HAPPEN_CTLD_START:
        ctld_start(w);
        return;
    case HAPPEN_NODE_LOST:
        ctld_node_lost(w, h->who);
        return;
    case HAPPEN_NODE_BACK:
        ctld_node_back(w, h->who);
        return;
    case HAPPEN_RESTART:
        shell_start(w);
        return;
    case HAPPEN_WEATHER:
        weather_tick(w);
        return;
    case HAPPEN_SWEEP:
        submit_sweep(w, h->who);
        return;
    }
}

static bool all_done(const struct world *w)
{
    for (int i = 0; i < w->sweep_count; i++) {
        const struct sweep *s = ledger_sweep(w->ledger, i + 1);

        if (!s || s->state != SWEEP_DONE)
            return false;
    }
    return true;
}

// Runs until it is quiet, or until it should long have been.
static void run(struct world *w)
{
    int64_t end_at = INT64_MAX;
    int64_t done_at = 0;
    struct happening h;
    char why[128] = "";

    while (!w->broken[0] && timeline_take(&w->timeline, &h)) {
        w->now = h.at;
        if (!w->calm && (w->now >= w->calm_at || all_done(w))) {
            weather_calm(w);
            end_at = w->now + POINT_PATIENCE * w->sweep_count * POINTS_MAX;
        }
        happen(w, &h);
        if (!w->calm)
            continue;
        if (check_quiet(w, why, sizeof(why)))
            return;
        if (!done_at && all_done(w))
            done_at = w->now;
        if (w->now > end_at || (done_at && w->now > done_at + QUIET_PATIENCE))
            broken(w, ALL, "liveness: %s", why);
    }
}

static void report(struct world *w, struct scene_result *ret)
{
    w->coverage->crashes += (uint64_t)w->shell.crashes;
    w->coverage->events += w->events;
    w->coverage->outlived += w->outlived;
    w->coverage->virtual_time += w->now - 1000 * SECOND;
    for (int i = 0; i < w->sweep_count; i++)
        if (ledger_sweep(w->ledger, i + 1))
            coverage_sweep(w, ledger_sweep(w->ledger, i + 1));
    *ret = (struct scene_result){.ref = w->broken_ref};
    memcpy(ret->broken, w->broken, sizeof(ret->broken));
    if (w->tracing)
        ret->trace = str_take(&w->trace);
}

void scene_run(uint64_t seed, uint32_t mask, bool tracing, struct coverage *coverage,
               struct scene_result *ret)
{
    struct world *w = mem_alloc(sizeof(*w));

    w->seed = seed;
    w->mask = mask;
    w->rng = rng_create(seed);
    w->coverage = coverage;
    w->tracing = tracing;
    create(w);
    run(w);
    report(w, ret);
    destroy(w);
}
