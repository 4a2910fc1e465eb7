// SPDX-License-Identifier: GPL-2.0-or-later
#include "ingest/layout.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"

enum { LEVELS_MAX = 2 };

static const char request_log[] = "profile_export.jsonl";
static const char summary[] = "profile_export_aiperf.json";

const char *layout_name(enum layout_kind kind)
{
    static const char *const names[] = {"none", "direct", "per_run"};

    return names[kind];
}

static bool holds(const struct root *root, const char *folder, const char *file)
{
    char path[FILE_NAME_MAX * 2];
    struct stat st;

    // A link in the place of the file is still where the client wrote; that it
    // is not followed is reported when it is opened.
    path_join(folder, file, path, sizeof(path));
    int rc = root_stat(root, path, &st);
    return (rc == 0 && !S_ISDIR(st.st_mode)) || rc == -ELOOP;
}

static bool passed_by(const char *name)
{
    return !strcmp(name, "aggregate") || !strcmp(name, "phases");
}

// The first folder below, in byte order, that holds the file.
static bool search(const struct root *root, const char *folder, const char *file, int levels,
                   struct layout *ret, struct findings *f)
{
    struct names names;
    bool found = false;

    if (root_list(root, folder, &names))
        return false;
    if (names.more)
        findings_add(f, SEVERITY_WARNING, "too_many", place_file(folder),
                     "more than %d names: the rest is not looked at", LAYOUT_ENTRIES_MAX);
    for (size_t i = 0; i < names.count; i++) {
        char below[FILE_NAME_MAX * 2];

        path_join(folder, names.list[i], below, sizeof(below));
        if (strlen(below) >= FILE_NAME_MAX || passed_by(names.list[i]) ||
            !root_is_folder(root, below))
            continue;
        if (holds(root, below, file)) {
            if (!ret->runs++)
                str_copy(ret->folder, sizeof(ret->folder), below);
            found = true;
        } else if (levels > 1) {
            found |= search(root, below, file, levels - 1, ret, f);
        }
    }
    names_free(&names);
    return found;
}

static bool look(const struct root *root, const char *folder, struct layout *ret,
                 struct findings *f)
{
    const char *const files[] = {request_log, summary};

    for (size_t i = 0; i < 2; i++) {
        if (holds(root, folder, files[i])) {
            ret->kind = LAYOUT_DIRECT;
            str_copy(ret->folder, sizeof(ret->folder), folder);
            return true;
        }
    }
    for (size_t i = 0; i < 2; i++) {
        if (!search(root, folder, files[i], LEVELS_MAX, ret, f))
            continue;
        ret->kind = LAYOUT_PER_RUN;
        if (ret->runs > 1)
            findings_add(f, SEVERITY_WARNING, "several_runs", place_file(ret->folder),
                         "one of %d folders with results: the first is read", ret->runs);
        return true;
    }
    return false;
}

void layout_find(const struct root *root, struct layout *ret, struct findings *f)
{
    static const struct {
        const char *folder;
        const char *base;
    } places[] = {
        {"aiperf_artifacts", "."},
        {"results/aiperf_artifacts", "results"},
    };

    memset(ret, 0, sizeof(*ret));
    str_copy(ret->base, sizeof(ret->base), ".");
    str_copy(ret->folder, sizeof(ret->folder), ".");
    for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
        if (!root_is_folder(root, places[i].folder))
            continue;
        str_copy(ret->base, sizeof(ret->base), places[i].base);
        str_copy(ret->folder, sizeof(ret->folder), places[i].folder);
        look(root, places[i].folder, ret, f);
        return;
    }
    look(root, ".", ret, f);
}
