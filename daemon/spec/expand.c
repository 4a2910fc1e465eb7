// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "spec/build.h"
#include "spec/dram.h"
#include "spec/fields.h"
#include "spec/row_json.h"

enum {
    STEP_DEFAULT = 2,
    MODEL_LENGTH_SLACK = 256, // tokens over isl + osl that a server is given
    WARNING_MAX = 512,
};

int build_add(struct build *b, const struct matrix_row *row)
{
    if (b->count == MATRIX_ROWS_MAX)
        return err_set(b->e, -E2BIG, "%s:%d: the matrix has more than %d rows; filter it",
                       row->file, row->line, MATRIX_ROWS_MAX);
    b->rows = mem_room(b->rows, b->count, &b->cap, sizeof(*b->rows));
    b->rows[b->count++] = *row;
    return 0;
}

void build_warn(struct build *b, const struct entry *en, const struct yaml_value *at,
                const char *fmt, ...)
{
    char text[WARNING_MAX];
    struct str line = {0};
    va_list ap;

    if (b->warning_count == BUILD_WARNINGS_MAX)
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    str_addf(&line, "%s:%d:%d: %s", en->file, at->line, at->column, text);
    b->warnings = mem_room(b->warnings, b->warning_count, &b->warning_cap, sizeof(*b->warnings));
    b->warnings[b->warning_count++] = str_take(&line);
}

// --- concurrencies -------------------------------------------------------------

static size_t spread(int start, int end, int step, int *out)
{
    size_t n = 0;
    int c = start;

    while (c < end && n + 1 < ENTRY_CONC_LIST_MAX) {
        out[n++] = c;
        if (c > end / step) // c * step would be beyond the end
            break;
        c *= step;
    }
    out[n++] = end;
    return n;
}

static size_t written_concs(const struct entry_row *row, int step, int *out)
{
    if (!row->concs)
        return spread(row->conc_start, row->conc_end, step, out);
    memcpy(out, row->concs, row->conc_count * sizeof(*out));
    return row->conc_count;
}

static size_t keep_between(int *concs, size_t n, int low, int high)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        if ((!low || concs[i] >= low) && (!high || concs[i] <= high))
            concs[kept++] = concs[i];
    return kept;
}

// Bounds move the ends of a fixed single-node range, so that 4..64 from 6 on is
// 6, 12, 24, 48, 64.
static size_t bounded_range(const struct entry_row *row, const struct matrix_filter *f, int step,
                            int *out)
{
    int start = row->conc_start, end = row->conc_end;

    if (f->min_conc) {
        if (end < f->min_conc)
            return 0;
        if (start < f->min_conc)
            start = f->min_conc;
    }
    if (f->max_conc) {
        if (start > f->max_conc)
            start = end = f->max_conc;
        else if (end > f->max_conc)
            end = f->max_conc;
    }
    return spread(start, end, step, out);
}

// Elsewhere bounds only drop values; a fixed row whose values are all too high
// is measured at the bound itself.
static size_t bounded_values(const struct entry_row *row, const struct matrix_filter *f, int step,
                             bool agentic, int *out)
{
    size_t n = keep_between(out, written_concs(row, step, out), f->min_conc, 0);
    int lowest = n ? out[0] : 0;

    for (size_t i = 1; i < n; i++)
        if (out[i] < lowest)
            lowest = out[i];
    if (!agentic && n && f->max_conc && lowest > f->max_conc) {
        out[0] = f->max_conc;
        return 1;
    }
    return keep_between(out, n, 0, f->max_conc);
}

static bool is_wanted(const struct matrix_filter *f, int conc)
{
    for (size_t i = 0; i < f->conc_count; i++)
        if (f->concs[i] == conc)
            return true;
    return !f->conc_count;
}

// Repeats stay as written, except where they would be two points of one name.
static size_t drop_repeats(int *concs, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        size_t j = 0;

        while (j < kept && concs[j] != concs[i])
            j++;
        if (j == kept)
            concs[kept++] = concs[i];
    }
    return kept;
}

