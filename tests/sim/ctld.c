// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctld.h"

#include <string.h>

#include "base/mem.h"
#include "batch.h"

enum { EPOCH_S = 1700000000 };
#define REGISTER_MAX (8 * SECOND) // from slurmctld's start until every slurmd has met it

static struct ref ref_of(const struct world *w, const struct ctld_job *j)
{
    return j->folder >= 0 ? w->folders[j->folder].ref : ALL;
}

struct ctld_job *ctld_job(struct world *w, int serial)
{
    for (size_t i = 0; i < w->ctld.count; i++)
        if (w->ctld.jobs[i].serial == serial)
            return &w->ctld.jobs[i];
    return NULL;
}

bool ctld_live(const struct ctld_job *j)
{
    return j->state <= JOB_RUNNING || (j->flags & JOB_COMPLETING);
}

static bool holds_node(const struct ctld_job *j)
{
    return j->node >= 0 && (j->state == JOB_RUNNING || (j->flags & JOB_COMPLETING));
}

static void enter(struct world *w, struct ctld_job *j, enum job_state state)
{
    j->before = j->state;
    j->changed_at = w->now;
    j->state = state;
    if (state > JOB_RUNNING)
        j->over_at = w->now;
}

void ctld_want_pass(struct world *w)
{
    if (w->ctld.pass_due || !w->ctld.up)
        return;
    w->ctld.pass_due = true;
    timeline_add(&w->timeline, after(w, 0, 2 * SECOND), HAPPEN_PASS, 0, 0);
}

// --- placement ----------------------------------------------------------------

static int gpus_used(const struct ctld *c, int node)
{
    int used = 0;

    for (size_t i = 0; i < c->count; i++)
        if (holds_node(&c->jobs[i]) && c->jobs[i].node == node)
            used += c->jobs[i].exclusive ? NODE_GPUS : c->jobs[i].gpus;
    return used;
}

static bool fits(const struct ctld *c, const struct ctld_job *j, int node)
{
    const struct ctld_node *n = &c->nodes[node];
    int used = gpus_used(c, node);

    if (!n->up || n->drained || (j->exclude & (1u << node)))
        return false;
    return j->exclusive ? used == 0 : used + j->gpus <= NODE_GPUS;
}

static void start(struct world *w, struct ctld_job *j, int node)
{
    j->node = node;
    j->flags = 0;
    if (j->folder < 0) {
        enter(w, j, JOB_RUNNING);
        return;
    }
    if (fault(w, FAULT_JOB, 0.02)) { // the node does not come up for it
        enter(w, j, rng_chance(&w->rng, 0.5) ? JOB_BOOT_FAIL : JOB_FAILED);
        if (j->state == JOB_FAILED)
            j->flags = JOB_LAUNCH_FAILED;
        trace(w, ref_of(w, j), "slurm: job %u could not be started on n%d", j->id, node);
        ctld_want_pass(w);
        return;
    }
    enter(w, j, JOB_RUNNING);
    j->run = batch_start(w, j->serial, j->folder, node);
    trace(w, ref_of(w, j), "slurm: job %u runs on n%d", j->id, node);
    if (gpus_used(&w->ctld, node) > NODE_GPUS)
        broken(w, ref_of(w, j), "the simulated slurmctld gave more GPUs than node n%d has", node);
}

static void forget_old(struct world *w)
{
    struct ctld *c = &w->ctld;
    size_t kept = 0;

    for (size_t i = 0; i < c->count; i++)
        if (ctld_live(&c->jobs[i]) || w->now - c->jobs[i].over_at < c->min_job_age)
            c->jobs[kept++] = c->jobs[i];
    c->count = kept;
}

void ctld_pass(struct world *w)
{
    struct ctld *c = &w->ctld;

    c->pass_due = false;
    if (!c->up)
        return;
    forget_old(w);
    for (size_t i = 0; i < c->count; i++) {
        struct ctld_job *j = &c->jobs[i];

        if (j->folder < 0 && j->state == JOB_RUNNING && j->ends_at <= w->now)
            enter(w, j, JOB_COMPLETE);
        if (j->state != JOB_PENDING || j->held || (j->flags & JOB_COMPLETING))
            continue;
        for (int n = 0; n < c->node_count; n++) {
            if (!fits(c, j, n))
                continue;
            start(w, j, n);
            break;
        }
    }
}

// --- submit and cancel ----------------------------------------------------------

void ctld_make_odd(struct world *w, struct ctld_job *j)
{
    static const char *const states[] = {"UNKNOWN_13", "SUSPENDED"};

    j->odd = states[rng_range(&w->rng, 0, 1)];
    j->odd_until = after(w, SECOND, 20 * SECOND);
}

