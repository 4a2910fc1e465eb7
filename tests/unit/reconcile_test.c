// SPDX-License-Identifier: GPL-2.0-or-later
// What core makes of Slurm's word, of its silence, and of an attempt's folder.
#include "core_world.h"
#include "tap.h"

static struct ref unclear_submit(struct world *w)
{
    struct ref ref = {0};

    world_submit(w, world_sweep(1, ON_FAILURE_KEEP_GOING));
    world_poll(w);
    world_commit(w);
    world_open(w);
    world_commit(w);
    world_due(w, EFFECT_PREPARE, &ref);
    world_issue(w, EFFECT_PREPARE, ref);
    world_simple(w, EVENT_PREPARED, ref);
    world_issue(w, EFFECT_SUBMIT, ref);
    world_fail(w, ref, EFFECT_SUBMIT, FAILURE_UNCLEAR);
    world_commit(w);
    return ref;
}

static void an_unclear_submit_is_never_repeated(void)
{
    struct world *w = world_create(1);
    struct ref ref = unclear_submit(w);
    struct event e;

    w->now += 3600 * S;
    CHECK(!world_due(w, EFFECT_SUBMIT, NULL));
    CHECK(!world_due(w, EFFECT_REVOKE, NULL)); // not before the polls say so
    world_poll(w);
    CHECK(!world_due(w, EFFECT_REVOKE, NULL)); // one is not enough
    world_poll(w);
    CHECK(world_due(w, EFFECT_REVOKE, NULL));
    world_issue(w, EFFECT_REVOKE, ref);
    e = world_event(w, EVENT_REVOKED, ref);
    e.claim = CLAIM_OURS_REVOKED;
    core_update(&w->core, &e);
    CHECK_INT(core_attempt(&w->core, ref)->state, ATTEMPT_LOST);
    world_commit(w);
    w->now += 3600 * S;
    CHECK_INT(world_open(w), 1); // a new attempt, with its own token
    CHECK(strcmp(core_sweep(&w->core, 1)->points[0].attempts[0].token,
                 core_sweep(&w->core, 1)->points[0].attempts[1].token) != 0);
    world_free(w);
}

static void an_unclear_submit_is_found_by_its_token(void)
{
    struct world *w = world_create(1);
    struct ref ref = unclear_submit(w);
    struct attempt *a = core_attempt(&w->core, ref);

    world_poll(w);
    world_job(w, a->token, "PENDING", "");
    world_poll(w);
    CHECK_INT(a->state, ATTEMPT_PENDING);
    CHECK_INT(a->job_id, 101);
    world_commit(w);
    CHECK(!world_due(w, EFFECT_REVOKE, NULL));
    world_free(w);
}

static void a_claimed_attempt_is_not_lost(void)
{
    struct world *w = world_create(1);
    struct ref ref = unclear_submit(w);
    struct attempt *a = core_attempt(&w->core, ref);
    struct event e;

    world_poll(w);
    world_poll(w);
    world_issue(w, EFFECT_REVOKE, ref);
    e = world_event(w, EVENT_REVOKED, ref);
    e.claim = CLAIM_JOB;
    e.job_id = 55;
    core_update(&w->core, &e);
    CHECK_INT(a->state, ATTEMPT_SUBMITTED); // adopted by what its claim says
    CHECK_INT(a->job_id, 55);
    world_commit(w);
    CHECK(!world_due(w, EFFECT_OPEN, NULL));
    CHECK_INT(world_count(w, EFFECT_REVOKE), 0); // asked once is enough
    CHECK(world_due(w, EFFECT_SCAN, NULL));
    world_scan(w, ref, CLAIM_JOB, "done");
    CHECK_INT(a->state, ATTEMPT_ENDED); // its result is not lost
    world_free(w);
}

static void a_spool_that_cannot_be_written_decides_nothing(void)
{
    struct world *w = world_create(1);
    struct ref ref = unclear_submit(w);

    world_poll(w);
    world_poll(w);
    for (int i = 0; i < 20; i++) {
        world_issue(w, EFFECT_REVOKE, ref);
        world_fail(w, ref, EFFECT_REVOKE, FAILURE_DOWN);
        w->now += 3600 * S;
        world_poll(w);
    }
    CHECK_INT(core_attempt(&w->core, ref)->state, ATTEMPT_INTENT);
    CHECK(!world_due(w, EFFECT_OPEN, NULL));
    world_free(w);
}

