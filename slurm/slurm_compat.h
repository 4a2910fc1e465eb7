// SPDX-License-Identifier: GPL-2.0-or-later
// The differences between releases of libslurm, and nothing else. Written and
// run against 22.05; the other branches follow SchedMD's headers of 23.11, 24.11,
// 25.05 and 25.11. Only the .c files of this folder include it.
#ifndef SWEEPD_SLURM_COMPAT_H
#define SWEEPD_SLURM_COMPAT_H

#include <errno.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <slurm/slurm_version.h>

// What tres_per_node puts before "gpu:mi325x:8".
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 11, 0)
#define COMPAT_GRES_PREFIX "gres/"
#else
#define COMPAT_GRES_PREFIX "gres:"
#endif

// hostlist_t was a pointer until 23.02 and is the structure itself since.
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 11, 0)
typedef hostlist_t *compat_hostlist;
#else
typedef hostlist_t compat_hostlist;
#endif

// The names of reasons are exported without a declaration, under a name that
// has changed; weak, so that a release without either still links and loads.
extern char *slurm_job_reason_string(enum job_state_reason reason) __attribute__((weak));
extern char *slurm_job_state_reason_string(enum job_state_reason reason) __attribute__((weak));
extern char *job_state_reason_string(enum job_state_reason reason) __attribute__((weak));

// NULL when this libslurm does not tell.
static inline const char *compat_reason(uint32_t reason)
{
    enum job_state_reason r = (enum job_state_reason)reason;

    if (slurm_job_reason_string)
        return slurm_job_reason_string(r);
    if (slurm_job_state_reason_string)
        return slurm_job_state_reason_string(r);
    return job_state_reason_string ? job_state_reason_string(r) : NULL;
}

static inline uint32_t compat_job_id(const slurm_job_info_t *j)
{
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 11, 0)
    return j->step_id.job_id;
#else
    return j->job_id;
#endif
}

// CPUs of a node that jobs hold.
static inline int compat_cpus_alloc(const node_info_t *n)
{
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 5, 0)
    return n->alloc_cpus;
#else
    uint16_t cpus = 0;

    if (!n->select_nodeinfo || slurm_get_select_nodeinfo(n->select_nodeinfo, SELECT_NODEDATA_SUBCNT,
                                                         NODE_STATE_ALLOCATED, &cpus))
        return 0;
    return cpus;
#endif
}

static inline int compat_load_job(job_info_msg_t **ret, uint32_t job_id)
{
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
    slurm_step_id_t id = SLURM_STEP_ID_INITIALIZER;

    id.job_id = job_id;
    return slurm_load_job(ret, id, SHOW_ALL);
#else
    return slurm_load_job(ret, job_id, SHOW_ALL);
#endif
}

static inline int compat_kill_job(uint32_t job_id, uint16_t signal, uint16_t flags)
{
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
    slurm_step_id_t id = SLURM_STEP_ID_INITIALIZER;

    id.job_id = job_id;
    return slurm_kill_job(id, signal, flags);
#else
    return slurm_kill_job(job_id, signal, flags);
#endif
}

#endif
