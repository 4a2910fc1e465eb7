// SPDX-License-Identifier: GPL-2.0-or-later
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "slurm/names.h"
#include "slurm/out.h"
#include "slurm/session.h"
#include "slurm/slurm_compat.h"

#define FRESH_FOR_CANCEL US_PER_S

// slurmctld answers for a job array with a record for each element.
static const slurm_job_info_t *find(const job_info_msg_t *msg, uint32_t job_id)
{
    for (uint32_t i = 0; i < msg->record_count; i++)
        if (compat_job_id(&msg->job_array[i]) == job_id)
            return &msg->job_array[i];
    return NULL;
}

static bool has_token(const slurm_job_info_t *job, const char *token)
{
    return job->comment && str_starts(job->comment, COMMENT_PREFIX) &&
           strcmp(job->comment + strlen(COMMENT_PREFIX), token) == 0;
}

// An id alone is nothing: slurmctld may have forgotten our job and given the id
// to another one. Only a job that agrees in everything is ours.
static int check_ours(const slurm_job_info_t *job, const struct request *r, struct failure *f)
{
    long long id = (long long)r->job_id;

    if (!has_token(job, r->token))
        return failure_set(f, CLASS_FOREIGN, "job %lld carries another token", id);
    if (job->user_id != getuid())
        return failure_set(f, CLASS_FOREIGN, "job %lld belongs to uid %u", id, job->user_id);
    if (r->submit_time && job->submit_time != r->submit_time)
        return failure_set(f, CLASS_FOREIGN, "job %lld was submitted at %lld, not at %lld", id,
                           (long long)job->submit_time, (long long)r->submit_time);
    if (job->array_job_id)
        return failure_set(f, CLASS_FOREIGN, "job %lld is part of a job array", id);
    if (job_is_finished(job->job_state))
        return failure_set(f, CLASS_GONE, "job %lld has ended", id);
    return 0;
}

static int check_job(struct session *s, const struct request *r, struct failure *f)
{
    job_info_msg_t *msg = NULL;
    uint32_t id = (uint32_t)r->job_id;
    int64_t began = clock_mono_us();

    errno = 0;
    int code = rpc_done(&s->rpc, RPC_JOB, began, compat_load_job(&msg, id));
    if (code)
        return rpc_failure(code, FAILURE_OF_CANCEL, "look at the job to cancel", f);
    const slurm_job_info_t *job = msg ? find(msg, id) : NULL;
    int rc = job ? check_ours(job, r, f)
                 : failure_set(f, CLASS_GONE, "Slurm knows no job %lld", (long long)r->job_id);
    if (msg)
        slurm_free_job_info_msg(msg);
    return rc;
}

int session_cancel(struct session *s, const struct request *r, struct str *out, struct failure *f)
{
    if (rpc_ready(&s->rpc, FRESH_FOR_CANCEL, f) || check_job(s, r, f))
        return -1;
    // To slurmctld SIGKILL means "cancel": a waiting job ends, a running one gets
    // SIGTERM first and SIGKILL after KillWait. Any other signal would only be
    // delivered, so both of the protocol's words come to this.
    int64_t began = clock_mono_us();
    errno = 0;
    int rc = compat_kill_job((uint32_t)r->job_id, SIGKILL, 0);
    int code = rpc_done(&s->rpc, RPC_KILL, began, rc);
    if (code)
        return rpc_failure(code, FAILURE_OF_CANCEL, "cancel the job", f);
    (void)out; // a good answer to a cancel has no members
    return 0;
}
