// SPDX-License-Identifier: GPL-2.0-or-later
// Core's protocol, one promise a function.
#include "core_world.h"
#include "tap.h"

static void commit_comes_before_every_act(void)
{
    struct world *w = world_create(1);
    struct ref ref;

    world_submit(w, world_sweep(1, ON_FAILURE_KEEP_GOING));
    world_poll(w);
    world_plan(w);
    CHECK_INT(w->effects.count, 1); // nothing but the commit
    CHECK_INT(w->effects.list[0].kind, EFFECT_COMMIT);
    world_commit(w);
    CHECK_INT(world_open(w), 1);
    CHECK(!world_due(w, EFFECT_PREPARE, NULL));
    CHECK(!world_due(w, EFFECT_SUBMIT, NULL));
    world_commit(w);
    CHECK(world_due(w, EFFECT_PREPARE, &ref));
    CHECK(!world_due(w, EFFECT_SUBMIT, NULL)); // no folder yet
    world_issue(w, EFFECT_PREPARE, ref);
    CHECK(!world_due(w, EFFECT_PREPARE, NULL)); // it is under way
    world_simple(w, EVENT_PREPARED, ref);
    CHECK(world_due(w, EFFECT_SUBMIT, NULL));
    world_issue(w, EFFECT_SUBMIT, ref);
    CHECK(!world_due(w, EFFECT_SUBMIT, NULL)); // never twice
    world_free(w);
}

static void plan_changes_nothing(void)
{
    struct world *w = world_create(4);
    size_t first;

    world_submit(w, world_sweep(6, ON_FAILURE_KEEP_GOING));
    world_poll(w);
    world_commit(w);
    world_plan(w);
    first = w->effects.count;
    CHECK(first > 0);
    world_plan(w);
    CHECK_INT(w->effects.count, (int64_t)first);
    world_free(w);
}

static void a_point_passes(void)
{
    struct world *w = world_create(1);
    struct ref ref;
    const struct sweep *s;

    world_submit(w, world_sweep(1, ON_FAILURE_KEEP_GOING));
    world_poll(w);
    world_commit(w);
    world_open(w);
    ref = world_run(w, "n0", "done");
    s = core_sweep(&w->core, 1);
    CHECK_INT(core_attempt(&w->core, ref)->state, ATTEMPT_JUDGED);
    CHECK_TEXT(outcome_name(s->points[0].outcome), "pass");
    CHECK_INT(s->points[0].chosen, 1);
    CHECK_INT(s->state, SWEEP_DONE);
    CHECK(!core_dirty(&w->core));
    world_free(w);
}

static void a_failed_commit_holds_everything(void)
{
    struct world *w = world_create(1);

    world_submit(w, world_sweep(1, ON_FAILURE_KEEP_GOING));
    world_poll(w);
    world_issue(w, EFFECT_COMMIT, (struct ref){0, -1, 0});
    CHECK(!world_due(w, EFFECT_COMMIT, NULL)); // one at a time
    world_fail(w, (struct ref){0, -1, 0}, EFFECT_COMMIT, FAILURE_DOWN);
    CHECK(!world_due(w, EFFECT_COMMIT, NULL)); // backs off
    CHECK(!world_due(w, EFFECT_OPEN, NULL));
    CHECK_INT(w->effects.next, w->core.commit_after);
    w->now = w->core.commit_after;
    CHECK(world_due(w, EFFECT_COMMIT, NULL));
    world_commit(w);
    CHECK(world_due(w, EFFECT_OPEN, NULL));
    world_free(w);
}

