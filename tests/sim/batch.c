// SPDX-License-Identifier: GPL-2.0-or-later
#include "batch.h"

#include "base/mem.h"
#include "check.h"
#include "ctld.h"

static const char *const phases[] = {"prolog", "image",   "weights", "server",
                                     "warmup", "profile", "collect"};
enum { PHASE_COUNT = sizeof(phases) / sizeof(phases[0]) };

// After a signal Slurm waits so long before it kills.
#define KILL_WAIT (30 * SECOND)

static struct ref ref_of(const struct world *w, const struct run *r)
{
    return w->folders[r->folder].ref;
}

static void go(struct world *w, int run, enum run_step step, int64_t low, int64_t high)
{
    struct run *r = &w->runs[run];

    r->step = step;
    timeline_add(&w->timeline, after(w, low, high), HAPPEN_RUN, run, ++r->version);
}

int batch_start(struct world *w, int job, int folder, int node)
{
    w->runs = mem_room(w->runs, w->run_count, &w->run_cap, sizeof(*w->runs));
    w->runs[w->run_count] = (struct run){.job = job, .folder = folder, .node = node};
    go(w, (int)w->run_count, RUN_LAUNCH, 0, 3 * SECOND);
    return (int)w->run_count++;
}

// --- what it will come to ---------------------------------------------------------

static bool dirty(const struct world *w, int node)
{
    for (size_t i = 0; i < w->run_count; i++)
        if (w->runs[i].node == node && w->runs[i].left && w->runs[i].payload)
            return true;
    return false;
}

static enum ending bad_ending(struct world *w)
{
    return (enum ending)rng_range(&w->rng, END_COVERAGE, END_CONFIG);
}

static void choose(struct world *w, struct run *r)
{
    struct ref ref = ref_of(w, r);
    bool fails = fault(w, FAULT_RESULT, 0.08);
    bool node_fails = rng_chance(&w->rng, w->ctld.nodes[r->node].bad);
    enum ending bad = bad_ending(w);
    enum ending of_node = (enum ending)rng_range(&w->rng, END_SERVER_DIED, END_DISK);

    r->ending = fails ? bad : END_GOOD;
    r->last_phase = PHASE_COUNT - 1;
    r->phase_time = rng_range(&w->rng, SECOND, 15 * SECOND);
    if (w->bad_point[ref.sweep - 1][ref.point])
        r->ending = ref.point % 2 ? END_AL_OFF : END_SERVER_DIED;
    if (node_fails)
        r->ending = of_node;
    if (dirty(w, r->node) && rng_chance(&w->rng, 0.8))
        r->ending = END_GPU_DIRTY;
    if (r->ending >= END_SERVER_DIED)
        r->last_phase = (int)rng_range(&w->rng, 0, PHASE_COUNT - 1);
    r->silent = fault(w, FAULT_RECORD, 0.05);
}

// --- steps --------------------------------------------------------------------------

static void stop_payload(struct world *w, struct run *r)
{
    if (!r->payload)
        return;
    r->payload = false;
    w->folders[r->folder].running--;
}

static void launch(struct world *w, int run)
{
    struct run *r = &w->runs[run];
    struct folder *f = &w->folders[r->folder];

    if (w->spool_until > w->now) { // it hangs, or says that it cannot write
        if (rng_chance(&w->rng, 0.5))
            go(w, run, RUN_LAUNCH, SECOND, 5 * SECOND);
        else
            go(w, run, RUN_EXIT, 0, SECOND);
        return;
    }
    if (f->claim != CLAIM_NONE) {
        trace(w, f->ref, "job: the attempt is taken");
        r->ended_well = true;
        go(w, run, RUN_EXIT, 0, SECOND);
        return;
    }
    f->claim = CLAIM_JOB;
    f->claim_job_id = ctld_job(w, r->job) ? ctld_job(w, r->job)->id : 0;
    r->payload = true;
    f->running++;
    f->begun++;
    choose(w, r);
    trace(w, f->ref, "job: claims and begins on n%d, will end as %s", r->node,
          ending_reason(r->ending));
    check_payload_begins(w, f);
    f->phase = phases[0];
    go(w, run, RUN_WORK, r->phase_time / 2, r->phase_time);
}

