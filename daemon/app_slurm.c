// SPDX-License-Identifier: GPL-2.0-or-later
// Slurm's side of the application.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "spool.h"

enum { EXIT_SLURM = 1, JOB_NAME_MAX = 200 };

// What Slurm runs: it finds the bundle through its environment, so that the
// script is the same for every job.
static const char batch_script[] = "#!/bin/bash\n"
                                   "exec bash \"$SWEEPD_BUNDLE/job.sh\"\n";

static int cpus_of(const struct app *a, const struct sweep *s, const struct sweep_point *p)
{
    if (s->placement == PLACE_EXCLUSIVE)
        return 0;
    for (size_t i = 0; i < a->core.node_count; i++) {
        const struct node *n = &a->core.nodes[i];

        // The GPUs' share of the node's CPUs.
        if (!strcmp(n->fleet, s->runner) && n->gpus_total)
            return n->cpus_total * point_gpus(&p->point) / n->gpus_total;
    }
    return 0;
}

bool app_submit(struct app *a, struct ref ref)
{
    const struct sweep *s = core_sweep(&a->core, ref.sweep);
    const struct sweep_point *p = core_point(&a->core, ref);
    const struct attempt *t = core_attempt(&a->core, ref);
    const struct conf_fleet *fleet = s ? conf_fleet(a->conf, s->runner) : NULL;
    const char *exclude[SWEEP_EXCLUDED_MAX];
    char dir[SPOOL_PATH_MAX];
    char output[SPOOL_PATH_MAX + 16];
    char bundle[SPOOL_PATH_MAX];
    char name[JOB_NAME_MAX];

    if (!slurmc_status(a->slurmc)->up || !s || !p || !t)
        return false;
    if (!fleet) {
        app_fail(a, ref, EFFECT_SUBMIT, FAILURE_REFUSED,
                 "the fleet of its runner label is no longer configured");
        return false;
    }
    spool_attempt_dir(a->conf->spool, s->id, p->point.name, t->number, dir, sizeof(dir));
    snprintf(output, sizeof(output), "%s/job.log", dir);
    snprintf(bundle, sizeof(bundle), "%s/%s/bundle", a->conf->spool, s->id);
    snprintf(name, sizeof(name), "%s.%s.%d", s->id, p->point.name, t->number);
    for (size_t i = 0; i < p->excluded_count; i++)
        exclude[i] = p->excluded[i];
    const char *const env[] = {
        "PATH",
        "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME",
        "/tmp",
        "SLURM_CONF",
        a->conf->slurm_conf,
        "SWEEPD_ATTEMPT_DIR",
        dir,
        "SWEEPD_BUNDLE",
        bundle,
        "SWEEPD_TOKEN",
        t->token,
    };
    struct slurmc_submit submit = {
        .name = name,
        .token = t->token,
        .partition = fleet->partition,
        .gres = fleet->gres,
        .gpus = point_gpus(&p->point),
        .exclusive = s->placement == PLACE_EXCLUSIVE,
        .cpus = cpus_of(a, s, p),
        .time_limit_us = a->conf->job_time_limit,
        .warning_us = a->conf->job_warning,
        .exclude = exclude,
        .exclude_count = p->excluded_count,
        .work_dir = dir,
        .output = output,
        .script = batch_script,
        .env = env,
        .env_count = sizeof(env) / sizeof(env[0]) / 2,
        .account = a->conf->slurm_account,
        .qos = a->conf->slurm_qos,
        .reservation = a->conf->slurm_reservation,
    };
    return slurmc_submit(a->slurmc, ref, &submit) == 0;
}

bool app_cancel(struct app *a, struct ref ref)
{
    const struct attempt *t = core_attempt(&a->core, ref);

    if (!t || !slurmc_status(a->slurmc)->up)
        return false;
    return slurmc_cancel(a->slurmc, ref, t->job_id, t->token, t->submit_time) == 0;
}

static void on_poll(struct app *a, const struct slurmc_answer *answer)
{
    struct event e = app_event(a, EVENT_POLLED, answer->ref);

    e.jobs = answer->jobs;
    e.job_count = answer->job_count;
    e.nodes = answer->nodes;
    e.node_count = answer->node_count;
    e.foreign_pending = answer->foreign_pending;
    e.began_at = answer->began_at;
    a->nodes_changed = true;
    app_feed(a, &e);
    if (!a->adopted_us && a->role == ROLE_ACTIVE) {
        a->adopted_us = e.now - a->started_mono;
        log_info("adopted %zu attempts in %" PRId64 " ms", a->adopted, a->adopted_us / US_PER_MS);
    }
}

static void on_failure(struct app *a, const struct slurmc_answer *answer)
{
    const struct slurmc_status *status = slurmc_status(a->slurmc);

    if (answer->op == SLURMC_HELLO || answer->op == SLURMC_POLL) {
        if (status->bad_config && !status->last_ok) {
            log_error("%s", status->detail);
            app_stop(a, EXIT_SLURM);
        }
        return; // weather: health shows it, no state changes
    }
    if (answer->op == SLURMC_CANCEL && answer->gone) {
        struct event e = app_event(a, EVENT_CANCELLED, answer->ref);

        app_feed(a, &e);
        return;
    }
    log_warn("%s: %s", answer->op == SLURMC_SUBMIT ? "submit" : "cancel", answer->text);
    app_fail(a, answer->ref, answer->op == SLURMC_SUBMIT ? EFFECT_SUBMIT : EFFECT_CANCEL,
             answer->failure, answer->text);
}

void app_on_slurm(void *ctx, const struct slurmc_answer *answer)
{
    struct app *a = ctx;
    struct event e;

    if (a->stopping)
        return;
    if (!answer->ok) {
        on_failure(a, answer);
        return;
    }
    switch (answer->op) {
    case SLURMC_POLL:
        on_poll(a, answer);
        break;
    case SLURMC_SUBMIT:
        e = app_event(a, EVENT_SUBMITTED, answer->ref);
        e.job_id = answer->job_id;
        app_feed(a, &e);
        break;
    case SLURMC_CANCEL:
        e = app_event(a, EVENT_CANCELLED, answer->ref);
        app_feed(a, &e);
        break;
    case SLURMC_HELLO:
        break;
    }
}
