// SPDX-License-Identifier: GPL-2.0-or-later
// From the schedule to the order of dispatch: ranks the waiting points of all
// active sweeps and says when each sweep will end. Pure.
#ifndef SWEEPD_CORE_RANK_H
#define SWEEPD_CORE_RANK_H

#include "core/core.h"

// Ranks anew when the waiting or running points, their pace or the nodes have
// changed since the last time. At most SCHEDULE_EFFORT_DISPATCH: what would be
// more is left to longest first, which is near the best when points are many.
void rank_update(struct core *c);

#endif
