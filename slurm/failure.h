// SPDX-License-Identifier: GPL-2.0-or-later
// Why a request got no good answer: Slurm's error number, a text, and the class
// that tells sweepd what to do next.
#ifndef SWEEPD_SLURM_FAILURE_H
#define SWEEPD_SLURM_FAILURE_H

#include "base/err.h"

enum failure_class {
    CLASS_DOWN,    // slurmctld or munge cannot be reached; nothing was changed
    CLASS_UNCLEAR, // a submit that may have happened
    CLASS_LIMIT,   // back-pressure: the same request may succeed later
    CLASS_REFUSED, // permanent: this request can never succeed
    CLASS_GONE,    // no such live job
    CLASS_FOREIGN, // the job with this id is not the one that was meant
    CLASS_SLURM,   // the rest
};

// What the failed call was about to do. A lost answer leaves a submit unclear,
// while a read or a cancel can simply be repeated.
enum failure_of { FAILURE_OF_READ, FAILURE_OF_SUBMIT, FAILURE_OF_CANCEL };

struct failure {
    enum failure_class class;
    int code; // Slurm's error number, 0 when the error is not Slurm's
    char text[ERR_TEXT_MAX];
};

const char *failure_class_name(enum failure_class class);

// The class of an error number of libslurm (slurm_errno.h) or of the system.
enum failure_class failure_classify(int code, enum failure_of of);

// Fills *f; returns -1, so that a caller can write `return failure_set(...)`.
int failure_set(struct failure *f, enum failure_class class, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

#endif
