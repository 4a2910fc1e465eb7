// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/standin/common_rng.h"

#include <math.h>

// splitmix64: one addition and one mix for each number, any seed is good.
static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void rng_init(struct rng *r, uint64_t seed, uint64_t stream)
{
    r->state = mix(seed + UINT64_C(0x9e3779b97f4a7c15)) ^ mix(~stream);
}

uint64_t rng_next(struct rng *r)
{
    r->state += UINT64_C(0x9e3779b97f4a7c15);
    return mix(r->state);
}

double rng_unit(struct rng *r)
{
    return (double)(rng_next(r) >> 11) * 0x1.0p-53;
}

static double normal(struct rng *r)
{
    static const double two_pi = 6.283185307179586;
    double u = 1.0 - rng_unit(r); // never 0, so that log() is finite

    return sqrt(-2.0 * log(u)) * cos(two_pi * rng_unit(r));
}

double rng_lognormal(struct rng *r, double median, double sigma, double low, double high)
{
    double v = median * exp(sigma * normal(r));

    return v < low ? low : v > high ? high : v;
}
