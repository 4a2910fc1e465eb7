// SPDX-License-Identifier: GPL-2.0-or-later
#include "slurm/rpc.h"

#include <errno.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include "base/clock.h"
#include "slurm/out.h"

// A silent slurmctld is waited for for seconds.
#define CLOSED_AT_ONCE_US (500 * US_PER_MS)

static const char *const kinds[RPC_KINDS] = {
    [RPC_PING] = "ping",   [RPC_CONF] = "conf",     [RPC_JOBS] = "jobs",
    [RPC_NODES] = "nodes", [RPC_SUBMIT] = "submit", [RPC_PARTITIONS] = "partitions",
    [RPC_JOB] = "job",     [RPC_KILL] = "kill",
};

int rpc_done(struct rpc *r, enum rpc_kind kind, int64_t began_us, int rc)
{
    int code = rc > 0 ? rc : rc == 0 ? 0 : errno ? errno : SLURM_ERROR;
    int64_t now = clock_mono_us();

    r->count[kind]++;
    r->us[kind] += now - began_us;
    // An error that slurmctld itself answered shows that it is there.
    r->last_good_us = failure_classify(code, FAILURE_OF_READ) == CLASS_DOWN ? 0 : now;
    return code;
}

int rpc_failure(int code, enum failure_of of, const char *what, struct failure *f)
{
    enum failure_class class = failure_classify(code, of);

    failure_set(f, class, "cannot %s: %s", what, slurm_strerror(code));
    f->code = code;
    return -1;
}

// libslurm hides what munge does not like behind a number of the connection's.
static const char *hint(int code, int64_t took_us)
{
    if (code == SLURM_PROTOCOL_AUTHENTICATION_ERROR || code == SLURMCTLD_COMMUNICATIONS_SEND_ERROR)
        return "; is munged running on this machine?";
    if (code == SLURMCTLD_COMMUNICATIONS_RECEIVE_ERROR && took_us < CLOSED_AT_ONCE_US)
        return "; slurmctld closed the connection at once, as it does with a munge credential "
               "that it does not accept: compare clocks and munge keys of both machines";
    return "";
}

int rpc_ready(struct rpc *r, int64_t fresh_us, struct failure *f)
{
    int code = SLURM_ERROR;
    int64_t took = 0;

    if (r->last_good_us && clock_mono_us() - r->last_good_us <= fresh_us)
        return 0;
    for (int i = 0; i == 0 || i < r->controllers; i++) {
        int64_t began = clock_mono_us();

        errno = 0;
        code = rpc_done(r, RPC_PING, began, slurm_ping(i));
        if (!code)
            return 0;
        took = clock_mono_us() - began;
    }
    failure_set(f, CLASS_DOWN, "cannot reach slurmctld: %s%s", slurm_strerror(code),
                hint(code, took));
    f->code = code;
    return -1;
}

int64_t rpc_total(const struct rpc *r)
{
    int64_t sum = 0;

    for (int i = 0; i < RPC_KINDS; i++)
        sum += r->count[i];
    return sum;
}

void rpc_out(const struct rpc *r, const struct rpc *before, struct str *s)
{
    out_object(s, "rpc_us");
    for (int i = 0; i < RPC_KINDS; i++)
        if (r->count[i] > before->count[i])
            out_int(s, kinds[i], r->us[i] - before->us[i]);
    out_end(s, '}');
    out_object(s, "rpc_totals");
    for (int i = 0; i < RPC_KINDS; i++) {
        out_object(s, kinds[i]);
        out_int(s, "count", r->count[i]);
        out_int(s, "us", r->us[i]);
        out_end(s, '}');
    }
    out_end(s, '}');
}
