// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/duration.h"

// 406 GB of weights load in 15 to 30 minutes, sooner the more GPUs read them
// side by side; a warm-up of ten requests per lane was seen to take 890 to
// 2,180 s; evaluation and collection are small beside them.
enum {
    LOAD_BASE_S = 900,
    LOAD_SHARED_S = 1800, // divided by the GPUs
    WARMUP_BASE_S = 890,
    WARMUP_LANE_S = 16,
    WARMUP_FAST_S = 120,
    COLLECT_S = 60,
    EVAL_S = 1800,
};
static const int64_t S = 1000000;

int64_t duration_model(const struct point *p, bool fast)
{
    int64_t load = LOAD_BASE_S + LOAD_SHARED_S / point_gpus(p);

    if (p->kind == POINT_EVAL)
        return (load + EVAL_S + COLLECT_S) * S;
    int64_t warmup = fast ? WARMUP_FAST_S : WARMUP_BASE_S + WARMUP_LANE_S * (int64_t)p->conc;
    return (load + warmup + p->duration_s + COLLECT_S) * S;
}
