// SPDX-License-Identifier: GPL-2.0-or-later
// The batch script on a node, step by step as slurm/job.sh: claim or leave,
// phases, end record, exit.
#ifndef SWEEPD_TESTS_SIM_BATCH_H
#define SWEEPD_TESTS_SIM_BATCH_H

#include "world.h"

int batch_start(struct world *w, int job, int folder, int node); // the index of the run
void batch_step(struct world *w, int run, unsigned version);
void batch_tell(struct world *w, int run, enum ending why); // SIGTERM or the warning signal
void batch_kill(struct world *w, int run);                  // SIGKILL to all of it
void batch_left(struct world *w, int run);                  // Slurm holds it for over; it runs on
void batch_found(struct world *w, int run); // Slurm holds it for running again; -1: no run

const char *ending_reason(enum ending e); // the word of the end record
int ending_exit_code(enum ending e);
// What the attempt must be judged as. OUTCOME_NONE: Slurm's word decides.
enum outcome ending_outcome(enum ending e, enum point_kind kind);
void ending_facts(enum ending e, struct facts *ret);

#endif