static size_t select_concs(const struct build *b, const struct entry *en,
                           const struct entry_row *row, bool agentic, int *out)
{
    const struct matrix_filter *f = b->filter;
    int step = f->step_size ? f->step_size : STEP_DEFAULT;
    size_t n = !row->concs && !agentic && !en->multinode
                   ? bounded_range(row, f, step, out)
                   : bounded_values(row, f, step, agentic, out);
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        if (is_wanted(f, out[i]))
            out[kept++] = out[i];
    return f->strict ? drop_repeats(out, kept) : kept;
}

static void warn_about_list(struct build *b, const struct entry *en, const struct entry_row *row)
{
    const struct yaml_value *list = fields_get(row->node, "conc-list");

    for (size_t i = 0; row->concs && i < row->conc_count; i++)
        for (size_t j = 0; j < i; j++)
            if (row->concs[i] == row->concs[j]) {
                build_warn(b, en, list->items[i], "concurrency %d stands twice in conc-list; %s",
                           row->concs[i],
                           b->filter->strict ? "it is measured once" : "write it once");
                return;
            }
    for (size_t i = 1; row->concs && i < row->conc_count; i++)
        if (row->concs[i] < row->concs[i - 1]) {
            build_warn(b, en, list->items[i], "conc-list is not in rising order (%d after %d)",
                       row->concs[i], row->concs[i - 1]);
            return;
        }
}

// --- runners -------------------------------------------------------------------

// Adds `name` unless it is there or the filter does not want it.
static void add_runner(const char **names, size_t *n, const char *name, const char *filter)
{
    if (!strstr(name, filter))
        return;
    for (size_t i = 0; i < *n; i++)
        if (strcmp(names[i], name) == 0)
            return;
    names[(*n)++] = name;
}

// Without a filter the row goes to the label. With one it goes to each runner
// that matches; when keys are asked for by name the label itself counts too.
static const char **select_runners(struct build *b, const struct entry *en, const char *label,
                                   size_t *ret_count)
{
    const char *filter = b->filter->node_filter;
    const struct runners_label *l = runners_find(&b->config->runners, en->runner);
    size_t max = filter && l ? l->count + 1 : 1;
    const char **names = arena_alloc(b->arena, max, sizeof(*names));

    *ret_count = 0;
    if (!filter) {
        names[(*ret_count)++] = label;
        return names;
    }
    if (b->filter->key_count)
        add_runner(names, ret_count, label, filter);
    for (size_t i = 0; l && i < l->count; i++)
        add_runner(names, ret_count, l->runners[i], filter);
    for (size_t i = 0; i < *ret_count; i++)
        names[i] = arena_strdup(b->arena, names[i]);
    return names;
}

// --- rows ----------------------------------------------------------------------

static struct matrix_component copy_component(struct arena *a, const struct matrix_component *c)
{
    return (struct matrix_component){
        .name = arena_strdup(a, c->name),
        .version = arena_strdup(a, c->version),
        .version_first = c->version_first,
    };
}

static struct matrix_worker copy_worker(struct arena *a, const struct matrix_worker *w)
{
    struct matrix_worker copy = *w;
    const char **settings = arena_alloc(a, w->setting_count, sizeof(*settings));

    for (size_t i = 0; i < w->setting_count; i++)
        settings[i] = arena_strdup(a, w->settings[i]);
    copy.settings = settings;
    copy.hardware = arena_strdup(a, w->hardware);
    copy.order = (unsigned char *)arena_text(a, (const char *)w->order, w->order_count);
    return copy;
}

// What all rows of an entry share.
static struct matrix_row entry_base(struct build *b, const struct entry *en)
{
    struct arena *a = b->arena;

    return (struct matrix_row){
        .key = arena_strdup(a, en->key),
        .file = arena_strdup(a, en->file),
        .multinode = en->multinode,
        .image = arena_strdup(a, en->image),
        .model = arena_strdup(a, en->model),
        .model_prefix = arena_strdup(a, en->model_prefix),
        .precision = arena_strdup(a, en->precision),
        .framework = arena_strdup(a, en->framework),
        .label = arena_strdup(a, en->runner),
        .router = copy_component(a, &en->router),
        .kv_p2p_transfer = arena_strdup(a, en->kv_p2p_transfer),
        .disagg = en->disagg,
    };
}

