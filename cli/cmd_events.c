// SPDX-License-Identifier: GPL-2.0-or-later
// events: the log of everything that happened, by cursor.
#include <errno.h>
#include <inttypes.h>
#include <poll.h>

#include "cmd.h"
#include "find.h"
#include "follow.h"
#include "patience.h"
#include "term.h"
#include "text.h"

enum { EVENTS_PAGE = 1000, SWEEP_COLUMN = 12, POINT_COLUMN = 14, KIND_COLUMN = 20 };

struct feed {
    struct ctl *ctl;
    const char *sweep; // id, NULL: all
    int64_t after;     // id of the last event seen
    bool follow;
    struct doc *all; // one document of everything; NULL: printed as it comes
};

static void column(struct str *out, const char *text, int width)
{
    int used = text_add(out, text, 0);

    text_spaces(out, used < width ? width - used : 0);
    text_spaces(out, 2);
}

static void add_line(struct str *out, const struct doc *event)
{
    char stamp[TEXT_TIME_MAX];
    int64_t attempt = doc_int(event, "attempt", 0);
    struct str point = {0};

    str_add(&point, doc_text(event, "point"));
    if (attempt > 1)
        str_addf(&point, " #%" PRId64, attempt);
    text_stamp(text_instant(doc_text(event, "at")), stamp, sizeof(stamp));
    term_begin(out, STYLE_DIM);
    column(out, stamp, 0);
    term_end(out, STYLE_DIM);
    column(out, doc_text(event, "sweep"), SWEEP_COLUMN);
    column(out, str_text(&point), POINT_COLUMN);
    column(out, doc_text(event, "kind"), KIND_COLUMN);
    text_add(out, doc_text(event, "text"), 0);
    str_add_char(out, '\n');
    str_free(&point);
}

static void print_page(const struct feed *f, const struct doc *events)
{
    struct str out = {0};

    for (size_t i = 0; i < doc_count(events); i++) {
        if (!f->ctl->json) {
            add_line(&out, doc_at(events, i));
            continue;
        }
        doc_write(doc_at(events, i), &out, false);
        str_add_char(&out, '\n');
    }
    ctl_print(&out);
    str_free(&out);
}

// Gets a page; a feed that is followed lives through a restart of the server.
static int get_page(struct feed *f, const char *path, struct doc **ret)
{
    struct patience patience = {0};

    for (;;) {
        struct answer answer = {0};
        struct err e = {0};

        if (!client_get(f->ctl->client, path, NULL, &answer, &e)) {
            if (answer.status == 200) {
                patience_end(&patience);
                *ret = answer.doc;
                return CTL_OK;
            }
            int code = 0;
            if (!f->follow || !patience_weather(answer.status))
                code = ctl_fail_answer(f->ctl, &answer);
            err_set(&e, -EAGAIN, "the server answers %d", answer.status);
            doc_free(answer.doc);
            if (code)
                return code;
        }
        if (!f->follow || !patience_wait(&patience, &e))
            return ctl_fail_client(f->ctl, &e);
    }
}

// Reads one page; *ret_more tells whether another may be there at once.
static int next_page(struct feed *f, bool *ret_more)
{
    struct str path = {0};
    struct doc *page = NULL;

    str_addf(&path, "/api/v1/events?after=%" PRId64 "&limit=%d", f->after, EVENTS_PAGE);
    if (f->sweep)
        str_addf(&path, "&sweep=%s", f->sweep);
    int code = get_page(f, str_text(&path), &page);
    str_free(&path);
    if (code)
        return code;
    const struct doc *events = doc_get(page, "events");
    int64_t last = doc_int(page, "last_id", f->after);
    *ret_more = doc_count(events) > 0 && last > f->after;
    if (last > f->after)
        f->after = last;
    if (f->all) {
        doc_append(f->all, "events", events);
        doc_put_int(f->all, "last_id", f->after);
    } else {
        print_page(f, events);
    }
    doc_free(page);
    return CTL_OK;
}

static int read_feed(struct feed *f)
{
    int code = ctl_client(f->ctl);

    while (!code) {
        bool more = false;

        code = next_page(f, &more);
        if (code || (!more && !f->follow))
            return code;
        if (!more)
            poll(NULL, 0, FOLLOW_INTERVAL_MS);
    }
    return code;
}

static int run_events(struct ctl *ctl)
{
    char id[FIND_ID_MAX];
    struct feed f = {.ctl = ctl, .follow = args_has(ctl->args, "follow")};
    const char *after = args_value(ctl->args, "after");
    const char *sweep = args_operand(ctl->args, 0);
    int code = CTL_OK;

    if (after && str_to_i64(after, 0, INT64_MAX, &f.after))
        return ctl_fail(ctl, CTL_USAGE, "usage", "for example --after 100",
                        "--after \"%s\" is no event id", after);
    if (sweep) {
        code = find_sweep(ctl, sweep, id);
        f.sweep = id;
    }
    if (code)
        return code;
    if (ctl->json && !f.follow) {
        f.all = doc_document();
        doc_put(f.all, "events", doc_list());
        doc_put_int(f.all, "last_id", f.after);
    }
    code = read_feed(&f);
    if (!code && f.all)
        ctl_print_doc(f.all);
    doc_free(f.all);
    return code;
}

static const struct opt options[] = {
    {"after", 'n', "ID", 0, "only those that came after this one"},
    {"follow", 'f', NULL, 0, "go on with new ones; with --json one event a line"},
    {0},
};

const struct command cmd_events = {
    .name = "events",
    .operands = "[SWEEP]",
    .most = 1,
    .summary = "everything that happened, oldest first",
    .example = "sweepctl events last --follow",
    .options = options,
    .run = run_events,
};
