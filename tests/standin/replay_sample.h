// SPDX-License-Identifier: GPL-2.0-or-later
// A set of numbers and what is said about it in the artifacts: percentiles by
// linear interpolation between the sorted values, the population's deviation.
#ifndef STANDIN_REPLAY_SAMPLE_H
#define STANDIN_REPLAY_SAMPLE_H

#include <stddef.h>

#include "base/str.h"
#include "tests/standin/replay_writer.h"

struct sample {
    double *values;
    size_t count;
    size_t cap;
};

void sample_free(struct sample *s);
void sample_add(struct sample *s, double v); // one that is not finite is left out
void sample_sort(struct sample *s);

// Adds avg, min, max, p1 to p99 and std, and with `sums` count and sum, to the
// object that is open. Sorts the sample; adds nothing for an empty one.
void sample_json(struct sample *s, struct writer *j, bool sums);
// The same, ",avg,min,max,p1,...,std" as the end of a line of a table.
void sample_csv(struct sample *s, struct str *out);
extern const char sample_csv_head[];

#endif
