// SPDX-License-Identifier: GPL-2.0-or-later
#include "http/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

enum { ADDRESS_TEXT_MAX = 128 };

void listener_init(struct listener *l)
{
    *l = (struct listener){.fd = -1, .lock_fd = -1};
}

// Held until listener_close. The lock goes with the process, so a file left
// behind by a dead one stops nobody.
static int take_lock(const char *path, struct listener *l, struct err *e)
{
    struct str name = {0};
    int r = 0;

    str_addf(&name, "%s.lock", path);
    l->lock_fd = open(name.p, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (l->lock_fd < 0)
        r = err_set(e, -errno, "cannot open the lock file %s: %s", name.p, strerror(errno));
    else if (flock(l->lock_fd, LOCK_EX | LOCK_NB) < 0)
        r = err_set(e, -EADDRINUSE,
                    "the socket %s belongs to another running daemon: stop it, or set another path",
                    path);
    str_free(&name);
    return r;
}

static int fill_unix(const char *path, struct sockaddr_un *ret, struct err *e)
{
    *ret = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (!str_copy(ret->sun_path, sizeof(ret->sun_path), path))
        return err_set(e, -ENAMETOOLONG, "the socket path %s is longer than %zu bytes: shorten it",
                       path, sizeof(ret->sun_path) - 1);
    return 0;
}

// Does anybody listen there? A full backlog (EAGAIN) is a living listener.
static bool answers(const struct sockaddr_un *address)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool alive = fd >= 0 && (connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0 ||
                             errno == EAGAIN);

    if (fd >= 0)
        close(fd);
    return alive;
}

static int clear_stale(const struct sockaddr_un *address, struct err *e)
{
    const char *path = address->sun_path;
    struct stat st;

    if (lstat(path, &st) < 0) {
        if (errno == ENOENT)
            return 0;
        return err_set(e, -errno, "cannot look at the socket %s: %s", path, strerror(errno));
    }
    if (!S_ISSOCK(st.st_mode))
        return err_set(e, -EEXIST, "%s exists and is no socket: remove it, or set another path",
                       path);
    if (answers(address))
        return err_set(e, -EADDRINUSE,
                       "another program listens on %s: stop it, or set another path", path);
    if (unlink(path) < 0 && errno != ENOENT)
        return err_set(e, -errno, "cannot remove the stale socket %s: %s", path, strerror(errno));
    return 0;
}

// The mode is set between bind and listen, while nobody can connect.
static int bind_unix(const struct sockaddr_un *address, mode_t mode, struct listener *l,
                     struct err *e)
{
    const char *path = address->sun_path;
    struct stat st;

    l->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (l->fd < 0)
        return err_set(e, -errno, "cannot make a unix socket: %s", strerror(errno));
    if (bind(l->fd, (const struct sockaddr *)address, sizeof(*address)) < 0)
        return err_set(e, -errno, "cannot bind the socket %s: %s", path, strerror(errno));
    if (lstat(path, &st) < 0)
        return err_set(e, -errno, "the socket %s is gone: %s", path, strerror(errno));
    l->path = mem_strdup(path);
    l->dev = st.st_dev;
    l->ino = st.st_ino;
    if (chmod(path, mode) < 0)
        return err_set(e, -errno, "cannot set the mode of %s: %s", path, strerror(errno));
    if (listen(l->fd, LISTEN_BACKLOG) < 0)
        return err_set(e, -errno, "cannot listen on %s: %s", path, strerror(errno));
    return 0;
}

int listen_unix(const char *path, mode_t mode, struct listener *ret, struct err *e)
{
    struct sockaddr_un address;
    struct listener l;
    int r;

    listener_init(&l);
    r = fill_unix(path, &address, e);
    if (r == 0)
        r = take_lock(path, &l, e);
    if (r == 0)
        r = clear_stale(&address, e);
    if (r == 0)
        r = bind_unix(&address, mode, &l, e);
    if (r < 0) {
        listener_close(&l);
        return r;
    }
    *ret = l;
    return 0;
}

// Splits "host:port"; the brackets of an IPv6 address go.
static int split_address(const char *address, char *host, const char **ret_port)
{
    const char *colon = strrchr(address, ':');
    size_t len;

    if (!colon || colon == address || colon[1] == '\0')
        return -EINVAL;
    len = (size_t)(colon - address);
    if (address[0] == '[') {
        if (len < 3 || address[len - 1] != ']')
            return -EINVAL;
        address++;
        len -= 2;
    }
    if (len >= ADDRESS_TEXT_MAX)
        return -EINVAL;
    memcpy(host, address, len);
    host[len] = '\0';
    *ret_port = colon + 1;
    return 0;
}