static void changes_during_a_commit_are_not_lost(void)
{
    struct world *w = world_create(1);
    struct event e;

    world_submit(w, world_sweep(1, ON_FAILURE_KEEP_GOING));
    world_issue(w, EFFECT_COMMIT, (struct ref){0, -1, 0});
    int64_t in_it = w->core.journal.last_id;
    e = world_event(w, EVENT_SWEEP_CANCEL, (struct ref){1, -1, 0});
    core_update(&w->core, &e);
    e = world_event(w, EVENT_COMMITTED, (struct ref){0, -1, 0});
    e.journal_id = in_it;
    core_update(&w->core, &e);
    CHECK(core_dirty(&w->core));
    CHECK(w->core.journal.count > 0);
    CHECK(w->core.journal.list[0].id > in_it);
    world_commit(w);
    CHECK(!core_dirty(&w->core));
    world_free(w);
}

static void a_point_that_failed_everywhere_begins_anew(void)
{
    struct world *w = world_create(2);
    const struct sweep_point *p;

    world_submit(w, world_sweep(1, ON_FAILURE_KEEP_GOING));
    world_poll(w);
    world_commit(w);
    p = &core_sweep(&w->core, 1)->points[0];
    w->nodes[1].flags = NODE_DRAIN; // no choice
    world_poll(w);
    CHECK_INT(world_open(w), 1);
    world_run(w, "n0", "gpu_dirty");
    CHECK_INT(p->excluded_count, 1);
    w->now += 3600 * S;
    CHECK_INT(world_open(w), 1);
    CHECK_INT(p->excluded_count, 0); // Slurm would never place it
    world_free(w);
}

static void weather_spends_no_result(void)
{
    struct world *w = world_create(1);
    struct ref ref = world_started(w);
    const struct attempt *a = core_attempt(&w->core, ref);

    world_scan(w, ref, CLAIM_JOB, "done");
    for (int i = 0; i < 50; i++) {
        CHECK(world_due(w, EFFECT_INGEST, NULL));
        world_issue(w, EFFECT_INGEST, ref);
        world_fail(w, ref, EFFECT_INGEST, FAILURE_DOWN);
        CHECK_INT(a->state, ATTEMPT_ENDED);
        w->now += w->core.policy.retry_max;
    }
    for (int i = 0; i < w->core.policy.ingest_tries; i++) {
        CHECK_INT(a->state, ATTEMPT_ENDED);
        world_issue(w, EFFECT_INGEST, ref);
        world_fail(w, ref, EFFECT_INGEST, FAILURE_OTHER);
    }
    CHECK_TEXT(outcome_name(a->outcome), "collect");
    world_free(w);
}

static void a_pass_gives_no_reason(void)
{
    struct world *w = world_create(1);
    struct ref ref = world_started(w);
    struct facts facts = world_good_facts();

    world_simple(w, EVENT_SWEEP_CANCEL, (struct ref){1, -1, 0});
    world_commit(w);
    world_scan(w, ref, CLAIM_JOB, "done");
    world_ingest(w, ref, &facts);
    CHECK_TEXT(outcome_name(core_point(&w->core, ref)->outcome), "pass");
    CHECK_TEXT(core_point(&w->core, ref)->reason, "");
    world_free(w);
}

static void a_cancelled_job_leaves_at_once(void)
{
    struct world *w = world_create(1);
    struct ref ref;

    world_submit(w, world_sweep(1, ON_FAILURE_KEEP_GOING));
    world_poll(w);
    world_commit(w);
    world_open(w);
    ref = world_to_submitted(w);
    const struct attempt *a = core_attempt(&w->core, ref);
    world_job(w, a->token, "PENDING", "");
    world_poll(w);
    world_simple(w, EVENT_SWEEP_CANCEL, (struct ref){1, -1, 0});
    world_commit(w);
    world_issue(w, EFFECT_CANCEL, ref);
    world_simple(w, EVENT_CANCELLED, ref);
    world_job(w, a->token, "CANCELLED", "");
    world_poll(w);
    world_commit(w);
    CHECK(world_due(w, EFFECT_REVOKE, NULL)); // not a grace time later
    world_free(w);
}

