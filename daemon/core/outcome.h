// SPDX-License-Identifier: GPL-2.0-or-later
// What became of an attempt, in the words that people and the database see.
// The order of the enum is the order in which the verdict's rules are read.
#ifndef SWEEPD_CORE_OUTCOME_H
#define SWEEPD_CORE_OUTCOME_H

enum outcome {
    OUTCOME_NONE,
    // ok
    OUTCOME_PASS,
    // usable: complete numbers that do not count as a pass
    OUTCOME_COVERAGE,
    OUTCOME_PARTIAL,
    // benchmark: what was measured is not what was asked
    OUTCOME_ERROR_RATE,
    OUTCOME_OVERFLOW,
    OUTCOME_NO_SUMMARY,
    OUTCOME_BAD_ARTIFACT,
    OUTCOME_NO_SERVER_METRICS,
    OUTCOME_AL_OFF,
    OUTCOME_ARGS_MISMATCH,
    OUTCOME_GPU_RESIDENT,
    OUTCOME_STALLED,
    OUTCOME_RUN_CANCELLED,
    OUTCOME_OVERRIDE,
    OUTCOME_EVAL_LOW,
    // unclear: node or recipe, a second attempt elsewhere tells
    OUTCOME_SERVER_START,
    OUTCOME_SERVER_DIED,
    OUTCOME_OOM,
    OUTCOME_PORT,
    OUTCOME_TIMEOUT,
    // infra, the node's fault
    OUTCOME_GPU_DIRTY,
    OUTCOME_DISK,
    OUTCOME_NODE_FAIL,
    OUTCOME_BOOT_FAIL,
    // infra, the cluster's fault
    OUTCOME_IMAGE,
    OUTCOME_WEIGHTS,
    OUTCOME_PREEMPTED,
    OUTCOME_SLURM,
    OUTCOME_COLLECT,
    // other
    OUTCOME_CANCELLED,
    OUTCOME_LOST,
    OUTCOME_COUNT
};

enum outcome_class {
    CLASS_NONE,
    CLASS_OK,
    CLASS_USABLE,
    CLASS_BENCHMARK,
    CLASS_UNCLEAR,
    CLASS_INFRA,
    CLASS_OTHER
};

enum blame { BLAME_NONE, BLAME_RECIPE, BLAME_UNKNOWN, BLAME_NODE, BLAME_CLUSTER };

const char *outcome_name(enum outcome o);         // "pass"; "" for OUTCOME_NONE
enum outcome outcome_from_name(const char *name); // OUTCOME_NONE when unknown
enum outcome_class outcome_class(enum outcome o);
enum blame outcome_first_blame(enum outcome o);
const char *outcome_class_name(enum outcome_class c);
const char *blame_name(enum blame b);
enum blame blame_from_name(const char *name);

#endif
