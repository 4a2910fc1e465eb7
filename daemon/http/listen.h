// SPDX-License-Identifier: GPL-2.0-or-later
// Listening sockets and who is at the other end of what they accept.
#ifndef SWEEPD_HTTP_LISTEN_H
#define SWEEPD_HTTP_LISTEN_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "base/err.h"

enum { PEER_TEXT_MAX = 64, LISTEN_BACKLOG = 511 };

struct listener {
    int fd;      // -1: closed or never opened
    int lock_fd; // unix: held while the path is ours
    char *path;  // unix: the socket file
    dev_t dev;   // unix: the file that we made
    ino_t ino;
    unsigned port; // TCP
};

struct peer {
    struct sockaddr_storage address;
    socklen_t address_len;
    bool local; // unix socket: the credentials are those of connect(2)
    uid_t uid;
    gid_t gid;
    pid_t pid;
    char text[PEER_TEXT_MAX]; // "unix" or the address without the port
};

void listener_init(struct listener *l); // closed

// Listens on a socket file. What is there already is replaced only when it is a
// socket that nobody listens on; a lock file beside it (path + ".lock") keeps
// two daemons from doing so at the same time. -EADDRINUSE when it is in use,
// -EEXIST when it is no socket, -ENAMETOOLONG.
int listen_unix(const char *path, mode_t mode, struct listener *ret, struct err *e) MUST_CHECK;
// "address:port", "[address]:port"; numeric, since a name lookup would block.
int listen_tcp(const char *address, struct listener *ret, struct err *e) MUST_CHECK;

// Accepts one connection: its descriptor (non-blocking, close-on-exec), or a
// negative errno value (-EAGAIN: nobody waits).
int listener_accept(const struct listener *l, struct peer *ret);
// Do two connections count against the same limit: one uid, or one address?
bool peer_same(const struct peer *a, const struct peer *b);

// Stops listening and removes the socket file if it is still ours.
void listener_close(struct listener *l);

#endif