static void work(struct world *w, int run)
{
    struct run *r = &w->runs[run];

    if (r->phase >= r->last_phase) {
        go(w, run, RUN_RECORD, 0, 2 * SECOND);
        return;
    }
    r->phase++;
    if (w->spool_until <= w->now)
        w->folders[r->folder].phase = phases[r->phase];
    go(w, run, RUN_WORK, r->phase_time / 2, r->phase_time);
}

static void record(struct world *w, int run)
{
    struct run *r = &w->runs[run];
    struct folder *f = &w->folders[r->folder];

    if (!r->silent && w->spool_until > w->now) {
        if (rng_chance(&w->rng, 0.8)) {
            go(w, run, RUN_RECORD, SECOND, 4 * SECOND);
            return;
        }
        r->silent = true;
    }
    if (r->silent) {
        f->end_cut = rng_chance(&w->rng, 0.3);
    } else {
        f->has_end = true;
        f->end_at = w->now;
        f->ending = r->ending;
    }
    trace(w, f->ref, "job: %s", r->silent ? "ends without a record" : ending_reason(f->ending));
    stop_payload(w, r);
    r->ended_well = r->ending <= END_UNREADABLE && !ending_exit_code(r->ending);
    r->hangs = fault(w, FAULT_RECORD, 0.03) && !r->told; // slurmd would end it
    if (r->hangs)
        trace(w, f->ref, "job: hangs at its end");
    go(w, run, RUN_EXIT, 0, r->hangs ? 12 * HOUR : 2 * SECOND);
}

void batch_step(struct world *w, int run, unsigned version)
{
    struct run *r = &w->runs[run];

    if (r->version != version)
        return;
    switch (r->step) {
    case RUN_LAUNCH:
        launch(w, run);
        break;
    case RUN_WORK:
        work(w, run);
        break;
    case RUN_RECORD:
        record(w, run);
        break;
    case RUN_KILL:
    case RUN_EXIT:
        batch_kill(w, run);
        break;
    case RUN_GONE:
        break;
    }
}

void batch_tell(struct world *w, int run, enum ending why)
{
    struct run *r = &w->runs[run];
    double choice = (double)rng_range(&w->rng, 0, 99);

    if (r->told)
        return;
    r->told = true;
    if (r->step == RUN_LAUNCH || (r->step == RUN_EXIT && r->hangs)) {
        go(w, run, RUN_EXIT, 0, 2 * SECOND);
    } else if (r->step == RUN_WORK && choice < 60) {
        r->ending = why;
        go(w, run, RUN_RECORD, 0, 10 * SECOND);
    } else if (r->step == RUN_WORK && choice < 70) {
        go(w, run, RUN_RECORD, 0, 5 * SECOND); // it was just about to end by itself
    } else if (r->step == RUN_WORK || (r->step == RUN_RECORD && choice < 20)) {
        go(w, run, RUN_KILL, KILL_WAIT, KILL_WAIT);
    }
}

void batch_kill(struct world *w, int run)
{
    struct run *r = &w->runs[run];

    if (r->step == RUN_GONE)
        return;
    if (r->payload)
        trace(w, ref_of(w, r), "job: killed, no end record");
    stop_payload(w, r);
    r->step = RUN_GONE;
    r->version++;
    if (!r->left)
        ctld_run_ended(w, run);
}

void batch_left(struct world *w, int run)
{
    struct run *r = &w->runs[run];

    r->left = true;
    w->folders[r->folder].left++;
    trace(w, ref_of(w, r), "job: the payload outlives what Slurm knows");
}

void batch_found(struct world *w, int run)
{
    // Core may have acted on the word that it was over: the folder keeps that.
    if (run >= 0)
        w->runs[run].left = false;
}
