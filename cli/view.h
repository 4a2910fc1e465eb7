// SPDX-License-Identifier: GPL-2.0-or-later
// A sweep as it is shown: its summary, its grid, what failed. Everything is
// drawn from two documents of the server, at the time that they carry.
#ifndef SWEEPCTL_VIEW_H
#define SWEEPCTL_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "doc.h"
#include "term.h"

struct view {
    const struct doc *sweep;  // the sweep's object
    const struct doc *points; // list, in matrix order
    int64_t as_of;            // wall time in microseconds
};

// Both documents as the server sends them; they must outlive the view.
struct view view_make(const struct doc *sweep_document, const struct doc *points_document);
// The object that a document is about: its member of that name, else itself.
const struct doc *view_part(const struct doc *document, const char *name);
// The instant that a document shows; now, when it carries none.
int64_t view_as_of(const struct doc *document);

// Each appends whole lines of at most `width` columns (0: no limit).
void view_head(const struct view *v, struct str *out, int width);     // id, key, who, since when
void view_progress(const struct view *v, struct str *out, int width); // bar, ETA, counts
void view_grid(const struct view *v, struct str *out, int width);     // arms by concurrency
// Points that are done and did not pass, numbered as in the grid; at most
// `most` of them, 0: all.
void view_failures(const struct view *v, struct str *out, int width, size_t most);
void view_best(const struct view *v, struct str *out, int width); // nothing until a point passed

void view_hours(const struct view *v, struct str *out, int width); // GPU-hours, by their use

// The counts alone, no line feed: "21 pass, 1 al_off, 8 active, 2 waiting".
void view_counts(const struct doc *sweep, struct str *out);
// "62 %" and the expected end, no line feed.
void view_eta(const struct view *v, struct str *out);

// What became of a point, or what it does now: "pass", "al_off", "profile", "waiting".
const char *view_point_word(const struct doc *point);
enum style view_point_style(const struct doc *point);
bool view_point_is(const struct doc *point, const char *member, const char *text);
bool view_point_done(const struct doc *point);
bool view_point_failed(const struct doc *point); // done, neither passed nor cancelled
bool view_sweep_done(const struct doc *sweep);
bool view_all_passed(const struct doc *sweep); // done, and every point is a pass

#endif
