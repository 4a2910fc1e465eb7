// SPDX-License-Identifier: GPL-2.0-or-later
// For the tests of sweep-ingest: folders of artifacts made on the spot, and
// the document that comes of them.
#ifndef SWEEPD_TESTS_INGEST_RIG_H
#define SWEEPD_TESTS_INGEST_RIG_H

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fsio.h"
#include "ingest/ingest.h"
#include "tests/unit/tap.h"
#include "tests/unit/tempdir.h"

struct rig {
    char folder[TEMPDIR_MAX];
};

static inline void rig_init(struct rig *r)
{
    if (!tempdir_make(r->folder))
        abort();
}

static inline void rig_done(struct rig *r)
{
    if (!tempdir_remove(r->folder))
        printf("# cannot remove %s\n", r->folder);
}

static inline const char *rig_path(const struct rig *r, const char *name)
{
    static char path[PATH_MAX];

    snprintf(path, sizeof(path), "%s/%s", r->folder, name);
    return path;
}

// Makes the folders on the way to the name, too.
static inline FILE *rig_open(const struct rig *r, const char *name)
{
    char dir[PATH_MAX];
    struct err e;
    FILE *f;

    snprintf(dir, sizeof(dir), "%s", rig_path(r, name));
    *strrchr(dir, '/') = '\0';
    if (fs_make_dirs(dir, 0755, &e))
        abort();
    f = fopen(rig_path(r, name), "w");
    if (!f)
        abort();
    return f;
}

static inline void rig_write_bytes(const struct rig *r, const char *name, const void *bytes,
                                   size_t len)
{
    FILE *f = rig_open(r, name);

    if (fwrite(bytes, 1, len, f) != len || fclose(f))
        abort();
}

static inline void rig_write(const struct rig *r, const char *name, const char *text)
{
    rig_write_bytes(r, name, text, strlen(text));
}

static inline void rig_copy(const struct rig *r, const char *from, const char *name)
{
    struct str text = {0};
    struct err e;

    if (fs_read(from, 64 * 1024 * 1024, &text, &e)) {
        printf("# %s\n", e.text);
        abort();
    }
    rig_write_bytes(r, name, str_text(&text), text.len);
    str_free(&text);
}

// The document of a folder; never NULL. It must be well formed to the letter.
static inline json_t *rig_run_folder(const char *folder, int64_t tp)
{
    struct ingest_options options = {.folder = folder, .tp = tp};
    struct str text = {0};
    struct err e = {0};
    json_error_t error;
    json_t *doc;

    if (ingest_run(&options, &text, &e)) {
        printf("# ingest_run: %s\n", e.text);
        abort();
    }
    doc = json_loadb(str_text(&text), text.len, JSON_REJECT_DUPLICATES, &error);
    if (!doc) {
        printf("# not JSON: %s at %d: %.400s\n", error.text, error.position, str_text(&text));
        abort();
    }
    str_free(&text);
    return doc;
}

static inline json_t *rig_run(const struct rig *r)
{
    return rig_run_folder(r->folder, 4);
}

// "a.b.2.c" within a document; NULL when there is no such member.
static inline json_t *doc_at(json_t *doc, const char *path)
{
    char copy[512];
    char *rest = copy, *name;

    snprintf(copy, sizeof(copy), "%s", path);
    while (doc && (name = strsep(&rest, ".")))
        doc = json_is_array(doc) ? json_array_get(doc, (size_t)atoi(name))
                                 : json_object_get(doc, name);
    return doc;
}

static inline double doc_number(json_t *doc, const char *path)
{
    json_t *v = doc_at(doc, path);

    return json_is_number(v) ? json_number_value(v) : (double)NAN;
}

static inline const char *doc_text(json_t *doc, const char *path)
{
    return json_string_value(doc_at(doc, path));
}

// The finding of a file with a code, NULL when there is none.
static inline json_t *doc_finding(json_t *doc, const char *file, const char *code)
{
    json_t *list = json_object_get(doc, "findings");
    size_t i;
    json_t *one;

    json_array_foreach(list, i, one)
    {
        if (!strcmp(json_string_value(json_object_get(one, "file")), file) &&
            !strcmp(json_string_value(json_object_get(one, "code")), code))
            return one;
    }
    return NULL;
}

static inline int64_t doc_finding_count(json_t *doc, const char *file, const char *code)
{
    return json_integer_value(json_object_get(doc_finding(doc, file, code), "count"));
}

static inline void doc_show_findings(json_t *doc)
{
    char *text = json_dumps(json_object_get(doc, "findings"), JSON_INDENT(1));

    printf("# findings: %s\n", text);
    free(text);
}

#endif
