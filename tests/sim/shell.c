// SPDX-License-Identifier: GPL-2.0-or-later
#include "shell.h"

#include <string.h>

#include "adapter.h"
#include "check.h"
#include "coverage.h"
#include "ledger.h"

enum { PLANS_A_TURN = 8, CRASHES_MAX = 40 }; // app.c plans as often in a turn

struct event shell_event(const struct world *w, enum event_kind kind, struct ref ref)
{
    return (struct event){
        .kind = kind, .ref = ref, .now = world_mono(w), .wall = world_wall(w), .text = ""};
}

void shell_feed(struct world *w, struct event *e)
{
    coverage_event(w, e);
    core_update(&w->shell.core, e);
    w->events++;
    check_event(w, e);
}

void shell_fail(struct world *w, struct ref ref, enum effect_kind effect, enum failure failure)
{
    struct event e = shell_event(w, EVENT_FAILED, ref);

    e.effect = effect;
    e.failure = failure;
    e.text = "weather";
    shell_feed(w, &e);
}

static void wake(struct world *w, int64_t at)
{
    timeline_add(&w->timeline, at > w->now ? at : w->now, HAPPEN_TURN, 0, ++w->shell.wake);
}

void shell_start(struct world *w)
{
    struct shell *s = &w->shell;

    if (w->database_until > w->now) { // it waits for its database
        timeline_add(&w->timeline, w->database_until, HAPPEN_RESTART, 0, 0);
        return;
    }
    core_init(&s->core, &w->policy);
    s->core.journal.last_id = ledger_last_event(w->ledger);
    s->up = true;
    s->database_up = true;
    s->slurm_up = false;
    s->polling = false;
    s->poll_at = w->now;
    s->files = s->ingest = s->slurm = 0;
    trace(w, ALL, "sweepd starts");
    for (size_t i = 0; i < ledger_count(w->ledger); i++) {
        struct event e = shell_event(w, EVENT_SWEEP_RESTORED, ALL);

        e.sweep = ledger_load(w->ledger, i);
        check_restored(w, e.sweep);
        shell_feed(w, &e);
    }
    wake(w, w->now);
}

void shell_crash(struct world *w)
{
    struct shell *s = &w->shell;

    if (!s->up)
        return;
    trace(w, ALL, "sweepd dies");
    adapter_orphan(w);
    core_done(&s->core);
    s->up = false;
    s->crashes++;
    s->wake++;
    if (fault(w, FAULT_BOOT, 0.3))
        w->booted_at = w->now - rng_range(&w->rng, 0, 5 * SECOND);
    timeline_add(&w->timeline, after(w, SECOND / 2, 20 * SECOND), HAPPEN_RESTART, 0, 0);
}

// --- effects --------------------------------------------------------------------

static void open_attempt(struct world *w, struct ref ref)
{
    struct event e = shell_event(w, EVENT_OPEN, ref);
    struct sweep_point *p = core_point(&w->shell.core, ref);
    struct ref made = {ref.sweep, ref.point, (int)p->attempt_count + 1};

    struct folder *f = folder_open(w, made);

    check_open(w, ref, f);
    memcpy(e.token, f->token, TOKEN_HEX);
    trace(w, made, "core: opens");
    shell_feed(w, &e);
}

static bool carry_out(struct world *w, const struct effect *effect)
{
    check_effect(w, effect);
    if (effect->kind == EFFECT_COMMIT) {
        adapter_commit(w);
        return true;
    }
    if (effect->kind == EFFECT_OPEN) {
        open_attempt(w, effect->ref);
        return true;
    }
    if (!adapter_take(w, effect))
        return false;
    struct event e = shell_event(w, EVENT_ISSUED, effect->ref);
    e.effect = effect->kind;
    if (effect->kind != EFFECT_SCAN) // there are too many to read
        trace(w, effect->ref, "core: %s", effect_name(effect->kind));
    shell_feed(w, &e);
    return true;
}

static bool dies_now(struct world *w)
{
    if (w->shell.crashes >= CRASHES_MAX || !fault(w, FAULT_CRASH, 0.004))
        return false;
    shell_crash(w);
    return true;
}

// Returns false when sweepd died on the way.
static bool act(struct world *w)
{
    struct shell *s = &w->shell;

    for (int round = 0; round < PLANS_A_TURN; round++) {
        size_t done = 0;

        core_plan(&s->core, world_mono(w), &s->effects);
        check_plan(w);
        for (size_t i = 0; i < s->effects.count && !w->broken[0]; i++) {
            if (!s->database_up && s->effects.list[i].kind == EFFECT_OPEN)
                continue;
            if (dies_now(w))
                return false;
            done += carry_out(w, &s->effects.list[i]);
        }
        if (!done)
            break;
    }
    return true;
}

void shell_turn(struct world *w)
{
    struct shell *s = &w->shell;
    int64_t next;

    if (!s->up || !act(w))
        return;
    if (!s->polling && w->now >= s->poll_at) {
        s->poll_at = w->now + s->poll_interval;
        adapter_poll(w);
    }
    next = s->effects.next == INT64_MAX ? INT64_MAX : s->effects.next + w->booted_at;
    if (!s->polling && s->poll_at < next)
        next = s->poll_at;
    if (next != INT64_MAX)
        wake(w, next);
}
