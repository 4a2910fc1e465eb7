// SPDX-License-Identifier: GPL-2.0-or-later
// plan: the placement of a sweep on paper.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/dur.h"
#include "base/mem.h"
#include "cmd.h"
#include "picture.h"
#include "request.h"
#include "table.h"
#include "text.h"
#include "view.h"

static const char *seconds(double s, char *buf, size_t size)
{
    buf[0] = '\0';
    return isnan(s) ? buf : dur_text((int64_t)(s * (double)US_PER_S), buf, size);
}

static void add_summary(const struct doc *plan, struct str *out)
{
    char span[DUR_TEXT_MAX];
    char bound[DUR_TEXT_MAX];
    char hours[TEXT_NUMBER_MAX];

    str_addf(out, "%zu points on %lld nodes, %s, in %s\n", doc_count(doc_get(plan, "rows")),
             (long long)doc_int(plan, "nodes", 0), doc_text(plan, "placement"),
             seconds(doc_number(plan, "makespan_s"), span, sizeof(span)));
    str_addf(out, "no plan can be shorter than %s: this one takes %.2f times that\n",
             seconds(doc_number(plan, "bound_s"), bound, sizeof(bound)), doc_number(plan, "ratio"));
    str_addf(out, "%s GPU-hours\n",
             text_number(doc_number(plan, "gpu_hours"), 1, hours, sizeof(hours)));
}

static int by_start(const void *a, const void *b)
{
    const struct doc *x = *(const struct doc *const *)a;
    const struct doc *y = *(const struct doc *const *)b;
    double left = doc_number(x, "start_s");
    double right = doc_number(y, "start_s");

    if (left < right || left > right)
        return left < right ? -1 : 1;
    return strcmp(doc_text(x, "node"), doc_text(y, "node"));
}

static void add_rows(const struct doc *rows, struct str *out, int width)
{
    static const struct column columns[] = {
        {"POINT", ALIGN_LEFT, 0, 0},  {"NODE", ALIGN_LEFT, 8, 0}, {"WAVE", ALIGN_RIGHT, 0, 2},
        {"START", ALIGN_RIGHT, 0, 0}, {"END", ALIGN_RIGHT, 0, 0}, {"TIME", ALIGN_RIGHT, 0, 1},
        {"GPUS", ALIGN_RIGHT, 0, 3},
    };
    struct table *t = table_create(columns, sizeof(columns) / sizeof(columns[0]));

    size_t count = doc_count(rows);
    const struct doc **order = mem_array(count + 1, sizeof(*order));

    for (size_t i = 0; i < count; i++)
        order[i] = doc_at(rows, i);
    qsort(order, count, sizeof(*order), by_start);
    for (size_t i = 0; i < count; i++) {
        const struct doc *r = order[i];
        double start = doc_number(r, "start_s");
        double end = doc_number(r, "end_s");
        char buf[DUR_TEXT_MAX];

        table_row(t);
        table_cell(t, STYLE_PLAIN, doc_text(r, "point"));
        table_cell(t, STYLE_PLAIN, doc_text(r, "node"));
        table_cellf(t, STYLE_PLAIN, "%lld", (long long)doc_int(r, "wave", 0));
        table_cell(t, STYLE_PLAIN, start > 0 ? seconds(start, buf, sizeof(buf)) : "now");
        table_cell(t, STYLE_PLAIN, seconds(end, buf, sizeof(buf)));
        table_cell(t, STYLE_PLAIN, seconds(end - start, buf, sizeof(buf)));
        table_cellf(t, STYLE_PLAIN, "%lld", (long long)doc_int(r, "gpus", 0));
    }
    table_write(t, out, width, 0);
    table_free(t);
    free(order);
}

static int run_plan(struct ctl *ctl)
{
    struct doc *body = NULL;
    struct doc *answer = NULL;
    struct str out = {0};
    int code = request_build(ctl, &body);

    if (!code)
        code = ctl_post(ctl, "/api/v1/plan", body, &answer);
    doc_free(body);
    if (code)
        return code;
    if (ctl->json) {
        ctl_print_doc(answer);
    } else {
        const struct doc *plan = view_part(answer, "plan");
        const struct doc *rows = doc_get(plan, "rows");

        add_summary(plan, &out);
        str_add_char(&out, '\n');
        picture_add(rows, doc_number(plan, "makespan_s"), &out, term_picture_width());
        str_add_char(&out, '\n');
        add_rows(rows, &out, term_width());
        ctl_print(&out);
    }
    str_free(&out);
    doc_free(answer);
    return CTL_OK;
}

static const struct opt options[] = {REQUEST_OPTIONS, {0}};

const struct command cmd_plan = {
    .name = "plan",
    .operands = "KEY",
    .least = 1,
    .most = 1,
    .summary = "where and when each point would run; submits nothing",
    .example = "sweepctl plan qwen3.5-fp8-mi325x-sglang-agentic-mtp --packed",
    .options = options,
    .run = run_plan,
};
