// SPDX-License-Identifier: GPL-2.0-or-later
#include "view.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/dur.h"
#include "text.h"

enum { BAR_MAX = 48, FAILURE_INDENT = 5 };

const struct doc *view_part(const struct doc *document, const char *name)
{
    const struct doc *part = doc_get(document, name);

    return part ? part : document;
}

int64_t view_as_of(const struct doc *document)
{
    int64_t at = text_instant(doc_text(document, "as_of"));

    return at ? at : clock_wall_us();
}

struct view view_make(const struct doc *sweep_document, const struct doc *points_document)
{
    return (struct view){
        .sweep = view_part(sweep_document, "sweep"),
        .points = doc_get(points_document, "points"),
        .as_of = view_as_of(sweep_document),
    };
}

bool view_sweep_done(const struct doc *sweep)
{
    return !strcmp(doc_text(sweep, "state"), "done");
}

bool view_all_passed(const struct doc *sweep)
{
    int64_t total = doc_int(sweep, "points_total", -1);

    return view_sweep_done(sweep) && total > 0 &&
           doc_int(doc_get(sweep, "outcomes"), "pass", 0) == total;
}

bool view_point_is(const struct doc *point, const char *member, const char *text)
{
    return !strcmp(doc_text(point, member), text);
}

bool view_point_done(const struct doc *point)
{
    return view_point_is(point, "state", "done");
}

bool view_point_failed(const struct doc *point)
{
    return view_point_done(point) && !view_point_is(point, "outcome", "pass") &&
           !view_point_is(point, "outcome", "cancelled");
}

const char *view_point_word(const struct doc *point)
{
    const char *attempt = doc_text(point, "attempt_state");

    if (view_point_done(point))
        return doc_text(point, "outcome");
    if (!view_point_is(point, "state", "active"))
        return "waiting";
    if (!strcmp(attempt, "running") && doc_text(point, "phase")[0])
        return doc_text(point, "phase");
    return attempt[0] ? attempt : "active";
}

enum style view_point_style(const struct doc *point)
{
    if (view_point_is(point, "state", "active"))
        return STYLE_BUSY;
    if (!view_point_done(point) || view_point_is(point, "outcome", "cancelled"))
        return STYLE_DIM;
    if (view_point_is(point, "outcome", "pass"))
        return STYLE_GOOD;
    return view_point_is(point, "class", "usable") ? STYLE_WARN : STYLE_BAD;
}

static void fact(struct str *out, const char *text)
{
    if (!text[0])
        return;
    if (out->len)
        str_addf(out, " %s ", term_glyph(GLYPH_SEPARATOR));
    str_add(out, text);
}

static void since(const struct view *v, struct str *out)
{
    char at[TEXT_TIME_MAX];
    char took[DUR_TEXT_MAX];
    struct str text = {0};
    int64_t from = text_instant(doc_text(v->sweep, "created_at"));
    int64_t to = text_instant(doc_text(v->sweep, "ended_at"));

    if (!from)
        return;
    dur_text((to ? to : v->as_of) - from, took, sizeof(took));
    if (to)
        str_addf(&text, "ended %s after %s", text_clock(to, v->as_of, at, sizeof(at)), took);
    else
        str_addf(&text, "since %s (%s)", text_clock(from, v->as_of, at, sizeof(at)), took);
    fact(out, str_text(&text));
    str_free(&text);
}

static void dim_line(struct str *out, const struct str *text, int width)
{
    term_begin(out, STYLE_DIM);
    text_add(out, str_text(text), width);
    term_end(out, STYLE_DIM);
    str_add_char(out, '\n');
}

void view_head(const struct view *v, struct str *out, int width)
{
    struct str facts = {0};

    term_begin(out, STYLE_BOLD);
    int used = text_add(out, doc_text(v->sweep, "id"), width);
    term_end(out, STYLE_BOLD);
    str_add(out, "  ");
    text_add(out, doc_text(v->sweep, "key"), width ? width - used - 2 : 0);
    str_add_char(out, '\n');

    fact(&facts, doc_text(v->sweep, "state"));
    fact(&facts, doc_text(v->sweep, "owner"));
    fact(&facts, doc_text(v->sweep, "on_failure"));
    fact(&facts, doc_text(v->sweep, "placement"));
    fact(&facts, doc_flag(v->sweep, "fast") ? "fast" : "");
    since(v, &facts);
    dim_line(out, &facts, width);
    str_free(&facts);
    if (!doc_text(v->sweep, "reason")[0])
        return;
    term_begin(out, STYLE_WARN);
    text_add(out, doc_text(v->sweep, "reason"), width);
    term_end(out, STYLE_WARN);
    str_add_char(out, '\n');
}

