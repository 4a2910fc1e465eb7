// SPDX-License-Identifier: GPL-2.0-or-later
#include "weather.h"

#include "batch.h"
#include "ctld.h"
#include "shell.h"

#define TICK_MIN (2 * SECOND)
#define TICK_MAX (6 * SECOND)

static struct ctld_job *some_job(struct world *w)
{
    struct ctld *c = &w->ctld;

    return c->count ? &c->jobs[rng_range(&w->rng, 0, (int64_t)c->count - 1)] : NULL;
}

static void away(struct world *w, const char *what, int64_t *until, int64_t longest)
{
    *until = after(w, SECOND, longest);
    trace(w, ALL, "%s is away for %.1f s", what, (double)(*until - w->now) / (double)SECOND);
}

static void services(struct world *w)
{
    if (fault(w, FAULT_DATABASE, 0.02) && w->database_until < w->now)
        away(w, "the database", &w->database_until, 60 * SECOND);
    if (fault(w, FAULT_SPOOL, 0.02) && w->spool_until < w->now)
        away(w, "the spool", &w->spool_until, 90 * SECOND);
    if (fault(w, FAULT_SPOOL_SLOW, 0.02) && w->spool_slow_until < w->now)
        away(w, "the spool (slow)", &w->spool_slow_until, 60 * SECOND);
    if (fault(w, FAULT_CTLD, 0.01) && w->ctld.up)
        ctld_stop(w);
    if (fault(w, FAULT_CTLD_KILL, 0.02) && w->ctld.up)
        ctld_kill(w);
    if (fault(w, FAULT_CLOCK, 0.02)) {
        w->wall_ahead = rng_range(&w->rng, -3 * HOUR, 3 * HOUR);
        trace(w, ALL, "the wall clock jumps");
    }
}

// The node's slurmd is gone; with `payloads` everything that runs there too.
static void lose_node(struct world *w, int node, bool payloads)
{
    w->ctld.nodes[node].dead = true;
    trace(w, ALL, "node n%d: %s", node, payloads ? "crashes" : "its slurmd dies");
    for (size_t i = 0; payloads && i < w->run_count; i++)
        if (w->runs[i].node == node)
            batch_kill(w, (int)i);
    timeline_add(&w->timeline, after(w, 5 * SECOND, 25 * SECOND), HAPPEN_NODE_LOST, node, 0);
    timeline_add(&w->timeline, after(w, 10 * SECOND, 120 * SECOND), HAPPEN_NODE_BACK, node, 0);
}

static void nodes(struct world *w)
{
    int node = (int)rng_range(&w->rng, 0, w->ctld.node_count - 1);
    struct ctld_node *n = &w->ctld.nodes[node];

    if (fault(w, FAULT_NODE, 0.01) && !n->dead && n->up)
        lose_node(w, node, true);
    if (fault(w, FAULT_SLURMD, 0.01) && !n->dead && n->up)
        lose_node(w, node, false);
    if (fault(w, FAULT_DRAIN, 0.03)) {
        n->drained = !n->drained;
        trace(w, ALL, "node n%d is %s", node, n->drained ? "drained" : "resumed");
        ctld_want_pass(w);
    }
}

static void jobs(struct world *w)
{
    struct ctld_job *j = some_job(w);
    enum job_state how = (enum job_state)rng_range(&w->rng, JOB_TIMEOUT, JOB_OOM);
    bool ours = w->ctld.up && j && j->folder >= 0;

    if (fault(w, FAULT_HAND, 0.02) && ours && j->state <= JOB_RUNNING)
        ctld_end(w, j, JOB_CANCELLED);
    if (fault(w, FAULT_REQUEUE, 0.03) && ours)
        ctld_requeue(w, j, rng_chance(&w->rng, 0.3));
    if (fault(w, FAULT_JOB, 0.03) && ours && j->state == JOB_RUNNING && how != JOB_NODE_FAIL &&
        how != JOB_BOOT_FAIL)
        ctld_end(w, j, how);
    if (fault(w, FAULT_ODD_STATE, 0.05) && ours && ctld_live(j))
        ctld_make_odd(w, j);
}

static void others(struct world *w)
{
    struct ctld_request r = {
        .folder = -1,
        .stranger = rng_chance(&w->rng, 0.3),
        .gpus = (int)rng_range(&w->rng, 1, NODE_GPUS),
        .exclusive = rng_chance(&w->rng, 0.3),
    };
    bool comes = fault(w, r.stranger ? FAULT_STRANGER : FAULT_FOREIGN, 0.06);

    if (comes && w->ctld.up)
        ctld_submit(w, &r);
}

static void people(struct world *w)
{
    bool cancels = fault(w, FAULT_OPERATOR, 0.004);
    struct event e = shell_event(w, EVENT_SWEEP_CANCEL, ALL);

    e.ref.sweep = rng_range(&w->rng, 1, SWEEPS_MAX);
    e.text = "by hand";
    if (!cancels || !w->shell.up || !core_sweep(&w->shell.core, e.ref.sweep))
        return;
    trace(w, ALL, "the operator cancels sweep %lld", (long long)e.ref.sweep);
    shell_feed(w, &e);
}

void weather_tick(struct world *w)
{
    if (!w->calm) {
        services(w);
        nodes(w);
        jobs(w);
        others(w);
        people(w);
        if (fault(w, FAULT_CRASH, 0.02))
            shell_crash(w);
    }
    ctld_want_pass(w);
    shell_turn(w);
    timeline_add(&w->timeline, after(w, TICK_MIN, TICK_MAX), HAPPEN_WEATHER, 0, 0);
}

void weather_calm(struct world *w)
{
    w->calm = true;
    trace(w, ALL, "from now on everything works");
    w->spool_until = w->spool_slow_until = w->database_until = w->now;
    if (!w->ctld.up)
        ctld_start(w);
    for (int n = 0; n < w->ctld.node_count; n++) {
        w->ctld.nodes[n].drained = false;
        if (w->ctld.nodes[n].dead || !w->ctld.nodes[n].up)
            ctld_node_back(w, n);
    }
    for (size_t i = 0; i < w->ctld.count; i++)
        w->ctld.jobs[i].held = false;
    ctld_want_pass(w);
}