// What all concurrencies of a search-space row share.
static void apply_row(struct build *b, const struct entry_row *row, struct matrix_row *out)
{
    struct arena *a = b->arena;

    out->line = row->node->line;
    out->tp = row->tp;
    out->pp = row->pp;
    out->dcp = row->dcp;
    out->pcp = row->pcp;
    out->ep = row->ep;
    out->dp_attn = row->dp_attn;
    out->spec_decoding = arena_strdup(a, row->spec_decoding);
    out->kv_offloading = arena_strdup(a, row->kv_offloading);
    out->kv_backend = copy_component(a, &row->kv_backend);
    if (row->router.name)
        out->router = copy_component(a, &row->router);
    if (row->kv_p2p_transfer)
        out->kv_p2p_transfer = arena_strdup(a, row->kv_p2p_transfer);
    if (row->has_workers) {
        out->prefill = copy_worker(a, &row->prefill);
        out->decode = copy_worker(a, &row->decode);
    }
}

static int set_dram(struct build *b, const struct entry *en, const struct entry_scenario *sc,
                    const struct entry_row *row, struct matrix_row *out)
{
    const struct config_hardware *h = runners_find_hardware(&b->config->runners, en->runner);
    const struct yaml_value *at = fields_get(row->node, "kv-offloading");
    const struct matrix_worker *w = &row->prefill;
    int gpus = row->has_workers ? w->tp * w->pp * w->pcp : row->tp * row->pp * row->pcp;
    int share;

    if (strcmp(row->kv_offloading, "dram") != 0)
        return 0;
    if (!h)
        return yaml_err(b->e, en->file, at,
                        "kv-offloading: dram needs the memory of a node of '%s', but %s has no "
                        "hardware entry for it; add available-cpu-dram-mib and gpus-per-node",
                        en->runner, b->config->runners_name);
    share = row->has_workers ? dram_worker_gpus(gpus, h->gpus_per_node) : gpus;
    if (!share)
        return yaml_err(b->e, en->file, at,
                        "a prefill worker of %d GPUs does not tile nodes of %d GPUs", gpus,
                        h->gpus_per_node);
    if (share > h->gpus_per_node)
        return yaml_err(b->e, en->file, at,
                        "the row needs %d GPUs (tp %d x pp %d x pcp %d), a node of '%s' has %d",
                        gpus, row->tp, row->pp, row->pcp, en->runner, h->gpus_per_node);
    out->total_cpu_dram_gb =
        dram_gb(h->available_cpu_dram_mib, sc->utilization->number, share, h->gpus_per_node);
    return 0;
}

static const char *fixed_name(struct build *b, const struct matrix_row *row)
{
    struct str s = {0};

    str_addf(&s, "%s_", row->model_prefix);
    if (row->osl == 1024 && (row->isl == 1024 || row->isl == 8192))
        str_add(&s, row->isl == 1024 ? "1k1k" : "8k1k");
    else
        str_addf(&s, "%d_%d", row->isl, row->osl);
    const char *name = arena_strdup(b->arena, str_text(&s));
    str_free(&s);
    return name;
}

static void add_worker_tag(struct str *s, char role, const struct matrix_worker *w)
{
    str_addf(s, "_%c%dx%d", role, w->num_worker, w->tp);
    if (w->ep != 1)
        str_addf(s, "ep%d", w->ep);
    if (w->dp_attn)
        str_add(s, "dpa");
}

static const char *agentic_name(struct build *b, const struct matrix_row *row)
{
    struct str s = {0};
    bool offload = strcmp(row->kv_offloading, "none") != 0;

    str_add(&s, row->model_prefix);
    if (row->multinode) {
        add_worker_tag(&s, 'p', &row->prefill);
        add_worker_tag(&s, 'd', &row->decode);
    } else {
        str_addf(&s, "_tp%d", row->tp);
    }
    str_addf(&s, "_conc%d", row->conc);
    if (offload)
        str_addf(&s, "_kv%s-%s", row->kv_offloading, row->kv_backend.name);
    else if (!row->multinode)
        str_add(&s, "_kvnone");
    if (!row->multinode && strcmp(row->spec_decoding, "none") != 0)
        str_addf(&s, "_spec-%s", row->spec_decoding);
    const char *name = arena_strdup(b->arena, str_text(&s));
    str_free(&s);
    return name;
}

