// SPDX-License-Identifier: GPL-2.0-or-later
#include "slurm/lines.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 65536 };

// Hands out the next line of the buffer, when there is a whole one.
static bool next_line(struct lines *l, const char **ret, size_t *ret_len)
{
    const char *from = str_text(&l->buffer) + l->used;
    size_t left = l->buffer.len - l->used;
    const char *end = left ? memchr(from, '\n', left) : NULL;

    if (!end)
        return false;
    *ret = from;
    *ret_len = (size_t)(end - from);
    l->used += *ret_len + 1;
    return true;
}

static void forget_used(struct lines *l)
{
    struct str rest = {0};

    if (!l->used)
        return;
    str_add_bytes(&rest, l->buffer.p + l->used, l->buffer.len - l->used);
    str_free(&l->buffer);
    l->buffer = rest;
    l->used = 0;
}

// Returns 1 when bytes were added, 0 at the end, or a negative errno.
static int fill(struct lines *l, const sigset_t *wait_mask)
{
    struct pollfd fd = {.fd = l->in, .events = POLLIN};
    char chunk[CHUNK];

    if (ppoll(&fd, 1, NULL, wait_mask) < 0)
        return -errno;
    ssize_t n = read(l->in, chunk, sizeof(chunk));
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 1 : -errno;
    str_add_bytes(&l->buffer, chunk, (size_t)n);
    return n > 0;
}

int lines_read(struct lines *l, const sigset_t *wait_mask, const char **ret, size_t *ret_len)
{
    for (;;) {
        if (next_line(l, ret, ret_len)) {
            if (!l->skipping)
                return 1;
            l->skipping = false; // that was the tail of the long line
            continue;
        }
        forget_used(l);
        if (l->buffer.len > LINE_MAX_BYTES || l->skipping) {
            bool first = !l->skipping;

            str_free(&l->buffer);
            l->skipping = true;
            if (first)
                return -EMSGSIZE;
        }
        int rc = fill(l, wait_mask);
        if (rc <= 0)
            return rc;
    }
}

void lines_free(struct lines *l)
{
    str_free(&l->buffer);
    l->used = 0;
}

int lines_write(int fd, const char *bytes, size_t len)
{
    while (len) {
        ssize_t n = write(fd, bytes, len);

        if (n < 0 && errno == EAGAIN) {
            struct pollfd p = {.fd = fd, .events = POLLOUT};

            poll(&p, 1, -1);
        } else if (n < 0 && errno != EINTR) {
            return -errno;
        } else if (n > 0) {
            bytes += n;
            len -= (size_t)n;
        }
    }
    return 0;
}
