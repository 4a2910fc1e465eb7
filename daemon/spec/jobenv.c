// SPDX-License-Identifier: GPL-2.0-or-later
#include "spec/jobenv.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void text(struct str *out, const char *name, const char *value)
{
    str_addf(out, "%s=%s\n", name, value ? value : "");
}

static void number(struct str *out, const char *name, int value)
{
    str_addf(out, "%s=%d\n", name, value);
}

static void truth(struct str *out, const char *name, bool value)
{
    text(out, name, value ? "true" : "false");
}

// Line breaks are ours; anything else below a space came with a text.
static bool has_control(const char *lines, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)lines[i] < ' ' && lines[i] != '\n')
            return true;
    return false;
}

static size_t count_lines(const char *lines, size_t len)
{
    size_t n = 0;

    for (size_t i = 0; i < len; i++)
        n += lines[i] == '\n';
    return n;
}

int jobenv_build(const struct matrix_row *row, const struct point *p, bool fast, struct str *out,
                 struct err *e)
{
    enum { LINES = 31 };
    size_t start = out->len;

    text(out, "SWEEPD_POINT", p->name);
    text(out, "MODEL", row->model);
    text(out, "MODEL_PREFIX", row->model_prefix);
    text(out, "IMAGE", row->image);
    text(out, "FRAMEWORK", row->framework);
    text(out, "PRECISION", row->precision);
    number(out, "TP", p->tp);
    number(out, "PP_SIZE", p->pp);
    number(out, "DCP_SIZE", p->dcp);
    number(out, "PCP_SIZE", p->pcp);
    number(out, "EP_SIZE", p->ep);
    truth(out, "DP_ATTENTION", p->dp_attn);
    number(out, "CONC", p->conc);
    text(out, "SPEC_DECODING", p->spec_decoding);
    truth(out, "DISAGG", row->disagg);
    truth(out, "RUN_EVAL", p->kind == POINT_EVAL);
    truth(out, "EVAL_ONLY", p->kind == POINT_EVAL);
    text(out, "SCENARIO_TYPE", row->agentic ? "agentic-coding" : "fixed-seq-len");
    number(out, "IS_AGENTIC", row->agentic ? 1 : 0);
    text(out, "KV_OFFLOADING", p->kv_offloading);
    text(out, "KV_OFFLOAD_BACKEND", row->kv_backend.name);
    number(out, "TOTAL_CPU_DRAM_GB", p->total_cpu_dram_gb);
    number(out, "DURATION", fast ? FAST_DURATION_S : p->duration_s);
    number(out, "GPU_COUNT", point_gpus(p));
    text(out, "EXP_NAME", p->exp_name);
    text(out, "RUNNER_TYPE", row->label);
    number(out, "ISL", p->isl);
    number(out, "OSL", p->osl);
    number(out, "MAX_MODEL_LEN", row->max_model_len);
    number(out, "AIPERF_EXPERIMENTAL_FAST", fast ? 1 : 0);
    text(out, "AIPERF_FAILED_REQUEST_THRESHOLD", "0.10");
    if (count_lines(out->p + start, out->len - start) != LINES ||
        has_control(out->p + start, out->len - start))
        return err_set(e, -EINVAL, "%s:%d: %s: a text holds a line break or control character",
                       row->file, row->line, p->name);
    return 0;
}

bool jobenv_recipe(const struct matrix_row *row, const char *hardware, char *buf, size_t size)
{
    const char *start = strchr(row->label, ':') ? strchr(row->label, ':') + 1 : row->label;
    int len = (int)strcspn(start, "-");

    if (hardware) {
        start = hardware;
        len = (int)strlen(hardware);
    }
    int n = snprintf(buf, size, "%s_%s_%.*s%s.sh", row->model_prefix, row->precision, len, start,
                     strcmp(row->spec_decoding, "mtp") == 0 ? "_mtp" : "");
    return n > 0 && (size_t)n < size && !strchr(buf, '/') && buf[0] != '.';
}
