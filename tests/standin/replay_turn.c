// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/standin/replay_turn.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/standin/common_wire.h"
#include "tests/standin/replay_writer.h"

// An error whose text holds one of these is a prompt over the context.
static const char *const overflow_texts[] = {"context length", "maximum context",
                                             "context_length_exceeded", "prompt is too long"};

static void write_body(const struct record *r, const char *model, struct writer *j)
{
    char text[WIRE_CONV_MAX + 96];

    snprintf(text, sizeof(text), "[rid:%.12s]\n\n%s, turn %d", r->root_id, r->turn.conv,
             r->turn.index);
    writer_open(j, NULL, '{');
    writer_text(j, "model", model);
    writer_open(j, "messages", '[');
    writer_open(j, NULL, '{');
    writer_text(j, "role", "user");
    writer_text(j, "content", text);
    writer_close(j, '}');
    writer_close(j, ']');
    writer_bool(j, "stream", true);
    writer_open(j, "stream_options", '{');
    writer_bool(j, "include_usage", true);
    writer_close(j, '}');
    writer_int(j, "max_completion_tokens", r->turn.output);
    writer_bool(j, "ignore_eos", true);
    writer_close(j, '}');
}

void turn_send(struct net *n, struct lane *l, const struct turn_target *t)
{
    const struct record *r = &l->record;
    struct wire_turn wire = {.lane = l->number,
                             .start_ns = r->start_ns,
                             .warmup = r->warmup,
                             .input = r->turn.input,
                             .prefix = r->turn.prefix};
    char header[WIRE_HEADER_MAX];
    struct writer j = {0};

    snprintf(wire.conv, sizeof(wire.conv), "%s", r->turn.conv);
    wire_format(&wire, header, sizeof(header));
    write_body(r, t->model, &j);
    net_send(n, l->number, &(struct net_request){t->url, j.out.p, header});
    writer_free(&j);
}

static int64_t tokens(const json_t *usage, const char *name)
{
    return json_integer_value(json_object_get(usage, name));
}

static void read_usage(struct record *r, const char *text)
{
    json_t *event = json_loads(text, 0, NULL);
    const json_t *usage = json_object_get(event, "usage");

    if (json_is_object(usage)) {
        r->input = tokens(usage, "prompt_tokens");
        r->output = tokens(usage, "completion_tokens");
        r->cached = tokens(json_object_get(usage, "prompt_tokens_details"), "cached_tokens");
    }
    json_decref(event);
}

void turn_line(struct lane *l, const char *line)
{
    struct record *r = &l->record;

    if (str_starts(line, WIRE_STAMP)) {
        l->stamp_ns = strtoll(line + strlen(WIRE_STAMP), NULL, 10);
        return;
    }
    if (!str_starts(line, "data: "))
        return;
    line += strlen("data: ");
    if (strcmp(line, "[DONE]") == 0)
        l->complete = true;
    else if (strstr(line, "\"usage\":{"))
        read_usage(r, line);
    else if (strstr(line, "\"content\":\"") && r->chunk_count < RECORD_CHUNKS_MAX)
        r->chunks[r->chunk_count++] = l->stamp_ns;
}

static void set_error(struct record *r, int code, const char *type, const char *message)
{
    r->error.code = code;
    str_copy(r->error.type, sizeof(r->error.type), type);
    str_copy(r->error.message, sizeof(r->error.message), message);
}

static const char *reason_phrase(int status)
{
    switch (status) {
    case 400:
        return "Bad Request";
    case 404:
        return "Not Found";
    case 500:
        return "Internal Server Error";
    case 503:
        return "Service Unavailable";
    default:
        return "HTTP Error";
    }
}

static void read_refusal(struct record *r, const struct net_answer *a)
{
    json_t *body = json_loads(str_text(a->body), 0, NULL);
    const char *message = json_string_value(json_object_get(body, "message"));

    set_error(r, a->status, reason_phrase(a->status), message ? message : "");
    for (size_t i = 0; message && i < sizeof(overflow_texts) / sizeof(overflow_texts[0]); i++)
        if (strcasestr(message, overflow_texts[i]))
            r->overflow = true;
    json_decref(body);
}

void turn_done(struct lane *l, const struct net_answer *a, bool cancelling, int64_t now_ns)
{
    struct record *r = &l->record;
    char text[120];

    r->end_ns = l->stamp_ns;
    if (a->status == 200 && !a->error && l->complete)
        return;
    if (a->status >= 400) {
        r->end_ns = a->stamp_ns >= r->start_ns ? a->stamp_ns : r->start_ns;
        read_refusal(r, a);
        return;
    }
    r->end_ns = now_ns > r->start_ns ? now_ns : r->start_ns;
    if (cancelling) {
        r->cancelled = true;
        snprintf(text, sizeof(text), "Request was cancelled after %.3f seconds",
                 (double)(r->end_ns - r->start_ns) / NS_PER_S);
        set_error(r, 499, "RequestCancellationError", text);
    } else if (a->status == 0 && l->stamp_ns == r->start_ns) {
        set_error(r, 0, "ClientConnectorError", a->error ? a->error : "no answer");
    } else {
        set_error(r, 0, "ServerDisconnectedError", "Server disconnected");
    }
}
