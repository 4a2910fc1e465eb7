// SPDX-License-Identifier: GPL-2.0-or-later
#include "lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/dur.h"
#include "base/mem.h"
#include "ctl.h"
#include "text.h"

enum {
    CLOCK_COLUMN = 9, // "14:20:07Z"
    NAME_COLUMN = 14,
    WORD_COLUMN = 12,
    DETAILS_COLUMN = CLOCK_COLUMN + NAME_COLUMN + WORD_COLUMN + 3,
};

struct seen_point {
    bool done;
    bool running;
    int64_t attempts;
};

void lines_init(struct lines *l, bool quiet)
{
    *l = (struct lines){.quiet = quiet};
}

static void take_block_away(struct lines *l, struct str *out)
{
    if (l->block)
        str_addf(out, "\033[%dA\r\033[J", l->block);
    l->block = 0;
}

void lines_clear(struct lines *l)
{
    struct str out = {0};

    take_block_away(l, &out);
    ctl_print(&out);
    str_free(&out);
}

void lines_done(struct lines *l)
{
    lines_clear(l);
    free(l->seen);
    l->seen = NULL;
}

static void column(struct str *out, enum style style, const char *text, int width)
{
    term_begin(out, style);
    int used = text_add(out, text, 0);
    term_end(out, style);
    text_spaces(out, used < width ? width - used : 0);
    str_add_char(out, ' ');
}

// `when` names the point's instant; the time of the look when it has none.
static void begin_line(struct str *out, const struct view *v, const struct doc *p, const char *when,
                       enum style style, const char *word)
{
    char stamp[TEXT_TIME_MAX];
    int64_t at = text_instant(doc_text(p, when));

    text_stamp(at ? at : v->as_of, stamp, sizeof(stamp));
    const char *clock = strchr(stamp, ' ');
    column(out, STYLE_DIM, clock ? clock + 1 : stamp, CLOCK_COLUMN);
    column(out, STYLE_PLAIN, doc_text(p, "name"), NAME_COLUMN);
    column(out, style, word, WORD_COLUMN);
}

static void comma(struct str *out)
{
    if (out->len)
        str_add(out, ", ");
}

// What was measured, where, for how long; or why not.
static void details(const struct doc *p, struct str *out)
{
    char buf[TEXT_NUMBER_MAX];
    int64_t from = text_instant(doc_text(p, "started_at"));
    int64_t to = text_instant(doc_text(p, "ended_at"));

    str_add(out, doc_text(p, "reason"));
    if (!isnan(doc_number(p, "al"))) {
        comma(out);
        str_addf(out, "AL %.2f", doc_number(p, "al"));
    }
    if (!isnan(doc_number(p, "total_tps_per_gpu"))) {
        comma(out);
        str_addf(out, "%s tok/s/GPU",
                 text_number(doc_number(p, "total_tps_per_gpu"), 1, buf, sizeof(buf)));
    }
    if (doc_text(p, "node")[0]) {
        comma(out);
        str_addf(out, "%s", doc_text(p, "node"));
    }
    if (from && to) {
        comma(out);
        str_add(out, dur_text(to - from, buf, sizeof(buf)));
    }
}

// The details, cut to what is left of the line.
static void end_line(struct str *out, const struct str *text)
{
    int width = term_width();

    text_add(out, str_text(text), width ? width - DETAILS_COLUMN : 0);
    str_add_char(out, '\n');
}

static void tell_end(struct str *out, const struct view *v, const struct doc *p)
{
    struct str text = {0};

    begin_line(out, v, p, "ended_at", view_point_style(p), doc_text(p, "outcome"));
    details(p, &text);
    end_line(out, &text);
    str_free(&text);
}

static void tell_start(struct str *out, const struct view *v, const struct doc *p)
{
    struct str text = {0};

    begin_line(out, v, p, "started_at", STYLE_BUSY, "started");
    str_addf(&text, "%s, job %lld", doc_text(p, "node"), (long long)doc_int(p, "job_id", 0));
    if (doc_int(p, "attempts", 1) > 1)
        str_addf(&text, ", attempt %lld", (long long)doc_int(p, "attempts", 1));
    end_line(out, &text);
    str_free(&text);
}

static bool tell_point(struct seen_point *seen, struct str *out, const struct view *v,
                       const struct doc *p)
{
    bool running = view_point_is(p, "attempt_state", "running");
    int64_t attempts = doc_int(p, "attempts", 0);
    bool told = false;

    if (view_point_done(p) && !seen->done) {
        tell_end(out, v, p);
        told = true;
    } else if (running && (!seen->running || seen->attempts != attempts)) {
        // A terminal shows what runs in its block; lines are kept for what stays.
        if (!term_is_tty())
            tell_start(out, v, p);
        told = true;
    }
    *seen = (struct seen_point){view_point_done(p), running, attempts};
    return told;
}

static void sweep_line(struct str *out, const struct view *v)
{
    struct str eta = {0};

    view_counts(v->sweep, out);
    view_eta(v, &eta);
    if (eta.len)
        str_addf(out, "; %s", str_text(&eta));
    str_add_char(out, '\n');
    str_free(&eta);
}

static void draw_block(struct lines *l, struct str *out, const struct view *v)
{
    size_t from = out->len;

    view_progress(v, out, term_width() - 1);
    for (size_t i = from; i < out->len; i++)
        l->block += out->p[i] == '\n';
}

void lines_show(struct lines *l, const struct view *v)
{
    struct str out = {0};
    size_t count = doc_count(v->points);
    size_t told = 0;

    if (l->quiet)
        return;
    if (count != l->seen_count) {
        free(l->seen);
        l->seen = mem_array(count + 1, sizeof(*l->seen));
        l->seen_count = count;
    }
    take_block_away(l, &out);
    for (size_t i = 0; i < count; i++)
        told += tell_point(&l->seen[i], &out, v, doc_at(v->points, i));
    if (term_is_tty() && !view_sweep_done(v->sweep))
        draw_block(l, &out, v);
    else if (told && !view_sweep_done(v->sweep))
        sweep_line(&out, v);
    ctl_print(&out);
    str_free(&out);
}