static int emit(struct build *b, struct matrix_row row, const char *runner, const int *concs,
                size_t n)
{
    int *own = arena_alloc(b->arena, n, sizeof(*own));

    memcpy(own, concs, n * sizeof(*own));
    row.runner = runner;
    row.conc = own[0];
    if (row.multinode) {
        row.concs = own;
        row.conc_count = n;
    }
    row.exp_name = row.agentic ? agentic_name(b, &row) : fixed_name(b, &row);
    row_hash(&row, ROW_NO_POINT, row.fingerprint);
    return build_add(b, &row);
}

// The order of runners and concurrencies is the published one: a single-node
// row goes by concurrency first, a multi-node one by runner.
static int emit_all(struct build *b, const struct matrix_row *row, const char **runners,
                    size_t runner_count, const int *concs, size_t n)
{
    bool whole = row->multinode && !row->agentic; // one job takes all concurrencies
    size_t inner = whole ? 1 : n;
    int rc = 0;

    for (size_t i = 0; i < runner_count * inner && !rc; i++) {
        size_t r = row->multinode ? i / inner : i % runner_count;
        size_t c = row->multinode ? i % inner : i / runner_count;

        rc = emit(b, *row, runners[r], &concs[c], whole ? n : 1);
    }
    return rc;
}

static int expand_row(struct build *b, const struct entry *en, const struct entry_scenario *sc,
                      const struct entry_row *row, struct matrix_row base, const char **runners,
                      size_t runner_count)
{
    int concs[ENTRY_CONC_LIST_MAX];
    size_t n;
    int rc = b->filter->strict ? strict_row(b, en, row) : 0;

    if (rc)
        return rc;
    apply_row(b, row, &base);
    rc = set_dram(b, en, sc, row, &base);
    if (rc)
        return rc;
    warn_about_list(b, en, row);
    n = select_concs(b, en, row, base.agentic, concs);
    return n ? emit_all(b, &base, runners, runner_count, concs, n) : 0;
}

static int expand_scenarios(struct build *b, const struct entry *en, bool agentic,
                            struct matrix_row base, const char **runners, size_t runner_count)
{
    const struct entry_scenario *list = agentic ? en->agentic : en->fixed;
    size_t count = agentic ? en->agentic_count : en->fixed_count;
    int rc = 0;

    for (size_t i = 0; i < count && !rc; i++) {
        base.agentic = agentic;
        base.isl = list[i].isl;
        base.osl = list[i].osl;
        base.max_model_len = agentic ? 0 : base.isl + base.osl + MODEL_LENGTH_SLACK;
        base.duration_s = agentic ? MATRIX_DURATION_S : 0;
        base.has_run_eval = !agentic;
        for (size_t j = 0; j < list[i].row_count && !rc; j++)
            rc = expand_row(b, en, &list[i], &list[i].rows[j], base, runners, runner_count);
    }
    return rc;
}

int expand_entry(struct build *b, const struct entry *en)
{
    unsigned scenarios = b->filter->scenarios;
    unsigned nodes = b->filter->nodes;
    struct matrix_row base;
    const char **runners;
    size_t runner_count;
    int rc = b->filter->strict ? strict_entry(b, en) : 0;

    if (rc)
        return rc;
    if (nodes && !(nodes & (en->multinode ? MATRIX_MULTI_NODE : MATRIX_SINGLE_NODE)))
        return 0;
    base = entry_base(b, en);
    runners = select_runners(b, en, base.label, &runner_count);
    if (!scenarios || (scenarios & MATRIX_FIXED))
        rc = expand_scenarios(b, en, false, base, runners, runner_count);
    if (!rc && (!scenarios || (scenarios & MATRIX_AGENTIC)))
        rc = expand_scenarios(b, en, true, base, runners, runner_count);
    return rc;
}
