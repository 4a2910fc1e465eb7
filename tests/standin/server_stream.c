// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/standin/server_stream.h"

#include <inttypes.h>

#include "tests/standin/common_wire.h"

// A piece carries many tokens and one word: what it says is of no use to
// anyone, and the tokens are counted in the usage.
static const char piece[] = "word ";

static void begin(struct str *out, const struct stream_head *h, const char *object)
{
    str_addf(out,
             "{\"id\":\"chatcmpl-%" PRId64 "\",\"object\":\"%s\",\"created\":0,\"model\":\"%s\"",
             h->number, object, h->model);
}

static void event(struct str *out, const struct stream_head *h, int64_t at_ns)
{
    str_addf(out, WIRE_STAMP "%" PRId64 "\ndata: ", at_ns);
    begin(out, h, "chat.completion.chunk");
}

static void add_usage(struct str *out, const struct stream_usage *u)
{
    str_addf(out,
             ",\"usage\":{\"prompt_tokens\":%" PRId64 ",\"completion_tokens\":%" PRId64
             ",\"total_tokens\":%" PRId64,
             u->input, u->output, u->input + u->output);
    if (u->cached >= 0)
        str_addf(out, ",\"prompt_tokens_details\":{\"cached_tokens\":%" PRId64 "}", u->cached);
    str_add_char(out, '}');
}

void stream_chunk(struct str *out, const struct stream_head *h, int64_t at_ns)
{
    event(out, h, at_ns);
    str_addf(out,
             ",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%s\"},"
             "\"finish_reason\":null}]}\n\n",
             piece);
}

void stream_end(struct str *out, const struct stream_head *h, const struct stream_usage *usage,
                int64_t at_ns)
{
    event(out, h, at_ns);
    str_add(out, ",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"length\"}]}\n\n");
    if (usage) {
        event(out, h, at_ns);
        str_add(out, ",\"choices\":[]");
        add_usage(out, usage);
        str_add(out, "}\n\n");
    }
    str_add(out, "data: [DONE]\n\n");
}

void stream_whole(struct str *out, const struct stream_head *h, const struct stream_usage *usage)
{
    begin(out, h, "chat.completion");
    str_addf(out,
             ",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"%s\"},"
             "\"finish_reason\":\"length\"}]",
             piece);
    add_usage(out, usage);
    str_add_char(out, '}');
}
