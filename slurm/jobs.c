// SPDX-License-Identifier: GPL-2.0-or-later
#include "slurm/jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/mem.h"
#include "slurm/names.h"
#include "slurm/out.h"
#include "slurm/partitions.h"
#include "slurm/slurm_compat.h"

// Others' waiting jobs that name the same partitions.
struct waiting {
    char *partitions;
    int64_t jobs;
};

// A cluster's list can be large and is mostly not ours, so what is needed of it
// is taken out at once and the list itself not kept.
struct jobs {
    bool loaded;
    time_t update_time;
    struct str ours; // JSON objects with commas between
    struct waiting *waiting;
    size_t waiting_n;
    size_t waiting_cap;
};

struct jobs *jobs_create(void)
{
    return mem_alloc(sizeof(struct jobs));
}

static void clear(struct jobs *j)
{
    for (size_t i = 0; i < j->waiting_n; i++)
        free(j->waiting[i].partitions);
    j->waiting_n = 0;
    str_clear(&j->ours);
}

void jobs_free(struct jobs *j)
{
    if (!j)
        return;
    clear(j);
    str_free(&j->ours);
    free(j->waiting);
    free(j);
}

// A wait status; NO_VAL while there is none.
static void out_exit(struct str *s, uint32_t status)
{
    int st = status == NO_VAL ? 0 : (int)status;

    out_int(s, "exit_code", WIFEXITED(st) ? WEXITSTATUS(st) : 0);
    out_int(s, "signal", WIFSIGNALED(st) ? WTERMSIG(st) : 0);
}

static void out_reason(struct str *s, const slurm_job_info_t *j)
{
    const char *name = compat_reason((uint32_t)j->state_reason);
    char number[NAME_MAX_LEN];

    if (j->state_desc && j->state_desc[0])
        name = j->state_desc;
    if (!name) {
        snprintf(number, sizeof(number), "REASON_%u", (unsigned)j->state_reason);
        name = number;
    }
    out_text(s, "reason", name);
}

static void out_job(struct str *s, const slurm_job_info_t *j)
{
    char state[NAME_MAX_LEN];

    out_object(s, NULL);
    out_int(s, "job_id", compat_job_id(j));
    out_text(s, "comment", j->comment);
    out_text(s, "name", j->name);
    out_int(s, "uid", j->user_id);
    out_text(s, "state", job_state_name(j->job_state, state, sizeof(state)));
    out_job_flags(s, "flags", j->job_state);
    out_exit(s, j->exit_code);
    out_text(s, "node", j->nodes);
    out_int(s, "submit_time", j->submit_time);
    out_int(s, "start_time", j->start_time);
    out_int(s, "end_time", j->end_time);
    out_reason(s, j);
    out_text(s, "partition", j->partition);
    out_end(s, '}');
}

static void count_waiting(struct jobs *j, const char *partitions)
{
    for (size_t i = 0; i < j->waiting_n; i++) {
        if (strcmp(j->waiting[i].partitions, partitions) == 0) {
            j->waiting[i].jobs++;
            return;
        }
    }
    j->waiting = mem_room(j->waiting, j->waiting_n, &j->waiting_cap, sizeof(*j->waiting));
    j->waiting[j->waiting_n++] = (struct waiting){mem_strdup(partitions), 1};
}

static void take(struct jobs *j, const job_info_msg_t *msg)
{
    clear(j);
    for (uint32_t i = 0; i < msg->record_count; i++) {
        const slurm_job_info_t *job = &msg->job_array[i];

        if (job->comment && str_starts(job->comment, COMMENT_PREFIX))
            out_job(&j->ours, job);
        else if (job_is_pending(job->job_state) && job->priority != 0)
            count_waiting(j, job->partition ? job->partition : "");
    }
    j->update_time = msg->last_update;
    j->loaded = true;
}

int jobs_refresh(struct jobs *j, bool whole, struct rpc *rpc, struct failure *f)
{
    job_info_msg_t *msg = NULL;
    time_t since = j->loaded && !whole ? j->update_time : 0;
    int64_t began = clock_mono_us();

    errno = 0;
    // Never SHOW_DETAIL: slurmctld would read every job's script.
    int rc = slurm_load_jobs(since, &msg, SHOW_ALL);
    int code = rpc_done(rpc, RPC_JOBS, began, rc);
    if (code == SLURM_NO_CHANGE_IN_DATA && j->loaded)
        return 0;
    if (code)
        return rpc_failure(code, FAILURE_OF_READ, "load the jobs", f);
    if (!msg)
        return failure_set(f, CLASS_SLURM, "slurmctld gave no list of jobs");
    take(j, msg);
    slurm_free_job_info_msg(msg);
    return 0;
}

void out_jobs(struct str *s, const char *key, const struct jobs *j)
{
    out_array(s, key);
    out_ready(s, &j->ours);
    out_end(s, ']');
}

int64_t jobs_foreign_pending(const struct jobs *j, const struct words *wanted)
{
    int64_t sum = 0;

    for (size_t i = 0; i < j->waiting_n; i++)
        if (any_partition_wanted(wanted, j->waiting[i].partitions))
            sum += j->waiting[i].jobs;
    return sum;
}
