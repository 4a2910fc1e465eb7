// SPDX-License-Identifier: GPL-2.0-or-later
// What an evaluation left: results*.json of the evaluation harness and
// meta_env.json.
#ifndef SWEEPD_INGEST_EVALUATION_H
#define SWEEPD_INGEST_EVALUATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ingest/out.h"
#include "ingest/source.h"

struct evaluation_metric {
    char name[JSON_KEY_MAX]; // "exact_match,strict-match"
    double value;
};

struct evaluation_task {
    char name[JSON_KEY_MAX];
    struct evaluation_metric metric[EVALUATION_METRICS_MAX];
    size_t metric_count;
    double samples, samples_used; // NaN: not said
};

struct evaluation_file {
    char file[FILE_NAME_MAX];
    bool read;    // to its end
    int64_t conc; // by the name's suffix _conc<n>, 0: none
    char model[SUMMARY_TEXT_MAX];
    struct evaluation_task *tasks; // EVALUATION_TASKS_MAX of them
    size_t task_count;
};

struct evaluation {
    struct evaluation_file *files; // NULL without any
    size_t file_count;
    size_t file_cap;
    struct out meta; // meta_env.json as it stands, empty: absent or unreadable
};

// Looks in the folder for the files.
void evaluation_read(struct evaluation *v, const struct root *root, const char *folder,
                     struct findings *f, struct artifacts *a);
void evaluation_free(struct evaluation *v);

// The metric that tables show: exact_match by the strict filter, else another
// exact_match, else an accuracy. NULL: none of them.
const struct evaluation_metric *evaluation_score(const struct evaluation_task *t);
// The lowest exact_match of all filters, which a floor must hold for. NaN: none.
double evaluation_lowest(const struct evaluation_task *t);

#endif
