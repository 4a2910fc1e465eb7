// SPDX-License-Identifier: GPL-2.0-or-later
// Everything that core can want done. A closed list: nothing else comes out.
#ifndef SWEEPD_CORE_EFFECT_H
#define SWEEPD_CORE_EFFECT_H

#include <stddef.h>
#include <stdint.h>

enum effect_kind {
    EFFECT_COMMIT,  // write everything dirty in one transaction
    EFFECT_OPEN,    // make a token for a new attempt of ref.point
    EFFECT_PREPARE, // make the attempt's folder and job.env
    EFFECT_SUBMIT,
    EFFECT_SCAN,   // read phase, claim and end record
    EFFECT_REVOKE, // try to own the claim
    EFFECT_CANCEL, // end the job
    EFFECT_INGEST, // read the artifacts
    EFFECT_COUNT
};

const char *effect_name(enum effect_kind k);

// Names an object without pointing at it: completions come later, when the
// object may have changed or gone.
struct ref {
    int64_t sweep; // seq
    int point;     // index, -1: the sweep itself
    int attempt;   // number, 0: the point itself
};

struct effect {
    enum effect_kind kind;
    struct ref ref;
};

struct effects {
    struct effect *list;
    size_t count, cap;
    int64_t next; // monotonic time of the next effect that becomes due by time alone
};

void effects_clear(struct effects *e); // keeps the memory
void effects_free(struct effects *e);
void effects_add(struct effects *e, enum effect_kind kind, struct ref ref);
void effects_due(struct effects *e, int64_t at); // lowers e->next

#endif
