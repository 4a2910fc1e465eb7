// SPDX-License-Identifier: GPL-2.0-or-later
#include "rows.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"

enum { VALUES_MAX = 40, VALUE_TEXT_MAX = 48 };

// The values of one statement in the making; numbers need a place for their
// text until the statement has copied it.
struct values {
    const char *list[VALUES_MAX];
    char texts[VALUES_MAX][VALUE_TEXT_MAX];
    size_t count;
};

static void put_text(struct values *v, const char *text)
{
    v->list[v->count++] = text;
}

static void put_int(struct values *v, int64_t n)
{
    snprintf(v->texts[v->count], VALUE_TEXT_MAX, "%" PRId64, n);
    put_text(v, v->texts[v->count]);
}

static void put_bool(struct values *v, bool b)
{
    put_text(v, b ? "true" : "false");
}

static void put_double(struct values *v, double d)
{
    snprintf(v->texts[v->count], VALUE_TEXT_MAX, "%.17g", d);
    put_text(v, isfinite(d) ? v->texts[v->count] : NULL);
}

static void put_time(struct values *v, int64_t wall)
{
    put_text(v, wall ? clock_text(wall, v->texts[v->count], VALUE_TEXT_MAX) : NULL);
}

static void put_sweep(struct store_batch *b, const struct sweep *s)
{
    struct values v = {.count = 0};

    put_int(&v, s->seq);
    put_text(&v, s->id);
    put_text(&v, s->key);
    put_text(&v, s->owner);
    put_text(&v, sweep_state_name(s->state));
    put_text(&v, on_failure_name(s->on_failure));
    put_text(&v, placement_name(s->placement));
    put_bool(&v, s->fast);
    put_text(&v, s->reason);
    put_text(&v, s->image);
    put_text(&v, s->model);
    put_text(&v, s->runner);
    put_text(&v, s->recipe);
    put_text(&v, s->bundle);
    put_double(&v, s->limits.error_rate_max);
    put_double(&v, s->limits.al_target);
    put_double(&v, s->limits.al_tolerance);
    put_double(&v, s->limits.coverage_stall);
    put_int(&v, s->limits.requests_min);
    put_time(&v, s->created_at);
    put_time(&v, s->ended_at);
    store_batch_add(b, STORE_PUT_SWEEP, v.list, v.count);
}

static void put_point(struct store_batch *b, const struct sweep *s, size_t index)
{
    const struct sweep_point *p = &s->points[index];
    struct values v = {.count = 0};
    struct str excluded = {0};

    for (size_t i = 0; i < p->excluded_count; i++)
        str_addf(&excluded, "%s%s", i ? " " : "", p->excluded[i]);
    put_int(&v, s->seq);
    put_int(&v, (int64_t)index);
    put_text(&v, p->point.name);
    put_text(&v, point_kind_name(p->point.kind));
    put_int(&v, p->point.tp);
    put_int(&v, p->point.pp);
    put_int(&v, p->point.dcp);
    put_int(&v, p->point.pcp);
    put_int(&v, p->point.ep);
    put_bool(&v, p->point.dp_attn);
    put_text(&v, p->point.spec_decoding);
    put_text(&v, p->point.kv_offloading);
    put_text(&v, p->point.kv_backend);
    put_int(&v, p->point.conc);
    put_int(&v, p->point.isl);
    put_int(&v, p->point.osl);
    put_int(&v, p->point.total_cpu_dram_gb);
    put_int(&v, p->point.duration_s);
    put_text(&v, p->point.exp_name);
    put_text(&v, p->job_env);
    put_int(&v, p->expected_us);
    put_text(&v, point_state_name(p->state));
    put_text(&v, outcome_name(p->outcome));
    put_text(&v, p->reason);
    put_int(&v, p->chosen);
    put_text(&v, str_text(&excluded));
    store_batch_add(b, STORE_PUT_POINT, v.list, v.count);
    str_free(&excluded);
}

// A text that was cut in the middle of a character is no JSON string.
static json_t *json_text(const char *text)
{
    char *clean = mem_strdup(text);

    utf8_clean(clean);
    json_t *s = json_string(clean);
    free(clean);
    return s;
}

void rows_evidence(const struct verdict *verdict, struct str *out)
{
    json_t *list = json_array();

    for (size_t i = 0; i < verdict->count; i++) {
        const struct evidence *e = &verdict->evidence[i];

        json_array_append_new(list, json_pack("{s:s,s:b,s:o,s:o,s:s}", "rule", e->rule, "holds",
                                              e->holds, "value", json_text(e->value), "limit",
                                              json_text(e->limit), "source", e->source));
    }
    char *text = json_dumps(list, JSON_COMPACT);
    str_add(out, text ? text : "[]");
    free(text);
    json_decref(list);
}