static void infra_is_retried_elsewhere_up_to_a_limit(void)
{
    struct world *w = world_create(4);
    const struct sweep_point *p;

    world_submit(w, world_sweep(1, ON_FAILURE_FAIL_FAST));
    world_poll(w);
    world_commit(w);
    p = &core_sweep(&w->core, 1)->points[0];
    for (int i = 0; i < 3; i++) {
        char node[8];

        w->now += 3600 * S;
        CHECK_INT(world_open(w), 1);
        snprintf(node, sizeof(node), "n%d", i);
        world_run(w, node, "gpu_dirty");
        CHECK_INT(p->excluded_count, i < 2 ? i + 1 : 2);
    }
    CHECK_INT(p->state, POINT_DONE);
    CHECK_TEXT(outcome_name(p->outcome), "gpu_dirty");
    CHECK_INT(core_sweep(&w->core, 1)->state, SWEEP_DONE);
    world_free(w);
}

static void unclear_is_confirmed_before_anybody_is_blamed(void)
{
    struct world *w = world_create(4);
    struct sweep *s;

    world_submit(w, world_sweep(1, ON_FAILURE_FAIL_FAST));
    world_poll(w);
    world_commit(w);
    s = core_sweep(&w->core, 1);
    world_open(w);
    world_run(w, "n0", "server_died");
    CHECK_INT(s->points[0].state, POINT_WAITING);
    CHECK_TEXT(s->points[0].excluded[0], "n0");
    w->now += 3600 * S;
    CHECK_INT(world_open(w), 1);
    world_run(w, "n1", "done");
    CHECK_TEXT(outcome_name(s->points[0].outcome), "pass");
    CHECK_TEXT(outcome_name(s->points[0].attempts[0].outcome), "server_died"); // both are kept
    CHECK_TEXT(blame_name(s->points[0].attempts[0].blame), "node");            // flaky
    world_free(w);
}

static void fail_fast_ends_the_siblings_and_keep_going_does_not(void)
{
    for (int mode = 0; mode < 2; mode++) {
        struct world *w = world_create(2);
        struct facts facts = world_good_facts();
        struct sweep *s;
        struct ref first;
        struct ref second;

        facts.al_gauge = 2.61;
        world_submit(w, world_sweep(6, mode ? ON_FAILURE_KEEP_GOING : ON_FAILURE_FAIL_FAST));
        world_poll(w);
        world_commit(w);
        s = core_sweep(&w->core, 1);
        CHECK_INT(world_open(w), 4); // two idle nodes, one ahead for each
        first = world_to_running(w, "n0");
        second = world_to_running(w, "n1");
        world_scan(w, first, CLAIM_JOB, "done");
        world_ingest(w, first, &facts);
        CHECK_TEXT(outcome_name(core_point(&w->core, first)->outcome), "al_off");
        if (mode) {
            CHECK_INT(sweep_count(s).outcomes[OUTCOME_CANCELLED], 0);
            CHECK(!core_attempt(&w->core, second)->cancel_wanted);
        } else {
            CHECK_INT(sweep_count(s).waiting, 0);
            CHECK(core_attempt(&w->core, second)->cancel_wanted);
            CHECK(world_due(w, EFFECT_CANCEL, NULL));
            world_issue(w, EFFECT_CANCEL, second);
            world_simple(w, EVENT_CANCELLED, second);
            world_scan(w, second, CLAIM_JOB, "terminated");
            CHECK_TEXT(outcome_name(core_point(&w->core, second)->outcome), "cancelled");
            CHECK_HOLDS(core_point(&w->core, second)->reason, "fail-fast");
            CHECK_HOLDS(s->reason, core_point(&w->core, first)->point.name);
        }
        world_free(w);
    }
}

