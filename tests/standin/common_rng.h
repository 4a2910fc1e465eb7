// SPDX-License-Identifier: GPL-2.0-or-later
// Random numbers that are the same on every machine and at every speed: a
// stream is named by (seed, stream) and depends on nothing else.
#ifndef STANDIN_COMMON_RNG_H
#define STANDIN_COMMON_RNG_H

#include <stdint.h>

struct rng {
    uint64_t state;
};

void rng_init(struct rng *r, uint64_t seed, uint64_t stream);
uint64_t rng_next(struct rng *r);
double rng_unit(struct rng *r); // in [0, 1)
// exp(N(ln median, sigma)), cut to [low, high].
double rng_lognormal(struct rng *r, double median, double sigma, double low, double high);

#endif