static void put_attempt(struct store_batch *b, const struct sweep *s, size_t point,
                        const struct attempt *a)
{
    struct values v = {.count = 0};
    struct str evidence = {0};

    rows_evidence(&a->verdict, &evidence);
    put_int(&v, s->seq);
    put_int(&v, (int64_t)point);
    put_int(&v, a->number);
    put_text(&v, a->token);
    put_text(&v, attempt_state_name(a->state));
    put_bool(&v, a->cancel_wanted);
    put_int(&v, a->job_id);
    put_int(&v, a->submit_time);
    put_text(&v, a->node);
    put_text(&v, a->slurm_state);
    put_text(&v, a->slurm_reason);
    put_text(&v, a->phase);
    put_text(&v, a->end_reason);
    put_int(&v, a->exit_code);
    put_int(&v, a->signal);
    put_text(&v, outcome_name(a->outcome));
    put_text(&v, blame_name(a->blame));
    put_text(&v, a->reason);
    put_double(&v, a->metrics.al);
    put_double(&v, a->metrics.total_tps_per_gpu);
    put_double(&v, a->metrics.output_tps_per_gpu);
    put_double(&v, a->metrics.output_tps_per_user);
    put_double(&v, a->metrics.ttft_p90_s);
    put_double(&v, a->metrics.cache_hit_rate);
    put_int(&v, a->metrics.requests);
    put_text(&v, str_text(&evidence));
    put_text(&v, a->summary);
    put_time(&v, a->intent_at);
    put_time(&v, a->submitted_at);
    put_time(&v, a->started_at);
    put_time(&v, a->ended_at);
    put_time(&v, a->judged_at);
    store_batch_add(b, STORE_PUT_ATTEMPT, v.list, v.count);
    str_free(&evidence);
}

static void put_event(struct store_batch *b, const struct journal_entry *j)
{
    struct values v = {.count = 0};

    put_int(&v, j->id);
    put_time(&v, j->wall);
    put_int(&v, j->ref.sweep);
    put_text(&v, j->sweep);
    put_text(&v, j->point);
    put_int(&v, j->ref.attempt);
    put_text(&v, j->kind);
    put_text(&v, j->text);
    store_batch_add(b, STORE_PUT_EVENT, v.list, v.count);
}

static bool dirty(const struct versions *v)
{
    return v->now != v->stored;
}

struct store_batch *rows_batch(const struct core *c, int64_t *ret_journal_id)
{
    struct store_batch *b = store_batch_create();

    for (size_t i = 0; i < c->sweep_count; i++) {
        const struct sweep *s = c->sweeps[i];

        if (dirty(&s->v))
            put_sweep(b, s);
        for (size_t j = 0; j < s->point_count; j++) {
            const struct sweep_point *p = &s->points[j];

            if (dirty(&p->v))
                put_point(b, s, j);
            for (size_t k = 0; k < p->attempt_count; k++)
                if (dirty(&p->attempts[k].v))
                    put_attempt(b, s, j, &p->attempts[k]);
        }
    }
    for (size_t i = 0; i < c->journal.count; i++)
        put_event(b, &c->journal.list[i]);
    *ret_journal_id = c->journal.count ? c->journal.list[c->journal.count - 1].id : 0;
    return b;
}

// --- and back -----------------------------------------------------------------

// Takes the cells of one row from left to right.
struct cells {
    char *const *next;
    bool bad;
};

static const char *take_text(struct cells *c)
{
    const char *text = *c->next++;

    return text ? text : "";
}

static int64_t take_int(struct cells *c)
{
    const char *text = *c->next++;
    int64_t n = 0;

    if (text && str_to_i64(text, INT64_MIN, INT64_MAX, &n))
        c->bad = true;
    return n;
}

static double take_double(struct cells *c)
{
    const char *text = *c->next++;
    double d = NAN;

    if (text && str_to_double(text, &d))
        c->bad = true;
    return d;
}

static bool take_bool(struct cells *c)
{
    const char *text = *c->next++;

    return text && text[0] == 't';
}

static void take_into(struct cells *c, char *buf, size_t size)
{
    if (!str_copy(buf, size, take_text(c)))
        c->bad = true;
}

static struct sweep *take_sweep(struct cells *c)
{
    struct sweep *s = mem_alloc(sizeof(*s));