static void a_cancelled_sweep_keeps_what_is_finished(void)
{
    struct world *w = world_create(2);
    struct facts facts = world_good_facts();
    struct sweep *s;
    struct ref ref;

    world_submit(w, world_sweep(2, ON_FAILURE_KEEP_GOING));
    world_poll(w);
    world_commit(w);
    s = core_sweep(&w->core, 1);
    world_open(w);
    ref = world_to_running(w, "n0");
    world_simple(w, EVENT_SWEEP_CANCEL, (struct ref){1, -1, 0});
    world_commit(w);
    CHECK_INT(s->state, SWEEP_CANCELLING);
    // It had finished before the cancel reached it.
    world_scan(w, ref, CLAIM_JOB, "done");
    world_ingest(w, ref, &facts);
    CHECK_TEXT(outcome_name(core_point(&w->core, ref)->outcome), "pass");
    // The other one has no job yet: its claim is taken from it.
    CHECK(world_due(w, EFFECT_REVOKE, &ref));
    world_issue(w, EFFECT_REVOKE, ref);
    struct event e = world_event(w, EVENT_REVOKED, ref);
    e.claim = CLAIM_OURS_REVOKED;
    core_update(&w->core, &e);
    CHECK_TEXT(outcome_name(core_point(&w->core, ref)->outcome), "cancelled");
    CHECK_INT(s->state, SWEEP_DONE);
    world_free(w);
}

static void late_binding(void)
{
    struct world *w = world_create(3);
    struct sweep *s = world_sweep(12, ON_FAILURE_KEEP_GOING);

    world_submit(w, s);
    CHECK(!world_due(w, EFFECT_OPEN, NULL)); // nodes are not known yet
    world_poll(w);
    world_commit(w);
    CHECK_INT(world_count(w, EFFECT_OPEN), 6); // three now, one ahead for each node
    w->core.foreign_pending = 1;
    CHECK_INT(world_count(w, EFFECT_OPEN), 3); // others wait: none ahead
    w->core.foreign_pending = 0;
    w->core.nodes[0].flags = NODE_DRAIN;
    CHECK_INT(world_count(w, EFFECT_OPEN), 4);
    w->core.nodes[1].flags = NODE_PLANNED;
    CHECK_INT(world_count(w, EFFECT_OPEN), 2);
    snprintf(w->core.nodes[2].state, NODE_WORD_MAX, "ALLOCATED");
    w->core.nodes[2].gpus_used = 8;
    CHECK_INT(world_count(w, EFFECT_OPEN), 1); // only the one ahead
    world_free(w);
}

static void packed_points_share_a_node(void)
{
    struct world *w = world_create(1);
    struct sweep *s = world_sweep(12, ON_FAILURE_KEEP_GOING);

    s->placement = PLACE_PACKED;
    for (size_t i = 0; i < s->point_count; i++)
        s->points[i].point.tp = 2;
    world_submit(w, s);
    world_poll(w);
    world_commit(w);
    CHECK_INT(world_count(w, EFFECT_OPEN), 5); // four of two GPUs, one ahead
    w->core.nodes[0].gpus_used = 5;
    snprintf(w->core.nodes[0].state, NODE_WORD_MAX, "MIXED");
    CHECK_INT(world_count(w, EFFECT_OPEN), 2); // one in the three free ones, one ahead
    world_free(w);
}

static void a_restart_looks_before_it_acts(void)
{
    struct world *w = world_create(1);
    struct sweep *s = world_sweep(1, ON_FAILURE_KEEP_GOING);
    struct sweep_point *p = &s->points[0];
    struct event e = world_event(w, EVENT_SWEEP_RESTORED, (struct ref){1, -1, 0});
    struct ref ref = {1, 0, 1};

    p->state = POINT_ACTIVE;
    p->attempts = mem_array(1, sizeof(*p->attempts));
    p->attempt_count = p->attempt_cap = 1;
    p->attempts[0].number = 1;
    snprintf(p->attempts[0].token, TOKEN_HEX, "%032d", 5);
    e.sweep = s;
    core_update(&w->core, &e);
    CHECK(!core_dirty(&w->core));
    CHECK(!world_due(w, EFFECT_SUBMIT, NULL)); // perhaps it was submitted
    CHECK(!world_due(w, EFFECT_PREPARE, NULL));
    world_poll(w);
    world_poll(w);
    CHECK(world_due(w, EFFECT_REVOKE, &ref));
    world_free(w);
}