// Counts of one line, or of several where the width asks for it.
struct counts {
    struct str text;
    int used, width; // columns of the last line; width 0: no limit
    size_t parts;
};

static void count(struct counts *c, int64_t n, const char *word, enum style style)
{
    struct str part = {0};

    if (n <= 0)
        return;
    str_addf(&part, "%lld ", (long long)n);
    text_add(&part, word, 0);
    int w = text_width(str_text(&part));
    if (c->used && c->width && c->used + w + 3 > c->width) {
        str_add(&c->text, c->parts ? ",\n" : "\n");
        c->used = 0;
    } else if (c->parts) {
        str_add(&c->text, ", ");
        c->used += 2;
    }
    c->parts++;
    term_add(&c->text, style, str_text(&part));
    c->used += w;
    str_free(&part);
}

static enum style outcome_style(const char *outcome)
{
    if (!strcmp(outcome, "pass"))
        return STYLE_GOOD;
    if (!strcmp(outcome, "cancelled"))
        return STYLE_DIM;
    return !strcmp(outcome, "coverage") || !strcmp(outcome, "partial") ? STYLE_WARN : STYLE_BAD;
}

static void add_counts(const struct doc *sweep, struct counts *c)
{
    const struct doc *outcomes = doc_get(sweep, "outcomes");
    const struct doc *points = doc_get(sweep, "points");

    for (const char *o = doc_first_name(outcomes); o; o = doc_next_name(outcomes, o))
        count(c, doc_int(outcomes, o, 0), o, outcome_style(o));
    count(c, doc_int(points, "active", 0), "active", STYLE_BUSY);
    count(c, doc_int(points, "waiting", 0), "waiting", STYLE_PLAIN);
}

void view_counts(const struct doc *sweep, struct str *out)
{
    struct counts c = {0};

    add_counts(sweep, &c);
    str_add(out, str_text(&c.text));
    str_free(&c.text);
}

void view_eta(const struct view *v, struct str *out)
{
    char at[TEXT_TIME_MAX];
    char left[DUR_TEXT_MAX];
    int64_t eta = text_instant(doc_text(v->sweep, "eta"));

    if (!eta || view_sweep_done(v->sweep))
        return;
    str_addf(out, "ends about %s (in %s)", text_clock(eta, v->as_of, at, sizeof(at)),
             dur_text(eta - v->as_of, left, sizeof(left)));
}

static double progress(const struct view *v)
{
    double p = doc_number(v->sweep, "progress");

    if (view_sweep_done(v->sweep) || p > 1)
        return 1;
    return p > 0 ? p : 0; // also for NaN
}

// The part that is done, red by the share of the points done that failed, then the rest.
static void add_bar(const struct view *v, struct str *out, int width)
{
    double done = (double)doc_int(doc_get(v->sweep, "points"), "done", 0);
    double passed = (double)doc_int(doc_get(v->sweep, "outcomes"), "pass", 0);
    int full = (int)(progress(v) * width);
    int good = done > 0 ? (int)lround(full * passed / done) : full;

    if (good > full)
        good = full;
    term_begin(out, STYLE_GOOD);
    text_repeat(out, term_glyph(GLYPH_BAR), good);
    term_end(out, STYLE_GOOD);
    term_begin(out, STYLE_BAD);
    text_repeat(out, term_glyph(GLYPH_BAR), full - good);
    term_end(out, STYLE_BAD);
    term_begin(out, STYLE_DIM);
    text_repeat(out, term_glyph(GLYPH_BAR_REST), width - full);
    term_end(out, STYLE_DIM);
}

void view_progress(const struct view *v, struct str *out, int width)
{
    struct str eta = {0};
    int64_t total = doc_int(v->sweep, "points_total", 0);
    int64_t done = doc_int(doc_get(v->sweep, "points"), "done", 0);

    view_eta(v, &eta);
    int percent = (int)(progress(v) * 100);
    int rest = 5 + (eta.len ? 2 + text_width(str_text(&eta)) : 0); // " 66%", two spaces
    int bar = width && width - rest < BAR_MAX ? width - rest : BAR_MAX;
    if (bar < BAR_MAX / 4) {
        str_clear(&eta);
        bar = width - 5 < BAR_MAX ? width - 5 : BAR_MAX;
    }
    add_bar(v, out, bar);
    str_addf(out, " %3d%%%s%s\n", percent, eta.len ? "  " : "", str_text(&eta));
    str_free(&eta);
    struct counts c = {.width = width};
    str_addf(&c.text, "%lld of %lld done: ", (long long)done, (long long)total);
    c.used = text_width(str_text(&c.text));
    add_counts(v->sweep, &c);
    str_addf(out, "%s\n", str_text(&c.text));
    str_free(&c.text);
}

