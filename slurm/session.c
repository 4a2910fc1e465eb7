// SPDX-License-Identifier: GPL-2.0-or-later
#include "slurm/session.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "slurm/out.h"
#include "slurm/slurm_compat.h"

// "Unchanged" rests on slurmctld's clock, which may have been set back. So the
// whole lists are asked for once in a while, and after every failure.
enum { WHOLE_EVERY_S = 60, VERSION_TEXT_MAX = 32 };

// A failed call is followed by a ping; one that has succeeded is not.
#define FRESH_FOR_READ INT64_MAX

void session_init(struct session *s)
{
    *s = (struct session){
        .jobs = jobs_create(),
        .nodes = nodes_create(),
        .partitions = partitions_create(),
    };
}

void session_done(struct session *s)
{
    jobs_free(s->jobs);
    nodes_free(s->nodes);
    partitions_free(s->partitions);
    *s = (struct session){0};
}

// Jobs run as the account that this process runs as: no other can be served.
static int check_user(const char *name, struct failure *f)
{
    errno = 0;
    const struct passwd *user = getpwnam(name);

    if (!user)
        return failure_set(f, CLASS_REFUSED, "user \"%s\" is not known on this machine: %s", name,
                           errno ? strerror(errno) : "no such account");
    if (user->pw_uid != getuid())
        return failure_set(f, CLASS_REFUSED,
                           "jobs would run as uid %ld, not as \"%s\" (uid %ld); start sweepd as "
                           "that user",
                           (long)getuid(), name, (long)user->pw_uid);
    return 0;
}

// "22.05.8" -> "22.05"
static void release_of(const char *version, char *ret, size_t size)
{
    size_t first = strcspn(version, ".");
    size_t len = first + (version[first] ? 1 + strcspn(version + first + 1, ".") : 0);

    snprintf(ret, size, "%.*s", (int)len, version);
}

static void out_versions(struct str *out, const char *controller)
{
    char library[VERSION_TEXT_MAX];
    char mine[VERSION_TEXT_MAX];
    char theirs[VERSION_TEXT_MAX];
    char warning[ERR_TEXT_MAX];

    snprintf(library, sizeof(library), "%d.%02d.%d", SLURM_VERSION_MAJOR(SLURM_VERSION_NUMBER),
             SLURM_VERSION_MINOR(SLURM_VERSION_NUMBER), SLURM_VERSION_MICRO(SLURM_VERSION_NUMBER));
    out_text(out, "slurm_version", controller);
    out_text(out, "library_version", library);
    out_int(out, "library_api", SLURM_VERSION_MAJOR(slurm_api_version()));
    release_of(library, mine, sizeof(mine));
    release_of(controller, theirs, sizeof(theirs));
    if (strcmp(mine, theirs) == 0)
        return;
    snprintf(warning, sizeof(warning),
             "sweep-slurm was built for Slurm %s and the cluster runs %s: install the sweep-slurm "
             "that was built for %s",
             mine, theirs, theirs);
    out_text(out, "warning", warning);
}

int session_hello(struct session *s, const struct request *r, struct str *out, struct failure *f)
{
    slurm_conf_t *conf = NULL;

    if (r->user && check_user(r->user, f))
        return -1;
    // Before the first good answer it is not known which controllers to ping.
    if (s->rpc.controllers && rpc_ready(&s->rpc, 0, f))
        return -1;
    int64_t began = clock_mono_us();
    errno = 0;
    int code = rpc_done(&s->rpc, RPC_CONF, began, slurm_load_ctl_conf(0, &conf));
    if (code)
        return rpc_failure(code, FAILURE_OF_READ, "load the cluster's configuration", f);
    if (!conf)
        return failure_set(f, CLASS_SLURM, "slurmctld gave no configuration");
    s->rpc.controllers = (int)conf->control_cnt;
    out_versions(out, conf->version ? conf->version : "");
    out_text(out, "cluster", conf->cluster_name);
    out_int(out, "min_job_age_s", conf->min_job_age);
    out_int(out, "message_timeout_s", conf->msg_timeout);
    out_int(out, "uid", getuid());
    slurm_free_ctl_conf(conf);
    return 0;
}

static int refresh(struct session *s, struct failure *f)
{
    int64_t now = clock_mono_us();
    bool whole = !s->whole_us || now - s->whole_us > WHOLE_EVERY_S * US_PER_S;

    s->whole_us = whole ? 0 : s->whole_us;
    // Jobs first: a job that starts between the two calls is then seen waiting on
    // a node that is taken, never running on a node that is free.
    if (rpc_ready(&s->rpc, FRESH_FOR_READ, f) || partitions_refresh(s->partitions, &s->rpc, f) ||
        jobs_refresh(s->jobs, whole, &s->rpc, f) || nodes_refresh(s->nodes, whole, &s->rpc, f))
        return -1;
    s->whole_us = whole ? now : s->whole_us;
    return 0;
}

int session_poll(struct session *s, const struct request *r, struct str *out, struct failure *f)
{
    struct rpc before = s->rpc;

    if (refresh(s, f)) {
        s->whole_us = 0;
        return -1;
    }
    out_jobs(out, "jobs", s->jobs);
    out_nodes(out, "nodes", s->nodes, s->partitions, &r->partitions);
    out_partitions(out, "partitions", s->partitions, &r->partitions);
    out_int(out, "foreign_pending", jobs_foreign_pending(s->jobs, &r->partitions));
    out_int(out, "rpcs", rpc_total(&s->rpc) - rpc_total(&before));
    rpc_out(&s->rpc, &before, out);
    return 0;
}

int session_ping(struct session *s, const struct request *r, struct str *out, struct failure *f)
{
    (void)r;
    if (rpc_ready(&s->rpc, -1, f))
        return -1;
    out_text(out, "controller", "up");
    return 0;
}
