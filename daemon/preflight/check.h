// SPDX-License-Identifier: GPL-2.0-or-later
// What the rules work on: the input, what was rendered, and the findings so far. Private to
// preflight.
#ifndef SWEEPD_PREFLIGHT_CHECK_H
#define SWEEPD_PREFLIGHT_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "preflight/flags.h"
#include "preflight/preflight.h"
#include "preflight/render.h"

enum {
    FINDINGS_MAX = 100, // more are one last finding
    NO_POINT = -1,      // a finding about the recipe as a whole
};

struct check {
    const struct preflight_input *in;
    struct preflight_report *report;
    struct flags flags;
    struct pairs *jobs;           // job.env of each point, read
    struct rendering *renderings; // of each point, then of the probes; NULL: none
    size_t rendering_count;
    struct str script; // the recipe's text, for places
};

// What a finding of one code about one point says. Texts that are equal for several points make
// one finding: what differs from point to point does not belong in them.
struct complaint {
    enum preflight_severity severity;
    const char *code;
    const char *part;   // of the recipe: "replay command", "server arguments"
    const char *needle; // a text whose line in the script is the place; NULL: none
    const char *fix;
};

void complain(struct check *c, const struct complaint *what, long point, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

// True for a point whose rendering can be looked at.
bool check_usable(const struct check *c, size_t point);

// The rules, in the order of the report. Each looks at all points.
bool rule_script(struct check *c); // false: it cannot be run at all
void rule_rendered(struct check *c);
void rule_flags(struct check *c, size_t point);
void rule_scenario(struct check *c, size_t point);
void rule_metrics(struct check *c, size_t point);
void rule_golden(struct check *c, size_t point);

// Blocks that differ from a point's in one axis, to see whether the recipe looks at it.
struct probe {
    size_t base;      // the point
    const char *axis; // name of the variable
    char *block;
};
// Returns an array owned by the caller, to be given to probes_free().
struct probe *probes_make(const struct check *c, size_t *ret_count);
void probes_free(struct probe *list, size_t count);
void rule_axes(struct check *c, const struct probe *probes, size_t probe_count);

#endif
