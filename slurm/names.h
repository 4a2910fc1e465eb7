// SPDX-License-Identifier: GPL-2.0-or-later
// Slurm's state numbers as the words of the protocol. Every number has a name:
// a base state that this build does not know is UNKNOWN_<n>, a flag bit
// UNKNOWN_FLAG_0x<bit>, so that a newer slurmctld confuses nobody.
#ifndef SWEEPD_SLURM_NAMES_H
#define SWEEPD_SLURM_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum { NAME_MAX_LEN = 32 };

// buf of at least NAME_MAX_LEN bytes; returns buf.
const char *job_state_name(uint32_t state, char *buf, size_t size);
const char *node_state_name(uint32_t state, char *buf, size_t size);

// Write an array of the names of the set flags as member `key`.
void out_job_flags(struct str *s, const char *key, uint32_t state);
void out_node_flags(struct str *s, const char *key, uint32_t state);

bool job_is_pending(uint32_t state);
// The base state is one that a job does not leave: it cannot be cancelled.
bool job_is_finished(uint32_t state);

#endif
