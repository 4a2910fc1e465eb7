// SPDX-License-Identifier: GPL-2.0-or-later
// The operations of the protocol, and what is kept between them. Each writes the
// members of a good answer, or returns -1 with *f filled; what it wrote by then
// is thrown away. All block for as long as libslurm does.
#ifndef SWEEPD_SLURM_SESSION_H
#define SWEEPD_SLURM_SESSION_H

#include "base/str.h"
#include "slurm/failure.h"
#include "slurm/jobs.h"
#include "slurm/nodes.h"
#include "slurm/partitions.h"
#include "slurm/request.h"
#include "slurm/rpc.h"

struct session {
    struct rpc rpc;
    struct jobs *jobs;
    struct nodes *nodes;
    struct partitions *partitions;
    int64_t whole_us; // when both lists were last loaded whole, 0: never or in doubt
};

void session_init(struct session *s);
void session_done(struct session *s);

int session_hello(struct session *s, const struct request *r, struct str *out,
                  struct failure *f) MUST_CHECK;
int session_poll(struct session *s, const struct request *r, struct str *out,
                 struct failure *f) MUST_CHECK;
int session_submit(struct session *s, const struct request *r, struct str *out,
                   struct failure *f) MUST_CHECK;
int session_cancel(struct session *s, const struct request *r, struct str *out,
                   struct failure *f) MUST_CHECK;
int session_ping(struct session *s, const struct request *r, struct str *out,
                 struct failure *f) MUST_CHECK;

#endif