    s->seq = take_int(c);
    take_into(c, s->id, sizeof(s->id));
    take_into(c, s->key, sizeof(s->key));
    take_into(c, s->owner, sizeof(s->owner));
    c->bad |= !sweep_state_from_name(take_text(c), &s->state);
    c->bad |= !on_failure_from_name(take_text(c), &s->on_failure);
    c->bad |= !placement_from_name(take_text(c), &s->placement);
    s->fast = take_bool(c);
    take_into(c, s->reason, sizeof(s->reason));
    take_into(c, s->image, sizeof(s->image));
    take_into(c, s->model, sizeof(s->model));
    take_into(c, s->runner, sizeof(s->runner));
    take_into(c, s->recipe, sizeof(s->recipe));
    take_into(c, s->bundle, sizeof(s->bundle));
    s->limits.error_rate_max = take_double(c);
    s->limits.al_target = take_double(c);
    s->limits.al_tolerance = take_double(c);
    s->limits.coverage_stall = take_double(c);
    s->limits.requests_min = take_int(c);
    s->created_at = take_int(c);
    s->ended_at = take_int(c);
    return s;
}

static void take_excluded(struct cells *c, struct sweep_point *p)
{
    const char *text = take_text(c);

    while (*text && p->excluded_count < SWEEP_EXCLUDED_MAX) {
        size_t len = strcspn(text, " ");

        snprintf(p->excluded[p->excluded_count++], JOB_NODE_MAX, "%.*s", (int)len, text);
        text += len + (text[len] ? 1 : 0);
    }
}

static void take_point(struct cells *c, struct sweep_point *p)
{
    struct point *q = &p->point;

    take_into(c, q->name, sizeof(q->name));
    q->kind = strcmp(take_text(c), point_kind_name(POINT_EVAL)) ? POINT_THROUGHPUT : POINT_EVAL;
    q->tp = (int)take_int(c);
    q->pp = (int)take_int(c);
    q->dcp = (int)take_int(c);
    q->pcp = (int)take_int(c);
    q->ep = (int)take_int(c);
    q->dp_attn = take_bool(c);
    take_into(c, q->spec_decoding, sizeof(q->spec_decoding));
    take_into(c, q->kv_offloading, sizeof(q->kv_offloading));
    take_into(c, q->kv_backend, sizeof(q->kv_backend));
    q->conc = (int)take_int(c);
    q->isl = (int)take_int(c);
    q->osl = (int)take_int(c);
    q->total_cpu_dram_gb = (int)take_int(c);
    q->duration_s = (int)take_int(c);
    take_into(c, q->exp_name, sizeof(q->exp_name));
    p->job_env = mem_strdup(take_text(c));
    p->expected_us = take_int(c);
    c->bad |= !point_state_from_name(take_text(c), &p->state);
    p->outcome = outcome_from_name(take_text(c));
    take_into(c, p->reason, sizeof(p->reason));
    p->chosen = (int)take_int(c);
    take_excluded(c, p);
}

static void take_metrics(struct cells *c, struct metrics *m)
{
    m->al = take_double(c);
    m->total_tps_per_gpu = take_double(c);
    m->output_tps_per_gpu = take_double(c);
    m->output_tps_per_user = take_double(c);
    m->ttft_p90_s = take_double(c);
    m->cache_hit_rate = take_double(c);
    m->requests = take_int(c);
}

// Rule and source names are static texts in a verdict; here they are looked up
// in the table of all rules by judging nothing.
static void take_evidence(struct cells *c, struct verdict *v)
{
    const char *text = take_text(c);
    json_t *list = json_loads(text, 0, NULL);
    struct facts none = {0};
    struct limits limits = limits_default();
    struct verdict all;

    verdict_judge(&none, &limits, &all);
    for (size_t i = 0; i < json_array_size(list) && v->count < VERDICT_RULES_MAX; i++) {
        const json_t *o = json_array_get(list, i);
        const char *rule = json_string_value(json_object_get(o, "rule"));
        struct evidence *e = &v->evidence[v->count];

        for (size_t k = 0; rule && k < all.count; k++)
            if (!strcmp(all.evidence[k].rule, rule))
                *e = all.evidence[k];
        if (!e->rule)
            continue;
        const char *value = json_string_value(json_object_get(o, "value"));
        const char *limit = json_string_value(json_object_get(o, "limit"));
        e->holds = json_is_true(json_object_get(o, "holds"));
        str_copy(e->value, sizeof(e->value), value ? value : "");
        str_copy(e->limit, sizeof(e->limit), limit ? limit : "");
        v->count++;
    }
    json_decref(list);
}