// Slurm itself cancels a job whose id its node knows already.
// Slurm's words for a job change without an event being made of it.
static void a_commit_may_hold_no_event(void)
{
    struct world *w = world_create(1);
    struct sweep *s = world_sweep(1, ON_FAILURE_KEEP_GOING);
    struct event e = world_event(w, EVENT_SWEEP_RESTORED, (struct ref){1, -1, 0});
    struct sweep_point *p = &s->points[0];

    p->state = POINT_ACTIVE;
    p->attempts = mem_array(1, sizeof(*p->attempts));
    p->attempt_count = p->attempt_cap = 1;
    p->attempts[0].number = 1;
    p->attempts[0].state = ATTEMPT_PENDING;
    snprintf(p->attempts[0].token, TOKEN_HEX, "%032d", 5);
    e.sweep = s;
    core_update(&w->core, &e);
    world_job(w, p->attempts[0].token, "PENDING", "");
    world_poll(w);
    CHECK_INT(w->core.journal.count, 0);
    CHECK(core_dirty(&w->core));
    CHECK(world_due(w, EFFECT_COMMIT, NULL));
    world_commit(w);
    CHECK(!core_dirty(&w->core));
    world_free(w);
}

static void a_cancel_by_slurm_before_the_start_is_tried_again(void)
{
    struct world *w = world_create(2);
    struct sweep *s = world_sweep(1, ON_FAILURE_KEEP_GOING);
    struct ref ref;
    struct event e;

    world_submit(w, s);
    world_poll(w);
    world_commit(w);
    world_open(w);
    ref = world_to_submitted(w);
    world_job(w, core_attempt(&w->core, ref)->token, "CANCELLED", "n0");
    world_poll(w);
    world_commit(w);
    CHECK(world_due(w, EFFECT_REVOKE, NULL));
    world_issue(w, EFFECT_REVOKE, ref);
    e = world_event(w, EVENT_REVOKED, ref);
    e.claim = CLAIM_OURS_REVOKED;
    core_update(&w->core, &e);
    CHECK_TEXT(outcome_name(core_attempt(&w->core, ref)->outcome), "slurm");
    CHECK_INT(s->points[0].state, POINT_WAITING);
    world_free(w);
}

// Once it runs, a cancel by hand is somebody's will.
static void a_cancel_by_hand_of_a_running_job_stays(void)
{
    struct world *w = world_create(2);
    struct sweep *s = world_sweep(1, ON_FAILURE_KEEP_GOING);
    struct ref ref;

    world_submit(w, s);
    world_poll(w);
    world_commit(w);
    world_open(w);
    ref = world_to_running(w, "n0");
    world_scan(w, ref, CLAIM_JOB, "terminated");
    CHECK_INT(core_attempt(&w->core, ref)->state, ATTEMPT_RUNNING); // whose will was it?
    world_job(w, core_attempt(&w->core, ref)->token, "CANCELLED", "n0");
    world_poll(w);
    world_commit(w);
    world_scan(w, ref, CLAIM_JOB, "terminated");
    CHECK_TEXT(outcome_name(s->points[0].outcome), "cancelled");
    world_free(w);
}

static void a_refused_submit_spends_its_token(void)
{
    struct world *w = world_create(1);
    struct sweep *s = world_sweep(1, ON_FAILURE_KEEP_GOING);
    struct ref ref;

    world_submit(w, s);
    world_poll(w);
    for (int i = 0; i < 3; i++) {
        world_commit(w);
        w->now += 3600 * S;
        CHECK_INT(world_open(w), 1);
        world_commit(w);
        world_due(w, EFFECT_PREPARE, &ref);
        world_issue(w, EFFECT_PREPARE, ref);
        world_simple(w, EVENT_PREPARED, ref);
        world_issue(w, EFFECT_SUBMIT, ref);
        world_fail(w, ref, EFFECT_SUBMIT, FAILURE_REFUSED);
        CHECK_INT(core_attempt(&w->core, ref)->state, ATTEMPT_JUDGED);
    }
    CHECK_TEXT(outcome_name(s->points[0].outcome), "slurm");
    CHECK_HOLDS(s->points[0].reason, "refuses");
    world_free(w);
}

