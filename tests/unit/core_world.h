// SPDX-License-Identifier: GPL-2.0-or-later
// A little world around core for tests: time, nodes, events by name, and the
// effects that are due. Nothing of it decides anything.
#ifndef SWEEPD_TESTS_CORE_WORLD_H
#define SWEEPD_TESTS_CORE_WORLD_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/core.h"

#define S INT64_C(1000000)

struct world {
    struct core core;
    struct effects effects;
    int64_t now;
    int64_t wall_ahead; // the wall clock's jumps
    int tokens;
    struct node nodes[16];
    size_t node_count;
    struct job jobs[64];
    size_t job_count;
};

static inline struct world *world_create(size_t nodes)
{
    struct world *w = mem_alloc(sizeof(*w));
    struct policy policy = policy_default();

    core_init(&w->core, &policy);
    w->now = 1000 * S;
    w->node_count = nodes;
    for (size_t i = 0; i < nodes; i++) {
        struct node *n = &w->nodes[i];

        snprintf(n->name, sizeof(n->name), "n%zu", i);
        snprintf(n->state, sizeof(n->state), "IDLE");
        snprintf(n->fleet, sizeof(n->fleet), "fleet");
        n->gpus_total = 8;
        n->cpus_total = 256;
    }
    return w;
}

static inline void world_free(struct world *w)
{
    core_done(&w->core);
    effects_free(&w->effects);
    free(w);
}

static inline struct event world_event(struct world *w, enum event_kind kind, struct ref ref)
{
    return (struct event){.kind = kind,
                          .ref = ref,
                          .now = w->now,
                          .wall = w->now + 1000000 * S + w->wall_ahead,
                          .text = "why"};
}

static inline struct sweep *world_sweep(size_t points, enum on_failure mode)
{
    struct sweep *s = mem_alloc(sizeof(*s));

    s->seq = 1;
    snprintf(s->id, sizeof(s->id), "s1-test");
    snprintf(s->key, sizeof(s->key), "key");
    snprintf(s->runner, sizeof(s->runner), "fleet");
    s->on_failure = mode;
    s->limits = limits_default();
    s->limits.al_target = 3.39;
    s->points = mem_array(points, sizeof(*s->points));
    s->point_count = points;
    for (size_t i = 0; i < points; i++) {
        struct point *p = &s->points[i].point;

        *p = (struct point){.tp = 8, .pp = 1, .dcp = 1, .pcp = 1, .ep = 1, .conc = (int)i + 1};
        snprintf(p->name, sizeof(p->name), "tp8-c%zu", i + 1);
        s->points[i].job_env = mem_strdup("");
        s->points[i].expected_us = 100 * S;
    }
    return s;
}

static inline void world_submit(struct world *w, struct sweep *s)
{
    struct event e = world_event(w, EVENT_SWEEP_CREATED, (struct ref){s->seq, -1, 0});

    e.sweep = s;
    core_update(&w->core, &e);
}

static inline void world_plan(struct world *w)
{
    core_plan(&w->core, w->now, &w->effects);
}

static inline size_t world_count(struct world *w, enum effect_kind kind)
{
    size_t n = 0;

    world_plan(w);
    for (size_t i = 0; i < w->effects.count; i++)
        n += w->effects.list[i].kind == kind;
    return n;
}

static inline bool world_due(struct world *w, enum effect_kind kind, struct ref *ret)
{
    world_plan(w);
    for (size_t i = 0; i < w->effects.count; i++) {
        if (w->effects.list[i].kind != kind)
            continue;
        if (ret)
            *ret = w->effects.list[i].ref;
        return true;
    }
    return false;
}

static inline void world_issue(struct world *w, enum effect_kind kind, struct ref ref)
{
    struct event e = world_event(w, EVENT_ISSUED, ref);

    e.effect = kind;
    core_update(&w->core, &e);
}

// Commits all there is to commit, as often as it takes.
static inline void world_commit(struct world *w)
{
    while (world_due(w, EFFECT_COMMIT, NULL)) {
        int64_t last = w->core.journal.last_id;
        struct event e;

        world_issue(w, EFFECT_COMMIT, (struct ref){0, -1, 0});
        e = world_event(w, EVENT_COMMITTED, (struct ref){0, -1, 0});
        e.journal_id = last;
        core_update(&w->core, &e);
    }
}

static inline void world_fail(struct world *w, struct ref ref, enum effect_kind kind,
                              enum failure failure)
{
    struct event e = world_event(w, EVENT_FAILED, ref);

    e.effect = kind;
    e.failure = failure;
    core_update(&w->core, &e);
}

static inline void world_simple(struct world *w, enum event_kind kind, struct ref ref)
{
    struct event e = world_event(w, kind, ref);

    core_update(&w->core, &e);
}

