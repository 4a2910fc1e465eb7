// SPDX-License-Identifier: GPL-2.0-or-later
// Finds out whether libslurm would accept the cluster's configuration, without
// risking this process: slurm_init retries a missing file for a minute and ends
// its process on a bad one.
#ifndef SWEEPD_SLURM_CONF_PROBE_H
#define SWEEPD_SLURM_CONF_PROBE_H

#include "base/err.h"

// The file that $SLURM_CONF names (without it Slurm's own default, which is then
// put into the environment) must be readable, and slurm_init must accept it in a
// child process within PROBE_MAX_S. libslurm's own words about it go to standard
// error. Call before any thread exists. Blocks for at most PROBE_MAX_S.
int conf_probe(struct err *e) MUST_CHECK;

enum { PROBE_MAX_S = 5 };

#endif
