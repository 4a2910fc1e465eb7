// SPDX-License-Identifier: GPL-2.0-or-later
#include "ingest/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

struct source {
    const struct root *root;
    struct findings *findings;
    enum source_need need;
    char name[FILE_NAME_MAX];
    int fd;
    struct stat before;
    int64_t max;
    int64_t read;
    bool failed;
    struct hash *hash;
    char chunk[INGEST_READ_CHUNK];
};

static enum severity severity_of(enum source_need need)
{
    return need == SOURCE_REQUIRED ? SEVERITY_ERROR : SEVERITY_WARNING;
}

static void report_open(const char *name, enum source_need need, int rc, struct findings *f)
{
    struct place place = place_file(name);

    if (rc == -ENOENT || rc == -ENOTDIR) {
        if (need != SOURCE_OPTIONAL)
            findings_add(f, severity_of(need), "missing", place, "the file is not there");
        return;
    }
    if (rc == -ELOOP || rc == -EXDEV) {
        findings_add(f, severity_of(need), "link", place,
                     "a symbolic link or a way out of the folder: not read");
        return;
    }
    findings_add(f, severity_of(need), "unreadable", place, "cannot open: %s", strerror(-rc));
}

struct source *source_open(const struct root *root, const char *name, enum source_need need,
                           int64_t max, struct findings *findings)
{
    struct stat st;
    int fd = root_file(root, name);

    if (fd < 0) {
        report_open(name, need, fd, findings);
        return NULL;
    }
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
        close(fd);
        findings_add(findings, severity_of(need), "not_a_file", place_file(name),
                     "not a regular file: not read");
        return NULL;
    }
    posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    struct source *s = mem_alloc(sizeof(*s));

    s->root = root;
    s->findings = findings;
    s->need = need;
    str_copy(s->name, sizeof(s->name), name);
    s->fd = fd;
    s->before = st;
    s->max = max;
    s->hash = hash_create();
    return s;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

size_t source_read(struct source *s, const char **ret_bytes)
{
    // A file that grows is not followed: it could grow for ever.
    int64_t left = smaller(s->before.st_size, s->max) - s->read;
    ssize_t n;

    if (left <= 0 || s->failed)
        return 0;
    do {
        n = read(s->fd, s->chunk, (size_t)smaller(left, sizeof(s->chunk)));
    } while (n < 0 && errno == EINTR);
    if (n < 0) {
        s->failed = true;
        findings_add(s->findings, severity_of(s->need), "unreadable",
                     (struct place){s->name, 0, s->read}, "cannot read: %s", strerror(errno));
    }
    if (n <= 0)
        return 0;
    s->read += n;
    hash_add(s->hash, s->chunk, (size_t)n);
    *ret_bytes = s->chunk;
    return (size_t)n;
}

const char *source_name(const struct source *s)
{
    return s->name;
}

int64_t source_size(const struct source *s)
{
    return s->before.st_size;
}

static bool same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static void find_change(struct source *s)
{
    struct stat open_file, named;

    // Both the file that was read and the one that has its name now.
    if (fstat(s->fd, &open_file) == 0 && same(&s->before, &open_file) &&
        root_stat(s->root, s->name, &named) == 0 && same(&s->before, &named))
        return;
    findings_add(s->findings, severity_of(s->need), "changed", place_file(s->name),
                 "the file changed while it was read");
}

void source_close(struct source *s, struct artifacts *ret)
{
    char hex[HASH_HEX];

    if (!s)
        return;
    find_change(s);
    close(s->fd);
    hash_finish(s->hash, hex);
    if (ret->count < FILES_MAX) {
        struct artifact *a = &ret->list[ret->count++];

        str_copy(a->name, sizeof(a->name), s->name);
        a->bytes = s->before.st_size;
        a->read = s->read;
        str_copy(a->sha256, sizeof(a->sha256), s->read == s->before.st_size ? hex : "");
    }
    free(s);
}
