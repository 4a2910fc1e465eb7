// SPDX-License-Identifier: GPL-2.0-or-later
// A sweep, its points and their attempts. Pure data with its small helpers; it
// is changed only by core_update().
#ifndef SWEEPD_CORE_SWEEP_H
#define SWEEPD_CORE_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "core/attempt.h"
#include "core/point.h"

enum {
    SWEEP_ID_MAX = 32,
    SWEEP_KEY_MAX = 160,
    SWEEP_TEXT_MAX = 256,
    SWEEP_EXCLUDED_MAX = 16,
    SWEEP_ATTEMPTS_MAX = 32, // of one point, whatever the reasons
};

enum point_state { POINT_WAITING, POINT_ACTIVE, POINT_DONE };
enum sweep_state { SWEEP_ACTIVE, SWEEP_CANCELLING, SWEEP_DONE };
enum on_failure { ON_FAILURE_FAIL_FAST, ON_FAILURE_KEEP_GOING };
enum placement { PLACE_EXCLUSIVE, PLACE_PACKED };
// Where an expected duration is from: the recipe's model, past attempts of the
// same point, or of other points of its arm.
enum estimate_source { ESTIMATE_MODEL, ESTIMATE_HISTORY, ESTIMATE_ARM };

const char *point_state_name(enum point_state s);
const char *sweep_state_name(enum sweep_state s);
const char *on_failure_name(enum on_failure f);
const char *placement_name(enum placement p);
const char *estimate_source_name(enum estimate_source s);
// Each returns false for an unknown name and leaves *ret alone.
bool point_state_from_name(const char *name, enum point_state *ret);
bool sweep_state_from_name(const char *name, enum sweep_state *ret);
bool on_failure_from_name(const char *name, enum on_failure *ret);
bool placement_from_name(const char *name, enum placement *ret);

struct sweep_point {
    struct point point;
    char *job_env; // owned: the recipe's variables of this point
    enum point_state state;
    enum outcome outcome; // when done
    char reason[ATTEMPT_REASON_MAX];
    int chosen;          // number of the attempt that counts, 0: none
    int64_t expected_us; // wall time that the point will hold its node
    struct attempt *attempts;
    size_t attempt_count, attempt_cap;
    char excluded[SWEEP_EXCLUDED_MAX][JOB_NODE_MAX]; // nodes that its attempts failed on
    size_t excluded_count;
    struct versions v;
    int64_t not_before; // monotonic; backoff between attempts
    size_t
        planned_node; // where the schedule puts it: core's node, from 1; 0: not known. Not stored
    int64_t planned_start, planned_end; // wall
    int rank; // place in the order of dispatch, from 1; 0: not ranked. Not stored
    enum estimate_source source; // of expected_us; not stored
    int samples;                 // past attempts behind it
};

struct sweep {
    int64_t seq;
    char id[SWEEP_ID_MAX]; // "s12-7f3a"
    char key[SWEEP_KEY_MAX];
    char owner[ATTEMPT_WORD_MAX];
    enum sweep_state state;
    enum on_failure on_failure;
    enum placement placement;
    bool fast;
    char reason[SWEEP_TEXT_MAX]; // why it was cancelled
    char image[SWEEP_TEXT_MAX];
    char model[SWEEP_TEXT_MAX];
    char runner[SWEEP_KEY_MAX]; // the fleet's label
    char recipe[SWEEP_TEXT_MAX];
    char bundle[HASH_HEX];
    struct limits limits;
    struct sweep_point *points; // in matrix order
    size_t point_count;
    int64_t created_at, ended_at; // wall
    int64_t planned_end;          // wall, by the schedule; 0: not known. Not stored
    struct versions v;
};

void sweep_free(struct sweep *s); // NULL is fine

// The attempt under way: neither judged nor lost. NULL when there is none.
struct attempt *sweep_point_live(struct sweep_point *p);
struct attempt *sweep_point_attempt(struct sweep_point *p, int number);
const struct sweep_point *sweep_point_find(const struct sweep *s, const char *name); // NULL: none
const struct attempt *sweep_point_chosen(const struct sweep_point *p);

struct sweep_counts {
    size_t waiting, active, done;
    size_t outcomes[OUTCOME_COUNT];
};
struct sweep_counts sweep_count(const struct sweep *s);

// How much longer than expected its finished points took; 1 without any.
double sweep_pace(const struct sweep *s);

// Share of the work done by expected time, 0 to 1, and the microseconds of
// node time that the rest will take.
double sweep_progress(const struct sweep *s, int64_t wall_us, int64_t *ret_left_us);

#endif
