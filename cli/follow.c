// SPDX-License-Identifier: GPL-2.0-or-later
#include "follow.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/dur.h"
#include "lines.h"

void follow_init(struct follow *f, struct ctl *ctl, const char *id)
{
    *f = (struct follow){.ctl = ctl};
    str_copy(f->id, sizeof(f->id), id);
}

void follow_done(struct follow *f)
{
    doc_free(f->sweep.doc);
    doc_free(f->points.doc);
}

struct view follow_view(const struct follow *f)
{
    return view_make(f->sweep.doc, f->points.doc);
}

// Statuses that pass by themselves: a standby, a restart, too much to do.
static bool is_weather(int status)
{
    return status == 429 || status >= 500;
}

static enum follow_news ask_one(struct follow *f, const char *below, struct answer *last, int *code,
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
    if (is_weather(now.status)) {
        err_set(e, -EAGAIN, "the server answers %d: %.200s", now.status,
                doc_text(now.doc, "detail"));
        doc_free(now.doc);
        return FOLLOW_AWAY;
    }
    *code = ctl_fail_answer(f->ctl, &now);
    doc_free(now.doc);
    return FOLLOW_REFUSED;
}

enum follow_news follow_ask(struct follow *f, int *code, struct err *e)
{
    enum follow_news sweep = ask_one(f, NULL, &f->sweep, code, e);
    if (sweep == FOLLOW_AWAY || sweep == FOLLOW_REFUSED)
        return sweep;
    enum follow_news points = ask_one(f, "points", &f->points, code, e);
    if (points == FOLLOW_AWAY || points == FOLLOW_REFUSED)
        return points;
    return sweep == FOLLOW_CHANGED || points == FOLLOW_CHANGED ? FOLLOW_CHANGED : FOLLOW_SAME;
}

static void say_back(int64_t away_us)
{
    char took[DUR_TEXT_MAX];

    fprintf(stderr, "sweepctl: the server is back after %s\n",
            dur_text(away_us, took, sizeof(took)));
}

int follow_patiently(struct follow *f, bool *ret_changed)
{
    int64_t since = clock_mono_us();
    int wait_ms = FOLLOW_RETRY_FIRST_MS;
    bool said = false;

    for (;;) {
        struct err e = {0};
        int code = 0;
        enum follow_news news = follow_ask(f, &code, &e);
        int64_t away = clock_mono_us() - since;

        if (news == FOLLOW_REFUSED)
            return code;
        if (news != FOLLOW_AWAY) {
            if (said)
                say_back(away);
            *ret_changed = news == FOLLOW_CHANGED;
            return 0;
        }
        if (away > FOLLOW_PATIENCE_S * US_PER_S)
            return ctl_fail_client(f->ctl, &e);
        if (!said)
            fprintf(stderr, "sweepctl: %s; waiting up to %d minutes for it, the sweep goes on\n",
                    e.text, FOLLOW_PATIENCE_S / 60);
        said = true;
        poll(NULL, 0, wait_ms);
        wait_ms = wait_ms * 2 < FOLLOW_INTERVAL_MS ? wait_ms * 2 : FOLLOW_INTERVAL_MS;
    }
}

int follow_to_end(struct follow *f, bool quiet)
{
    struct lines lines;
    int code = 0;

    lines_init(&lines, quiet);
    for (;;) {
        bool changed = false;

        code = follow_patiently(f, &changed);
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
