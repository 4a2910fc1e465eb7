// SPDX-License-Identifier: GPL-2.0-or-later
#include "rng.h"

// splitmix64: Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators", 2014.
uint64_t rng_next(struct rng *r)
{
    uint64_t z = (r->state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

struct rng rng_create(uint64_t seed)
{
    struct rng r = {seed};

    r.state = rng_next(&r);
    return r;
}

int64_t rng_range(struct rng *r, int64_t low, int64_t high)
{
    return low + (int64_t)(rng_next(r) % (uint64_t)(high - low + 1));
}

bool rng_chance(struct rng *r, double probability)
{
    return (double)(rng_next(r) >> 11) * 0x1p-53 < probability;
}
