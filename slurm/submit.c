// SPDX-License-Identifier: GPL-2.0-or-later
#include <signal.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "slurm/out.h"
#include "slurm/session.h"
#include "slurm/slurm_compat.h"

// A call that succeeded this short a time ago makes a ping before a submit
// needless: a row of submits is not slowed down.
#define FRESH_FOR_SUBMIT US_PER_S

// Texts that the description points to and that are not the request's own.
struct texts {
    struct str gres;
    struct str exclude;
};

static void texts_free(struct texts *t)
{
    str_free(&t->gres);
    str_free(&t->exclude);
}

static void describe_where(const struct request *r, struct texts *t, job_desc_msg_t *d)
{
    d->partition = r->partition;
    d->account = r->account;
    d->qos = r->qos;
    d->reservation = r->reservation;
    for (size_t i = 0; i < r->exclude.n; i++)
        str_addf(&t->exclude, "%s%s", i ? "," : "", r->exclude.v[i]);
    if (t->exclude.len)
        d->exc_nodes = t->exclude.p;
}

static void describe_size(const struct request *r, struct texts *t, job_desc_msg_t *d)
{
    d->min_nodes = 1;
    d->max_nodes = 1;
    d->num_tasks = 1;
    if (r->cpus)
        d->cpus_per_task = (uint16_t)r->cpus; // of the one task
    if (r->memory_mb)
        d->pn_min_memory = (uint64_t)r->memory_mb;
    if (r->exclusive)
        d->shared = 0; // the whole node; otherwise what the partition says
    if (r->gpus) {
        str_addf(&t->gres, COMPAT_GRES_PREFIX "%s:%lld", r->gres, (long long)r->gpus);
        d->tres_per_node = t->gres.p;
    }
}

static void describe_life(const struct request *r, job_desc_msg_t *d)
{
    d->requeue = 0; // an attempt runs at most once
    if (r->time_limit_min)
        d->time_limit = (uint32_t)r->time_limit_min;
    if (r->warn_s) {
        d->warn_signal = SIGUSR1;
        d->warn_time = (uint16_t)r->warn_s;
        d->warn_flags = KILL_JOB_BATCH; // to the script itself, not to its children
    }
}

static void describe_program(const struct request *r, job_desc_msg_t *d)
{
    d->name = r->name;
    d->comment = r->comment;
    d->script = r->script;
    d->environment = r->env.v;
    d->env_size = (uint32_t)r->env.n;
    d->work_dir = r->work_dir;
    d->std_out = r->output;
    d->std_err = r->output;
    d->open_mode = OPEN_MODE_APPEND; // should an operator requeue it, the first log stays
    d->user_id = getuid();
    d->group_id = getgid();
}

// An error code beside a job id is a remark (held, cannot start now), no error.
static void out_submitted(struct str *out, const submit_response_msg_t *resp)
{
    out_int(out, "job_id", resp->job_id);
    if (resp->error_code)
        out_text(out, "warning", slurm_strerror((int)resp->error_code));
    if (resp->job_submit_user_msg)
        out_text(out, "message", resp->job_submit_user_msg);
}

int session_submit(struct session *s, const struct request *r, struct str *out, struct failure *f)
{
    job_desc_msg_t desc;
    submit_response_msg_t *resp = NULL;
    struct texts texts = {0};

    if (rpc_ready(&s->rpc, FRESH_FOR_SUBMIT, f))
        return -1;
    slurm_init_job_desc_msg(&desc);
    describe_program(r, &desc);
    describe_where(r, &texts, &desc);
    describe_size(r, &texts, &desc);
    describe_life(r, &desc);
    int64_t began = clock_mono_us();
    errno = 0;
    int code = rpc_done(&s->rpc, RPC_SUBMIT, began, slurm_submit_batch_job(&desc, &resp));
    texts_free(&texts);
    if (code)
        return rpc_failure(code, FAILURE_OF_SUBMIT, "submit the job", f);
    if (!resp || !resp->job_id) {
        slurm_free_submit_response_response_msg(resp);
        return failure_set(f, CLASS_UNCLEAR, "slurmctld answered the submit without a job id");
    }
    out_submitted(out, resp);
    slurm_free_submit_response_response_msg(resp);
    return 0;
}
