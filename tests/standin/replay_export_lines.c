// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/standin/replay_export_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

enum { BUFFER_BYTES = 65536 };

struct held {
    int lane;
    struct str text;
};

struct lines {
    int fd;
    int error;
    int64_t end_ns; // of what is held back
    struct held *held;
    size_t count;
    size_t cap;
    struct str buffer;
};

struct lines *lines_create(int fd)
{
    struct lines *l = mem_alloc(sizeof(*l));

    l->fd = fd;
    return l;
}

static void write_out(struct lines *l)
{
    const char *at = l->buffer.p;
    size_t left = l->buffer.len;

    while (left && !l->error) {
        ssize_t n = write(l->fd, at, left);

        if (n < 0 && errno != EINTR)
            l->error = errno;
        if (n > 0) {
            at += n;
            left -= (size_t)n;
        }
    }
    str_clear(&l->buffer);
}

static int by_lane(const void *a, const void *b)
{
    return ((const struct held *)a)->lane - ((const struct held *)b)->lane;
}

static void release(struct lines *l)
{
    if (l->count > 1)
        qsort(l->held, l->count, sizeof(*l->held), by_lane);
    for (size_t i = 0; i < l->count; i++) {
        str_add_bytes(&l->buffer, l->held[i].text.p, l->held[i].text.len);
        str_free(&l->held[i].text);
    }
    l->count = 0;
    if (l->buffer.len >= BUFFER_BYTES)
        write_out(l);
}

void lines_add(struct lines *l, int64_t end_ns, int lane, struct str *text)
{
    if (l->count && end_ns != l->end_ns)
        release(l);
    l->end_ns = end_ns;
    l->held = mem_room(l->held, l->count, &l->cap, sizeof(*l->held));
    l->held[l->count++] = (struct held){lane, *text};
    *text = (struct str){0};
}

int lines_close(struct lines *l, struct err *e)
{
    release(l);
    write_out(l);
    int error = l->error;
    str_free(&l->buffer);
    free(l->held);
    free(l);
    return error ? err_set(e, -error, "cannot write the records: %s", strerror(error)) : 0;
}
