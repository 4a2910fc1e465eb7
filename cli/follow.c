// SPDX-License-Identifier: GPL-2.0-or-later
#include "follow.h"

#include <errno.h>
#include <poll.h>

#include "lines.h"
#include "patience.h"

void follow_init(struct follow *f, struct ctl *ctl, const char *id)
{
    *f = (struct follow){.ctl = ctl};
    str_copy(f->id, sizeof(f->id), id);
}

void follow_done(struct follow *f)
{
    doc_free(f->sweep.doc);
    doc_free(f->points.doc);
    doc_free(f->refused.doc);
}

struct view follow_view(const struct follow *f)
{
    return view_make(f->sweep.doc, f->points.doc);
}

static enum follow_news ask_one(struct follow *f, const char *below, struct answer *last,
                                struct err *e)
{
    struct str path = {0};
    struct answer now = {0};

    find_path(&path, f->id, below);
    int rc = client_get(f->ctl->client, str_text(&path), last->etag, &now, e);
    str_free(&path);
    if (rc)
        return FOLLOW_AWAY;
    if (now.status == 304)
        return FOLLOW_SAME;
    if (now.status == 200) {
        doc_free(last->doc);
        *last = now;
        return FOLLOW_CHANGED;
    }
    // The sweep was there: a server that does not know it has not loaded it yet.
    if (patience_weather(now.status) || now.status == 404) {
        err_set(e, -EAGAIN, "the server answers %d: %.200s", now.status,
                doc_text(now.doc, "detail"));
        doc_free(now.doc);
        return FOLLOW_AWAY;
    }
    doc_free(f->refused.doc);
    f->refused = now;
    return FOLLOW_REFUSED;
}

enum follow_news follow_ask(struct follow *f, struct err *e)
{
    enum follow_news sweep = ask_one(f, NULL, &f->sweep, e);
    if (sweep == FOLLOW_AWAY || sweep == FOLLOW_REFUSED)
        return sweep;
    enum follow_news points = ask_one(f, "points", &f->points, e);
    if (points == FOLLOW_AWAY || points == FOLLOW_REFUSED)
        return points;
    return sweep == FOLLOW_CHANGED || points == FOLLOW_CHANGED ? FOLLOW_CHANGED : FOLLOW_SAME;
}

int follow_fail(const struct follow *f)
{
    return ctl_fail_answer(f->ctl, &f->refused);
}

int follow_patiently(struct follow *f, bool *ret_changed)
{
    struct patience patience = {0};

    for (;;) {
        struct err e = {0};
        enum follow_news news = follow_ask(f, &e);

        if (news == FOLLOW_REFUSED)
            return follow_fail(f);
        if (news != FOLLOW_AWAY) {
            patience_end(&patience);
            *ret_changed = news == FOLLOW_CHANGED;
            return 0;
        }
        if (!patience_wait(&patience, &e))
            return ctl_fail_client(f->ctl, &e);
    }
}

// One look. What it has to say goes below the lines, not into their block.
static int look(struct follow *f, struct lines *lines, bool *ret_changed)
{
    struct err e = {0};
    enum follow_news news = follow_ask(f, &e);

    *ret_changed = news == FOLLOW_CHANGED;
    if (news == FOLLOW_SAME || news == FOLLOW_CHANGED)
        return 0;
    lines_clear(lines);
    int code = follow_patiently(f, ret_changed);
    *ret_changed = true; // the block is gone
    return code;
}

int follow_to_end(struct follow *f, bool quiet)
{
    struct lines lines;
    int code;

    lines_init(&lines, quiet);
    for (;;) {
        bool changed;

        code = look(f, &lines, &changed);
        if (code)
            break;
        struct view v = follow_view(f);
        if (changed)
            lines_show(&lines, &v);
        if (view_sweep_done(v.sweep))
            break;
        poll(NULL, 0, FOLLOW_INTERVAL_MS);
    }
    lines_done(&lines);
    return code;
}
