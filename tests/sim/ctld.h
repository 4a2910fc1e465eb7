// SPDX-License-Identifier: GPL-2.0-or-later
// slurmctld and the nodes: queue, placement, purge, what it forgets when it is
// killed, and what people do to jobs.
#ifndef SWEEPD_TESTS_SIM_CTLD_H
#define SWEEPD_TESTS_SIM_CTLD_H

#include "world.h"

struct ctld_request {
    int folder; // -1: another user's, or of another sweepd
    bool stranger;
    int gpus;
    bool exclusive;
    unsigned exclude;
};

// The id of the new job; 0 when the request can never be fulfilled. A job that
// is refused stays in the list as failed, with its token.
uint32_t ctld_submit(struct world *w, const struct ctld_request *r);

enum cancel_answer { CANCEL_DONE, CANCEL_GONE };
// Only a job that agrees in id, token and (unless 0) submit time is touched.
enum cancel_answer ctld_cancel(struct world *w, uint32_t id, int folder, int64_t submit_time);

void ctld_snapshot(struct world *w, struct poll *ret);
struct ctld_job *ctld_job(struct world *w, int serial); // NULL: not known any more
bool ctld_live(const struct ctld_job *j);               // waits, runs or completes
void ctld_want_pass(struct world *w);
void ctld_pass(struct world *w);

// A batch script is over; slurmd says so when it can.
void ctld_run_ended(struct world *w, int run);
void ctld_clear(struct world *w, int job); // its processes are gone

// Ends a job as somebody or something else than its own script would have it.
void ctld_end(struct world *w, struct ctld_job *j, enum job_state state);
void ctld_make_odd(struct world *w, struct ctld_job *j); // in a state that nobody expects
void ctld_requeue(struct world *w, struct ctld_job *j, bool hold);

int64_t ctld_stop(struct world *w); // returns when it will be back
void ctld_kill(struct world *w);
void ctld_start(struct world *w);

void ctld_node_lost(struct world *w, int node);
void ctld_node_back(struct world *w, int node);

#endif