static void a_poll_from_before_the_submit_says_nothing(void)
{
    struct world *w = world_create(1);
    struct ref ref;
    struct event e;

    world_submit(w, world_sweep(1, ON_FAILURE_KEEP_GOING));
    world_poll(w);
    world_commit(w);
    world_open(w);
    ref = world_to_submitted(w);
    e = world_event(w, EVENT_POLLED, (struct ref){0, -1, 0});
    e.nodes = w->nodes;
    e.node_count = w->node_count;
    for (int i = 0; i < 5; i++) {
        e.began_at = w->now - S;
        core_update(&w->core, &e);
    }
    CHECK_INT(core_attempt(&w->core, ref)->absent_polls, 0);
    world_free(w);
}

static void a_forgotten_job_is_lost_only_through_the_claim(void)
{
    struct world *w = world_create(1);
    struct ref ref;
    struct event e;

    world_submit(w, world_sweep(1, ON_FAILURE_KEEP_GOING));
    world_poll(w);
    world_commit(w);
    world_open(w);
    ref = world_to_submitted(w);
    // The id is given to somebody else's attempt: not matched.
    world_job(w, "ffffffffffffffffffffffffffffffff", "RUNNING", "n0")->job_id = 7;
    world_poll(w);
    world_poll(w);
    CHECK_INT(core_attempt(&w->core, ref)->state, ATTEMPT_SUBMITTED);
    CHECK(world_due(w, EFFECT_REVOKE, NULL));
    world_issue(w, EFFECT_REVOKE, ref);
    e = world_event(w, EVENT_REVOKED, ref);
    e.claim = CLAIM_OURS_REVOKED;
    core_update(&w->core, &e);
    CHECK_INT(core_attempt(&w->core, ref)->state, ATTEMPT_LOST);
    world_free(w);
}

static void the_end_record_comes_before_slurm(void)
{
    struct world *w = world_create(1);
    struct ref ref;

    world_submit(w, world_sweep(1, ON_FAILURE_KEEP_GOING));
    world_poll(w);
    world_commit(w);
    world_open(w);
    ref = world_to_running(w, "n0");
    // Slurm says FAILED; the record says that the work was done.
    world_job(w, core_attempt(&w->core, ref)->token, "FAILED", "n0");
    world_poll(w);
    world_commit(w);
    CHECK_INT(core_attempt(&w->core, ref)->state, ATTEMPT_RUNNING);
    CHECK(world_due(w, EFFECT_SCAN, NULL));
    world_scan(w, ref, CLAIM_JOB, "done");
    CHECK_INT(core_attempt(&w->core, ref)->state, ATTEMPT_ENDED);
    CHECK(world_due(w, EFFECT_INGEST, NULL));
    world_free(w);
}

static void a_missing_end_record_is_waited_for_and_no_longer(void)
{
    struct world *w = world_create(1);
    struct ref ref;

    world_submit(w, world_sweep(1, ON_FAILURE_KEEP_GOING));
    world_poll(w);
    world_commit(w);
    world_open(w);
    ref = world_to_running(w, "n0");
    world_job(w, core_attempt(&w->core, ref)->token, "NODE_FAIL", "n0");
    world_poll(w);
    world_commit(w);
    world_scan(w, ref, CLAIM_JOB, NULL); // it did begin,
    world_poll(w);                       // and Slurm says once more that it has ended
    world_commit(w);
    world_scan(w, ref, CLAIM_JOB, NULL);
    CHECK_INT(core_attempt(&w->core, ref)->state, ATTEMPT_RUNNING);
    w->now += w->core.policy.end_grace + S;
    world_scan(w, ref, CLAIM_JOB, NULL);
    CHECK_INT(core_attempt(&w->core, ref)->state, ATTEMPT_JUDGED);
    CHECK_TEXT(outcome_name(core_attempt(&w->core, ref)->outcome), "node_fail");
    CHECK_TEXT(blame_name(core_attempt(&w->core, ref)->blame), "node");
    world_free(w);
}

// The file system was asked before the record was written and answered after
// the grace time: that is no reason to throw the result away.
static void a_late_answer_about_an_earlier_time_decides_nothing(void)
{
    struct world *w = world_create(1);
    struct ref ref = world_started(w);
    const struct attempt *a = core_attempt(&w->core, ref);
    struct scan scan = {.claim = CLAIM_JOB, .claim_job_id = 7};
    struct event e;

    world_scan(w, ref, CLAIM_JOB, NULL);
    w->now += w->core.policy.scan_interval;
    world_issue(w, EFFECT_SCAN, ref);
    world_job(w, a->token, "COMPLETE", "n0");
    world_poll(w);
    world_commit(w);
    w->now += w->core.policy.end_grace + S;
    e = world_event(w, EVENT_SCANNED, ref);
    e.scan = &scan;
    core_update(&w->core, &e);
    CHECK_INT(a->state, ATTEMPT_RUNNING);
    CHECK(world_due(w, EFFECT_SCAN, NULL));
    world_scan(w, ref, CLAIM_JOB, "done");
    CHECK_INT(a->state, ATTEMPT_ENDED);
    world_free(w);
}

