// SPDX-License-Identifier: GPL-2.0-or-later
#include "preflight/preflight.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "preflight/check.h"

bool check_usable(const struct check *c, size_t point)
{
    return c->renderings && c->renderings[point].json;
}

// --- input -------------------------------------------------------------------------

static int read_job(const struct preflight_point *p, struct pairs *ret, struct err *e)
{
    const char *line = p->env;
    size_t lines = 1;

    for (const char *at = line; *at; at++)
        lines += *at == '\n';
    ret->list = mem_array(lines, sizeof(*ret->list));
    while (*line) {
        size_t width = strcspn(line, "\n");
        const char *equals = memchr(line, '=', width);

        if (!equals || equals == line || line[width] != '\n')
            return err_set(e, -EINVAL, "job.env of %s: not a KEY=VALUE line: %.*s", p->axes.name,
                           (int)(width > 80 ? 80 : width), line);
        struct pair *pair = &ret->list[ret->count++];
        size_t name = (size_t)(equals - line);

        pair->name = mem_alloc(name + 1);
        memcpy(pair->name, line, name);
        pair->value = mem_alloc(width - name);
        memcpy(pair->value, equals + 1, width - name - 1);
        line += width + 1;
    }
    return 0;
}

static int read_input(struct check *c, struct err *e)
{
    const struct preflight_input *in = c->in;

    if (in->count == 0 || in->count > PREFLIGHT_POINTS_MAX)
        return err_set(e, -EINVAL, "%zu points cannot be checked at once, only 1 to %d", in->count,
                       PREFLIGHT_POINTS_MAX);
    int rc = flags_load(in->flags, &c->flags, e);

    if (rc != 0)
        return rc;
    c->jobs = mem_array(in->count, sizeof(*c->jobs));
    for (size_t i = 0; i < in->count; i++) {
        rc = read_job(&in->points[i], &c->jobs[i], e);
        if (rc != 0)
            return rc;
    }
    return 0;
}

// --- rendering -----------------------------------------------------------------------

static void render(struct check *c, const struct probe *probes, size_t probe_count)
{
    const struct complaint what = {
        PREFLIGHT_ERROR, "render", NULL, NULL,
        "run `bash <recipe> --render < job.env` and repair what it says"};
    size_t count = c->in->count + probe_count;
    char **blocks = mem_array(count, sizeof(*blocks));
    struct err e = {0};

    for (size_t i = 0; i < c->in->count; i++)
        blocks[i] = mem_strdup(c->in->points[i].env);
    for (size_t i = 0; i < probe_count; i++)
        blocks[c->in->count + i] = mem_strdup(probes[i].block);
    if (render_blocks(c->in->recipe, blocks, count, c->in->timeout_us, &c->renderings, &e) == 0)
        c->rendering_count = count;
    else
        complain(c, &what, NO_POINT, "it cannot be rendered: %s", e.text);
    for (size_t i = 0; i < count; i++)
        free(blocks[i]);
    free(blocks);
}

void rule_rendered(struct check *c)
{
    const struct complaint refused = {PREFLIGHT_ERROR, "render-refused", NULL, NULL,
                                      "leave the point out, or teach the recipe to run it"};
    const struct complaint broken = {PREFLIGHT_ERROR, "render", NULL, NULL,
                                     "print one line of the documented form for each block"};

    for (size_t i = 0; i < c->in->count; i++) {
        const struct rendering *r = &c->renderings[i];
        const char *name = pairs_value(&c->jobs[i], "SWEEPD_POINT");

        if (r->refused)
            complain(c, &refused, (long)i, "the recipe refuses the point: %.300s", r->refusal);
        else if (!r->json)
            complain(c, &broken, (long)i, "what it printed cannot be read: %.300s", r->refusal);
        else if (name && strcmp(name, r->point) != 0)
            complain(c, &broken, (long)i, "it printed another point's line");
        if (r->json) {
            c->report->rendered[i].json = mem_strdup(r->json);
            c->report->rendered[i].expected_s = r->expected_s;
        }
    }
}

// A list by name goes with a build; the bundle's copy is called flags.txt.
static void rule_client(struct check *c, size_t point)
{
    const char *slash = strrchr(c->in->flags, '/');
    const char *file = slash ? slash + 1 : c->in->flags;
    const char *claimed = c->renderings[point].client_flags;
    size_t len = strlen(claimed);
    const struct complaint what = {PREFLIGHT_ERROR, "client-flags", "what it says of itself",
                                   "client_flags", "check it against the list of its own client"};

    if (strcmp(file, "flags.txt") == 0)
        return;
    if (strncmp(file, claimed, len) != 0 || strcmp(file + len, ".txt") != 0)
        complain(c, &what, (long)point, "it is written for the client build %s, the list is %.100s",
                 claimed, file);
}

static void check_points(struct check *c)
{
    size_t probe_count = 0;
    struct probe *probes = probes_make(c, &probe_count);

    render(c, probes, probe_count);
    if (c->renderings) {
        rule_rendered(c);
        for (size_t i = 0; i < c->in->count; i++) {
            if (!check_usable(c, i))
                continue;
            rule_client(c, i);
            rule_flags(c, i);
            rule_scenario(c, i);
            rule_golden(c, i);
            rule_metrics(c, i);
        }
        rule_axes(c, probes, probe_count);
    }
    probes_free(probes, probe_count);
}

// --- cost --------------------------------------------------------------------------

static void estimate(const struct preflight_input *in, struct preflight_finding *f)
{
    size_t points = f->point_count ? f->point_count : in->count;
    long hours = 0;
    struct str text = {0};

    if (f->severity != PREFLIGHT_ERROR)
        return;
    for (size_t i = 0; i < points; i++) {
        const struct point *p = &in->points[f->point_count ? f->points[i] : i].axes;

        hours += (long)point_gpus(p) * PREFLIGHT_POINT_HOURS;
    }
    str_addf(&text, "%zu point%s, %zu weight load%s, %ld GPU-hours (GPUs x %d h a point)", points,
             points == 1 ? "" : "s", points, points == 1 ? "" : "s", hours, PREFLIGHT_POINT_HOURS);
    free(f->cost);
    f->cost = str_take(&text);
}

static int by_index(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return (x > y) - (x < y);
}

int preflight_run(const struct preflight_input *in, struct preflight_report *ret, struct err *e)
{
    struct preflight_report report = {0};
    struct check c = {.in = in, .report = &report};
    int rc = read_input(&c, e);

    if (rc == 0) {
        report.rendered = mem_array(in->count, sizeof(*report.rendered));
        report.rendered_count = in->count;
        if (rule_script(&c))
            check_points(&c);
        for (size_t i = 0; i < report.count; i++) {
            struct preflight_finding *f = &report.findings[i];

            qsort(f->points, f->point_count, sizeof(*f->points), by_index);
            estimate(in, f);
        }
    }
    for (size_t i = 0; c.jobs && i < in->count; i++)
        pairs_free(&c.jobs[i]);
    free(c.jobs);
    rendering_free(c.renderings, c.rendering_count);
    flags_free(&c.flags);
    str_free(&c.script);
    *ret = report;
    return rc;
}
