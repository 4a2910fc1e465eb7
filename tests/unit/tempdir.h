// SPDX-License-Identifier: GPL-2.0-or-later
// A folder for one test, below TMPDIR.
#ifndef SWEEPD_TESTS_TEMPDIR_H
#define SWEEPD_TESTS_TEMPDIR_H

#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEMPDIR_MAX = 256, TEMPDIR_DESCRIPTORS = 16 };

static inline bool tempdir_make(char path[TEMPDIR_MAX])
{
    const char *base = getenv("TMPDIR");

    snprintf(path, TEMPDIR_MAX, "%s/test.XXXXXX", base ? base : "/tmp");
    return mkdtemp(path) != NULL;
}

static inline int tempdir_remove_one(const char *path, const struct stat *st, int kind,
                                     struct FTW *ftw)
{
    (void)st;
    (void)kind;
    (void)ftw;
    return remove(path);
}

static inline bool tempdir_remove(const char *path)
{
    return nftw(path, tempdir_remove_one, TEMPDIR_DESCRIPTORS, FTW_DEPTH | FTW_PHYS) == 0;
}

#endif
