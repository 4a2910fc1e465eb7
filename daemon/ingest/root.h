// SPDX-License-Identifier: GPL-2.0-or-later
// The folder that is read. A name below it never leads out of it and no
// symbolic link is followed, whatever the job left behind.
#ifndef SWEEPD_INGEST_ROOT_H
#define SWEEPD_INGEST_ROOT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/err.h"
#include "ingest/limits.h"

struct root {
    int fd;
};

int root_open(struct root *r, const char *path, struct err *e) MUST_CHECK;
void root_close(struct root *r);

// Opens what `name` (relative, slashes allowed) is for reading; a descriptor or
// -errno. -ELOOP: a symbolic link is in the way. Never blocks on a FIFO.
int root_file(const struct root *r, const char *name);
bool root_is_file(const struct root *r, const char *name); // a link is not
bool root_is_folder(const struct root *r, const char *name);
// Like fstat of the file that the name means now; 0 or -errno.
int root_stat(const struct root *r, const char *name, struct stat *ret);

struct names {
    char (*list)[FILE_NAME_MAX];
    size_t count;
    size_t cap;
    bool more; // LAYOUT_ENTRIES_MAX was reached
};

// The entries of a folder in byte order, without `.` and `..`. 0 or -errno.
int root_list(const struct root *r, const char *folder, struct names *ret);
void names_free(struct names *n);

// "folder/name", or "name" when the folder is "." or empty. Returns buf.
const char *path_join(const char *folder, const char *name, char *buf, size_t size);

#endif