// The caller frees the result; NULL when the text is no address.
static struct addrinfo *resolve(const char *address, struct err *e)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC,
                                   .ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE};
    struct addrinfo *found = NULL;
    char host[ADDRESS_TEXT_MAX];
    const char *port;
    int64_t number;

    if (split_address(address, host, &port) < 0 || str_to_i64(port, 0, 65535, &number) < 0 ||
        getaddrinfo(host, port, &hints, &found) != 0) {
        err_set(e, -EINVAL,
                "%s is no numeric address and port: write it like 127.0.0.1:6826 or "
                "[::1]:6826",
                address);
        return NULL;
    }
    return found;
}

static int open_tcp(const char *text, const struct addrinfo *address, struct listener *l,
                    struct err *e)
{
    const int on = 1;

    l->fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (l->fd < 0)
        return err_set(e, -errno, "cannot make a socket for %s: %s", text, strerror(errno));
    // A restart must not wait for the connections of the last run to time out.
    if (setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
        (address->ai_family == AF_INET6 &&
         setsockopt(l->fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) < 0))
        return err_set(e, -errno, "cannot prepare the socket for %s: %s", text, strerror(errno));
    if (bind(l->fd, address->ai_addr, address->ai_addrlen) < 0 || listen(l->fd, LISTEN_BACKLOG) < 0)
        return err_set(e, -errno, "cannot listen on %s: %s%s", text, strerror(errno),
                       errno == EADDRINUSE ? " (another program does; stop it or change the port)"
                                           : "");
    return 0;
}

static unsigned bound_port(int fd)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } address = {.v6 = {0}};
    socklen_t len = sizeof(address);

    if (getsockname(fd, &address.any, &len) < 0)
        return 0;
    return ntohs(address.any.sa_family == AF_INET6 ? address.v6.sin6_port : address.v4.sin_port);
}

int listen_tcp(const char *address, struct listener *ret, struct err *e)
{
    struct addrinfo *found = resolve(address, e);
    struct listener l;
    int r;

    if (!found)
        return -EINVAL;
    listener_init(&l);
    r = open_tcp(address, found, &l, e);
    freeaddrinfo(found);
    if (r < 0) {
        listener_close(&l);
        return r;
    }
    l.port = bound_port(l.fd);
    *ret = l;
    return 0;
}

static int read_credentials(int fd, struct peer *peer)
{
    struct ucred who;
    socklen_t len = sizeof(who);

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) < 0)
        return -errno;
    peer->local = true;
    peer->uid = who.uid;
    peer->gid = who.gid;
    peer->pid = who.pid;
    str_copy(peer->text, sizeof(peer->text), "unix");
    return 0;
}

static const void *raw_address(const struct peer *peer, size_t *ret_len)
{
    if (peer->address.ss_family == AF_INET6) {
        *ret_len = sizeof(struct in6_addr);
        return &((const struct sockaddr_in6 *)&peer->address)->sin6_addr;
    }
    *ret_len = sizeof(struct in_addr);
    return &((const struct sockaddr_in *)&peer->address)->sin_addr;
}

int listener_accept(const struct listener *l, struct peer *ret)
{
    size_t len;
    int fd;
    int r;

    *ret = (struct peer){.address_len = sizeof(ret->address)};
    fd = accept4(l->fd, (struct sockaddr *)&ret->address, &ret->address_len,
                 SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0)
        return -errno;
    if (!l->path) {
        inet_ntop(ret->address.ss_family, raw_address(ret, &len), ret->text, sizeof(ret->text));
        return fd;
    }
    r = read_credentials(fd, ret);
    if (r < 0) {
        close(fd);
        return r;
    }
    return fd;
}

bool peer_same(const struct peer *a, const struct peer *b)
{
    const void *left;
    const void *right;
    size_t len;

    if (a->local || b->local)
        return a->local && b->local && a->uid == b->uid;
    if (a->address.ss_family != b->address.ss_family)
        return false;
    left = raw_address(a, &len);
    right = raw_address(b, &len);
    return memcmp(left, right, len) == 0;
}

void listener_close(struct listener *l)
{
    struct stat st;

    if (l->fd >= 0)
        close(l->fd);
    if (l->path && lstat(l->path, &st) == 0 && st.st_dev == l->dev && st.st_ino == l->ino)
        unlink(l->path);
    if (l->lock_fd >= 0)
        close(l->lock_fd);
    free(l->path);
    listener_init(l);
}
