// SPDX-License-Identifier: GPL-2.0-or-later
#include "picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "term.h"
#include "text.h"

enum { LABEL_MAX = 32, TICK_COLUMNS = 10 };

struct bar {
    const char *point, *node;
    double start, end;
    int lane; // of the node
};

struct picture {
    struct bar *bars; // by node, then by start
    size_t count;
    int label; // columns of the node's name
    int width; // columns of time
    double span;
};

static int by_node_and_start(const void *a, const void *b)
{
    const struct bar *x = a;
    const struct bar *y = b;
    int order = strcmp(x->node, y->node);

    if (order)
        return order;
    if (x->start < y->start || x->start > y->start)
        return x->start < y->start ? -1 : 1;
    return strcmp(x->point, y->point);
}

// The first lane of the node that is free at the bar's start.
static void choose_lane(struct picture *p, size_t i)
{
    struct bar *bar = &p->bars[i];
    bool taken = true;

    for (bar->lane = -1; taken;) {
        bar->lane++;
        taken = false;
        for (size_t j = i; j-- > 0 && !strcmp(p->bars[j].node, bar->node);)
            taken |= p->bars[j].lane == bar->lane && p->bars[j].end > bar->start;
    }
}

static void read_rows(struct picture *p, const struct doc *rows)
{
    p->count = doc_count(rows);
    p->bars = mem_array(p->count + 1, sizeof(*p->bars));
    for (size_t i = 0; i < p->count; i++) {
        const struct doc *r = doc_at(rows, i);
        double start = doc_number(r, "start_s");
        double end = doc_number(r, "end_s");

        p->bars[i] = (struct bar){doc_text(r, "point"), doc_text(r, "node"),
                                  isnan(start) ? 0 : start, isnan(end) ? 0 : end, 0};
        int w = text_width(p->bars[i].node);
        if (w > p->label)
            p->label = w < LABEL_MAX ? w : LABEL_MAX;
    }
    qsort(p->bars, p->count, sizeof(*p->bars), by_node_and_start);
    for (size_t i = 0; i < p->count; i++)
        choose_lane(p, i);
}

static int column_of(const struct picture *p, double second)
{
    double at = second / p->span * (p->width - 1);

    return at < 0 ? 0 : at > p->width - 1 ? p->width - 1 : (int)lround(at);
}

static void add_bar(const struct picture *p, const struct bar *bar, struct str *out, int *used)
{
    int from = column_of(p, bar->start);
    int to = column_of(p, bar->end);

    if (from < *used)
        from = *used;
    text_spaces(out, from - *used);
    if (to <= from)
        to = from + 1;
    str_add(out, term_glyph(GLYPH_EDGE));
    *used = from + 1;
    if (to > *used)
        *used += text_add(out, bar->point, to - *used);
    term_begin(out, STYLE_DIM);
    text_repeat(out, term_glyph(GLYPH_BAR_REST), to - *used);
    term_end(out, STYLE_DIM);
    if (to > *used)
        *used = to;
}

// All bars of one node that lie in one lane, from bars[i] on.
static bool add_lane(const struct picture *p, size_t i, int lane, struct str *out)
{
    const char *node = p->bars[i].node;
    struct str line = {0};
    int used = 0;

    for (size_t j = i; j < p->count && !strcmp(p->bars[j].node, node); j++)
        if (p->bars[j].lane == lane)
            add_bar(p, &p->bars[j], &line, &used);
    if (line.len) {
        int w = text_add(out, lane ? "" : node, p->label);

        text_spaces(out, p->label - w + 1);
        str_addf(out, "%s%s\n", str_text(&line), used < p->width ? term_glyph(GLYPH_EDGE) : "");
    }
    bool any = line.len > 0;
    str_free(&line);
    return any;
}

static double tick_seconds(const struct picture *p)
{
    static const double steps[] = {60,    300,   900,   1800,  3600,  7200,
                                   14400, 21600, 43200, 86400, 172800};
    double least = p->span * TICK_COLUMNS / p->width;

    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
        if (steps[i] >= least)
            return steps[i];
    return ceil(least / 604800) * 604800;
}

static void add_axis(const struct picture *p, struct str *out)
{
    double step = tick_seconds(p);
    int used = 0;

    text_spaces(out, p->label + 1);
    term_begin(out, STYLE_DIM);
    for (int i = 0; i * step <= p->span; i++) {
        char text[TEXT_NUMBER_MAX];
        double t = i * step;
        int at = column_of(p, t);

        if (step < 3600)
            snprintf(text, sizeof(text), "%.0fm", t / 60);
        else
            snprintf(text, sizeof(text), "%.0fh", t / 3600);
        if (at < used || at + text_width(text) > p->width)
            continue;
        text_spaces(out, at - used);
        str_add(out, text);
        used = at + text_width(text);
    }
    term_end(out, STYLE_DIM);
    str_add_char(out, '\n');
}

void picture_add(const struct doc *rows, double span_s, struct str *out, int width)
{
    struct picture p = {.span = span_s};

    read_rows(&p, rows);
    for (size_t i = 0; i < p.count; i++)
        if (p.bars[i].end > p.span || isnan(p.span))
            p.span = p.bars[i].end;
    p.width = width - p.label - 2;
    if (p.span > 0 && p.width > TICK_COLUMNS) {
        add_axis(&p, out);
        for (size_t i = 0; i < p.count; i++)
            if (!i || strcmp(p.bars[i].node, p.bars[i - 1].node) != 0)
                for (int lane = 0; add_lane(&p, i, lane, out);)
                    lane++;
    }
    free(p.bars);
}
