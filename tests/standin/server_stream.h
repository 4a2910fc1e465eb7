// SPDX-License-Identifier: GPL-2.0-or-later
// The text of chat completions: events of a stream, or one object.
#ifndef STANDIN_SERVER_STREAM_H
#define STANDIN_SERVER_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct stream_head {
    int64_t number; // makes the answer's id
    const char *model;
};

struct stream_usage {
    int64_t input;
    int64_t output;
    int64_t cached; // -1: not reported
};

void stream_chunk(struct str *out, const struct stream_head *h, int64_t at_ns);
// The last events; usage NULL when the client did not ask for it.
void stream_end(struct str *out, const struct stream_head *h, const struct stream_usage *usage,
                int64_t at_ns);
void stream_whole(struct str *out, const struct stream_head *h, const struct stream_usage *usage);

#endif
