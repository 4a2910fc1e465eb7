// SPDX-License-Identifier: GPL-2.0-or-later
#include "ingest/root.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

int root_open(struct root *r, const char *path, struct err *e)
{
    r->fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (r->fd < 0)
        return err_set(e, -errno, "cannot open the folder %s: %s", path, strerror(errno));
    return 0;
}

void root_close(struct root *r)
{
    if (r->fd >= 0)
        close(r->fd);
    r->fd = -1;
}

// For kernels without openat2: the same, one component at a time.
static int open_by_parts(int dir, const char *name, int flags)
{
    char part[FILE_NAME_MAX];
    int fd = openat(dir, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);

    while (fd >= 0) {
        size_t len = strcspn(name, "/");
        bool last = name[len] == '\0';

        if (len == 0 || len >= sizeof(part)) {
            close(fd);
            return -EINVAL;
        }
        memcpy(part, name, len);
        part[len] = '\0';
        if (!strcmp(part, "..")) {
            close(fd);
            return -EXDEV;
        }
        int next = openat(fd, part, O_NOFOLLOW | O_CLOEXEC | (last ? flags : O_PATH | O_DIRECTORY));
        int saved = errno;

        close(fd);
        if (next < 0)
            return -saved;
        if (last)
            return next;
        fd = next;
        name += len + 1;
    }
    return -errno;
}

static int open_below(int dir, const char *name, int flags)
{
    struct open_how how = {
        .flags = (unsigned)flags | O_CLOEXEC,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    long fd = syscall(SYS_openat2, dir, name, &how, sizeof(how));

    if (fd >= 0)
        return (int)fd;
    if (errno != ENOSYS && errno != EPERM)
        return -errno;
    return open_by_parts(dir, name, flags);
}

int root_file(const struct root *r, const char *name)
{
    return open_below(r->fd, name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
}

int root_stat(const struct root *r, const char *name, struct stat *ret)
{
    int fd = open_below(r->fd, name, O_PATH | O_NOFOLLOW);
    int rc = 0;

    if (fd < 0)
        return fd;
    if (fstat(fd, ret) < 0)
        rc = -errno;
    close(fd);
    return rc;
}

bool root_is_file(const struct root *r, const char *name)
{
    struct stat st;

    return root_stat(r, name, &st) == 0 && S_ISREG(st.st_mode);
}

bool root_is_folder(const struct root *r, const char *name)
{
    struct stat st;

    return root_stat(r, name, &st) == 0 && S_ISDIR(st.st_mode);
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void list_add(struct names *n, const char *name)
{
    if (!strcmp(name, ".") || !strcmp(name, "..") || strlen(name) >= FILE_NAME_MAX / 2)
        return;
    if (n->count == LAYOUT_ENTRIES_MAX) {
        n->more = true;
        return;
    }
    n->list = mem_room(n->list, n->count, &n->cap, sizeof(*n->list));
    str_copy(n->list[n->count++], FILE_NAME_MAX, name);
}

int root_list(const struct root *r, const char *folder, struct names *ret)
{
    int fd = open_below(r->fd, folder, O_RDONLY | O_DIRECTORY);
    struct dirent *entry;

    memset(ret, 0, sizeof(*ret));
    if (fd < 0)
        return fd;
    DIR *dir = fdopendir(fd);
    if (!dir) {
        int rc = -errno;

        close(fd);
        return rc;
    }
    while (!ret->more && (entry = readdir(dir)))
        list_add(ret, entry->d_name);
    closedir(dir);
    if (ret->count)
        qsort(ret->list, ret->count, sizeof(*ret->list), by_bytes);
    return 0;
}

void names_free(struct names *n)
{
    free(n->list);
    memset(n, 0, sizeof(*n));
}

const char *path_join(const char *folder, const char *name, char *buf, size_t size)
{
    if (!*folder || !strcmp(folder, "."))
        snprintf(buf, size, "%s", name);
    else
        snprintf(buf, size, "%s/%s", folder, name);
    return buf;
}
