// SPDX-License-Identifier: GPL-2.0-or-later
// Points that differ on an axis must start different servers. A recipe that ignores one measures
// the same thing twice under two names. Beside the points themselves, each arm is rendered again
// with one axis changed: so an axis that no two points differ in is seen as well.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "preflight/check.h"

enum { TP_FACTOR = 2 };

// --- the axes ----------------------------------------------------------------------

static const struct {
    const char *variable, *name;
} axes[] = {
    {"TP", "TP"},
    {"PP_SIZE", "PP"},
    {"DCP_SIZE", "DCP"},
    {"PCP_SIZE", "PCP"},
    {"EP_SIZE", "EP"},
    {"DP_ATTENTION", "DP attention"},
    {"SPEC_DECODING", "speculative decoding"},
    {"KV_OFFLOADING", "KV offloading"},
    {"KV_OFFLOAD_BACKEND", "KV offload backend"},
    {"CONC", "concurrency"},
};

enum { AXIS_COUNT = sizeof(axes) / sizeof(axes[0]), CONC_AXIS = AXIS_COUNT - 1 };

static bool differs(const struct point *a, const struct point *b, size_t axis)
{
    const bool table[AXIS_COUNT] = {
        a->tp != b->tp,
        a->pp != b->pp,
        a->dcp != b->dcp,
        a->pcp != b->pcp,
        a->ep != b->ep,
        a->dp_attn != b->dp_attn,
        strcmp(a->spec_decoding, b->spec_decoding) != 0,
        strcmp(a->kv_offloading, b->kv_offloading) != 0,
        strcmp(a->kv_backend, b->kv_backend) != 0,
        a->conc != b->conc,
    };

    return table[axis];
}

static bool same_arm(const struct point *a, const struct point *b)
{
    for (size_t axis = 0; axis < CONC_AXIS; axis++)
        if (differs(a, b, axis))
            return false;
    return a->kind == b->kind;
}

// --- probes ------------------------------------------------------------------------

// Returns a copy of the block with another value for one variable, owned by the caller.
static char *changed(const char *block, const char *variable, int value, const char *text)
{
    size_t len = strlen(variable);
    struct str out = {0};

    for (const char *line = block; *line;) {
        size_t width = strcspn(line, "\n");

        if (strncmp(line, variable, len) != 0 || line[len] != '=')
            str_addf(&out, "%.*s\n", (int)width, line);
        else if (text)
            str_addf(&out, "%s=%s\n", variable, text);
        else
            str_addf(&out, "%s=%d\n", variable, value);
        line += width + (line[width] == '\n');
    }
    return str_take(&out);
}

static void probe_number(struct probe *list, size_t *count, const struct check *c, size_t base,
                         const char *variable, int value)
{
    char *block = changed(c->in->points[base].env, variable, value, NULL);

    list[(*count)++] = (struct probe){base, variable, block};
}

static void probe_text(struct probe *list, size_t *count, const struct check *c, size_t base,
                       const char *variable, const char *text)
{
    char *block = changed(c->in->points[base].env, variable, 0, text);

    list[(*count)++] = (struct probe){base, variable, block};
}

// A recipe may take the parallelism from either variable.
static void probe_tp(struct probe *list, size_t *count, const struct check *c, size_t base)
{
    const struct point *p = &c->in->points[base].axes;
    char *block = changed(c->in->points[base].env, "TP", p->tp * TP_FACTOR, NULL);

    list[(*count)++] =
        (struct probe){base, "TP", changed(block, "GPU_COUNT", point_gpus(p) * TP_FACTOR, NULL)};
    free(block);
}

// The other value of each axis: its default where the point has another one, and for TP, which
// has none, the double.
static void probe_arm(struct probe *list, size_t *count, const struct check *c, size_t base)
{
    const struct point *p = &c->in->points[base].axes;
    const int sizes[] = {p->pp, p->dcp, p->pcp, p->ep};
    static const char *const names[] = {"PP_SIZE", "DCP_SIZE", "PCP_SIZE", "EP_SIZE"};

    probe_tp(list, count, c, base);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        if (sizes[i] > 1)
            probe_number(list, count, c, base, names[i], 1);
    if (p->dp_attn)
        probe_text(list, count, c, base, "DP_ATTENTION", "false");
    if (strcmp(p->spec_decoding, "none") != 0)
        probe_text(list, count, c, base, "SPEC_DECODING", "none");
    if (strcmp(p->kv_offloading, "none") != 0)
        probe_text(list, count, c, base, "KV_OFFLOADING", "none");
    probe_number(list, count, c, base, "CONC", p->conc + 1);
}

