// SPDX-License-Identifier: GPL-2.0-or-later
// What slurmctld answers to a poll.
#include <string.h>

#include "ctld.h"

static const char *const state_names[] = {
    [JOB_PENDING] = "PENDING",
    [JOB_RUNNING] = "RUNNING",
    [JOB_COMPLETE] = "COMPLETE",
    [JOB_CANCELLED] = "CANCELLED",
    [JOB_FAILED] = "FAILED",
    [JOB_TIMEOUT] = "TIMEOUT",
    [JOB_NODE_FAIL] = "NODE_FAIL",
    [JOB_PREEMPTED] = "PREEMPTED",
    [JOB_BOOT_FAIL] = "BOOT_FAIL",
    [JOB_DEADLINE] = "DEADLINE",
    [JOB_OOM] = "OOM",
};

static void node_name(char *buf, int node)
{
    buf[0] = 'n';
    buf[1] = (char)('0' + node);
    buf[2] = '\0';
}

static void view_job(const struct world *w, const struct ctld_job *j, struct job *ret)
{
    static const char stranger[] = "ffffffffffffffffffffffffffffffff";
    bool odd = j->odd_until > w->now && ctld_live(j);

    memset(ret, 0, sizeof(*ret));
    memcpy(ret->token, j->folder >= 0 ? w->folders[j->folder].token : stranger, TOKEN_HEX);
    ret->job_id = j->id;
    str_copy(ret->state, sizeof(ret->state), odd ? j->odd : state_names[j->state]);
    ret->flags = j->flags;
    if (j->node >= 0)
        node_name(ret->node, j->node);
    ret->submit_time = j->submit_time;
}

static void view_node(const struct world *w, int index, struct node *ret)
{
    const struct ctld *c = &w->ctld;
    const struct ctld_node *n = &c->nodes[index];

    memset(ret, 0, sizeof(*ret));
    node_name(ret->name, index);
    str_copy(ret->fleet, sizeof(ret->fleet), "fleet");
    ret->gpus_total = NODE_GPUS;
    for (size_t i = 0; i < c->count; i++) {
        const struct ctld_job *j = &c->jobs[i];
        bool completing = j->flags & JOB_COMPLETING;

        if (j->node != index || (j->state != JOB_RUNNING && !completing))
            continue;
        ret->gpus_used += j->exclusive ? NODE_GPUS : j->gpus;
        ret->flags |= completing ? NODE_COMPLETING : 0;
    }
    ret->cpus_alloc = ret->gpus_used;
    const char *state = !n->up                              ? "DOWN"
                        : ret->gpus_used == 0               ? "IDLE"
                        : ret->gpus_used == ret->gpus_total ? "ALLOCATED"
                                                            : "MIXED";
    str_copy(ret->state, sizeof(ret->state), state);
    if (n->drained)
        ret->flags |= NODE_DRAIN;
    if (n->dead)
        ret->flags |= NODE_NO_RESPOND;
}

void ctld_snapshot(struct world *w, struct poll *ret)
{
    struct ctld *c = &w->ctld;

    ret->job_count = 0;
    ret->foreign_pending = 0;
    for (size_t i = 0; i < c->count && ret->job_count < POLL_JOBS_MAX; i++) {
        const struct ctld_job *j = &c->jobs[i];

        if (!ctld_live(j) && w->now - j->over_at >= c->min_job_age)
            continue; // purged
        if (j->folder < 0 && !j->stranger)
            ret->foreign_pending += j->state == JOB_PENDING;
        else if (j->visible_at <= w->now || j->state != JOB_PENDING)
            view_job(w, j, &ret->jobs[ret->job_count++]);
    }
    for (int n = 0; n < c->node_count; n++)
        view_node(w, n, &ret->nodes[n]);
}
