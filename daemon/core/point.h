// SPDX-License-Identifier: GPL-2.0-or-later
// A point: one place of the benchmark matrix, identified by its axes. Pure.
#ifndef SWEEPD_CORE_POINT_H
#define SWEEPD_CORE_POINT_H

#include <stdbool.h>
#include <stddef.h>

enum {
    POINT_NAME_MAX = 128,
    POINT_WORD_MAX = 64, // spec-decoding, KV backend and the like
    POINT_EXP_NAME_MAX = 192,
};

enum point_kind { POINT_THROUGHPUT, POINT_EVAL };

struct point {
    char name[POINT_NAME_MAX]; // set by point_name(); unique within a sweep
    int tp, pp, dcp, pcp, ep;  // each at least 1
    bool dp_attn;
    char spec_decoding[POINT_WORD_MAX]; // "none", "mtp", "draft_model"
    char kv_offloading[POINT_WORD_MAX]; // "none", "dram"
    char kv_backend[POINT_WORD_MAX];    // "" unless offloading
    int conc;
    int isl, osl; // 0 for agentic points
    enum point_kind kind;
    int total_cpu_dram_gb;
    int duration_s;                    // of the profile phase: 3600, or 1200 in fast mode
    char exp_name[POINT_EXP_NAME_MAX]; // the original's name; not unique
};

// GPUs that the point needs: tp * pp * pcp (DCP and EP add none).
int point_gpus(const struct point *p);

// Writes the short name: tp<T>, ep<E> when not 1, then -pp<N> -dcp<N> -pcp<N>
// -dpa -<isl>x<osl> -kv<mode>[-<backend>] where they differ from the default,
// -c<C>, -eval.
void point_name(const struct point *p, char *buf, size_t size);

// What people write for the same point: "tep4-c40", "TP4/EP4 c40", "TP2/EP2-c4",
// "tp2ep2-c4". Case, '/', '_' and spaces do not matter; "tep4" means tp4ep4.
// Writes the canonical spelling into buf (cut at size).
void point_name_canonical(const char *written, char *buf, size_t size);

// The arm that a point lies on: its axes without the concurrency, "tp4ep4".
void point_arm(const struct point *p, char *buf, size_t size);

const char *point_kind_name(enum point_kind kind); // "throughput", "eval"

#endif
