// SPDX-License-Identifier: GPL-2.0-or-later
#include "ingest/serverinfo.h"

#include <string.h>
#include <strings.h>

#include "ingest/json.h"

struct reader {
    struct serverinfo *to;
};

// hf_token is one, max_total_num_tokens is not.
static bool may_be_secret(const char *name)
{
    static const char *const words[] = {"key", "password", "secret", "credential", "auth"};
    const char *token = strcasestr(name, "token");

    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        if (strcasestr(name, words[i]))
            return true;
    }
    return token && !strcasestr(name, "tokens") && !strcasestr(name, "tokenizer");
}

static void on_value(void *ctx, const struct json *j, const struct json_value *v)
{
    struct reader *r = ctx;
    bool scalar = v->type <= VALUE_TEXT;
    int depth = json_depth(j);
    const char *name = json_name(j, depth - 1);
    bool argument = depth == 1 || (depth == 2 && json_at(j, "server_args/*"));

    if (scalar && argument && name && !json_in_array(j) && !may_be_secret(name))
        out_pass(&r->to->arguments, j, v, depth - 1);
    if (json_at(j, "internal_states/*/avg_spec_accept_length") &&
        (v->type == VALUE_INT || v->type == VALUE_REAL) &&
        r->to->accept_count < SERVERINFO_STATES_MAX)
        r->to->accept_length[r->to->accept_count++] = v->real;
}

void serverinfo_read(struct serverinfo *i, struct source *s, struct findings *f)
{
    struct reader r = {i};
    struct json_spec spec = {
        .file = source_name(s),
        .findings = f,
        .broken = SEVERITY_WARNING,
        .value = on_value,
        .ctx = &r,
    };
    struct json *j = json_create(&spec);
    const char *bytes;
    size_t n;

    i->arguments.max = PASSED_ON_MAX;
    out_object(&i->arguments, NULL);
    json_begin(j, 0, 0);
    while ((n = source_read(s, &bytes)) > 0 && json_feed(j, bytes, n))
        continue;
    i->read = json_finish(j);
    json_free(j);
    out_object_end(&i->arguments);
}

void serverinfo_free(struct serverinfo *i)
{
    out_free(&i->arguments);
}