// One poll that sees w->jobs and w->nodes; it began a moment ago.
static inline void world_poll(struct world *w)
{
    struct event e;

    w->now += S;
    e = world_event(w, EVENT_POLLED, (struct ref){0, -1, 0});
    e.jobs = w->jobs;
    e.job_count = w->job_count;
    e.nodes = w->nodes;
    e.node_count = w->node_count;
    e.began_at = w->now - S / 10;
    core_update(&w->core, &e);
}

// Opens every attempt that is due; returns how many.
static inline size_t world_open(struct world *w)
{
    size_t opened = 0;
    struct ref refs[64];
    size_t n = 0;

    world_plan(w);
    for (size_t i = 0; i < w->effects.count; i++)
        if (w->effects.list[i].kind == EFFECT_OPEN)
            refs[n++] = w->effects.list[i].ref;
    for (size_t i = 0; i < n; i++) {
        struct event e = world_event(w, EVENT_OPEN, refs[i]);

        snprintf(e.token, sizeof(e.token), "%032d", ++w->tokens);
        core_update(&w->core, &e);
        opened++;
    }
    return opened;
}

static inline struct job *world_job(struct world *w, const char *token, const char *state,
                                    const char *node)
{
    struct job *j = NULL;

    for (size_t i = 0; i < w->job_count; i++)
        if (!strcmp(w->jobs[i].token, token))
            j = &w->jobs[i];
    if (!j) {
        j = &w->jobs[w->job_count++];
        *j = (struct job){.job_id = (uint32_t)w->job_count + 100};
        snprintf(j->token, sizeof(j->token), "%s", token);
    }
    snprintf(j->state, sizeof(j->state), "%s", state);
    snprintf(j->node, sizeof(j->node), "%s", node);
    return j;
}

// Brings the one attempt that is in `intent` up to `submitted`.
static inline struct ref world_to_submitted(struct world *w)
{
    struct ref ref = {0, -1, 0};
    struct event e;

    world_commit(w);
    if (!world_due(w, EFFECT_PREPARE, &ref))
        return ref;
    world_issue(w, EFFECT_PREPARE, ref);
    world_simple(w, EVENT_PREPARED, ref);
    world_issue(w, EFFECT_SUBMIT, ref);
    e = world_event(w, EVENT_SUBMITTED, ref);
    e.job_id = 7;
    core_update(&w->core, &e);
    world_commit(w);
    return ref;
}

static inline struct ref world_to_running(struct world *w, const char *node)
{
    struct ref ref = world_to_submitted(w);
    struct attempt *a = core_attempt(&w->core, ref);

    if (!a)
        return ref;
    world_job(w, a->token, "RUNNING", node);
    world_poll(w);
    world_commit(w);
    return ref;
}

// A sweep of one point whose first attempt runs.
static inline struct ref world_started(struct world *w)
{
    world_submit(w, world_sweep(1, ON_FAILURE_KEEP_GOING));
    world_poll(w);
    world_commit(w);
    world_open(w);
    return world_to_running(w, "n0");
}

static inline void world_scan(struct world *w, struct ref ref, enum claim claim,
                              const char *end_reason)
{
    struct scan scan = {.claim = claim, .claim_job_id = 7};
    struct event e = world_event(w, EVENT_SCANNED, ref);

    world_issue(w, EFFECT_SCAN, ref);
    if (end_reason) {
        scan.has_end = true;
        snprintf(scan.end.reason, sizeof(scan.end.reason), "%s", end_reason);
    }
    e.scan = &scan;
    core_update(&w->core, &e);
    world_commit(w);
}

static inline struct facts world_good_facts(void)
{
    return (struct facts){.has_summary = true,
                          .has_requests = true,
                          .has_engine_metrics = true,
                          .submission_valid = 1,
                          .error_rate = 0,
                          .requests_ok = 200,
                          .coverage_ttft = 0.99,
                          .coverage_itl = 0.99,
                          .coverage_required = 0.95,
                          .al_gauge = 3.39,
                          .al_counter = 3.38};
}

static inline void world_ingest(struct world *w, struct ref ref, const struct facts *facts)
{
    struct metrics metrics;
    struct event e;

    metrics_clear(&metrics);
    world_issue(w, EFFECT_INGEST, ref);
    e = world_event(w, EVENT_INGESTED, ref);
    e.facts = facts;
    e.metrics = &metrics;
    core_update(&w->core, &e);
    world_commit(w);
}

// The whole way of one attempt to an end record with this reason.
static inline struct ref world_run(struct world *w, const char *node, const char *end_reason)
{
    struct ref ref = world_to_running(w, node);
    struct facts facts = world_good_facts();

    world_scan(w, ref, CLAIM_JOB, end_reason);
    if (!strcmp(end_reason, "done"))
        world_ingest(w, ref, &facts);
    return ref;
}

#endif
