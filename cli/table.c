// SPDX-License-Identifier: GPL-2.0-or-later
#include "table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "text.h"

struct cell {
    char *text;
    int width;
    enum style style;
};

struct table {
    const struct column *columns;
    size_t column_count;
    struct cell *cells; // rows of column_count
    size_t used, cap;   // cells; a row begins at a multiple of column_count
    size_t next;        // cell to be filled
};

// Widths of one printing; -1: left out.
struct layout {
    int width[TABLE_COLUMNS_MAX];
};

struct table *table_create(const struct column *columns, size_t count)
{
    struct table *t = mem_alloc(sizeof(*t));

    t->columns = columns;
    t->column_count = count < TABLE_COLUMNS_MAX ? count : TABLE_COLUMNS_MAX;
    return t;
}

void table_free(struct table *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->used; i++)
        free(t->cells[i].text);
    free(t->cells);
    free(t);
}

void table_row(struct table *t)
{
    t->next = t->used;
    for (size_t i = 0; i < t->column_count; i++) {
        t->cells = mem_room(t->cells, t->used, &t->cap, sizeof(*t->cells));
        t->cells[t->used++] = (struct cell){0};
    }
}

void table_cell(struct table *t, enum style style, const char *text)
{
    if (t->next >= t->used)
        return;
    struct cell *c = &t->cells[t->next++];
    c->text = mem_strdup(text);
    c->width = text_width(text);
    c->style = style;
}

void table_cellf(struct table *t, enum style style, const char *fmt, ...)
{
    struct str text = {0};
    char buf[TEXT_NUMBER_MAX * 4];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(buf, sizeof(buf), fmt, ap);
    va_end(ap);
    str_add(&text, buf);
    table_cell(t, style, str_text(&text));
    str_free(&text);
}

static int total(const struct table *t, const struct layout *l)
{
    int sum = 0;

    for (size_t i = 0; i < t->column_count; i++)
        if (l->width[i] >= 0)
            sum += l->width[i] + (sum ? TABLE_GAP : 0);
    return sum;
}

// Cuts the columns that may be cut, from right to left. Returns what is over.
static int shrink(const struct table *t, struct layout *l, int over)
{
    for (size_t i = t->column_count; i-- > 0 && over > 0;) {
        int least = t->columns[i].shrink_to;

        if (!least || l->width[i] <= least)
            continue;
        int cut = l->width[i] - least < over ? l->width[i] - least : over;
        l->width[i] -= cut;
        over -= cut;
    }
    return over;
}

static bool drop_one(const struct table *t, struct layout *l)
{
    size_t worst = t->column_count;

    for (size_t i = 0; i < t->column_count; i++)
        if (l->width[i] >= 0 && t->columns[i].drop > 0 &&
            (worst == t->column_count || t->columns[i].drop > t->columns[worst].drop))
            worst = i;
    if (worst == t->column_count)
        return false;
    l->width[worst] = -1;
    return true;
}

static struct layout natural(const struct table *t)
{
    struct layout l = {0};

    for (size_t i = 0; i < t->column_count; i++)
        l.width[i] = text_width(t->columns[i].title);
    for (size_t row = 0; row < t->used; row += t->column_count)
        for (size_t i = 0; i < t->column_count; i++)
            if (t->cells[row + i].width > l.width[i])
                l.width[i] = t->cells[row + i].width;
    return l;
}

static struct layout lay_out(const struct table *t, int width)
{
    struct layout full = natural(t);
    struct layout l = full;

    while (width && shrink(t, &l, total(t, &l) - width) > 0) {
        struct layout fewer = full;

        for (size_t i = 0; i < t->column_count; i++)
            if (l.width[i] < 0)
                fewer.width[i] = -1;
        if (!drop_one(t, &fewer))
            break;
        l = fewer;
    }
    return l;
}

static void write_cell(struct str *out, const struct column *column, const struct cell *c,
                       int width)
{
    int pad = width - (c->width < width ? c->width : width);

    if (column->align == ALIGN_RIGHT)
        text_spaces(out, pad);
    term_begin(out, c->style);
    text_add(out, c->text ? c->text : "", width);
    term_end(out, c->style);
    if (column->align == ALIGN_LEFT)
        text_spaces(out, pad);
}

static void trim_line(struct str *out)
{
    while (out->len && out->p[out->len - 1] == ' ')
        out->p[--out->len] = '\0';
}

static void write_row(const struct table *t, struct str *out, const struct layout *l,
                      const struct cell *cells, int indent)
{
    bool first = true;

    text_spaces(out, indent);
    for (size_t i = 0; i < t->column_count; i++) {
        if (l->width[i] < 0)
            continue;
        if (!first)
            text_spaces(out, TABLE_GAP);
        write_cell(out, &t->columns[i], &cells[i], l->width[i]);
        first = false;
    }
    trim_line(out);
    str_add_char(out, '\n');
}

void table_write(const struct table *t, struct str *out, int width, int indent)
{
    struct layout l = lay_out(t, width ? width - indent : 0);
    struct cell titles[TABLE_COLUMNS_MAX] = {0};

    for (size_t i = 0; i < t->column_count; i++) {
        titles[i].text = (char *)(uintptr_t)t->columns[i].title;
        titles[i].width = text_width(t->columns[i].title);
        titles[i].style = STYLE_DIM;
    }
    write_row(t, out, &l, titles, indent);
    for (size_t i = 0; i < t->used; i += t->column_count)
        write_row(t, out, &l, t->cells + i, indent);
}
