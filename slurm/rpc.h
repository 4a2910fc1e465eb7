// SPDX-License-Identifier: GPL-2.0-or-later
// Book-keeping of the calls to slurmctld: how many, how long, and whether it
// is worth making another one.
#ifndef SWEEPD_SLURM_RPC_H
#define SWEEPD_SLURM_RPC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "slurm/failure.h"

enum rpc_kind {
    RPC_PING,
    RPC_CONF,
    RPC_JOBS,
    RPC_NODES,
    RPC_PARTITIONS,
    RPC_SUBMIT,
    RPC_JOB,
    RPC_KILL,
    RPC_KINDS
};

struct rpc {
    int64_t count[RPC_KINDS]; // since the start of the process
    int64_t us[RPC_KINDS];
    int64_t last_good_us; // monotonic; 0: the last call failed, or none was made
    int controllers;      // of the cluster, main and backups; 0 until known
};

// To be called with what a libslurm call returned, right after it (errno is
// read). Counts it; returns 0 or Slurm's error number. SLURM_NO_CHANGE_IN_DATA
// comes as a return value or as errno: both are returned as that number.
int rpc_done(struct rpc *r, enum rpc_kind kind, int64_t began_us, int rc);

// Fails with class `down` when no controller answers a ping, which tells a dead
// slurmctld or munge at once where other calls retry for most of MessageTimeout,
// and before anything was sent, so that a submit is not left unclear. Without a
// ping when a call has succeeded within the last `fresh_us`.
int rpc_ready(struct rpc *r, int64_t fresh_us, struct failure *f) MUST_CHECK;

// Turns an error number into a failure: "cannot <what>: <Slurm's text>".
int rpc_failure(int code, enum failure_of of, const char *what, struct failure *f);

int64_t rpc_total(const struct rpc *r);
// "rpc_us": microseconds by kind since `before`; "rpc_totals": counts and
// microseconds by kind since the start of the process.
void rpc_out(const struct rpc *r, const struct rpc *before, struct str *s);

#endif