enum { PROBES_PER_ARM = 9, ARMS_MAX = 200 };

struct probe *probes_make(const struct check *c, size_t *ret_count)
{
    struct probe *list = mem_array(PROBES_PER_ARM * ARMS_MAX, sizeof(*list));
    size_t bases[ARMS_MAX], arms = 0;

    *ret_count = 0;
    for (size_t i = 0; i < c->in->count && arms < ARMS_MAX; i++) {
        size_t known = 0;

        while (known < arms && !same_arm(&c->in->points[i].axes, &c->in->points[bases[known]].axes))
            known++;
        if (known < arms)
            continue;
        bases[arms++] = i;
        probe_arm(list, ret_count, c, i);
    }
    return list;
}

void probes_free(struct probe *list, size_t count)
{
    for (size_t i = 0; list && i < count; i++)
        free(list[i].block);
    free(list);
}

// --- the rule ----------------------------------------------------------------------

static const char fix[] = "pass the value on to the server's arguments, or refuse the point";

static void ignored_by_pair(struct check *c, size_t a, size_t b)
{
    const struct point *pa = &c->in->points[a].axes, *pb = &c->in->points[b].axes;
    const struct complaint what = {PREFLIGHT_ERROR, "axis-ignored", "server arguments", NULL, fix};

    for (size_t axis = 0; axis < AXIS_COUNT; axis++) {
        if (!differs(pa, pb, axis))
            continue;
        complain(c, &what, (long)a, "%s is ignored: points that differ in %s start the same server",
                 axes[axis].variable, axes[axis].name);
        complain(c, &what, (long)b, "%s is ignored: points that differ in %s start the same server",
                 axes[axis].variable, axes[axis].name);
    }
}

struct entry {
    const char *server;
    size_t point;
};

static int by_server(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = strcmp(x->server, y->server);

    if (order != 0)
        return order;
    return x->point < y->point ? -1 : 1;
}

static void check_pairs(struct check *c)
{
    struct entry *list = mem_array(c->in->count, sizeof(*list));
    size_t count = 0;

    for (size_t i = 0; i < c->in->count; i++)
        if (check_usable(c, i))
            list[count++] = (struct entry){c->renderings[i].server_text, i};
    qsort(list, count, sizeof(*list), by_server);
    // Neighbours are enough: of three that are equal, each is named beside the next.
    for (size_t i = 1; i < count; i++)
        if (strcmp(list[i - 1].server, list[i].server) == 0)
            ignored_by_pair(c, list[i - 1].point, list[i].point);
    free(list);
}

static const char *axis_name(const char *variable)
{
    for (size_t i = 0; i < AXIS_COUNT; i++)
        if (strcmp(axes[i].variable, variable) == 0)
            return axes[i].name;
    return variable;
}

// A probe that the recipe refuses has been looked at. All points of its arm are concerned.
static void check_probe(struct check *c, const struct probe *p, const struct rendering *r)
{
    const struct complaint what = {PREFLIGHT_ERROR, "axis-ignored", "server arguments", NULL, fix};

    if (!r->json || !check_usable(c, p->base) ||
        strcmp(r->server_text, c->renderings[p->base].server_text) != 0)
        return;
    for (size_t i = 0; i < c->in->count; i++)
        if (same_arm(&c->in->points[i].axes, &c->in->points[p->base].axes))
            complain(c, &what, (long)i,
                     "%s is ignored: points that differ in %s start the same server", p->axis,
                     axis_name(p->axis));
}

void rule_axes(struct check *c, const struct probe *probes, size_t probe_count)
{
    check_pairs(c);
    for (size_t i = 0; i < probe_count; i++)
        check_probe(c, &probes[i], &c->renderings[c->in->count + i]);
}
