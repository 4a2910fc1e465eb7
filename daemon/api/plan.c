// SPDX-License-Identifier: GPL-2.0-or-later
#include "api/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/reply.h"
#include "base/clock.h"
#include "base/mem.h"
#include "core/schedule.h"

// Nodes of the sweep's fleet that could take its points now or later.
static size_t fleet_nodes(const struct app *a, const struct sweep *s, const char **names,
                          size_t max)
{
    const char *why_not;
    size_t n = 0;

    for (size_t i = 0; i < a->core.node_count && n < max; i++)
        if (!strcmp(a->core.nodes[i].fleet, s->runner) && node_usable(&a->core.nodes[i], &why_not))
            names[n++] = a->core.nodes[i].name;
    return n;
}

static void plan_text(const struct sweep *s, const char *const *names, size_t nodes, int gpus,
                      struct str *out)
{
    struct schedule_task *tasks = mem_array(s->point_count, sizeof(*tasks));
    struct schedule plan;

    for (size_t i = 0; i < s->point_count; i++)
        tasks[i] =
            (struct schedule_task){s->points[i].expected_us, point_gpus(&s->points[i].point)};
    schedule_make(tasks, s->point_count, nodes, gpus, s->placement, &plan);
    double ratio = plan.bound ? (double)plan.makespan / (double)plan.bound : 1.0;
    str_addf(out,
             "{\"schema_version\":1,\"plan\":{\"placement\":\"%s\",\"nodes\":%zu,"
             "\"makespan_s\":%" PRId64 ",\"bound_s\":%" PRId64 ",\"ratio\":%.4f,"
             "\"gpu_hours\":%.2f,\"rows\":[",
             placement_name(s->placement), nodes, plan.makespan / US_PER_S, plan.bound / US_PER_S,
             ratio, plan.gpu_us / 3.6e9);
    for (size_t i = 0; i < plan.count; i++)
        str_addf(out,
                 "%s{\"point\":\"%s\",\"node\":\"%s\",\"wave\":%d,\"start_s\":%" PRId64
                 ",\"end_s\":%" PRId64 ",\"gpus\":%d}",
                 i ? "," : "", s->points[i].point.name, names[plan.rows[i].node], plan.rows[i].wave,
                 plan.rows[i].start / US_PER_S, plan.rows[i].end / US_PER_S, tasks[i].gpus);
    str_add(out, "]}}");
    schedule_free(&plan);
    free(tasks);
}

void plan_answer(struct app *a, uint64_t request, const struct sweep *s)
{
    const struct conf_fleet *fleet = conf_fleet(a->conf, s->runner);
    const char **names = mem_array(a->core.node_count + 1, sizeof(*names));
    size_t nodes = fleet_nodes(a, s, names, a->core.node_count);
    struct str text = {0};

    if (!nodes) {
        http_problem(a->http, request, HTTP_UNAVAILABLE, "no_nodes", "No nodes",
                     "No node of the fleet can be used now.", "Look at GET /api/v1/nodes.", NULL);
    } else {
        plan_text(s, names, nodes, (int)fleet->gpus_per_node, &text);
        reply_json(a, request, HTTP_OK, &text);
    }
    free(names);
}
