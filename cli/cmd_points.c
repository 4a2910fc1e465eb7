// SPDX-License-Identifier: GPL-2.0-or-later
// points and results: a row per point.
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/dur.h"
#include "cmd.h"
#include "find.h"
#include "table.h"
#include "text.h"
#include "view.h"

static void cell_number(struct table *t, const struct doc *d, const char *member, int digits)
{
    char buf[TEXT_NUMBER_MAX];

    table_cell(t, STYLE_PLAIN, text_number(doc_number(d, member), digits, buf, sizeof(buf)));
}

// A count, or an id: nothing for 0, and no thousands separators.
static void cell_count(struct table *t, const struct doc *d, const char *member)
{
    int64_t n = doc_int(d, member, 0);

    if (n > 0)
        table_cellf(t, STYLE_PLAIN, "%lld", (long long)n);
    else
        table_cell(t, STYLE_PLAIN, "");
}

// How long it ran, or runs until now.
static void cell_took(struct table *t, const struct doc *p, int64_t now)
{
    char buf[DUR_TEXT_MAX];
    int64_t from = text_instant(doc_text(p, "started_at"));
    int64_t to = text_instant(doc_text(p, "ended_at"));

    table_cell(t, STYLE_PLAIN, from ? dur_text((to ? to : now) - from, buf, sizeof(buf)) : "");
}

// What there is to say about it beyond the outcome.
static const char *remark(const struct doc *p)
{
    const char *reason = doc_text(p, "reason");

    if (reason[0] || view_point_done(p))
        return reason;
    return doc_text(p, "slurm_reason");
}

static void points_table(const struct doc *document, struct str *out)
{
    static const struct column columns[] = {
        {"POINT", ALIGN_LEFT, 0, 0}, {"NOW", ALIGN_LEFT, 0, 0},     {"NODE", ALIGN_LEFT, 0, 4},
        {"JOB", ALIGN_RIGHT, 0, 5},  {"TRY", ALIGN_RIGHT, 0, 6},    {"TIME", ALIGN_RIGHT, 0, 3},
        {"AL", ALIGN_RIGHT, 0, 2},   {"REASON", ALIGN_LEFT, 12, 1},
    };
    struct table *t = table_create(columns, sizeof(columns) / sizeof(columns[0]));
    const struct doc *points = doc_get(document, "points");

    for (size_t i = 0; i < doc_count(points); i++) {
        const struct doc *p = doc_at(points, i);

        table_row(t);
        table_cell(t, STYLE_PLAIN, doc_text(p, "name"));
        table_cell(t, view_point_style(p), view_point_word(p));
        table_cell(t, STYLE_PLAIN, doc_text(p, "node"));
        cell_count(t, p, "job_id");
        cell_count(t, p, "attempts");
        cell_took(t, p, view_as_of(document));
        cell_number(t, p, "al", 2);
        table_cell(t, STYLE_PLAIN, remark(p));
    }
    table_write(t, out, term_width(), 0);
    table_free(t);
}

static void results_table(const struct doc *results, struct str *out)
{
    static const struct column columns[] = {
        {"POINT", ALIGN_LEFT, 0, 0},      {"NODE", ALIGN_LEFT, 8, 4},
        {"OUTCOME", ALIGN_LEFT, 0, 0},    {"AL", ALIGN_RIGHT, 0, 1},
        {"TOK/S/GPU", ALIGN_RIGHT, 0, 0}, {"TOK/S/USER", ALIGN_RIGHT, 0, 2},
        {"TTFT P90", ALIGN_RIGHT, 0, 3},
    };
    struct table *t = table_create(columns, sizeof(columns) / sizeof(columns[0]));

    for (size_t i = 0; i < doc_count(results); i++) {
        const struct doc *p = doc_at(results, i);
        char number[TEXT_NUMBER_MAX];

        table_row(t);
        table_cell(t, STYLE_PLAIN, doc_text(p, "name"));
        table_cell(t, STYLE_PLAIN, doc_text(p, "node"));
        table_cell(t, view_point_style(p), view_point_word(p));
        cell_number(t, p, "al", 2);
        cell_number(t, p, "total_tps_per_gpu", 1);
        cell_number(t, p, "output_tps_per_user", 1);
        text_number(doc_number(p, "ttft_p90_s"), 2, number, sizeof(number));
        table_cellf(t, STYLE_PLAIN, "%s%s", number, number[0] ? " s" : "");
    }
    table_write(t, out, term_width(), 0);
    table_free(t);
}

static void member(struct str *out, const char *name, const char *text)
{
    enum { NAME_COLUMN = 10 };

    if (!text[0])
        return;
    str_add(out, "  ");
    term_add(out, STYLE_DIM, name);
    text_spaces(out, NAME_COLUMN - text_width(name));
    text_wrap(out, text, NAME_COLUMN + 2, term_width(), NAME_COLUMN + 2);
    str_add_char(out, '\n');
}

static void evidence_table(const struct doc *evidence, struct str *out)
{
    static const struct column columns[] = {
        {"RULE", ALIGN_LEFT, 0, 0},   {"", ALIGN_LEFT, 0, 0},        {"FOUND", ALIGN_LEFT, 12, 0},
        {"LIMIT", ALIGN_LEFT, 12, 2}, {"SOURCE", ALIGN_LEFT, 12, 1},
    };
    struct table *t = table_create(columns, sizeof(columns) / sizeof(columns[0]));

    for (size_t i = 0; i < doc_count(evidence); i++) {
        const struct doc *e = doc_at(evidence, i);
        bool holds = doc_flag(e, "holds");

        table_row(t);
        table_cell(t, STYLE_PLAIN, doc_text(e, "rule"));
        table_cell(t, holds ? STYLE_GOOD : STYLE_BAD, term_glyph(holds ? GLYPH_PASS : GLYPH_FAIL));
        table_cell(t, STYLE_PLAIN, doc_text(e, "value"));
        table_cell(t, STYLE_PLAIN, doc_text(e, "limit"));
        table_cell(t, STYLE_PLAIN, doc_text(e, "source"));
    }
    if (doc_count(evidence))
        table_write(t, out, term_width(), 2);
    table_free(t);
}