uint32_t ctld_submit(struct world *w, const struct ctld_request *r)
{
    struct ctld *c = &w->ctld;
    unsigned every = (1u << c->node_count) - 1;
    bool possible = (r->exclude & every) != every;
    struct ctld_job *j;

    c->jobs = mem_room(c->jobs, c->count, &c->cap, sizeof(*c->jobs));
    j = &c->jobs[c->count++];
    *j = (struct ctld_job){
        .serial = ++c->last_serial,
        .id = c->next_id++,
        .folder = r->folder,
        .stranger = r->stranger,
        .node = -1,
        .gpus = r->gpus,
        .exclusive = r->exclusive,
        .exclude = r->exclude,
        .run = -1,
        .created_at = w->now,
        .changed_at = w->now,
        .submit_time = EPOCH_S + w->now / SECOND,
        .visible_at = fault(w, FAULT_HIDDEN, 0.3) ? after(w, 0, 12 * SECOND) : w->now,
        .ends_at = after(w, 10 * SECOND, 90 * SECOND),
    };
    if (r->folder >= 0 && fault(w, FAULT_ODD_STATE, 0.1))
        ctld_make_odd(w, j);
    trace(w, ref_of(w, j), "slurm: job %u is %s", j->id, possible ? "accepted" : "impossible");
    if (!possible)
        enter(w, j, JOB_FAILED);
    ctld_want_pass(w);
    return possible ? j->id : 0;
}

enum cancel_answer ctld_cancel(struct world *w, uint32_t id, int folder, int64_t submit_time)
{
    for (size_t i = 0; i < w->ctld.count; i++) {
        struct ctld_job *j = &w->ctld.jobs[i];

        if (j->id != id || j->folder != folder || (submit_time && j->submit_time != submit_time))
            continue;
        if (j->state > JOB_RUNNING)
            continue;
        ctld_end(w, j, JOB_CANCELLED);
        return CANCEL_DONE;
    }
    return CANCEL_GONE;
}

// --- ends -------------------------------------------------------------------------

void ctld_end(struct world *w, struct ctld_job *j, enum job_state state)
{
    struct run *r = j->run >= 0 ? &w->runs[j->run] : NULL;
    bool runs = j->state == JOB_RUNNING && r && r->step != RUN_GONE;

    trace(w, ref_of(w, j), "slurm: job %u is ended from outside (%d)", j->id, (int)state);
    enter(w, j, state);
    if (runs) {
        j->flags |= JOB_COMPLETING;
        batch_tell(w, j->run, state == JOB_TIMEOUT ? END_TIME_LIMIT : END_TERMINATED);
    }
    ctld_want_pass(w);
}

static void wait_again(struct world *w, struct ctld_job *j)
{
    enter(w, j, JOB_PENDING);
    j->flags = 0;
    j->node = -1;
    j->run = -1;
    j->submit_time = EPOCH_S + w->now / SECOND;
}

void ctld_requeue(struct world *w, struct ctld_job *j, bool hold)
{
    if (j->state == JOB_RUNNING) {
        j->to_requeue = true;
        ctld_end(w, j, JOB_CANCELLED);
        j->flags |= JOB_REQUEUED;
    } else if (j->state > JOB_RUNNING && !(j->flags & JOB_COMPLETING)) {
        wait_again(w, j);
    }
    j->held = hold;
    trace(w, ref_of(w, j), "slurm: job %u is requeued by hand", j->id);
    ctld_want_pass(w);
}

void ctld_clear(struct world *w, int job)
{
    struct ctld_job *j = ctld_job(w, job);

    if (!j || !w->ctld.up)
        return;
    j->flags &= ~(unsigned)JOB_COMPLETING;
    j->over_at = w->now;
    if (j->to_requeue) {
        j->to_requeue = false;
        wait_again(w, j);
    }
    ctld_want_pass(w);
}

void ctld_run_ended(struct world *w, int run)
{
    struct ctld_job *j = ctld_job(w, w->runs[run].job);

    if (!j || j->run != run || !w->ctld.up || w->ctld.nodes[j->node].dead)
        return; // it will be heard of when both are there
    if (j->state == JOB_RUNNING) {
        enter(w, j, w->runs[run].ended_well ? JOB_COMPLETE : JOB_FAILED);
        j->flags |= JOB_COMPLETING;
    }
    trace(w, ref_of(w, j), "slurm: job %u has ended (%d)", j->id, (int)j->state);
    timeline_add(&w->timeline, after(w, 0, 4 * SECOND), HAPPEN_CLEAR, j->serial, 0);
}

// --- its own life -------------------------------------------------------------------

