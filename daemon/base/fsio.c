// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/fsio.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"

enum { READ_CHUNK = 65536, COPY_MAX = 256 * 1024 * 1024 };

static int fail(struct err *e, const char *what, const char *path)
{
    return err_set(e, -errno, "%s %s: %s", what, path, strerror(errno));
}

int fs_read(const char *path, size_t max, struct str *ret, struct err *e)
{
    char chunk[READ_CHUNK];
    struct stat st;
    ssize_t n;
    int rc = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

    str_clear(ret);
    if (fd < 0)
        return fail(e, "cannot open", path);
    if (fstat(fd, &st) < 0)
        rc = fail(e, "cannot stat", path);
    else if (!S_ISREG(st.st_mode))
        rc = err_set(e, -EINVAL, "%s is not a regular file", path);
    while (!rc && (n = read(fd, chunk, sizeof(chunk))) != 0) {
        if (n < 0)
            rc = fail(e, "cannot read", path);
        else if (ret->len + (size_t)n > max)
            rc = err_set(e, -EFBIG, "%s is larger than %zu bytes", path, max);
        else
            str_add_bytes(ret, chunk, (size_t)n);
    }
    close(fd);
    return rc;
}

static int write_all(int fd, const char *bytes, size_t len)
{
    while (len) {
        ssize_t n = write(fd, bytes, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        bytes += n;
        len -= (size_t)n;
    }
    return 0;
}

// Leaves a synced file under a unique temporary name beside path.
static int write_temp(const char *path, const void *bytes, size_t len, mode_t mode,
                      char temp[PATH_MAX], struct err *e)
{
    char unique[TOKEN_HEX];

    token_make(unique);
    if (snprintf(temp, PATH_MAX, "%s.%s.tmp", path, unique) >= PATH_MAX)
        return err_set(e, -ENAMETOOLONG, "%s: path too long", path);
    int fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0)
        return fail(e, "cannot create", temp);
    int rc = write_all(fd, bytes, len);
    if (!rc && fsync(fd) < 0)
        rc = -errno;
    if (close(fd) < 0 && !rc)
        rc = -errno;
    if (rc) {
        unlink(temp);
        return err_set(e, rc, "cannot write %s: %s", temp, strerror(-rc));
    }
    return 0;
}

int fs_write_atomic(const char *path, const void *bytes, size_t len, mode_t mode, struct err *e)
{
    char temp[PATH_MAX];
    int rc = write_temp(path, bytes, len, mode, temp, e);

    if (rc)
        return rc;
    if (rename(temp, path) < 0) {
        rc = fail(e, "cannot rename to", path);
        unlink(temp);
    }
    return rc;
}

static bool holds(const char *path, const void *bytes, size_t len)
{
    struct str there = {0};
    bool same =
        fs_read(path, len, &there, NULL) == 0 && there.len == len && !memcmp(there.p, bytes, len);

    str_free(&there);
    return same;
}

int fs_create_once(const char *path, const void *bytes, size_t len, struct err *e)
{
    enum { CLAIM_MODE = 0644 };
    char temp[PATH_MAX];
    int rc = write_temp(path, bytes, len, CLAIM_MODE, temp, e);

    if (rc)
        return rc;
    if (link(temp, path) < 0) {
        rc = fail(e, "cannot link", path);
        if (rc == -EEXIST && holds(path, bytes, len))
            rc = 0;
    }
    unlink(temp);
    return rc;
}

int fs_make_dirs(const char *path, mode_t mode, struct err *e)
{
    char part[PATH_MAX];

    if (!str_copy(part, sizeof(part), path))
        return err_set(e, -ENAMETOOLONG, "%s: path too long", path);
    for (char *p = part + 1; *p; p++) {
        if (*p != '/')
            continue;
        *p = '\0';
        if (mkdir(part, mode) < 0 && errno != EEXIST)
            return fail(e, "cannot make folder", part);
        *p = '/';
    }
    if (mkdir(part, mode) < 0 && errno != EEXIST)
        return fail(e, "cannot make folder", part);
    return 0;
}

int fs_copy(const char *from, const char *to, mode_t mode, struct err *e)
{
    struct str bytes = {0};
    int rc = fs_read(from, COPY_MAX, &bytes, e);

    if (!rc)
        rc = fs_write_atomic(to, str_text(&bytes), bytes.len, mode, e);
    str_free(&bytes);
    return rc;
}

bool fs_exists(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0;
}
