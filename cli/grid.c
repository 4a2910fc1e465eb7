// SPDX-License-Identifier: GPL-2.0-or-later
// The grid of a sweep: a row per arm, a column per concurrency.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "text.h"
#include "view.h"

enum {
    GRID_SIDE_MAX = 256, // rows and columns; a larger sweep is shown by `points`
    GRID_LABEL_MAX = 64,
    GRID_CELL_WIDE = 8,
    GRID_CELL_NARROW = 5,
};

struct grid_cell {
    char text[24];
    enum style style;
};

struct grid {
    char rows[GRID_SIDE_MAX][GRID_LABEL_MAX];
    size_t row_count;
    int64_t columns[GRID_SIDE_MAX]; // concurrencies, ascending
    size_t column_count;
    struct grid_cell *cells; // rows times columns
    int label_width;
    int cell_width;
};

static void row_label(const struct doc *point, char label[GRID_LABEL_MAX])
{
    snprintf(label, GRID_LABEL_MAX, "%.48s%s", doc_text(point, "arm"),
             view_point_is(point, "kind", "eval") ? " eval" : "");
}

// Index of the point's row; a new one when needed, GRID_SIDE_MAX when full.
static size_t row_of(struct grid *g, const struct doc *point)
{
    char label[GRID_LABEL_MAX];
    size_t i;

    row_label(point, label);
    for (i = 0; i < g->row_count; i++)
        if (!strcmp(g->rows[i], label))
            return i;
    if (i == GRID_SIDE_MAX)
        return i;
    str_copy(g->rows[i], GRID_LABEL_MAX, label);
    g->row_count++;
    if (text_width(label) > g->label_width)
        g->label_width = text_width(label);
    return i;
}

static size_t column_of(const struct grid *g, int64_t conc)
{
    size_t i = 0;

    while (i < g->column_count && g->columns[i] < conc)
        i++;
    return i;
}

static bool add_column(struct grid *g, int64_t conc)
{
    size_t i = column_of(g, conc);

    if (i < g->column_count && g->columns[i] == conc)
        return true;
    if (g->column_count == GRID_SIDE_MAX)
        return false;
    memmove(g->columns + i + 1, g->columns + i, (g->column_count - i) * sizeof(*g->columns));
    g->columns[i] = conc;
    g->column_count++;
    return true;
}

static bool measure(struct grid *g, const struct doc *points)
{
    for (size_t i = 0; i < doc_count(points); i++) {
        const struct doc *p = doc_at(points, i);

        if (row_of(g, p) == GRID_SIDE_MAX || !add_column(g, doc_int(p, "conc", 0)))
            return false;
    }
    return g->row_count > 0;
}

// What the job does, in five letters.
static const char *narrow(const char *word)
{
    static const char *const words[][2] = {
        {"prolog", "start"},    {"image", "image"},   {"weights", "load"}, {"server", "serve"},
        {"warmup", "warm"},     {"profile", "prof"},  {"collect", "coll"}, {"intent", "send"},
        {"submitted", "queue"}, {"pending", "queue"}, {"running", "run"},  {"ended", "judge"},
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (!strcmp(words[i][0], word))
            return words[i][1];
    return word;
}

static void fill(const struct grid *g, struct grid_cell *cell, const struct doc *p, size_t number)
{
    bool wide = g->cell_width == GRID_CELL_WIDE;
    double al = doc_number(p, "al");
    size_t size = sizeof(cell->text);

    cell->style = view_point_style(p);
    if (view_point_failed(p))
        snprintf(cell->text, size, "%s%zu",
                 term_glyph(view_point_is(p, "class", "usable") ? GLYPH_PARTIAL : GLYPH_FAIL),
                 number);
    else if (view_point_is(p, "outcome", "cancelled"))
        snprintf(cell->text, size, "%s", term_glyph(GLYPH_CANCELLED));
    else if (view_point_done(p) && isnan(al))
        snprintf(cell->text, size, "%s", term_glyph(GLYPH_PASS));
    else if (view_point_done(p))
        snprintf(cell->text, size, "%s%s%.2f", wide ? term_glyph(GLYPH_PASS) : "", wide ? " " : "",
                 al);
    else if (view_point_is(p, "state", "active"))
        snprintf(cell->text, size, "%.12s", wide ? view_point_word(p) : narrow(view_point_word(p)));
    else
        snprintf(cell->text, size, "%s", term_glyph(GLYPH_WAIT));
}

static void write_line(const struct grid *g, struct str *out, const char *label, size_t row,
                       size_t from, size_t to)
{
    term_begin(out, STYLE_BOLD);
    int used = text_add(out, label, g->label_width);
    term_end(out, STYLE_BOLD);
    for (size_t c = from; c < to; c++) {
        char head[24];
        const struct grid_cell *cell =
            row < g->row_count ? &g->cells[row * g->column_count + c] : NULL;
        int at = g->label_width + 2 + (int)(c - from) * (g->cell_width + 1);

        snprintf(head, sizeof(head), "c%lld", (long long)g->columns[c]);
        const char *text = cell ? cell->text : head;
        if (!text[0])
            continue;
        text_spaces(out, at - used);
        term_begin(out, cell ? cell->style : STYLE_DIM);
        used = at + text_add(out, text, g->cell_width);
        term_end(out, cell ? cell->style : STYLE_DIM);
    }
    str_add_char(out, '\n');
}

static void write_blocks(const struct grid *g, struct str *out, int width)
{
    size_t fit = g->column_count;

    if (width) {
        int room = (width - g->label_width - 1) / (g->cell_width + 1);

        fit = room > 1 ? (size_t)room : 1;
    }
    for (size_t from = 0; from < g->column_count; from += fit) {
        size_t to = from + fit < g->column_count ? from + fit : g->column_count;

        if (from)
            str_add_char(out, '\n');
        write_line(g, out, "", g->row_count, from, to);
        for (size_t row = 0; row < g->row_count; row++)
            write_line(g, out, g->rows[row], row, from, to);
    }
}

static void fill_all(struct grid *g, const struct doc *points)
{
    size_t number = 0;

    g->cells = mem_array(g->row_count * g->column_count, sizeof(*g->cells));
    for (size_t i = 0; i < doc_count(points); i++) {
        const struct doc *p = doc_at(points, i);
        size_t at = row_of(g, p) * g->column_count + column_of(g, doc_int(p, "conc", 0));

        number += view_point_failed(p);
        fill(g, &g->cells[at], p, number);
    }
}

void view_grid(const struct view *v, struct str *out, int width)
{
    struct grid *g = mem_alloc(sizeof(*g));

    if (measure(g, v->points)) {
        int wide = g->label_width + 1 + (int)g->column_count * (GRID_CELL_WIDE + 1);

        g->cell_width = !width || wide <= width ? GRID_CELL_WIDE : GRID_CELL_NARROW;
        fill_all(g, v->points);
        write_blocks(g, out, width);
    } else {
        str_addf(out, "%zu points: `sweepctl points %s` lists them\n", doc_count(v->points),
                 doc_text(v->sweep, "id"));
    }
    free(g->cells);
    free(g);
}
