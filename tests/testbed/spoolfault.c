// SPDX-License-Identifier: GPL-2.0-or-later
// A shared file system that hangs or is full, without root and without a mount: loaded into
// a program with LD_PRELOAD, this holds or refuses the program's file calls below
// TESTBED_SPOOL.
//
//   TESTBED_SPOOL_FAULTS/frozen   while it exists, calls that name a path below the spool, and
//                                 writes and syncs of a file there, do not return
//   TESTBED_SPOOL_FAULTS/full     while it exists, what would need a new block fails: ENOSPC
//
// Unlike a hung NFS mount it does not hold reads of a file that is open already (think of
// the page cache), nor what stdio writes through an open FILE. A held call ends with a
// signal that ends the process, as there.
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum {
    HOLD_LOOK_NS = 20000000, // how often a held call looks whether it may go on
    FD_LINK_MAX = 40,        // "/proc/self/fd/2147483647"
};

enum need { NEEDS_NOTHING, NEEDS_SPACE };

static bool flag_set(const char *name)
{
    const char *folder = getenv("TESTBED_SPOOL_FAULTS");
    char path[PATH_MAX];

    if (!folder || snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
        return false;
    return syscall(SYS_faccessat, AT_FDCWD, path, F_OK) == 0;
}

static bool below_spool(const char *path)
{
    const char *spool = getenv("TESTBED_SPOOL");
    size_t len = spool ? strlen(spool) : 0;

    return len && strncmp(path, spool, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

// The path behind a descriptor; AT_FDCWD is the working directory.
static bool path_of(int fd, char *ret, size_t size)
{
    char link[FD_LINK_MAX] = "/proc/self/cwd";
    long len;

    if (fd != AT_FDCWD)
        snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    len = syscall(SYS_readlinkat, AT_FDCWD, link, ret, size - 1);
    if (len < 0)
        return false;
    ret[len] = '\0';
    return true;
}

static bool in_spool(int dir, const char *path)
{
    char full[PATH_MAX];

    if (path && path[0] == '/')
        return below_spool(path);
    return path_of(dir, full, sizeof(full)) && below_spool(full);
}

// Holds the call while the spool is frozen; true, with errno set, when it must fail.
static bool fault(int dir, const char *path, enum need need)
{
    static const struct timespec pause = {.tv_nsec = HOLD_LOOK_NS};
    int saved = errno;
    bool frozen = flag_set("frozen"), full = need == NEEDS_SPACE && flag_set("full");

    if ((!frozen && !full) || !in_spool(dir, path)) {
        errno = saved;
        return false;
    }
    while (flag_set("frozen"))
        nanosleep(&pause, NULL);
    full = need == NEEDS_SPACE && flag_set("full");
    errno = full ? ENOSPC : saved;
    return full;
}

static bool fd_fault(int fd, enum need need)
{
    return fault(fd, NULL, need);
}

// --- open ----------------------------------------------------------------------

static int open_file(int dir, const char *path, int flags, mode_t mode)
{
    bool makes = (flags & O_CREAT) && syscall(SYS_faccessat, dir, path, F_OK) < 0;

    if (fault(dir, path, makes ? NEEDS_SPACE : NEEDS_NOTHING))
        return -1;
    return (int)syscall(SYS_openat, dir, path, flags, mode);
}

// Declares `mode`: an argument that is there only when `flags` may make a file.
#define MODE_ARGUMENT                                                                              \
    mode_t mode = 0;                                                                               \
    if ((flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE) {                                   \
        va_list list;                                                                              \
        va_start(list, flags);                                                                     \
        mode = va_arg(list, mode_t);                                                               \
        va_end(list);                                                                              \
    }

int open(const char *path, int flags, ...)
{
    MODE_ARGUMENT
    return open_file(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    MODE_ARGUMENT
    return open_file(AT_FDCWD, path, flags, mode);
}

int openat(int dir, const char *path, int flags, ...)
{
    MODE_ARGUMENT
    return open_file(dir, path, flags, mode);
}

int openat64(int dir, const char *path, int flags, ...)
{
    MODE_ARGUMENT
    return open_file(dir, path, flags, mode);
}

int creat(const char *path, mode_t mode)
{
    return open_file(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

int creat64(const char *path, mode_t mode)
{
    return creat(path, mode);
}

// What the headers call instead in programs built with _FORTIFY_SOURCE.
// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dir, const char *path, int flags);
int __openat64_2(int dir, const char *path, int flags);

int __open_2(const char *path, int flags)
{
    return open_file(AT_FDCWD, path, flags, 0);
}

int __open64_2(const char *path, int flags)
{
    return open_file(AT_FDCWD, path, flags, 0);
}

int __openat_2(int dir, const char *path, int flags)
{
    return open_file(dir, path, flags, 0);
}

int __openat64_2(int dir, const char *path, int flags)
{
    return open_file(dir, path, flags, 0);
}
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)

// These two are more than one system call: the C library's own are looked up.
static void real(const char *name, void *ret_function)
{
    void *found = dlsym(RTLD_NEXT, name);

    if (!found)
        abort();
    memcpy(ret_function, &found, sizeof(found));
}

static FILE *open_stream(const char *name, const char *path, const char *mode)
{
    FILE *(*function)(const char *, const char *);
    bool makes = mode[0] != 'r' && syscall(SYS_faccessat, AT_FDCWD, path, F_OK) < 0;

    if (fault(AT_FDCWD, path, makes ? NEEDS_SPACE : NEEDS_NOTHING))
        return NULL;
    real(name, &function);
    return function(path, mode);
}

FILE *fopen(const char *path, const char *mode)
{
    return open_stream("fopen", path, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
    return open_stream("fopen64", path, mode);
}

DIR *opendir(const char *path)
{
    DIR *(*function)(const char *);

    if (fault(AT_FDCWD, path, NEEDS_NOTHING))
        return NULL;
    real("opendir", &function);
    return function(path);
}

// --- look ----------------------------------------------------------------------

int fstatat(int dir, const char *path, struct stat *ret, int flags)
{
    if (fault(dir, path, NEEDS_NOTHING))
        return -1;
    return (int)syscall(SYS_newfstatat, dir, path, ret, flags);
}

int stat(const char *path, struct stat *ret)
{
    return fstatat(AT_FDCWD, path, ret, 0);
}

int lstat(const char *path, struct stat *ret)
{
    return fstatat(AT_FDCWD, path, ret, AT_SYMLINK_NOFOLLOW);
}

int fstatat64(int dir, const char *path, struct stat64 *ret, int flags)
{
    if (fault(dir, path, NEEDS_NOTHING))
        return -1;
    return (int)syscall(SYS_newfstatat, dir, path, ret, flags);
}

int stat64(const char *path, struct stat64 *ret)
{
    return fstatat64(AT_FDCWD, path, ret, 0);
}

int lstat64(const char *path, struct stat64 *ret)
{
    return fstatat64(AT_FDCWD, path, ret, AT_SYMLINK_NOFOLLOW);
}

int statx(int dir, const char *path, int flags, unsigned mask, struct statx *ret)
{
    if (fault(dir, path, NEEDS_NOTHING))
        return -1;
    return (int)syscall(SYS_statx, dir, path, flags, mask, ret);
}

int faccessat(int dir, const char *path, int mode, int flags)
{
    if (fault(dir, path, NEEDS_NOTHING))
        return -1;
    if (flags)
        return (int)syscall(SYS_faccessat2, dir, path, mode, flags);
    return (int)syscall(SYS_faccessat, dir, path, mode);
}

int access(const char *path, int mode)
{
    return faccessat(AT_FDCWD, path, mode, 0);
}

// --- change --------------------------------------------------------------------

int mkdirat(int dir, const char *path, mode_t mode)
{
    if (fault(dir, path, NEEDS_SPACE))
        return -1;
    return (int)syscall(SYS_mkdirat, dir, path, mode);
}

int mkdir(const char *path, mode_t mode)
{
    return mkdirat(AT_FDCWD, path, mode);
}

int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags)
{
    if (fault(to_dir, to, NEEDS_SPACE))
        return -1;
    return (int)syscall(SYS_linkat, from_dir, from, to_dir, to, flags);
}

int link(const char *from, const char *to)
{
    return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int symlinkat(const char *target, int dir, const char *path)
{
    if (fault(dir, path, NEEDS_SPACE))
        return -1;
    return (int)syscall(SYS_symlinkat, target, dir, path);
}

int symlink(const char *target, const char *path)
{
    return symlinkat(target, AT_FDCWD, path);
}

int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
    if (fault(to_dir, to, NEEDS_NOTHING))
        return -1;
    return (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, flags);
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
    return renameat2(from_dir, from, to_dir, to, 0);
}

int rename(const char *from, const char *to)
{
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int unlinkat(int dir, const char *path, int flags)
{
    if (fault(dir, path, NEEDS_NOTHING))
        return -1;
    return (int)syscall(SYS_unlinkat, dir, path, flags);
}

int unlink(const char *path)
{
    return unlinkat(AT_FDCWD, path, 0);
}

int rmdir(const char *path)
{
    return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

// --- write and sync --------------------------------------------------------------

ssize_t write(int fd, const void *bytes, size_t len)
{
    if (fd_fault(fd, NEEDS_SPACE))
        return -1;
    return syscall(SYS_write, fd, bytes, len);
}

ssize_t pwrite(int fd, const void *bytes, size_t len, off_t at)
{
    if (fd_fault(fd, NEEDS_SPACE))
        return -1;
    return syscall(SYS_pwrite64, fd, bytes, len, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t len, off64_t at)
{
    return pwrite(fd, bytes, len, at);
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
    if (fd_fault(fd, NEEDS_SPACE))
        return -1;
    return syscall(SYS_writev, fd, parts, count);
}

ssize_t copy_file_range(int from, off64_t *from_at, int to, off64_t *to_at, size_t len,
                        unsigned flags)
{
    if (fd_fault(to, NEEDS_SPACE))
        return -1;
    return syscall(SYS_copy_file_range, from, from_at, to, to_at, len, flags);
}

ssize_t sendfile(int to, int from, off_t *at, size_t len)
{
    if (fd_fault(to, NEEDS_SPACE))
        return -1;
    return syscall(SYS_sendfile, to, from, at, len);
}

ssize_t sendfile64(int to, int from, off64_t *at, size_t len)
{
    return sendfile(to, from, at, len);
}

int fsync(int fd)
{
    if (fd_fault(fd, NEEDS_NOTHING))
        return -1;
    return (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd)
{
    if (fd_fault(fd, NEEDS_NOTHING))
        return -1;
    return (int)syscall(SYS_fdatasync, fd);
}
