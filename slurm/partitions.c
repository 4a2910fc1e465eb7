// SPDX-License-Identifier: GPL-2.0-or-later
#include "slurm/partitions.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "slurm/out.h"
#include "slurm/slurm_compat.h"

enum { MAX_TIME_NONE = -1 };

struct partition {
    char *name;
    bool up; // takes jobs and starts them
    int64_t nodes;
    int64_t max_time_min;
    compat_hostlist hosts; // NULL when it has no nodes
};

struct partitions {
    struct partition *v;
    size_t n;
    time_t update_time; // of the answer that v came from
    int64_t asked_us;   // 0: never
};

struct partitions *partitions_create(void)
{
    return mem_alloc(sizeof(struct partitions));
}

static void clear(struct partitions *p)
{
    for (size_t i = 0; i < p->n; i++) {
        free(p->v[i].name);
        if (p->v[i].hosts)
            slurm_hostlist_destroy(p->v[i].hosts);
    }
    free(p->v);
    p->v = NULL;
    p->n = 0;
}

void partitions_free(struct partitions *p)
{
    if (!p)
        return;
    clear(p);
    free(p);
}

static void take(struct partitions *p, const partition_info_msg_t *msg)
{
    clear(p);
    p->v = mem_array(msg->record_count + 1, sizeof(*p->v));
    for (uint32_t i = 0; i < msg->record_count; i++) {
        const partition_info_t *from = &msg->partition_array[i];

        if (!from->name)
            continue;
        p->v[p->n++] = (struct partition){
            .name = mem_strdup(from->name),
            .up = (from->state_up & PARTITION_UP) == PARTITION_UP,
            .nodes = from->total_nodes,
            .max_time_min = from->max_time == INFINITE || from->max_time == NO_VAL
                                ? MAX_TIME_NONE
                                : (int64_t)from->max_time,
            .hosts = from->nodes && from->nodes[0] ? slurm_hostlist_create(from->nodes) : NULL,
        };
    }
    p->update_time = msg->last_update;
}

int partitions_refresh(struct partitions *p, struct rpc *rpc, struct failure *f)
{
    partition_info_msg_t *msg = NULL;
    int64_t began = clock_mono_us();

    if (p->asked_us && began - p->asked_us < PARTITIONS_EVERY_S * US_PER_S)
        return 0;
    errno = 0;
    int rc = slurm_load_partitions(p->update_time, &msg, SHOW_ALL);
    int code = rpc_done(rpc, RPC_PARTITIONS, began, rc);
    if (code && code != SLURM_NO_CHANGE_IN_DATA)
        return rpc_failure(code, FAILURE_OF_READ, "load the partitions", f);
    if (!code && !msg)
        return failure_set(f, CLASS_SLURM, "slurmctld gave no list of partitions");
    if (msg) {
        take(p, msg);
        slurm_free_partition_info_msg(msg);
    }
    p->asked_us = began;
    return 0;
}

static bool wanted_bytes(const struct words *wanted, const char *name, size_t len)
{
    for (size_t i = 0; i < wanted->n; i++)
        if (strlen(wanted->v[i]) == len && memcmp(wanted->v[i], name, len) == 0)
            return true;
    return wanted->n == 0;
}

bool partition_wanted(const struct words *wanted, const char *name)
{
    return wanted_bytes(wanted, name, strlen(name));
}

bool any_partition_wanted(const struct words *wanted, const char *names)
{
    while (*names) {
        size_t len = strcspn(names, ",");

        if (wanted_bytes(wanted, names, len))
            return true;
        names += len + (names[len] == ',');
    }
    return wanted->n == 0;
}

void out_partitions(struct str *s, const char *key, const struct partitions *p,
                    const struct words *wanted)
{
    out_array(s, key);
    for (size_t i = 0; i < p->n; i++) {
        if (!partition_wanted(wanted, p->v[i].name))
            continue;
        out_object(s, NULL);
        out_text(s, "name", p->v[i].name);
        out_bool(s, "up", p->v[i].up);
        out_int(s, "nodes", p->v[i].nodes);
        out_int(s, "max_time_min", p->v[i].max_time_min);
        out_end(s, '}');
    }
    out_end(s, ']');
}

static bool holds(const struct partition *p, const char *node)
{
    return p->hosts && slurm_hostlist_find(p->hosts, node) >= 0;
}

bool node_is_wanted(const struct partitions *p, const struct words *wanted, const char *node)
{
    for (size_t i = 0; i < p->n; i++)
        if (partition_wanted(wanted, p->v[i].name) && holds(&p->v[i], node))
            return true;
    return wanted->n == 0;
}

void out_node_partitions(struct str *s, const char *key, const struct partitions *p,
                         const char *node)
{
    out_array(s, key);
    for (size_t i = 0; i < p->n; i++)
        if (holds(&p->v[i], node))
            out_text(s, NULL, p->v[i].name);
    out_end(s, ']');
}