static void failure_line(const struct doc *p, size_t number, int name_width, struct str *out,
                         int width)
{
    struct str mark = {0};
    struct str line = {0};
    bool usable = view_point_is(p, "class", "usable");

    str_addf(&mark, "%s%zu", term_glyph(usable ? GLYPH_PARTIAL : GLYPH_FAIL), number);
    term_add(out, view_point_style(p), str_text(&mark));
    text_spaces(out, FAILURE_INDENT - text_width(str_text(&mark)));
    int used = text_add(out, doc_text(p, "name"), 0);
    text_spaces(out, name_width - used + 2);
    str_add(&line, doc_text(p, "outcome"));
    if (doc_text(p, "node")[0])
        str_addf(&line, " on %s", doc_text(p, "node"));
    if (doc_text(p, "reason")[0])
        str_addf(&line, ": %s", doc_text(p, "reason"));
    text_wrap(out, str_text(&line), FAILURE_INDENT + name_width + 2, width, FAILURE_INDENT);
    str_add_char(out, '\n');
    str_free(&mark);
    str_free(&line);
}

static int widest_failure(const struct doc *points)
{
    int widest = 0;

    for (size_t i = 0; i < doc_count(points); i++) {
        int w = text_width(doc_text(doc_at(points, i), "name"));

        if (view_point_failed(doc_at(points, i)) && w > widest)
            widest = w;
    }
    return widest;
}

void view_failures(const struct view *v, struct str *out, int width, size_t most)
{
    int widest = widest_failure(v->points);
    size_t number = 0;

    for (size_t i = 0; i < doc_count(v->points); i++) {
        const struct doc *p = doc_at(v->points, i);

        if (!view_point_failed(p))
            continue;
        number++;
        if (!most || number <= most)
            failure_line(p, number, widest, out, width);
    }
    if (most && number > most)
        str_addf(out, "and %zu more: `sweepctl points %s`\n", number - most,
                 doc_text(v->sweep, "id"));
}

static const struct doc *best(const struct doc *points, const char *member)
{
    const struct doc *top = NULL;

    for (size_t i = 0; i < doc_count(points); i++) {
        const struct doc *p = doc_at(points, i);
        double value = doc_number(p, member);

        if (view_point_is(p, "outcome", "pass") && !isnan(value) &&
            (!top || value > doc_number(top, member)))
            top = p;
    }
    return top;
}

void view_best(const struct view *v, struct str *out, int width)
{
    char number[TEXT_NUMBER_MAX];
    struct str text = {0};
    const struct doc *fast = best(v->points, "total_tps_per_gpu");
    const struct doc *quick = best(v->points, "output_tps_per_user");

    if (!fast)
        return;
    str_addf(&text, "best%s: %s tok/s per GPU (%s)", view_sweep_done(v->sweep) ? "" : " so far",
             text_number(doc_number(fast, "total_tps_per_gpu"), 1, number, sizeof(number)),
             doc_text(fast, "name"));
    if (quick)
        str_addf(&text, ", %s tok/s per user (%s)",
                 text_number(doc_number(quick, "output_tps_per_user"), 1, number, sizeof(number)),
                 doc_text(quick, "name"));
    text_wrap(out, str_text(&text), 0, width, 0);
    str_add_char(out, '\n');
    str_free(&text);
}

static void add_use(struct str *text, const char *before, const char *use, double hours)
{
    char number[TEXT_NUMBER_MAX];

    if (hours > 0)
        str_addf(text, "%s%s %s", before, text_number(hours, 1, number, sizeof(number)), use);
}

void view_hours(const struct view *v, struct str *out, int width)
{
    static const char *const uses[] = {"useful", "failed", "running", "idle"};
    const struct doc *hours = doc_get(v->sweep, "gpu_hours");
    const struct doc *causes = doc_get(hours, "failed_by");
    struct str text = {0};

    for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
        struct str by = {0};

        add_use(&text, text.len ? ", " : "GPU-hours: ", uses[i], doc_number(hours, uses[i]));
        for (const char *c = i == 1 ? doc_first_name(causes) : NULL; c;
             c = doc_next_name(causes, c))
            add_use(&by, by.len ? ", " : "", c, doc_number(causes, c));
        if (by.len)
            str_addf(&text, " (%s)", str_text(&by));
        str_free(&by);
    }
    if (text.len)
        dim_line(out, &text, width);
    str_free(&text);
}