static void take_attempt(struct cells *c, struct attempt *a)
{
    a->number = (int)take_int(c);
    take_into(c, a->token, sizeof(a->token));
    a->state = attempt_state_from_name(take_text(c));
    c->bad |= a->state == ATTEMPT_STATE_COUNT;
    a->cancel_wanted = take_bool(c);
    a->job_id = (uint32_t)take_int(c);
    a->submit_time = take_int(c);
    take_into(c, a->node, sizeof(a->node));
    take_into(c, a->slurm_state, sizeof(a->slurm_state));
    take_into(c, a->slurm_reason, sizeof(a->slurm_reason));
    take_into(c, a->phase, sizeof(a->phase));
    take_into(c, a->end_reason, sizeof(a->end_reason));
    a->exit_code = (int)take_int(c);
    a->signal = (int)take_int(c);
    a->outcome = outcome_from_name(take_text(c));
    a->blame = blame_from_name(take_text(c));
    take_into(c, a->reason, sizeof(a->reason));
    take_metrics(c, &a->metrics);
    take_evidence(c, &a->verdict);
    a->verdict.outcome = a->outcome;
    a->summary = mem_strdup(*c->next++);
    a->intent_at = take_int(c);
    a->submitted_at = take_int(c);
    a->started_at = take_int(c);
    a->ended_at = take_int(c);
    a->judged_at = take_int(c);
}

static struct sweep *find(struct sweep **list, size_t count, int64_t seq)
{
    size_t low = 0;

    while (low < count) {
        size_t mid = low + (count - low) / 2;

        if (list[mid]->seq == seq)
            return list[mid];
        if (list[mid]->seq < seq)
            low = mid + 1;
        else
            count = mid;
    }
    return NULL;
}

static int restore_points(const struct store_rows *rows, struct sweep **list, size_t count,
                          struct err *e)
{
    for (size_t i = 0; i < rows->rows; i++) {
        struct cells c = {.next = rows->cells + i * rows->columns};
        struct sweep *s = find(list, count, take_int(&c));
        int64_t index = take_int(&c);

        if (!s || index != (int64_t)s->point_count)
            return err_set(e, -EPROTO, "database: table point has a row without its neighbours");
        // Points come in order: room is made by doubling, as in mem_room.
        if ((s->point_count & (s->point_count - 1)) == 0)
            s->points =
                mem_grow(s->points, s->point_count ? s->point_count * 2 : 1, sizeof(*s->points));
        struct sweep_point *p = &s->points[s->point_count++];
        *p = (struct sweep_point){.state = POINT_WAITING};
        take_point(&c, p);
        if (c.bad)
            return err_set(e, -EPROTO, "database: point %s of sweep %s makes no sense",
                           p->point.name, s->id);
    }
    return 0;
}

static int restore_attempts(const struct store_rows *rows, struct sweep **list, size_t count,
                            struct err *e)
{
    for (size_t i = 0; i < rows->rows; i++) {
        struct cells c = {.next = rows->cells + i * rows->columns};
        struct sweep *s = find(list, count, take_int(&c));
        int64_t index = take_int(&c);

        if (!s || index < 0 || (size_t)index >= s->point_count)
            return err_set(e, -EPROTO, "database: table attempt has a row without its point");
        struct sweep_point *p = &s->points[index];
        p->attempts =
            mem_room(p->attempts, p->attempt_count, &p->attempt_cap, sizeof(*p->attempts));
        struct attempt *a = &p->attempts[p->attempt_count++];
        *a = (struct attempt){.number = 0};
        take_attempt(&c, a);
        if (c.bad)
            return err_set(e, -EPROTO, "database: attempt %d of %s makes no sense", a->number,
                           p->point.name);
    }
    return 0;
}

int rows_restore(const struct store_rows *sweeps, const struct store_rows *points,
                 const struct store_rows *attempts, struct sweep ***ret_sweeps, size_t *ret_count,
                 struct err *e)
{
    struct sweep **list = mem_array(sweeps->rows, sizeof(*list));
    int rc = 0;

    for (size_t i = 0; i < sweeps->rows; i++) {
        struct cells c = {.next = sweeps->cells + i * sweeps->columns};

        list[i] = take_sweep(&c);
        if (c.bad && !rc)
            rc = err_set(e, -EPROTO, "database: sweep %s makes no sense", list[i]->id);
    }
    if (!rc)
        rc = restore_points(points, list, sweeps->rows, e);
    if (!rc)
        rc = restore_attempts(attempts, list, sweeps->rows, e);
    if (rc) {
        for (size_t i = 0; i < sweeps->rows; i++)
            sweep_free(list[i]);
        free(list);
        return rc;
    }
    *ret_sweeps = list;
    *ret_count = sweeps->rows;
    return 0;
}
