// SPDX-License-Identifier: GPL-2.0-or-later
// The runners file: labels (which runners a label means) and hardware (what a
// node of a label has).
#ifndef SWEEPD_SPEC_RUNNERS_H
#define SWEEPD_SPEC_RUNNERS_H

#include <stddef.h>

#include "base/err.h"
#include "spec/arena.h"
#include "spec/config.h"
#include "spec/yaml.h"

enum {
    RUNNERS_LABELS_MAX = 4096,
    RUNNERS_NAMES_MAX = 65536,  // of one label
    RUNNERS_GPUS_MAX = 1024,    // per node
    RUNNERS_DRAM_MAX = 1 << 30, // MiB: a pebibyte
};

struct runners_label {
    const char *name;
    const char **runners;
    size_t count;
};

struct runners_hardware {
    const char *label;
    struct config_hardware facts;
};

struct runners {
    struct runners_label *labels;
    size_t label_count;
    struct runners_hardware *hardware;
    size_t hardware_count;
};

// Texts stay owned by the document; arrays come from the arena.
int runners_read(const struct yaml_doc *doc, struct arena *arena, struct runners *ret,
                 struct err *e) MUST_CHECK;

const struct runners_label *runners_find(const struct runners *r, const char *label);
const struct config_hardware *runners_find_hardware(const struct runners *r, const char *label);

#endif
