// SPDX-License-Identifier: GPL-2.0-or-later
// What is inside a config, for the parts of this folder that expand it.
#ifndef SWEEPD_SPEC_CONFIG_PRIV_H
#define SWEEPD_SPEC_CONFIG_PRIV_H

#include "spec/arena.h"
#include "spec/config.h"
#include "spec/entry.h"
#include "spec/runners.h"
#include "spec/yaml.h"

struct config {
    struct arena *arena;
    struct yaml_doc *docs[CONFIG_FILES_MAX + 1]; // they own the texts
    size_t doc_count;
    struct entry *entries;
    size_t entry_count;
    struct runners runners;
    bool has_runners;
    const char *runners_name; // for messages; "no runners file"
};

const struct entry *config_entry(const struct config *c, const char *key);

#endif
