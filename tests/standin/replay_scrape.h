// SPDX-License-Identifier: GPL-2.0-or-later
// One Prometheus endpoint: every scrape of it, and what the profiling phase's
// scrapes come to. Summaries are dropped and so are values that are no number,
// as the client does.
#ifndef STANDIN_REPLAY_SCRAPE_H
#define STANDIN_REPLAY_SCRAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "tests/standin/replay_writer.h"

struct scrape;

struct scrape *scrape_create(const char *url);
void scrape_free(struct scrape *s);

// The text of one scrape at a virtual instant. Lines that are not understood
// and series beyond a limit are left out.
void scrape_add(struct scrape *s, const char *text, int64_t at_ns);
// The last scrape is the reference of the counters: profiling begins with it.
void scrape_mark(struct scrape *s);

size_t scrape_count(const struct scrape *s);
const char *scrape_url(const struct scrape *s);
// The newest value of the first series of a name; 0 when there is none.
double scrape_last(const struct scrape *s, const char *name);
// Increase of a counter since the mark, summed over its series.
double scrape_increase(const struct scrape *s, const char *name);

struct scrape_window {
    int64_t epoch_ns; // wall time of the virtual instant 0
    double slice_s;   // 0: no slices
};

// Members of "summary.endpoint_info" and of "metrics"; NULL-terminated lists
// are not needed: one endpoint a call, families in the order of first sight.
void scrape_json_info(const struct scrape *s, const struct scrape_window *w, struct writer *j);
void scrape_json_metrics(struct scrape *s, const struct scrape_window *w, struct writer *j);
void scrape_csv(struct scrape *s, struct str *out);

#endif