static void attempt(const struct doc *a, struct str *out)
{
    char stamp[TEXT_TIME_MAX];
    char took[DUR_TEXT_MAX];
    struct str job = {0};
    struct str ran = {0};
    int64_t from = text_instant(doc_text(a, "started_at"));
    int64_t to = text_instant(doc_text(a, "ended_at"));
    const char *outcome = doc_text(a, "outcome");

    str_addf(out, "\nattempt %lld: %s%s%s\n", (long long)doc_int(a, "number", 0),
             doc_text(a, "state"), outcome[0] ? ", " : "", outcome);
    member(out, "reason", doc_text(a, "reason"));
    if (doc_int(a, "job_id", 0))
        str_addf(&job, "%lld on %s, %s", (long long)doc_int(a, "job_id", 0), doc_text(a, "node"),
                 doc_text(a, "slurm_state"));
    member(out, "job", str_text(&job));
    if (from)
        str_addf(&ran, "%s", text_stamp(from, stamp, sizeof(stamp)));
    if (from && to)
        str_addf(&ran, ", for %s", dur_text(to - from, took, sizeof(took)));
    member(out, "started", str_text(&ran));
    member(out, "phase", doc_text(a, "phase"));
    member(out, "blame", doc_text(a, "blame"));
    member(out, "folder", doc_text(a, "folder"));
    evidence_table(doc_get(a, "evidence"), out);
    str_free(&job);
    str_free(&ran);
}

static void one_point(const struct doc *document, struct str *out)
{
    const struct doc *p = view_part(document, "point");
    const struct doc *attempts = doc_get(p, "attempts");

    term_begin(out, STYLE_BOLD);
    text_add(out, doc_text(p, "name"), 0);
    term_end(out, STYLE_BOLD);
    str_addf(out, "  %s, %s, %lld GPUs\n", view_point_word(p), doc_text(p, "kind"),
             (long long)doc_int(p, "gpus", 0));
    member(out, "reason", doc_text(p, "reason"));
    for (size_t i = 0; i < doc_count(attempts); i++)
        attempt(doc_at(attempts, i), out);
}

static int show_point(struct ctl *ctl, const char *id, const struct doc *points, const char *word)
{
    const struct doc *p = find_point(ctl, points, word);
    struct str path = {0};
    struct str out = {0};
    struct doc *document = NULL;

    if (!p)
        return CTL_NOT_FOUND;
    find_path(&path, id, "points");
    client_path_add(&path, doc_text(p, "name"));
    int code = ctl_get(ctl, str_text(&path), &document);
    if (!code && ctl->json)
        ctl_print_doc(document);
    if (!code && !ctl->json) {
        one_point(document, &out);
        ctl_print(&out);
    }
    str_free(&path);
    str_free(&out);
    doc_free(document);
    return code;
}

// Gets the list below the sweep that the first operand names.
static int get_below(struct ctl *ctl, const char *what, char id[FIND_ID_MAX], struct doc **ret)
{
    struct str path = {0};
    int code = find_sweep(ctl, args_operand(ctl->args, 0), id);

    if (code)
        return code;
    find_path(&path, id, what);
    code = ctl_get_list(ctl, str_text(&path), what, ret);
    str_free(&path);
    return code;
}

static int run_points(struct ctl *ctl)
{
    char id[FIND_ID_MAX];
    struct doc *document = NULL;
    struct str out = {0};
    int code = get_below(ctl, "points", id, &document);

    if (code)
        return code;
    if (args_operand(ctl->args, 1)) {
        code = show_point(ctl, id, doc_get(document, "points"), args_operand(ctl->args, 1));
    } else if (ctl->json) {
        ctl_print_doc(document);
    } else {
        points_table(document, &out);
        ctl_print(&out);
    }
    str_free(&out);
    doc_free(document);
    return code;
}

static int run_results(struct ctl *ctl)
{
    char id[FIND_ID_MAX];
    struct doc *document = NULL;
    struct str out = {0};
    int code = get_below(ctl, "results", id, &document);

    if (code)
        return code;
    if (ctl->json) {
        ctl_print_doc(document);
    } else {
        results_table(doc_get(document, "results"), &out);
        ctl_print(&out);
    }
    str_free(&out);
    doc_free(document);
    return CTL_OK;
}

const struct command cmd_points = {
    .name = "points",
    .operands = "[SWEEP [POINT]]",
    .most = 2,
    .summary = "the points of a sweep, or one with its attempts and evidence",
    .more = "A POINT is written as people do: tp4-c40, TP4/EP4 c40, tep4-c40.",
    .example = "sweepctl points last tep4-c40",
    .run = run_points,
};

const struct command cmd_results = {
    .name = "results",
    .operands = "[SWEEP]",
    .most = 1,
    .summary = "what was measured: acceptance length, throughput, latency",
    .more = "TOK/S/GPU counts input and output tokens; TOK/S/USER is the median of the output.",
    .example = "sweepctl results last --json",
    .run = run_results,
};
