// SPDX-License-Identifier: GPL-2.0-or-later
#include "http/problem.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

// A detail may quote what a client or a file said: bytes that are not UTF-8
// become '?', since JSON has no other way to hold them.
static void set_text(json_t *doc, const char *name, const char *text)
{
    char *copy = mem_strdup(text ? text : "");

    utf8_clean(copy);
    json_object_set_new(doc, name, json_string(copy));
    free(copy);
}

static bool add_extra(json_t *doc, const char *extra)
{
    json_t *members = json_loads(extra, JSON_REJECT_DUPLICATES, NULL);
    bool ok = json_is_object(members);

    if (ok)
        json_object_update_missing(doc, members);
    json_decref(members);
    return ok;
}

bool problem_write(struct str *ret, int status, const char *code, const char *title,
                   const char *detail, const char *fix, const char *extra)
{
    json_t *doc = json_object();
    bool ok = true;
    char *text;

    set_text(doc, "type", "about:blank");
    set_text(doc, "title", title);
    json_object_set_new(doc, "status", json_integer(status));
    set_text(doc, "code", code);
    set_text(doc, "detail", detail);
    if (fix)
        set_text(doc, "fix", fix);
    if (extra)
        ok = add_extra(doc, extra);
    text = json_dumps(doc, JSON_COMPACT);
    if (text)
        str_add(ret, text);
    free(text);
    json_decref(doc);
    return ok;
}
