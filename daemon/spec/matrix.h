// SPDX-License-Identifier: GPL-2.0-or-later
// Expansion of a config into matrix rows, one per benchmark point, in the field
// and row order of the published generator. Pure.
#ifndef SWEEPD_SPEC_MATRIX_H
#define SWEEPD_SPEC_MATRIX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/str.h"
#include "core/point.h"
#include "spec/config.h"

enum {
    MATRIX_ROWS_MAX = 100000,
    MATRIX_DURATION_S = 3600, // profile phase of an agentic row
};

enum matrix_evals {
    MATRIX_EVALS_MARKED,       // evaluations marked on throughput rows where the rules say so
    MATRIX_EVALS_NONE,         // throughput rows, nothing marked (--no-evals)
    MATRIX_EVALS_ONLY,         // only the evaluation rows (--evals-only)
    MATRIX_EVALS_ALL,          // only evaluation rows, as many as possible (--all-evals)
    MATRIX_EVALS_SEPARATE,     // NONE, then ONLY: what a sweep runs
    MATRIX_EVALS_SEPARATE_ALL, // NONE, then ALL
};

enum matrix_scenario { MATRIX_FIXED = 1, MATRIX_AGENTIC = 2 };
enum matrix_nodes { MATRIX_SINGLE_NODE = 1, MATRIX_MULTI_NODE = 2 };

// Zeroed, it asks for every row of every key.
struct matrix_filter {
    const char *const *keys; // exact, or with '*' and '?'; matching nothing is an error
    size_t key_count;        // 0: all keys, fixed-sequence rows of a key before agentic ones
    const int *concs;        // keep only these concurrencies (--conc)
    size_t conc_count;
    int min_conc, max_conc; // 0: no bound
    int step_size;          // of ranges; 0 means 2; less than 2 is an error
    unsigned scenarios;     // bits of enum matrix_scenario; 0: both
    unsigned nodes;         // bits of enum matrix_nodes; 0: both
    enum matrix_evals evals;
    bool trim;                 // the smallest concurrency of each recipe only; evaluation rows stay
    const char *node_filter;   // one row for each runner whose name contains it
    const char *const *points; // keep only these, as people write them; an unknown one is an error
    size_t point_count;
    // Rows of entries with one of these values; 0: all.
    const char *const *runners, *const *model_prefixes, *const *precisions, *const *frameworks;
    size_t runner_count, model_prefix_count, precision_count, framework_count;
    // Also refuse what would queue or fail for ever: an EP that does not fit TP, more GPUs than a
    // node has, a runner label without runners, two points of one name, an empty matrix. For
    // submit, check and plan. Without it rows come out as the published generator makes them.
    bool strict;
};

// A named component with an optional version: router, KV offload backend.
struct matrix_component {
    const char *name;    // NULL: absent
    const char *version; // NULL: absent
    bool version_first;  // printed in the written order
};

// Fields of a worker, for its printing order.
enum {
    MATRIX_WORKER_NUM,
    MATRIX_WORKER_TP,
    MATRIX_WORKER_PP,
    MATRIX_WORKER_DCP,
    MATRIX_WORKER_PCP,
    MATRIX_WORKER_EP,
    MATRIX_WORKER_DP_ATTN,
    MATRIX_WORKER_HARDWARE,
    MATRIX_WORKER_SETTINGS,
};

// Prefill or decode workers of a multi-node row.
struct matrix_worker {
    int num_worker, tp, pp, dcp, pcp, ep;
    bool dp_attn;
    const char *hardware; // NULL: absent
    bool has_settings;
    const char *const *settings; // "KEY=VALUE" texts
    size_t setting_count;
    const unsigned char *order; // of MATRIX_WORKER_*: the fields as they are printed
    size_t order_count;
};

// All texts are owned by the matrix and never NULL unless said.
struct matrix_row {
    const char *key;  // config key
    const char *file; // where its search-space row stands
    int line;
    char name[POINT_NAME_MAX]; // unique in the key's expansion; "" for multi-node rows
    bool multinode;
    bool agentic; // else fixed sequence lengths
    const char *image, *model, *model_prefix, *precision, *framework;
    const char *runner;       // label, or one runner's name with node_filter
    const char *label;        // always the label
    int tp, pp, dcp, pcp, ep; // single node
    bool dp_attn;
    const char *spec_decoding; // "none", "mtp", "draft_model"
    int conc;                  // single node; of a multi-node row the first
    const int *concs;          // multi-node
    size_t conc_count;
    int isl, osl, max_model_len; // 0 for agentic rows
    const char *kv_offloading;   // "none", "dram"
    struct matrix_component kv_backend;
    struct matrix_component router;
    const char *kv_p2p_transfer; // NULL: absent
    int total_cpu_dram_gb;
    int duration_s; // 0 for fixed rows
    bool disagg;
    const char *exp_name; // not unique
    bool has_run_eval;    // false: the published form lacks the member
    bool run_eval;        // evaluation after throughput, or alone with eval_only
    bool eval_only;
    int eval_conc;              // multi-node; 0: none
    bool eval_all_concs;        // multi-node: every concurrency is evaluated on one server
    bool fingerprinted;         // matrix_to_json prints the fingerprint
    char fingerprint[HASH_HEX]; // of the recipe; "" on eval_only rows
    struct matrix_worker prefill, decode; // multi-node
};

struct matrix {
    struct matrix_row *rows;
    size_t count;
    char **warnings; // "file:line:column: text"
    size_t warning_count;
    struct arena *arena; // private
};

// *ret is filled on success only, to be given to matrix_free(). Texts are copied: the matrix may
// outlive the config. -EINVAL (a rule or a filter, text with the place), -ENOENT (unknown key,
// with a suggestion), -E2BIG (over MATRIX_ROWS_MAX).
int matrix_expand(const struct config *c, const struct matrix_filter *f, struct matrix *ret,
                  struct err *e) MUST_CHECK;
void matrix_free(struct matrix *m); // leaves it empty; NULL is fine

// Sets `fingerprinted` on every row that has one, as the changelog step does.
void matrix_add_fingerprints(struct matrix *m);

// The point of a single-node row; kind is POINT_EVAL on eval_only rows. -ENOTSUP for a multi-node
// row: those expand and validate but are not run.
int matrix_row_point(const struct matrix_row *row, struct point *ret, struct err *e) MUST_CHECK;
// GPUs of a single-node row.
int matrix_row_gpus(const struct matrix_row *row);

// Appends the rows as a JSON array in the published field order, one row a line.
void matrix_to_json(const struct matrix *m, struct str *out);
// Appends one row as a JSON object; canonical: sorted keys, no spaces, ASCII only.
void matrix_row_to_json(const struct matrix_row *row, bool canonical, struct str *out);

#endif
