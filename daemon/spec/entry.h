// SPDX-License-Identifier: GPL-2.0-or-later
// One entry of a master file, checked: what a config key stands for. Every rule
// that needs nothing but the entry itself is kept here.
#ifndef SWEEPD_SPEC_ENTRY_H
#define SWEEPD_SPEC_ENTRY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "spec/arena.h"
#include "spec/matrix.h"
#include "spec/yaml.h"

enum {
    ENTRY_PARALLEL_MAX = 1024, // tp, pp, dcp, pcp, ep, workers: their products fit an int
    ENTRY_CONC_MAX = 1000000,
    ENTRY_CONC_LIST_MAX = 1024,
    ENTRY_LENGTH_MAX = 100000000, // isl and osl, in tokens
    ENTRY_ROWS_MAX = 4096,        // search-space rows of one scenario
    ENTRY_SETTINGS_MAX = 256,
    ENTRY_COMPONENT_MAX = 48, // bytes of a component's name: it becomes a part of point names
};

// A search-space row as written, with the defaults filled in.
struct entry_row {
    const struct yaml_value *node;
    int tp; // 0 with workers
    int pp, dcp, pcp, ep;
    bool dp_attn;
    const char *spec_decoding; // never NULL
    const char *kv_offloading; // never NULL
    struct matrix_component kv_backend, router;
    const char *kv_p2p_transfer; // NULL: absent
    bool has_workers;
    struct matrix_worker prefill, decode;
    int *concs; // NULL with a range
    size_t conc_count;
    int conc_start, conc_end; // 0 with a list
};

// One member of `fixed-seq-len` or `agentic-coding`.
struct entry_scenario {
    int isl, osl;                         // fixed only
    const struct yaml_value *utilization; // agentic, or NULL
    struct entry_row *rows;
    size_t row_count;
};

struct entry {
    const char *key;
    const char *file;
    const struct yaml_value *key_node, *node;
    const char *image, *model, *model_prefix, *precision, *framework, *runner;
    bool multinode, disagg;
    struct matrix_component router;
    const char *kv_p2p_transfer;
    struct entry_scenario *fixed, *agentic;
    size_t fixed_count, agentic_count;
};

// Texts stay owned by the document of `node`; arrays come from the arena.
int entry_read(const char *file, const struct yaml_value *key, const struct yaml_value *node,
               struct arena *arena, struct entry *ret, struct err *e) MUST_CHECK;

// One search-space row of a single-node (or multi-node) entry.
int entry_read_row(const char *file, const struct yaml_value *node, bool multinode, bool agentic,
                   struct arena *arena, struct entry_row *ret, struct err *e) MUST_CHECK;
// {name, version?}; `what` is the field's name.
int entry_read_component(const char *file, const struct yaml_value *node, const char *what,
                         struct matrix_component *ret, struct err *e) MUST_CHECK;

#endif