static void a_limit_is_back_pressure(void)
{
    struct world *w = world_create(1);
    struct ref ref;

    world_submit(w, world_sweep(1, ON_FAILURE_KEEP_GOING));
    world_poll(w);
    world_commit(w);
    world_open(w);
    world_commit(w);
    world_due(w, EFFECT_PREPARE, &ref);
    world_issue(w, EFFECT_PREPARE, ref);
    world_simple(w, EVENT_PREPARED, ref);
    for (int i = 0; i < 50; i++) {
        world_issue(w, EFFECT_SUBMIT, ref);
        world_fail(w, ref, EFFECT_SUBMIT, i % 2 ? FAILURE_LIMIT : FAILURE_DOWN);
        world_commit(w);
        CHECK(!world_due(w, EFFECT_SUBMIT, NULL));
        CHECK(w->effects.next - w->now <= w->core.policy.retry_max);
        w->now = w->effects.next;
        CHECK(world_due(w, EFFECT_SUBMIT, NULL));
    }
    CHECK_INT(core_attempt(&w->core, ref)->state, ATTEMPT_INTENT);
    world_issue(w, EFFECT_SUBMIT, ref);
    world_fail(w, ref, EFFECT_SUBMIT, FAILURE_OTHER); // the first of its kind
    CHECK_INT(core_attempt(&w->core, ref)->state, ATTEMPT_INTENT);
    world_free(w);
}

static void a_stray_job_is_ended(void)
{
    struct world *w = world_create(1);
    struct ref ref;

    world_submit(w, world_sweep(1, ON_FAILURE_KEEP_GOING));
    world_poll(w);
    world_commit(w);
    world_open(w);
    ref = world_run(w, "n0", "done");
    world_poll(w); // its job still runs, as is usual for a moment
    CHECK(!world_due(w, EFFECT_CANCEL, NULL));
    w->now += w->core.policy.end_grace + S;
    w->wall_ahead = -7200 * S;     // of no account
    w->jobs[0].submit_time = 1234; // somebody requeued it
    world_poll(w);
    world_commit(w);
    CHECK(world_due(w, EFFECT_CANCEL, NULL));
    CHECK_INT(core_attempt(&w->core, ref)->submit_time, 1234); // or no cancel would agree
    world_issue(w, EFFECT_CANCEL, ref);
    world_simple(w, EVENT_CANCELLED, ref);
    CHECK(!world_due(w, EFFECT_CANCEL, NULL));
    CHECK_TEXT(outcome_name(core_point(&w->core, ref)->outcome), "pass");
    world_free(w);
}

int main(void)
{
    commit_comes_before_every_act();
    plan_changes_nothing();
    a_point_passes();
    a_failed_commit_holds_everything();
    changes_during_a_commit_are_not_lost();
    a_point_that_failed_everywhere_begins_anew();
    weather_spends_no_result();
    a_pass_gives_no_reason();
    a_cancelled_job_leaves_at_once();
    infra_is_retried_elsewhere_up_to_a_limit();
    unclear_is_confirmed_before_anybody_is_blamed();
    fail_fast_ends_the_siblings_and_keep_going_does_not();
    a_cancelled_sweep_keeps_what_is_finished();
    late_binding();
    packed_points_share_a_node();
    a_restart_looks_before_it_acts();
    a_stray_job_is_ended();
    a_commit_may_hold_no_event();
    a_cancel_by_slurm_before_the_start_is_tried_again();
    a_cancel_by_hand_of_a_running_job_stays();
    a_refused_submit_spends_its_token();
    a_limit_is_back_pressure();
    return tap_done();
}
