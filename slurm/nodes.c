// SPDX-License-Identifier: GPL-2.0-or-later
#include "slurm/nodes.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "slurm/gres.h"
#include "slurm/names.h"
#include "slurm/out.h"
#include "slurm/slurm_compat.h"

// The generic resource that points are placed by.
#define GPU "gpu"

struct nodes {
    node_info_msg_t *msg; // NULL until the first good answer
};

struct nodes *nodes_create(void)
{
    return mem_alloc(sizeof(struct nodes));
}

void nodes_free(struct nodes *n)
{
    if (!n)
        return;
    if (n->msg)
        slurm_free_node_info_msg(n->msg);
    free(n);
}

int nodes_refresh(struct nodes *n, bool whole, struct rpc *rpc, struct failure *f)
{
    node_info_msg_t *msg = NULL;
    time_t since = n->msg && !whole ? n->msg->last_update : 0;
    int64_t began = clock_mono_us();

    errno = 0;
    // The GPUs in use come with SHOW_DETAIL alone. For nodes that is a text each;
    // it is the job query where details would cost slurmctld much.
    int rc = slurm_load_node(since, &msg, SHOW_ALL | SHOW_DETAIL | SHOW_MIXED);
    int code = rpc_done(rpc, RPC_NODES, began, rc);
    if (code == SLURM_NO_CHANGE_IN_DATA && n->msg)
        return 0;
    if (code)
        return rpc_failure(code, FAILURE_OF_READ, "load the nodes", f);
    if (!msg)
        return failure_set(f, CLASS_SLURM, "slurmctld gave no list of nodes");
    if (n->msg)
        slurm_free_node_info_msg(n->msg);
    n->msg = msg;
    return 0;
}

// A node that does not tell what is in use counts as full while a job is on it.
static int64_t gpus_used(const node_info_t *n, const char *type)
{
    if (n->gres_used)
        return gres_count(n->gres_used, GPU, type);
    return compat_cpus_alloc(n) ? gres_count(n->gres, GPU, type) : 0;
}

static void out_node(struct str *s, const node_info_t *n, const struct partitions *p)
{
    char state[NAME_MAX_LEN];
    char type[GRES_TYPE_MAX];

    gres_type(n->gres, GPU, type, sizeof(type));
    out_object(s, NULL);
    out_text(s, "name", n->name);
    out_text(s, "state", node_state_name(n->node_state, state, sizeof(state)));
    out_node_flags(s, "flags", n->node_state);
    out_text(s, "gres_type", type);
    out_int(s, "gpus_total", gres_count(n->gres, GPU, type));
    out_int(s, "gpus_used", gpus_used(n, type));
    // Without those that Slurm keeps for itself (CoreSpecCount).
    out_int(s, "cpus_total", n->cpus_efctv ? n->cpus_efctv : n->cpus);
    out_int(s, "cpus_alloc", compat_cpus_alloc(n));
    out_node_partitions(s, "partitions", p, n->name);
    out_text(s, "reason", n->reason);
    out_end(s, '}');
}

void out_nodes(struct str *s, const char *key, const struct nodes *n, const struct partitions *p,
               const struct words *wanted)
{
    out_array(s, key);
    for (uint32_t i = 0; n->msg && i < n->msg->record_count; i++) {
        const node_info_t *node = &n->msg->node_array[i];

        // A node that was deleted leaves a record without a name.
        if (node->name && node_is_wanted(p, wanted, node->name))
            out_node(s, node, p);
    }
    out_end(s, ']');
}
