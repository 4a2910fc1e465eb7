// SPDX-License-Identifier: GPL-2.0-or-later
// Files, written so that a reader never sees half of one. All calls block, on
// a shared file system for as long as its server is away: never on the loop.
#ifndef SWEEPD_BASE_FSIO_H
#define SWEEPD_BASE_FSIO_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/str.h"

// Reads a whole regular file into ret (cleared first). -EFBIG over `max` bytes.
int fs_read(const char *path, size_t max, struct str *ret, struct err *e) MUST_CHECK;

// Writes to a temporary name beside path, syncs, renames.
int fs_write_atomic(const char *path, const void *bytes, size_t len, mode_t mode,
                    struct err *e) MUST_CHECK;

// Makes path with exactly these bytes unless it exists, in one step (link(2)).
// 0: made by us. -EEXIST: it was there. A lost answer of a network file system
// is settled by comparing what is there with what we would have written, so
// `bytes` must be unique to the caller.
int fs_create_once(const char *path, const void *bytes, size_t len, struct err *e) MUST_CHECK;

int fs_make_dirs(const char *path, mode_t mode, struct err *e) MUST_CHECK; // like mkdir -p
int fs_copy(const char *from, const char *to, mode_t mode, struct err *e) MUST_CHECK;
bool fs_exists(const char *path);

#endif
