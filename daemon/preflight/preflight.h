// SPDX-License-Identifier: GPL-2.0-or-later
// Holds a recipe against the rules that can be known before a job exists: the
// script itself, the replay command against the pinned client's flag list and
// the scenario's locks, the effective server arguments, golden acceptance
// length, metrics. The recipe is run once with --render for all points.
//
// Blocks for up to a few seconds: for a worker thread or a command-line
// program, never on the loop. Safe from several threads at once.
#ifndef SWEEPD_PREFLIGHT_PREFLIGHT_H
#define SWEEPD_PREFLIGHT_PREFLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "core/point.h"

enum {
    PREFLIGHT_POINTS_MAX = 10000,
    PREFLIGHT_POINT_HOURS = 2, // basis of the cost in messages: node time of one point
};

struct preflight_point {
    const char *env;   // its job.env: KEY=VALUE lines, as the job will get them
    struct point axes; // the same point as core knows it; axes.name names it
};

struct preflight_input {
    const char *recipe;     // path of the script
    const char *job_script; // path of job.sh, its syntax is checked too; NULL: not
    const char *flags;      // path of the pinned client's flag list, "--flag<TAB>bool|value|multi"
    const struct preflight_point *points;
    size_t count;       // 1 .. PREFLIGHT_POINTS_MAX
    int64_t timeout_us; // for the rendering of all points; 0: a default that grows with count
};

enum preflight_severity { PREFLIGHT_ERROR, PREFLIGHT_WARNING };

struct preflight_finding {
    enum preflight_severity severity;
    const char *code;   // static, stable: "replay-flag", "axis-ignored", ...; see preflight_rules
    char *place;        // "qwen3.5_fp8_mi325x_mtp.sh, replay command"
    char *text;         // what is wrong
    char *fix;          // what to do about it
    char *cost;         // what it would have cost, with its basis; "" for warnings
    size_t *points;     // indexes into the input, ascending
    size_t point_count; // 0: the recipe as a whole
};

// What the recipe would run for one point.
struct preflight_rendered {
    char *json;          // the recipe's own line, see docs/architecture.md; NULL when there is none
    int draft_tokens;    // speculative steps from the server's arguments; 0: no speculation
    double simulated_al; // SGLANG_SIMULATE_ACC_LEN; 0: real acceptance
    double golden_al;    // of (model prefix, thinking, draft_tokens); 0: no curve
    int64_t expected_s;  // what the recipe expects the point to take; 0: it does not say
};

struct preflight_report {
    struct preflight_finding *findings; // in the order of the rules
    size_t count;
    size_t errors, warnings;
    struct preflight_rendered *rendered; // one for each point of the input
    size_t rendered_count;
};

// Fills *ret, to be given to preflight_free(). 0 also with findings: a recipe
// that cannot be run is a finding. -EINVAL (the input), -ENOENT and the like
// (the flag list cannot be read): nothing was checked, *ret is empty.
int preflight_run(const struct preflight_input *in, struct preflight_report *ret,
                  struct err *e) MUST_CHECK;
void preflight_free(struct preflight_report *r); // leaves it empty; NULL is fine

// For people: every finding with place, points, cost and fix, then "Nothing
// submitted." when there is an error. Appends nothing for a clean report.
void preflight_to_text(const struct preflight_input *in, const struct preflight_report *r,
                       struct str *out);
// One JSON object: {"errors","warnings","rules":[{"rule","state"}],"findings":[{"severity","code",
// "place","text","fix","cost","points":[names]}]}; state is ok, warning, error, or unknown when
// nothing could be rendered.
void preflight_to_json(const struct preflight_input *in, const struct preflight_report *r,
                       struct str *out);

// The codes that findings can have, NULL-terminated.
const char *const *preflight_rules(void);

#endif
