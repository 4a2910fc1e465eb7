// SPDX-License-Identifier: GPL-2.0-or-later
#include "ledger.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "replay.h"

// One object as the transaction has it; its pointers are core's.
struct row {
    struct ref ref;
    struct sweep sweep;
    struct sweep_point point;
    struct attempt attempt;
};

struct ledger {
    struct sweep *sweeps[SWEEPS_MAX];
    size_t count;
    struct row *rows;
    size_t row_count, row_cap;
    struct journal_entry *entries; // of the transaction
    size_t entry_count, entry_cap;
    struct replay replay;
};

struct ledger *ledger_create(void)
{
    return mem_alloc(sizeof(struct ledger));
}

void ledger_free(struct ledger *l)
{
    for (size_t i = 0; i < l->count; i++)
        sweep_free(l->sweeps[i]);
    free(l->rows);
    free(l->entries);
    replay_free(&l->replay);
    free(l);
}

// --- a transaction ------------------------------------------------------------

static struct row *add_row(struct ledger *l, struct ref ref)
{
    l->rows = mem_room(l->rows, l->row_count, &l->row_cap, sizeof(*l->rows));
    l->rows[l->row_count].ref = ref;
    return &l->rows[l->row_count++];
}

static bool dirty(const struct versions *v)
{
    return v->now != v->stored;
}

static void add_point(struct ledger *l, const struct sweep *s, int index)
{
    const struct sweep_point *p = &s->points[index];

    if (dirty(&p->v))
        add_row(l, (struct ref){s->seq, index, 0})->point = *p;
    for (size_t k = 0; k < p->attempt_count; k++)
        if (dirty(&p->attempts[k].v))
            add_row(l, (struct ref){s->seq, index, p->attempts[k].number})->attempt =
                p->attempts[k];
}

int64_t ledger_begin(struct ledger *l, const struct core *c)
{
    l->row_count = 0;
    l->entry_count = 0;
    for (size_t i = 0; i < c->sweep_count; i++) {
        const struct sweep *s = c->sweeps[i];

        if (dirty(&s->v))
            add_row(l, (struct ref){s->seq, -1, 0})->sweep = *s;
        for (size_t j = 0; j < s->point_count; j++)
            add_point(l, s, (int)j);
    }
    for (size_t i = 0; i < c->journal.count; i++) {
        l->entries = mem_room(l->entries, l->entry_count, &l->entry_cap, sizeof(*l->entries));
        l->entries[l->entry_count++] = c->journal.list[i];
    }
    return l->entry_count ? l->entries[l->entry_count - 1].id : 0;
}

void ledger_drop(struct ledger *l)
{
    l->row_count = 0;
    l->entry_count = 0;
}

// --- what is kept of an object --------------------------------------------------

static struct attempt kept_attempt(const struct attempt *from)
{
    struct attempt a = *from;

    // What follows `issued` is not stored.
    memset((char *)&a + offsetof(struct attempt, issued), 0,
           sizeof(a) - offsetof(struct attempt, issued));
    a.v = (struct versions){0};
    a.summary = mem_strdup(from->summary);
    return a;
}

static void put_attempt(struct world *w, const struct row *r)
{
    struct sweep *s = w->ledger->sweeps[r->ref.sweep - 1];
    struct sweep_point *p = &s->points[r->ref.point];
    size_t index = (size_t)r->ref.attempt - 1;

    if (index > p->attempt_count) {
        broken(w, r->ref, "an attempt is stored before the one ahead of it");
        return;
    }
    if (index == p->attempt_count) {
        p->attempts = mem_room(p->attempts, index, &p->attempt_cap, sizeof(*p->attempts));
        p->attempts[p->attempt_count++] = (struct attempt){.number = r->ref.attempt};
    } else if (strcmp(p->attempts[index].token, r->attempt.token) != 0) {
        broken(w, r->ref, "an attempt's token changed after it was durable");
    }
    free(p->attempts[index].summary);
    p->attempts[index] = kept_attempt(&r->attempt);
}

static void put_point(struct world *w, const struct row *r)
{
    struct sweep *s = w->ledger->sweeps[r->ref.sweep - 1];
    struct sweep_point *p = &s->points[r->ref.point];
    struct sweep_point old = *p;

    *p = r->point;
    p->job_env = old.job_env ? old.job_env : mem_strdup(r->point.job_env);
    p->attempts = old.attempts;
    p->attempt_count = old.attempt_count;
    p->attempt_cap = old.attempt_cap;
    p->v = (struct versions){0};
    p->not_before = 0;
}

static void put_sweep(struct world *w, const struct row *r)
{
    struct ledger *l = w->ledger;
    size_t index = (size_t)r->ref.sweep - 1;

    if (index == l->count) {
        l->sweeps[l->count] = mem_alloc(sizeof(struct sweep));
        l->sweeps[l->count++]->points = mem_array(r->sweep.point_count, sizeof(struct sweep_point));
    }
    struct sweep_point *points = l->sweeps[index]->points;
    *l->sweeps[index] = r->sweep;
    l->sweeps[index]->points = points;
    l->sweeps[index]->v = (struct versions){0};
}

void ledger_apply(struct world *w)
{
    struct ledger *l = w->ledger;

    for (size_t i = 0; i < l->row_count; i++) {
        const struct row *r = &l->rows[i];

        if (r->ref.point < 0)
            put_sweep(w, r);
        else if (!r->ref.attempt)
            put_point(w, r);
        else
            put_attempt(w, r);
    }
    replay_add(w, &l->replay, l->entries, l->entry_count);
    for (size_t i = 0; i < l->count; i++)
        replay_compare(w, &l->replay, l->sweeps[i]);
    ledger_drop(l);
}

// --- readers -----------------------------------------------------------------------

const struct sweep *ledger_sweep(const struct ledger *l, int64_t seq)
{
    return seq >= 1 && (size_t)seq <= l->count ? l->sweeps[seq - 1] : NULL;
}

const struct sweep_point *ledger_point(const struct ledger *l, struct ref ref)
{
    const struct sweep *s = ledger_sweep(l, ref.sweep);

    return s && ref.point >= 0 ? &s->points[ref.point] : NULL;
}

const struct attempt *ledger_attempt(const struct ledger *l, struct ref ref)
{
    const struct sweep_point *p = ledger_point(l, ref);

    return p && ref.attempt && (size_t)ref.attempt <= p->attempt_count
               ? &p->attempts[ref.attempt - 1]
               : NULL;
}

int64_t ledger_last_event(const struct ledger *l)
{
    return l->replay.last_id;
}

size_t ledger_count(const struct ledger *l)
{
    return l->count;
}

struct sweep *ledger_load(const struct ledger *l, size_t index)
{
    const struct sweep *from = l->sweeps[index];
    struct sweep *s = mem_alloc(sizeof(*s));

    *s = *from;
    s->points = mem_array(from->point_count, sizeof(*s->points));
    for (size_t i = 0; i < from->point_count; i++) {
        const struct sweep_point *old = &from->points[i];
        struct sweep_point *p = &s->points[i];

        *p = *old;
        p->job_env = mem_strdup(old->job_env);
        p->attempt_cap = old->attempt_count;
        p->attempts = NULL;
        if (!old->attempt_count)
            continue;
        p->attempts = mem_array(old->attempt_count, sizeof(*p->attempts));
        for (size_t k = 0; k < old->attempt_count; k++)
            p->attempts[k] = kept_attempt(&old->attempts[k]);
    }
    return s;
}
