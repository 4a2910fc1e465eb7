// SPDX-License-Identifier: GPL-2.0-or-later
#include "api/events.h"

#include <string.h>

#include "api/doc.h"
#include "api/reply.h"

enum {
    EVENTS_LIMIT_DEFAULT = 1000,
    EVENTS_LIMIT_MAX = 5000,
};

// Events after an id, at most `limit`; `sweep` NULL for all.
static void events_text(const struct app *a, int64_t after, int64_t limit, const char *sweep,
                        struct str *out)
{
    json_t *doc = doc_open();
    json_t *list = json_array();
    int64_t last = after;
    size_t n = a->event_count;

    for (size_t i = 0; i < n && limit > 0; i++) {
        const struct app_event *e = &a->events[(a->event_first + i) % APP_EVENTS_KEPT];
        json_t *o;

        if (e->id <= after)
            continue;
        last = e->id;
        if (sweep && strcmp(sweep, e->sweep) != 0)
            continue;
        o = json_object();
        json_object_set_new(o, "id", json_integer(e->id));
        doc_set_time(o, "at", e->wall);
        doc_set_text(o, "sweep", e->sweep);
        doc_set_text(o, "point", e->point);
        json_object_set_new(o, "attempt", json_integer(e->attempt));
        doc_set_text(o, "kind", e->kind);
        doc_set_text(o, "text", e->text);
        json_object_set_new(o, "data", json_object());
        json_array_append_new(list, o);
        limit--;
    }
    json_object_set_new(doc, "events", list);
    json_object_set_new(doc, "last_id", json_integer(last));
    json_object_set_new(doc, "oldest_id", json_integer(n ? a->events[a->event_first].id : 0));
    json_object_set_new(
        doc, "newest_id",
        json_integer(n ? a->events[(a->event_first + n - 1) % APP_EVENTS_KEPT].id : 0));
    doc_close(doc, out);
}

void events_get(struct app *a, const struct call *c)
{
    const struct http_request *req = c->req;
    const char *after_text = http_query(req, "after");
    const char *limit_text = http_query(req, "limit");
    int64_t after = 0;
    int64_t limit = EVENTS_LIMIT_DEFAULT;
    struct str text = {0};

    if ((after_text && str_to_i64(after_text, 0, INT64_MAX, &after)) ||
        (limit_text && str_to_i64(limit_text, 1, EVENTS_LIMIT_MAX, &limit))) {
        reply_bad_request(a, req->id, "after must be an event id, limit 1 to 5000.", NULL);
        return;
    }
    events_text(a, after, limit, http_query(req, "sweep"), &text);
    reply_json(a, req->id, HTTP_OK, &text);
}
