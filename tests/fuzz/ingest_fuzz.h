// SPDX-License-Identifier: GPL-2.0-or-later
// For the fuzzers of sweep-ingest: one reader on bytes, by way of a file in
// memory, as the program itself reads.
#ifndef SWEEPD_FUZZ_INGEST_H
#define SWEEPD_FUZZ_INGEST_H

#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ingest/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static char fuzz_path[320], fuzz_dir[256];

static inline void fuzz_clean(void)
{
    unlink(fuzz_path);
    rmdir(fuzz_dir);
}

// A folder that holds one file of these bytes. It is made once and goes away
// with the process.
static inline const char *fuzz_folder(const char *name, const uint8_t *bytes, size_t len)
{
    const char *tmp = getenv("TMPDIR");

    if (!fuzz_dir[0]) {
        snprintf(fuzz_dir, sizeof(fuzz_dir), "%s/ingest-fuzz.XXXXXX", tmp ? tmp : "/tmp");
        if (!mkdtemp(fuzz_dir) || atexit(fuzz_clean))
            abort();
        snprintf(fuzz_path, sizeof(fuzz_path), "%s/%s", fuzz_dir, name);
    }
    int fd = open(fuzz_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, bytes, len) != (ssize_t)len || close(fd))
        abort();
    return fuzz_dir;
}

// Reads the file with `read` and demands that the document stays well formed.
static inline void fuzz_reader(const char *name, const uint8_t *bytes, size_t len,
                               void (*read)(struct run *r, struct source *s))
{
    struct run *r = calloc(1, sizeof(*r));
    struct out out = {0};
    struct source *s;
    struct err e;

    if (!r || root_open(&r->root, fuzz_folder(name, bytes, len), &e))
        abort();
    summary_init(&r->summary);
    metrics_init(&r->metrics);
    r->context.tp = 4;
    s = source_open(&r->root, name, SOURCE_REQUIRED, INT64_MAX, &r->findings);
    if (!s)
        abort();
    read(r, s);
    source_close(s, &r->artifacts);
    report_write(&out, r);
    json_t *doc = json_loadb(str_text(&out.text), out.text.len, 0, NULL);
    if (!doc)
        abort();
    json_decref(doc);
    out_free(&out);
    summary_free(&r->summary);
    requests_free(&r->requests);
    root_close(&r->root);
    free(r);
}

#endif
