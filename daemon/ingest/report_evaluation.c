// SPDX-License-Identifier: GPL-2.0-or-later
#include "ingest/report.h"

static void write_task(struct out *o, const struct evaluation_task *t)
{
    const struct evaluation_metric *score = evaluation_score(t);

    out_object(o, NULL);
    out_text(o, "task", t->name);
    out_text(o, "score_metric", score ? score->name : NULL);
    if (score)
        out_real(o, "score", score->value);
    else
        out_null(o, "score");
    out_real(o, "lowest_exact_match", evaluation_lowest(t));
    out_count(o, "samples", t->samples);
    out_count(o, "samples_used", t->samples_used);
    out_array(o, "metrics");
    for (size_t i = 0; i < t->metric_count; i++) {
        out_object(o, NULL);
        out_text(o, "name", t->metric[i].name);
        out_real(o, "value", t->metric[i].value);
        out_object_end(o);
    }
    out_array_end(o);
    out_object_end(o);
}

static void write_file(struct out *o, const struct evaluation_file *f)
{
    out_object(o, NULL);
    out_text(o, "file", f->file);
    out_bool(o, "read", f->read);
    if (f->conc)
        out_int(o, "conc", f->conc);
    else
        out_null(o, "conc");
    out_text(o, "model", *f->model ? f->model : NULL);
    out_array(o, "tasks");
    for (size_t i = 0; i < f->task_count; i++)
        write_task(o, &f->tasks[i]);
    out_array_end(o);
    out_object_end(o);
}

void report_evaluation(struct out *o, const struct run *r)
{
    const struct evaluation *v = &r->evaluation;

    if (!v->file_count && !v->meta.text.len) {
        out_null(o, "evaluation");
        return;
    }
    out_object(o, "evaluation");
    out_array(o, "files");
    for (size_t i = 0; i < v->file_count; i++)
        write_file(o, &v->files[i]);
    out_array_end(o);
    if (v->meta.text.len)
        out_raw(o, "meta", str_text(&v->meta.text));
    else
        out_null(o, "meta");
    out_object_end(o);
}
