// SPDX-License-Identifier: GPL-2.0-or-later
// Random numbers of one seed: the same on every machine.
#ifndef SWEEPD_TESTS_SIM_RNG_H
#define SWEEPD_TESTS_SIM_RNG_H

#include <stdbool.h>
#include <stdint.h>

struct rng {
    uint64_t state;
};

struct rng rng_create(uint64_t seed);
uint64_t rng_next(struct rng *r);
int64_t rng_range(struct rng *r, int64_t low, int64_t high); // both included
bool rng_chance(struct rng *r, double probability);

#endif
