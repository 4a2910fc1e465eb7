// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "ingest/report.h"

static void per(struct out *o, const char *name, double energy, int64_t count)
{
    out_rounded(o, name, count > 0 ? energy / (double)count : (double)NAN);
}

static void write_gpus(struct out *o, const struct power *p)
{
    out_array(o, "gpus");
    for (size_t i = 0; i < p->gpu_count; i++) {
        out_object(o, NULL);
        out_text(o, "id", p->gpu[i].id);
        out_int(o, "samples", p->gpu[i].samples);
        out_rounded(o, "longest_gap_s", p->gpu[i].longest_gap_s);
        out_rounded(o, "energy_j", p->gpu[i].energy_j);
        out_object_end(o);
    }
    out_array_end(o);
}

void report_power(struct out *o, const struct run *r)
{
    const struct power *p = &r->power;
    const struct requests *q = &r->requests;
    double all = p->energy_j / p->duration_s;

    if (!p->there) {
        out_null(o, "power");
        return;
    }
    out_object(o, "power");
    out_bool(o, "valid", p->reasons == 0);
    out_array(o, "reasons");
    for (int i = 0; i < POWER_REASONS; i++) {
        if (p->reasons >> i & 1)
            out_text(o, NULL, power_reason_name((enum power_reason)i));
    }
    out_array_end(o);
    out_rounded(o, "avg_power_w", p->gpu_count ? all / (double)p->gpu_count : (double)NAN);
    out_rounded(o, "avg_total_gpu_power_w", all);
    out_rounded(o, "total_gpu_energy_j", p->energy_j);
    per(o, "joules_per_successful_query", p->energy_j, q->profiled);
    per(o, "joules_per_input_token", p->energy_j, q->input_sum);
    per(o, "joules_per_output_token", p->energy_j, q->output_sum);
    per(o, "joules_per_total_token", p->energy_j, q->input_sum + q->output_sum);
    write_gpus(o, p);
    out_object_end(o);
}
