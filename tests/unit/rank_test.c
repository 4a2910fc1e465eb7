// SPDX-License-Identifier: GPL-2.0-or-later
// The order of dispatch and the expected end come from the schedule; expected
// durations from past attempts; GPU-hours from what was held.
#include "core/rank.h"

#include "core/duration.h"
#include "core/history.h"
#include "core/usage.h"
#include "core_world.h"
#include "tap.h"

// 3 3 2 2 2 on two nodes: longest first gives 3+2+2 beside 3+2, so 7; the best is
// 3+3 beside 2+2+2, so 6. The points that are opened first must allow it.
static void dispatch_follows_the_schedule(void)
{
    static const int64_t hours[] = {3, 3, 2, 2, 2};
    struct world *w = world_create(2);
    struct sweep *s = world_sweep(5, ON_FAILURE_KEEP_GOING);
    int64_t ends[2] = {0, 0};
    bool used[5] = {false};

    for (size_t i = 0; i < 5; i++)
        s->points[i].expected_us = hours[i] * 3600 * S;
    world_submit(w, s);
    world_poll(w);
    CHECK_INT((s->planned_end - w->core.wall) / S, 6 * 3600);
    // Played by hand: whenever a node is free it takes the point with the lowest rank.
    for (int turn = 0; turn < 5; turn++) {
        int node = ends[0] <= ends[1] ? 0 : 1;
        size_t next = 5;

        for (size_t i = 0; i < 5; i++)
            if (!used[i] && (next == 5 || s->points[i].rank < s->points[next].rank))
                next = i;
        used[next] = true;
        ends[node] += hours[next];
    }
    CHECK_INT(ends[0] > ends[1] ? ends[0] : ends[1], 6);
    // What is listed as due is in that order.
    world_commit(w);
    world_plan(w);
    int last = 0;
    size_t opened = 0;
    for (size_t i = 0; i < w->effects.count; i++) {
        if (w->effects.list[i].kind != EFFECT_OPEN)
            continue;
        int rank = s->points[w->effects.list[i].ref.point].rank;

        CHECK(rank > last);
        last = rank;
        opened++;
    }
    CHECK(opened >= 2);
    world_free(w);
}

static void the_end_is_known_only_with_nodes(void)
{
    struct world *w = world_create(0);
    struct sweep *s = world_sweep(3, ON_FAILURE_KEEP_GOING);

    world_submit(w, s);
    world_poll(w);
    CHECK_INT(s->planned_end, 0);
    world_free(w);
}

static void took(struct world *w, int64_t seq, size_t point, int64_t seconds, enum outcome outcome)
{
    struct sweep *s = core_sweep(&w->core, seq);
    struct sweep_point *p = &s->points[point];

    p->attempts = mem_array(1, sizeof(*p->attempts));
    p->attempt_count = p->attempt_cap = 1;
    p->attempts[0] = (struct attempt){.number = 1,
                                      .state = ATTEMPT_JUDGED,
                                      .outcome = outcome,
                                      .started_at = 1000 * S,
                                      .ended_at = (1000 + seconds) * S};
    snprintf(p->attempts[0].node, sizeof(p->attempts[0].node), "n0");
    p->state = POINT_DONE;
    p->outcome = outcome;
    p->chosen = 1;
}

static struct sweep *sweep_of(int64_t seq, size_t points)
{
    struct sweep *s = world_sweep(points, ON_FAILURE_KEEP_GOING);

    s->seq = seq;
    snprintf(s->key, sizeof(s->key), "key%d", (int)seq);
    return s;
}

static void history_corrects_the_model(void)
{
    struct world *w = world_create(1);
    struct sweep *s = sweep_of(9, 3);

    for (int64_t seq = 1; seq <= 3; seq++)
        world_submit(w, sweep_of(seq, 3));
    took(w, 1, 0, 50, OUTCOME_PASS);
    took(w, 2, 0, 70, OUTCOME_PASS);
    took(w, 3, 0, 90, OUTCOME_PASS);
    took(w, 1, 1, 5, OUTCOME_SERVER_DIED); // says nothing of how long it takes
    history_apply(&w->core, s);
    CHECK_INT(s->points[0].expected_us, 70 * S);
    CHECK_INT(s->points[0].source, ESTIMATE_HISTORY);
    CHECK_INT(s->points[0].samples, 3);
    // Another point of the arm: the same factor to the model.
    CHECK_INT(s->points[1].source, ESTIMATE_ARM);
    double factor = 70.0 * S / (double)duration_model(&s->points[0].point, false);
    CHECK_NEAR((double)s->points[1].expected_us,
               factor * (double)duration_model(&s->points[1].point, false), 2);
    sweep_free(s);
    s = sweep_of(10, 1);
    s->fast = true; // what canonical ones took says nothing of it
    history_apply(&w->core, s);
    CHECK_INT(s->points[0].expected_us, 100 * S);
    CHECK_INT(s->points[0].source, ESTIMATE_MODEL);
    CHECK(history_last(&w->core, "key2") == core_sweep(&w->core, 2));
    CHECK(!history_last(&w->core, "key9"));
    sweep_free(s);
    world_free(w);
}

// A point of 4 GPUs on a node of 8 for 100 s passes, one for 50 s does not.
static void gpu_time_is_accounted(void)
{
    struct world *w = world_create(1);
    struct sweep *s = sweep_of(1, 2);

    s->points[0].point.tp = 4;
    s->points[1].point.tp = 4;
    world_submit(w, s);
    world_poll(w);
    took(w, 1, 0, 100, OUTCOME_PASS);
    took(w, 1, 1, 50, OUTCOME_AL_OFF);
    struct usage u = usage_of(&w->core, s);
    CHECK_NEAR(u.useful / S, 400, 1e-6);
    CHECK_NEAR(u.failed[OUTCOME_AL_OFF] / S, 200, 1e-6);
    CHECK_NEAR(u.idle / S, 600, 1e-6);
    s->placement = PLACE_PACKED;
    u = usage_of(&w->core, s);
    CHECK_NEAR(u.idle, 0, 0);
    world_free(w);
}

int main(void)
{
    dispatch_follows_the_schedule();
    the_end_is_known_only_with_nodes();
    history_corrects_the_model();
    gpu_time_is_accounted();
    return tap_done();
}
