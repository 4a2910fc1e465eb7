// SPDX-License-Identifier: GPL-2.0-or-later
// The benchmark configuration: one or more master files (config key -> entry)
// and one runners file (labels and hardware), read and checked strictly. An
// unknown field, a wrong type or a broken rule is an error that begins with
// "file:line:column: ". Pure apart from config_load_files(). Not thread-safe,
// but a loaded config is never changed and may be read by several threads.
#ifndef SWEEPD_SPEC_CONFIG_H
#define SWEEPD_SPEC_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum {
    CONFIG_FILES_MAX = 16,      // master files in one config
    CONFIG_KEYS_MAX = 4096,     // over all master files
    CONFIG_BYTES_MAX = 8 << 20, // per file
};

// Bytes and the name that messages give them. Borrowed during the call only.
struct spec_source {
    const char *name;
    const char *bytes;
    size_t len;
};

struct config;

// Reads `count` master files, in this order, and one runners file (NULL: no
// labels and no hardware are known). *ret is owned by the caller, to be given
// to config_free(). -EINVAL with the place in e.
int config_load(const struct spec_source *masters, size_t count, const struct spec_source *runners,
                struct config **ret, struct err *e) MUST_CHECK;
// The same from files; runners_path may be NULL. Blocks on the file system.
int config_load_files(const char *const *paths, size_t count, const char *runners_path,
                      struct config **ret, struct err *e) MUST_CHECK;
void config_free(struct config *c); // NULL is fine

// Config keys in the order of the files; texts are owned by the config.
size_t config_key_count(const struct config *c);
const char *config_key(const struct config *c, size_t i);

struct config_key_info {
    const char *file;
    int line;
    const char *runner; // the label, "cluster:mi325x-amds"
    const char *model, *model_prefix, *precision, *framework, *image;
    bool multinode;
    bool has_agentic, has_fixed; // scenarios present
    bool label_known;            // the runners file lists the label
};
// False when there is no such key.
bool config_key_find(const struct config *c, const char *key, struct config_key_info *ret);
// The known key nearest to a mistyped one, or NULL when none is near.
const char *config_key_suggest(const struct config *c, const char *written);

// Runner names of a label, in file order; NULL and *ret_count 0 when unknown.
const char *const *config_label_runners(const struct config *c, const char *label,
                                        size_t *ret_count);

struct config_hardware {
    int available_cpu_dram_mib;
    int gpus_per_node;
};
bool config_hardware(const struct config *c, const char *label, struct config_hardware *ret);

#endif