// A submit that nobody had an answer to arrives after the polls that missed it.
static void a_claim_outdates_the_polls_before_it(void)
{
    struct world *w = world_create(1);
    struct ref ref = unclear_submit(w);
    const struct attempt *a = core_attempt(&w->core, ref);
    struct event e;

    world_poll(w);
    world_poll(w);
    world_issue(w, EFFECT_REVOKE, ref);
    w->now += w->core.policy.end_grace + S;
    e = world_event(w, EVENT_REVOKED, ref);
    e.claim = CLAIM_JOB;
    e.job_id = 55;
    core_update(&w->core, &e);
    world_commit(w);
    world_scan(w, ref, CLAIM_JOB, NULL);
    CHECK_INT(a->state, ATTEMPT_SUBMITTED); // it may run
    world_poll(w);
    world_scan(w, ref, CLAIM_JOB, NULL);
    CHECK_INT(a->gone_since, 0); // one poll is not enough
    world_poll(w);
    world_scan(w, ref, CLAIM_JOB, NULL);
    CHECK_INT(a->state, ATTEMPT_SUBMITTED);
    w->now += w->core.policy.end_grace + S;
    world_scan(w, ref, CLAIM_JOB, NULL);
    CHECK_INT(a->state, ATTEMPT_JUDGED);
    CHECK_TEXT(outcome_name(a->outcome), "lost");
    world_free(w);
}

// Slurm said that the job ended, forgot that, and started it.
static void a_claim_outdates_an_end_before_it(void)
{
    struct world *w = world_create(1);
    struct ref ref = world_started(w);
    const struct attempt *a = core_attempt(&w->core, ref);
    struct event e;

    world_job(w, a->token, "BOOT_FAIL", "n0");
    world_poll(w);
    world_commit(w);
    world_issue(w, EFFECT_REVOKE, ref);
    w->now += w->core.policy.end_grace + S;
    e = world_event(w, EVENT_REVOKED, ref);
    e.claim = CLAIM_JOB;
    core_update(&w->core, &e);
    world_scan(w, ref, CLAIM_JOB, NULL);
    CHECK_INT(a->state, ATTEMPT_RUNNING);
    world_job(w, a->token, "RUNNING", "n0");
    world_poll(w);
    w->now += w->core.policy.end_grace + S;
    world_scan(w, ref, CLAIM_JOB, NULL);
    CHECK_INT(a->state, ATTEMPT_RUNNING);
    world_free(w);
}

static void slurms_word_is_more_than_its_silence(void)
{
    struct world *w = world_create(1);
    struct ref ref = world_started(w);
    const struct attempt *a = core_attempt(&w->core, ref);

    world_scan(w, ref, CLAIM_JOB, NULL);
    world_job(w, a->token, "NODE_FAIL", "n0");
    world_poll(w);
    w->job_count = 0; // purged
    world_poll(w);
    world_poll(w);
    world_commit(w);
    w->now += w->core.policy.end_grace + S;
    world_scan(w, ref, CLAIM_JOB, NULL);
    CHECK_TEXT(outcome_name(a->outcome), "node_fail");
    world_free(w);
}

// It has its results, and people put its job back into the queue.
static void a_job_that_waits_again_is_looked_at(void)
{
    struct world *w = world_create(1);
    struct ref ref = world_started(w);
    const struct attempt *a = core_attempt(&w->core, ref);

    world_scan(w, ref, CLAIM_JOB, NULL);
    world_job(w, a->token, "PENDING", "");
    world_poll(w);
    CHECK_INT(a->state, ATTEMPT_PENDING);
    CHECK_TEXT(w->core.journal.list[w->core.journal.count - 1].kind, "attempt_pending");
    world_commit(w);
    w->now += w->core.policy.scan_interval;
    CHECK(world_due(w, EFFECT_SCAN, NULL));
    world_free(w);
}
int main(void)
{
    an_unclear_submit_is_never_repeated();
    an_unclear_submit_is_found_by_its_token();
    a_claimed_attempt_is_not_lost();
    a_spool_that_cannot_be_written_decides_nothing();
    a_poll_from_before_the_submit_says_nothing();
    a_forgotten_job_is_lost_only_through_the_claim();
    the_end_record_comes_before_slurm();
    a_missing_end_record_is_waited_for_and_no_longer();
    a_late_answer_about_an_earlier_time_decides_nothing();
    a_claim_outdates_the_polls_before_it();
    a_claim_outdates_an_end_before_it();
    slurms_word_is_more_than_its_silence();
    a_job_that_waits_again_is_looked_at();
    return tap_done();
}
