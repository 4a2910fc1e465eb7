// SPDX-License-Identifier: GPL-2.0-or-later
#include "spec/dram.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    LIMBS = 4,       // 22 bits of MiB, 20 of bytes, 57 of digits and 10 of GPUs fit 128
    DIGITS_MAX = 17, // no double needs more
    HALF = 1000000000,
    BYTES_PER_MIB = 1048576,
};

// An unsigned number of 128 bits, least limb first.
struct wide {
    uint32_t limb[LIMBS];
};

static void multiply(struct wide *w, uint32_t by)
{
    uint64_t carry = 0;

    for (int i = 0; i < LIMBS; i++) {
        carry += (uint64_t)w->limb[i] * by;
        w->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static void add(struct wide *w, uint32_t n)
{
    uint64_t carry = n;

    for (int i = 0; i < LIMBS; i++) {
        carry += w->limb[i];
        w->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

// Rounds down; a chain of such divisions is the division by the product.
static void divide(struct wide *w, uint32_t by)
{
    uint64_t rest = 0;

    for (int i = LIMBS - 1; i >= 0; i--) {
        rest = rest << 32 | w->limb[i];
        w->limb[i] = (uint32_t)(rest / by);
        rest %= by;
    }
}

// The shortest decimal that reads back as n: digits and a power of ten.
static int64_t shortest(double n, int *ret_exponent)
{
    char text[64];
    int64_t digits = 0;
    const char *s = text;

    for (int precision = 0; precision < DIGITS_MAX; precision++) {
        snprintf(text, sizeof(text), "%.*e", precision, n);
        *ret_exponent = -precision;
        if (strtod(text, NULL) == n)
            break;
    }
    for (; *s && *s != 'e'; s++)
        if (isdigit((unsigned char)*s))
            digits = digits * 10 + (*s - '0');
    *ret_exponent += *s ? (int)strtol(s + 1, NULL, 10) : 0;
    return digits;
}

int dram_gb(int available_mib, double utilization, int gpus, int gpus_per_node)
{
    struct wide w = {{0}};
    int exponent;
    int64_t digits = shortest(utilization, &exponent);

    if (available_mib > DRAM_AVAILABLE_MAX_MIB)
        available_mib = DRAM_AVAILABLE_MAX_MIB;
    add(&w, (uint32_t)(digits / HALF));
    multiply(&w, HALF);
    add(&w, (uint32_t)(digits % HALF));
    multiply(&w, (uint32_t)available_mib);
    multiply(&w, BYTES_PER_MIB);
    multiply(&w, (uint32_t)gpus);
    for (; exponent < 0; exponent++)
        divide(&w, 10);
    divide(&w, (uint32_t)gpus_per_node);
    divide(&w, HALF);
    return (int)w.limb[0];
}

int dram_worker_gpus(int gpus, int gpus_per_node)
{
    if (gpus > gpus_per_node)
        return gpus % gpus_per_node ? 0 : gpus_per_node;
    return gpus_per_node % gpus ? 0 : gpus;
}
