// SPDX-License-Identifier: GPL-2.0-or-later
// status: how a sweep stands.
#include <string.h>

#include "cmd.h"
#include "find.h"
#include "follow.h"
#include "status.h"
#include "table.h"
#include "text.h"

void status_text(const struct view *v, struct str *out, int width)
{
    struct str failures = {0};

    view_head(v, out, width);
    str_add_char(out, '\n');
    view_progress(v, out, width);
    view_best(v, out, width);
    view_hours(v, out, width);
    str_add_char(out, '\n');
    view_grid(v, out, width);
    view_failures(v, &failures, width, 0);
    if (failures.len)
        str_addf(out, "\n%s", str_text(&failures));
    str_free(&failures);
}

void status_print(const struct view *v)
{
    struct str out = {0};

    status_text(v, &out, term_width());
    ctl_print(&out);
    str_free(&out);
}

void status_print_json(const struct view *v)
{
    struct doc *d = doc_document();
    struct doc *rest = doc_list();

    doc_share(d, "sweep", v->sweep);
    doc_put(d, "not_passed", rest);
    for (size_t i = 0; i < doc_count(v->points); i++) {
        const struct doc *p = doc_at(v->points, i);

        if (view_point_done(p) && !view_point_is(p, "outcome", "pass"))
            doc_push_shared(rest, p);
    }
    ctl_print_doc(d);
    doc_free(d);
}

static int64_t passed(const struct doc *sweep)
{
    return doc_int(doc_get(sweep, "outcomes"), "pass", 0);
}

static int run_all(struct ctl *ctl)
{
    static const struct column columns[] = {
        {"SWEEP", ALIGN_LEFT, 0, 0},   {"KEY", ALIGN_LEFT, 16, 0},  {"STATE", ALIGN_LEFT, 0, 0},
        {"POINTS", ALIGN_RIGHT, 0, 3}, {"DONE", ALIGN_RIGHT, 0, 2}, {"PASS", ALIGN_RIGHT, 0, 0},
        {"OWNER", ALIGN_LEFT, 0, 4},   {"SINCE", ALIGN_LEFT, 0, 1},
    };
    struct doc *document = NULL;
    struct str out = {0};
    int code = ctl_get_list(ctl, "/api/v1/sweeps", "sweeps", &document);

    if (code)
        return code;
    struct table *t = table_create(columns, sizeof(columns) / sizeof(columns[0]));
    const struct doc *sweeps = doc_get(document, "sweeps");
    for (size_t i = 0; i < doc_count(sweeps); i++) {
        const struct doc *s = doc_at(sweeps, i);
        char at[TEXT_TIME_MAX];

        table_row(t);
        table_cell(t, STYLE_BOLD, doc_text(s, "id"));
        table_cell(t, STYLE_PLAIN, doc_text(s, "key"));
        table_cell(t, view_sweep_done(s) ? STYLE_PLAIN : STYLE_BUSY, doc_text(s, "state"));
        table_cellf(t, STYLE_PLAIN, "%lld", (long long)doc_int(s, "points_total", 0));
        table_cellf(t, STYLE_PLAIN, "%lld", (long long)doc_int(doc_get(s, "points"), "done", 0));
        table_cellf(t, view_all_passed(s) ? STYLE_GOOD : STYLE_PLAIN, "%lld", (long long)passed(s));
        table_cell(t, STYLE_PLAIN, doc_text(s, "owner"));
        table_cell(t, STYLE_PLAIN,
                   text_stamp(text_instant(doc_text(s, "created_at")), at, sizeof(at)));
    }
    table_write(t, &out, term_width(), 0);
    if (ctl->json)
        ctl_print_doc(document);
    else
        ctl_print(&out);
    table_free(t);
    str_free(&out);
    doc_free(document);
    return CTL_OK;
}

static int run_once(struct ctl *ctl, const char *id)
{
    struct str path = {0};
    struct doc *sweep = NULL;
    struct doc *points = NULL;

    find_path(&path, id, NULL);
    int code = ctl_get(ctl, str_text(&path), &sweep);
    str_clear(&path);
    find_path(&path, id, "points");
    if (!code)
        code = ctl_get_list(ctl, str_text(&path), "points", &points);
    if (!code) {
        struct view v = view_make(sweep, points);

        if (ctl->json)
            status_print_json(&v);
        else
            status_print(&v);
    }
    str_free(&path);
    doc_free(sweep);
    doc_free(points);
    return code;
}

int status_follow(struct ctl *ctl, const char *id)
{
    struct follow f;

    follow_init(&f, ctl, id);
    int code = follow_to_end(&f, ctl->json);
    if (!code) {
        struct view v = follow_view(&f);

        code = view_all_passed(v.sweep) ? CTL_OK : CTL_POINTS_FAILED;
        if (ctl->json)
            status_print_json(&v);
        else
            status_print(&v);
    }
    follow_done(&f);
    return code;
}

static int run_status(struct ctl *ctl)
{
    char id[FIND_ID_MAX];

    if (args_has(ctl->args, "all"))
        return run_all(ctl);
    int code = find_sweep(ctl, args_operand(ctl->args, 0), id);
    if (code)
        return code;
    if (!args_has(ctl->args, "watch") || args_has(ctl->args, "once"))
        return run_once(ctl, id);
    return ctl->json || !term_is_tty() ? status_follow(ctl, id) : watch_run(ctl, id);
}

static const struct opt options[] = {
    {"watch", 'w', NULL, 0, "follow it to its end, full-screen on a terminal; q quits"},
    {"once", '1', NULL, 0, "print it once, also when --watch is given"},
    {"all", 'a', NULL, 0, "a table of all sweeps instead"},
    {0},
};

const struct command cmd_status = {
    .name = "status",
    .operands = "[SWEEP]",
    .most = 1,
    .summary = "how a sweep stands: progress, grid, what failed",
    .more =
        "Without SWEEP: the active one, else the newest. In the grid a number is the acceptance\n"
        "length of a point that passed; a mark with a number refers to the list below it.\n"
        "--watch exits 1 when the sweep ended and not every point passed.",
    .example = "sweepctl status last --watch",
    .options = options,
    .run = run_status,
};
