// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { NOTHING = -1 };

// What each kind of event does to the state of its sweep, point and attempt.
static const struct {
    const char *kind;
    int sweep, point, attempt;
} table[] = {
    {"sweep_created", SWEEP_ACTIVE, NOTHING, NOTHING},
    {"sweep_cancelled", SWEEP_CANCELLING, NOTHING, NOTHING},
    {"sweep_done", SWEEP_DONE, NOTHING, NOTHING},
    {"point_again", NOTHING, POINT_WAITING, NOTHING},
    {"point_done", NOTHING, POINT_DONE, NOTHING},
    {"attempt_opened", NOTHING, POINT_ACTIVE, ATTEMPT_INTENT},
    {"attempt_submitted", NOTHING, NOTHING, ATTEMPT_SUBMITTED},
    {"attempt_adopted", NOTHING, NOTHING, ATTEMPT_SUBMITTED},
    {"attempt_pending", NOTHING, NOTHING, ATTEMPT_PENDING},
    {"attempt_running", NOTHING, NOTHING, ATTEMPT_RUNNING},
    {"attempt_ended", NOTHING, NOTHING, ATTEMPT_ENDED},
    {"attempt_judged", NOTHING, NOTHING, ATTEMPT_JUDGED},
    {"attempt_lost", NOTHING, NOTHING, ATTEMPT_LOST},
};

static void apply(struct replay *r, const struct journal_entry *j)
{
    size_t sweep = (size_t)j->ref.sweep - 1;

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (strcmp(table[i].kind, j->kind) != 0)
            continue;
        if (table[i].sweep != NOTHING)
            r->sweeps[sweep] = (enum sweep_state)table[i].sweep;
        if (table[i].point != NOTHING && j->ref.point >= 0)
            r->points[sweep][j->ref.point] = (enum point_state)table[i].point;
        if (table[i].attempt != NOTHING && j->ref.point >= 0 && j->ref.attempt)
            r->attempts[sweep][j->ref.point][j->ref.attempt - 1] =
                (enum attempt_state)table[i].attempt;
    }
}

static bool same(const struct replay_event *e, const struct journal_entry *j)
{
    return e->ref.sweep == j->ref.sweep && e->ref.point == j->ref.point &&
           e->ref.attempt == j->ref.attempt && e->kind == j->kind;
}

void replay_add(struct world *w, struct replay *r, const struct journal_entry *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i].id <= r->last_id) { // sent again
            if (!same(&r->events[list[i].id - 1], &list[i]))
                broken(w, list[i].ref, "journal: event %lld was stored as another one",
                       (long long)list[i].id);
            continue;
        }
        if (list[i].id != r->last_id + 1) {
            broken(w, list[i].ref, "journal: event %lld follows %lld", (long long)list[i].id,
                   (long long)r->last_id);
            return;
        }
        r->events = mem_room(r->events, (size_t)r->last_id, &r->cap, sizeof(*r->events));
        r->events[r->last_id++] = (struct replay_event){list[i].ref, list[i].kind};
        apply(r, &list[i]);
    }
}

void replay_compare(struct world *w, const struct replay *r, const struct sweep *s)
{
    size_t index = (size_t)s->seq - 1;

    if (r->sweeps[index] != s->state)
        broken(w, (struct ref){s->seq, -1, 0}, "journal: the sweep is %s without an event",
               sweep_state_name(s->state));
    for (size_t i = 0; i < s->point_count; i++) {
        const struct sweep_point *p = &s->points[i];

        if (r->points[index][i] != p->state)
            broken(w, (struct ref){s->seq, (int)i, 0}, "journal: the point is %s without an event",
                   point_state_name(p->state));
        for (size_t k = 0; k < p->attempt_count; k++)
            if (r->attempts[index][i][k] != p->attempts[k].state)
                broken(w, (struct ref){s->seq, (int)i, (int)k + 1},
                       "journal: the attempt is %s without an event",
                       attempt_state_name(p->attempts[k].state));
    }
}

void replay_free(struct replay *r)
{
    free(r->events);
}
