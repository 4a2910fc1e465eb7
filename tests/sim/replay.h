// SPDX-License-Identifier: GPL-2.0-or-later
// The state that the durable events alone tell, held against the state that
// is stored beside them.
#ifndef SWEEPD_TESTS_SIM_REPLAY_H
#define SWEEPD_TESTS_SIM_REPLAY_H

#include "world.h"

struct replay_event {
    struct ref ref;
    const char *kind;
};

struct replay {
    int64_t last_id;
    struct replay_event *events; // by id, from 1
    size_t cap;
    enum sweep_state sweeps[SWEEPS_MAX];
    enum point_state points[SWEEPS_MAX][POINTS_MAX];
    enum attempt_state attempts[SWEEPS_MAX][POINTS_MAX][SWEEP_ATTEMPTS_MAX];
};

void replay_add(struct world *w, struct replay *r, const struct journal_entry *list, size_t count);
void replay_compare(struct world *w, const struct replay *r, const struct sweep *s);
void replay_free(struct replay *r);

#endif
