// SPDX-License-Identifier: GPL-2.0-or-later
#include "api/plan.h"

#include <stdlib.h>
#include <string.h>

#include "api/doc.h"
#include "api/reply.h"
#include "base/clock.h"
#include "base/mem.h"
#include "core/history.h"
#include "core/schedule.h"

#define US_PER_GPU_HOUR 3.6e9

// Made on the loop, searched on the worker, answered on the loop.
struct plan_job {
    struct work work;
    uint64_t request;
    struct sweep *sweep; // owned
    struct schedule_task *tasks;
    char (*names)[NODE_NAME_MAX];
    int *gpus;
    size_t nodes;
    json_t *changes; // against the last sweep of the key
    struct schedule plan;
    struct str text;
};

static json_t *names_missing(const struct sweep *of, const struct sweep *in)
{
    json_t *list = json_array();

    for (size_t i = 0; i < of->point_count; i++)
        if (!sweep_point_find(in, of->points[i].point.name))
            json_array_append_new(list, json_string(of->points[i].point.name));
    return list;
}

static json_t *changes_since(const struct sweep *last, const struct sweep *s)
{
    json_t *o;

    if (!last)
        return json_null();
    o = json_object();
    doc_set_text(o, "sweep", last->id);
    json_object_set_new(o, "added", names_missing(s, last));
    json_object_set_new(o, "dropped", names_missing(last, s));
    json_object_set_new(o, "recipe_changed", json_boolean(strcmp(last->bundle, s->bundle) != 0));
    json_object_set_new(o, "image_changed", json_boolean(strcmp(last->image, s->image) != 0));
    json_object_set_new(o, "fast_changed", json_boolean(last->fast != s->fast));
    return o;
}

static double whole_seconds(int64_t us)
{
    int64_t s = us / US_PER_S;

    return (double)s;
}

static json_t *row_object(const struct plan_job *job, size_t i)
{
    const struct sweep_point *p = &job->sweep->points[i];
    const struct schedule_row *row = &job->plan.rows[i];
    json_t *o = json_object();

    doc_set_text(o, "point", p->point.name);
    json_object_set_new(o, "node", row->placed ? json_string(job->names[row->node]) : json_null());
    json_object_set_new(o, "wave", json_integer(row->wave));
    doc_set_number(o, "start_s", whole_seconds(row->start));
    doc_set_number(o, "end_s", whole_seconds(row->end));
    doc_set_number(o, "duration_s", whole_seconds(p->expected_us));
    doc_set_text(o, "source", estimate_source_name(p->source));
    json_object_set_new(o, "samples", json_integer(p->samples));
    json_object_set_new(o, "gpus", json_integer(job->tasks[i].gpus));
    return o;
}

static struct schedule_input input_of(const struct plan_job *job, enum placement placement)
{
    return (struct schedule_input){
        .tasks = job->tasks,
        .count = job->sweep->point_count,
        .node_gpus = job->gpus,
        .nodes = job->nodes,
        .placement = placement,
        .effort = SCHEDULE_EFFORT_PAPER,
    };
}

static void write_plan(struct plan_job *job, const struct schedule *other)
{
    const struct schedule *plan = &job->plan;
    json_t *doc = doc_open();
    json_t *o = json_object();
    json_t *rows = json_array();
    enum placement placement = job->sweep->placement;

    doc_set_text(o, "key", job->sweep->key);
    doc_set_text(o, "placement", placement_name(placement));
    json_object_set_new(o, "nodes", json_integer((json_int_t)job->nodes));
    doc_set_number(o, "makespan_s", whole_seconds(plan->makespan));
    doc_set_number(o, "bound_s", whole_seconds(plan->bound));
    doc_set_number(o, "ratio", plan->bound ? (double)plan->makespan / (double)plan->bound : 1.0);
    doc_set_number(o, "gpu_hours", plan->gpu_us / US_PER_GPU_HOUR);
    json_object_set_new(
        o, "other",
        json_pack("{s:s,s:f,s:f}", "placement",
                  placement_name(placement == PLACE_PACKED ? PLACE_EXCLUSIVE : PLACE_PACKED),
                  "makespan_s", whole_seconds(other->makespan), "gpu_hours",
                  other->gpu_us / US_PER_GPU_HOUR));
    json_object_set(o, "changes", job->changes);
    for (size_t i = 0; i < plan->count; i++)
        json_array_append_new(rows, row_object(job, i));
    json_object_set_new(o, "rows", rows);
    json_object_set_new(doc, "plan", o);
    doc_close(doc, &job->text);
}

static void run_plan(struct work *w, void *thread_ctx)
{
    struct plan_job *job = (struct plan_job *)w;
    enum placement mine = job->sweep->placement;
    struct schedule_input in = input_of(job, mine);
    struct schedule_input in_other =
        input_of(job, mine == PLACE_PACKED ? PLACE_EXCLUSIVE : PLACE_PACKED);
    struct schedule other;

    (void)thread_ctx;
    schedule_make(&in, &job->plan);
    schedule_make(&in_other, &other);
    write_plan(job, &other);
    schedule_free(&other);
}

static void plan_free(struct plan_job *job)
{
    schedule_free(&job->plan);
    json_decref(job->changes);
    sweep_free(job->sweep);
    str_free(&job->text);
    free(job->tasks);
    free(job->names);
    free(job->gpus);
    free(job);
}

static void done_plan(struct work *w, void *loop_ctx, int cancelled)
{
    struct plan_job *job = (struct plan_job *)w;
    struct app *a = loop_ctx;

    if (!cancelled && !a->stopping)
        reply_json(a, job->request, HTTP_OK, &job->text);
    plan_free(job);
}

// Nodes of the sweep's fleet that could take its points now or later.
static void take_nodes(const struct app *a, struct plan_job *job)
{
    const char *why_not;

    job->names = mem_array(a->core.node_count, sizeof(*job->names));
    job->gpus = mem_array(a->core.node_count, sizeof(*job->gpus));
    for (size_t i = 0; i < a->core.node_count; i++) {
        const struct node *n = &a->core.nodes[i];

        if (strcmp(n->fleet, job->sweep->runner) != 0 || !node_usable(n, &why_not))
            continue;
        str_copy(job->names[job->nodes], sizeof(*job->names), n->name);
        job->gpus[job->nodes++] = n->gpus_total;
    }
}

void plan_answer(struct app *a, uint64_t request, struct sweep *s)
{
    struct plan_job *job = mem_alloc(sizeof(*job));

    *job = (struct plan_job){.work = {.run = run_plan, .done = done_plan},
                             .request = request,
                             .sweep = s,
                             .changes = changes_since(history_last(&a->core, s->key), s),
                             .tasks = mem_array(s->point_count, sizeof(*job->tasks))};
    take_nodes(a, job);
    for (size_t i = 0; i < s->point_count; i++)
        job->tasks[i] =
            (struct schedule_task){s->points[i].expected_us, point_gpus(&s->points[i].point)};
    if (!job->nodes) {
        http_problem(a->http, request, HTTP_UNAVAILABLE, "no_nodes", "No nodes",
                     "No node of the fleet can be used now.", "Look at GET /api/v1/nodes.", NULL);
        plan_free(job);
    } else if (worker_submit(a->preflight_worker, &job->work)) {
        http_problem(a->http, request, HTTP_UNAVAILABLE, "busy", "Busy",
                     "Too many submits are being checked.", "Send it again in a moment.", NULL);
        plan_free(job);
    }
}