int64_t ctld_stop(struct world *w)
{
    int64_t back_at = after(w, SECOND, 40 * SECOND);

    w->ctld.up = false;
    timeline_add(&w->timeline, back_at, HAPPEN_CTLD_START, 0, 0);
    trace(w, ALL, "slurmctld is down");
    return back_at;
}

// What had not been saved is as it was before; slurmd ends the scripts that
// slurmctld does not know when they meet again.
void ctld_kill(struct world *w)
{
    struct ctld *c = &w->ctld;
    int64_t saved_at = after(w, -5 * SECOND, 0);
    int64_t back_at = ctld_stop(w);
    size_t kept = 0;

    for (size_t i = 0; i < c->count; i++) {
        struct ctld_job *j = &c->jobs[i];
        bool forgotten = j->created_at > saved_at;
        bool reverted = j->changed_at > saved_at && j->before != j->state;

        if (forgotten && j->id < c->next_id)
            c->next_id = j->id;
        if ((forgotten || (reverted && j->before == JOB_PENDING)) && j->run >= 0)
            w->runs[j->run].unknown = true;
        if (forgotten || reverted)
            trace(w, ref_of(w, j), "slurmctld %s job %u", forgotten ? "forgets" : "reverts", j->id);
        if (forgotten)
            continue;
        if (reverted) {
            batch_found(w, j->run);
            j->state = j->before;
            j->flags = 0;
            if (j->state == JOB_PENDING) {
                j->node = -1;
                j->run = -1;
            }
        }
        c->jobs[kept++] = *j;
    }
    c->count = kept;
    for (int n = 0; n < c->node_count; n++) {
        if (!c->nodes[n].dead)
            continue;
        c->nodes[n].up = true; // until it is missed again
        timeline_add(&w->timeline, back_at + rng_range(&w->rng, SECOND, REGISTER_MAX),
                     HAPPEN_NODE_LOST, n, 0);
    }
}

void ctld_start(struct world *w)
{
    struct ctld *c = &w->ctld;

    if (c->up)
        return;
    c->up = true;
    c->pass_due = false;
    trace(w, ALL, "slurmctld is up");
    for (size_t i = 0; i < c->count; i++) {
        struct ctld_job *j = &c->jobs[i];
        const struct run *r = j->run >= 0 ? &w->runs[j->run] : NULL;

        if (holds_node(j) && r && r->step == RUN_GONE)
            ctld_run_ended(w, j->run);
    }
    for (size_t i = 0; i < w->run_count; i++) {
        if (w->runs[i].unknown)
            timeline_add(&w->timeline, after(w, 0, REGISTER_MAX), HAPPEN_RUN_KILL, (int)i, 0);
        w->runs[i].unknown = false;
    }
    ctld_want_pass(w);
}

// --- nodes ----------------------------------------------------------------------------

void ctld_node_lost(struct world *w, int node)
{
    struct ctld *c = &w->ctld;

    if (!c->nodes[node].dead || !c->nodes[node].up)
        return;
    if (!c->up) {
        timeline_add(&w->timeline, after(w, SECOND, 5 * SECOND), HAPPEN_NODE_LOST, node, 0);
        return;
    }
    c->nodes[node].up = false;
    trace(w, ALL, "slurm: node n%d is down", node);
    for (size_t i = 0; i < c->count; i++) {
        struct ctld_job *j = &c->jobs[i];

        if (!holds_node(j) || j->node != node)
            continue;
        if (j->run >= 0 && w->runs[j->run].step != RUN_GONE)
            batch_left(w, j->run);
        if (j->state == JOB_RUNNING)
            enter(w, j, JOB_NODE_FAIL);
        trace(w, ref_of(w, j), "slurm: job %u was on it (%d)", j->id, (int)j->state);
        ctld_clear(w, j->serial);
        j->flags &= ~(unsigned)JOB_COMPLETING;
    }
}

void ctld_node_back(struct world *w, int node)
{
    struct ctld *c = &w->ctld;

    if (!c->up) {
        timeline_add(&w->timeline, after(w, SECOND, 5 * SECOND), HAPPEN_NODE_BACK, node, 0);
        return;
    }
    if (c->nodes[node].dead && c->nodes[node].up)
        ctld_node_lost(w, node); // it registers anew: its jobs are not there
    c->nodes[node].dead = false;
    c->nodes[node].up = true;
    trace(w, ALL, "slurm: node n%d is back", node);
    for (size_t i = 0; i < w->run_count; i++)
        if (w->runs[i].node == node && w->runs[i].left && rng_chance(&w->rng, 0.5))
            batch_kill(w, (int)i);
    ctld_want_pass(w);
}
