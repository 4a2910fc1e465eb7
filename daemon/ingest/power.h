// SPDX-License-Identifier: GPL-2.0-or-later
// GPU power over the profiled window, from the telemetry table gpu_metrics.csv:
// the energy of each GPU by trapezoids, with the window's edges interpolated.
// It is valid only when every rule holds; each broken one is a reason.
#ifndef SWEEPD_INGEST_POWER_H
#define SWEEPD_INGEST_POWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ingest/source.h"

enum power_reason {
    POWER_EMPTY,
    POWER_NO_TIME_COLUMN,
    POWER_NO_POWER_COLUMN,
    POWER_NO_GPU_COLUMN,
    POWER_BAD_TIME,
    POWER_BAD_POWER,
    POWER_NO_GPU,
    POWER_NO_SAMPLES,
    POWER_GPU_COUNT,
    POWER_FEW_SAMPLES,
    POWER_NOT_BRACKETED,
    POWER_GAP,
    POWER_NO_EXPECTED,
    POWER_BAD_WINDOW,
    POWER_NO_OFFSET,
    POWER_BAD_OFFSET,
    POWER_NO_WINDOW,
    POWER_REASONS,
};

const char *power_reason_name(enum power_reason r);

struct power_window {
    double start, end; // unix time; NaN: not known
    double east_s;     // offset of times that name none; NaN: not known
    int64_t gpus;      // expected, 0: not known
    uint32_t reasons;  // already found, bits 1 << power_reason
};

struct power_gpu {
    char id[32];
    int64_t samples; // within the window and beside its edges
    double longest_gap_s;
    double energy_j;
};

struct power {
    bool there;       // there is a telemetry file
    uint32_t reasons; // bits 1 << power_reason; 0: valid
    struct power_gpu gpu[POWER_GPUS_MAX];
    size_t gpu_count;
    double duration_s;
    double energy_j; // of all GPUs; NaN unless valid
};

void power_read(struct power *p, struct source *s, const struct power_window *w,
                struct findings *f);

#endif
