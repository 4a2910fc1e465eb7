// SPDX-License-Identifier: GPL-2.0-or-later
// Reads Slurm's text of a node's generic resources, as `node.gres` and
// `node.gres_used` hold it: "gpu:mi325x:8(S:0-1)", "gpu:mi325x:2(IDX:0-1),nic:1".
// Slurm gives these as text alone.
#ifndef SWEEPD_SLURM_GRES_H
#define SWEEPD_SLURM_GRES_H

#include <stddef.h>
#include <stdint.h>

enum { GRES_TYPE_MAX = 64 };

// The type of the first entry called `name`, "" when it has none or there is no
// such entry; cut at `size`.
void gres_type(const char *gres, const char *name, char *ret, size_t size);

// The sum of the counts of the entries with this name and type. An entry whose
// count cannot be read counts nothing. NULL is an empty text.
int64_t gres_count(const char *gres, const char *name, const char *type);

#endif
