// SPDX-License-Identifier: GPL-2.0-or-later
#include "adapter.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "batch.h"
#include "check.h"
#include "ctld.h"
#include "ledger.h"
#include "shell.h"

#define FAST (SECOND / 1000)
#define CALL_TIMEOUT (10 * SECOND) // sweepd ends a call to Slurm that takes longer

static const struct effect COMMIT = {EFFECT_COMMIT, {0, -1, 0}};

static int new_op(struct world *w, enum op_kind kind, struct effect effect)
{
    size_t i = 0;

    while (i < w->op_count && w->ops[i].used)
        i++;
    if (i == w->op_count) {
        w->ops = mem_room(w->ops, w->op_count, &w->op_cap, sizeof(*w->ops));
        w->ops[w->op_count++].version = 0;
    }
    unsigned version = w->ops[i].version;
    w->ops[i] = (struct op){
        .used = true,
        .kind = kind,
        .effect = effect.kind,
        .ref = effect.ref,
        .folder = -1,
        .began_at = world_mono(w),
        .ok = true,
        .version = version + 1,
    };
    return (int)i;
}

static void act_after(struct world *w, int op, int64_t low, int64_t high)
{
    timeline_add(&w->timeline, after(w, low, high), HAPPEN_ACT, op, w->ops[op].version);
}

bool adapter_busy(const struct world *w, enum effect_kind effect, struct ref ref)
{
    for (size_t i = 0; i < w->op_count; i++) {
        const struct op *o = &w->ops[i];

        if (o->used && !o->orphan && o->kind == OP_EFFECT && o->effect == effect &&
            !memcmp(&o->ref, &ref, sizeof(ref)))
            return true;
    }
    return false;
}

// --- taking ---------------------------------------------------------------------------

static unsigned excluded(const struct sweep_point *p)
{
    unsigned mask = 0;

    for (size_t i = 0; i < p->excluded_count; i++)
        mask |= 1u << (p->excluded[i][1] - '0'); // "n2"
    return mask;
}

static int *load_of(struct world *w, enum effect_kind kind, int *ret_room)
{
    struct shell *s = &w->shell;

    switch (kind) {
    case EFFECT_SUBMIT:
    case EFFECT_CANCEL:
        *ret_room = s->slurm_room;
        return &s->slurm;
    case EFFECT_INGEST:
        *ret_room = s->ingest_room;
        return &s->ingest;
    default:
        *ret_room = s->files_room;
        return &s->files;
    }
}

static void schedule_act(struct world *w, int op)
{
    struct op *o = &w->ops[op];
    bool slurm = o->effect == EFFECT_SUBMIT || o->effect == EFFECT_CANCEL;

    if (slurm)
        act_after(w, op, FAST, rng_chance(&w->rng, 0.05) ? 5 * SECOND : SECOND / 4);
    else
        act_after(w, op, FAST, w->spool_slow_until > w->now ? 60 * SECOND : SECOND / 4);
}

bool adapter_take(struct world *w, const struct effect *effect)
{
    bool slurm = effect->kind == EFFECT_SUBMIT || effect->kind == EFFECT_CANCEL;
    const struct sweep *s = core_sweep(&w->shell.core, effect->ref.sweep);
    const struct sweep_point *p = core_point(&w->shell.core, effect->ref);
    const struct attempt *a = core_attempt(&w->shell.core, effect->ref);
    int room;
    int *load = load_of(w, effect->kind, &room);

    if ((slurm && !w->shell.slurm_up) || *load >= room)
        return false;
    ++*load;
    int op = new_op(w, OP_EFFECT, *effect);
    struct op *o = &w->ops[op];
    o->folder = folder_index(w, folder_of(w, a->token));
    o->gpus = point_gpus(&p->point);
    o->exclusive = s->placement == PLACE_EXCLUSIVE;
    o->exclude = excluded(p);
    o->job_id = a->job_id;
    o->submit_time = a->submit_time;
    if (effect->kind == EFFECT_SUBMIT) {
        check_submit(w, &w->folders[o->folder], o->exclude);
        w->folders[o->folder].sends++;
    }
    schedule_act(w, op);
    return true;
}

void adapter_commit(struct world *w)
{
    int op = new_op(w, OP_COMMIT, COMMIT);
    struct event issued = shell_event(w, EVENT_ISSUED, ALL);

    w->ops[op].journal_id = ledger_begin(w->ledger, &w->shell.core);
    issued.effect = EFFECT_COMMIT;
    shell_feed(w, &issued);
    act_after(w, op, FAST, rng_chance(&w->rng, 0.03) ? 3 * SECOND : SECOND / 20);
}

void adapter_poll(struct world *w)
{
    int op = new_op(w, OP_POLL, COMMIT);

    w->shell.polling = true;
    act_after(w, op, FAST, rng_chance(&w->rng, 0.05) ? CALL_TIMEOUT / 2 : SECOND / 10);
}

// --- reaching what they work on ------------------------------------------------------------

static void answer(struct op *o, enum failure failure)
{
    o->ok = false;
    o->failure = failure;
}

// A submit that its caller has given up arrives all the same.
static void arrive_late(struct world *w, struct op from)
{
    int op = new_op(w, OP_EFFECT, (struct effect){EFFECT_SUBMIT, from.ref});
    struct op *late = &w->ops[op];

    late->orphan = true;
    late->folder = from.folder;
    late->gpus = from.gpus;
    late->exclusive = from.exclusive;
    late->exclude = from.exclude;
    act_after(w, op, SECOND, 60 * SECOND);
}

static void act_submit(struct world *w, int op)
{
    struct op *o = &w->ops[op];
    struct folder *f = &w->folders[o->folder];
    struct ctld_request r = {o->folder, false, o->gpus, o->exclusive, o->exclude};
    bool lost = fault(w, FAULT_UNCLEAR, 0.25);
    bool late = fault(w, FAULT_LATE, 0.1);
    bool delayed = fault(w, FAULT_REFUSE, 0.2);
    int how = (int)rng_range(&w->rng, 0, 9);

    if (!w->ctld.up || delayed) {
        answer(o, !w->ctld.up ? FAILURE_DOWN : how < 6 ? FAILURE_LIMIT : FAILURE_OTHER);
        if (w->ctld.up && how == 9)
            answer(o, FAILURE_REFUSED);
        f->refused |= o->failure == FAILURE_REFUSED;
        f->sends--;
        return;
    }
    if (late && !o->orphan) {
        answer(o, FAILURE_UNCLEAR);
        arrive_late(w, w->ops[op]);
        return;
    }
    if (lost && how < 3) { // it never came there
        answer(o, FAILURE_UNCLEAR);
        f->sends--;
        return;
    }
    o->job_id = ctld_submit(w, &r);
    if (!o->job_id) {
        answer(o, FAILURE_REFUSED);
        f->refused = true;
        f->sends--;
    } else if (lost) {
        answer(o, FAILURE_UNCLEAR);
    }
}

static void act_cancel(struct world *w, struct op *o)
{
    bool fails = fault(w, FAULT_CALL, 0.2);

    if (!w->ctld.up) {
        answer(o, FAILURE_DOWN);
        return;
    }
    check_cancel(w, o);
    ctld_cancel(w, o->job_id, o->folder, o->submit_time);
    if (fails) // it was done, or not heard of: core asks again if need be
        answer(o, FAILURE_DOWN);
}

static void act_scan(const struct folder *f, struct scan *ret)
{
    *ret = (struct scan){.claim = f->claim, .claim_job_id = f->claim_job_id};
    if (f->phase)
        str_copy(ret->phase, sizeof(ret->phase), f->phase);
    ret->end_bad = f->end_cut;
    ret->has_end = f->has_end;
    if (!f->has_end)
        return;
    memcpy(ret->end.token, f->token, TOKEN_HEX);
    str_copy(ret->end.reason, sizeof(ret->end.reason), ending_reason(f->ending));
    str_copy(ret->end.phase, sizeof(ret->end.phase), f->phase ? f->phase : "");
    ret->end.exit_code = ending_exit_code(f->ending);
}

static void act_file(struct world *w, struct op *o)
{
    struct folder *f = &w->folders[o->folder];
    bool fails = fault(w, FAULT_SPOOL, 0.03); // once, for no lasting reason

    if (w->spool_until > w->now || fails) {
        answer(o, FAILURE_DOWN);
        return;
    }
    if (o->effect == EFFECT_PREPARE) {
        f->prepared = true;
    } else if (o->effect == EFFECT_SCAN) {
        act_scan(f, &o->scan);
    } else if (o->effect == EFFECT_REVOKE) {
        if (f->claim == CLAIM_NONE) {
            f->claim = CLAIM_OURS_REVOKED;
            trace(w, f->ref, "spool: the claim is revoked");
        }
        o->scan.claim = f->claim;
        o->scan.claim_job_id = f->claim_job_id;
    } else if (o->effect == EFFECT_INGEST && f->ending == END_UNREADABLE) {
        answer(o, FAILURE_OTHER);
    }
}

static void act_commit(struct world *w, struct op *o)
{
    bool fails = fault(w, FAULT_COMMIT, 0.05);
    bool lost = fault(w, FAULT_COMMIT_LOST, 0.05);

    if (w->database_until > w->now || fails) {
        ledger_drop(w->ledger);
        answer(o, FAILURE_DOWN);
        return;
    }
    ledger_apply(w);
    if (lost)
        answer(o, FAILURE_DOWN);
}

static void act_poll(struct world *w, struct op *o)
{
    bool fails = fault(w, FAULT_CALL, 0.1);

    if (!w->ctld.up || fails)
        answer(o, FAILURE_DOWN);
    else
        ctld_snapshot(w, &w->poll);
}

void adapter_act(struct world *w, int op, unsigned version)
{
    struct op *o = &w->ops[op];

    if (!o->used || o->version != version)
        return;
    o->acted = true;
    o->acted_at = w->now;
    if (o->kind == OP_COMMIT)
        act_commit(w, o);
    else if (o->kind == OP_POLL)
        act_poll(w, o);
    else if (o->effect == EFFECT_SUBMIT)
        act_submit(w, op);
    else if (o->effect == EFFECT_CANCEL)
        act_cancel(w, o);
    else
        act_file(w, o);
    o = &w->ops[op]; // may have moved
    bool slow = w->spool_slow_until > w->now && o->kind == OP_EFFECT &&
                o->effect != EFFECT_SUBMIT && o->effect != EFFECT_CANCEL;
    int64_t longest = slow ? 60 * SECOND : rng_chance(&w->rng, 0.08) ? CALL_TIMEOUT : SECOND / 10;
    timeline_add(&w->timeline, after(w, FAST, longest), HAPPEN_DONE, op, o->version);
}

// --- answers -------------------------------------------------------------------------------

static void done_commit(struct world *w, const struct op *o)
{
    struct event e = shell_event(w, EVENT_COMMITTED, ALL);

    w->shell.database_up = o->ok;
    if (!o->ok) {
        shell_fail(w, ALL, EFFECT_COMMIT, FAILURE_DOWN);
        return;
    }
    e.journal_id = o->journal_id;
    shell_feed(w, &e);
}

static void done_poll(struct world *w, const struct op *o)
{
    struct event e = shell_event(w, EVENT_POLLED, ALL);

    w->shell.polling = false;
    w->shell.slurm_up = o->ok;
    if (!o->ok)
        return;
    e.jobs = w->poll.jobs;
    e.job_count = w->poll.job_count;
    e.nodes = w->poll.nodes;
    e.node_count = (size_t)w->ctld.node_count;
    e.foreign_pending = w->poll.foreign_pending;
    e.began_at = o->began_at;
    shell_feed(w, &e);
}

static void done_effect(struct world *w, const struct op *o)
{
    static const enum event_kind event_of[EFFECT_COUNT] = {
        [EFFECT_PREPARE] = EVENT_PREPARED, [EFFECT_SUBMIT] = EVENT_SUBMITTED,
        [EFFECT_SCAN] = EVENT_SCANNED,     [EFFECT_REVOKE] = EVENT_REVOKED,
        [EFFECT_CANCEL] = EVENT_CANCELLED, [EFFECT_INGEST] = EVENT_INGESTED,
    };
    struct event e = shell_event(w, event_of[o->effect], o->ref);
    struct facts facts;
    struct metrics metrics;

    if (!o->ok) {
        trace(w, o->ref, "%s fails (%d)", effect_name(o->effect), (int)o->failure);
        shell_fail(w, o->ref, o->effect, o->failure);
        return;
    }
    metrics_clear(&metrics);
    if (o->effect == EFFECT_INGEST) {
        const struct folder *f = &w->folders[o->folder];

        if (!f->has_end)
            broken(w, o->ref, "results are read of a payload that left no end record");
        ending_facts(f->has_end ? f->ending : END_GOOD, &facts);
        e.facts = &facts;
        e.metrics = &metrics;
        e.summary = mem_strdup("{}");
    }
    e.scan = &o->scan;
    e.claim = o->scan.claim;
    e.job_id = o->effect == EFFECT_SUBMIT ? o->job_id : o->scan.claim_job_id;
    w->shell.scan_read_at = o->acted_at;
    shell_feed(w, &e);
    free(e.summary);
}

void adapter_done(struct world *w, int op, unsigned version)
{
    struct op o = w->ops[op];
    int room;

    if (!o.used || o.version != version)
        return;
    w->ops[op].used = false;
    if (o.orphan)
        return;
    if (o.kind == OP_EFFECT)
        --*load_of(w, o.effect, &room);
    if (o.kind == OP_COMMIT)
        done_commit(w, &o);
    else if (o.kind == OP_POLL)
        done_poll(w, &o);
    else
        done_effect(w, &o);
}

// A request that had not been answered: what had left may arrive, much later
// too. The database ends the session before it lets another process write.
void adapter_orphan(struct world *w)
{
    size_t count = w->op_count;

    for (size_t i = 0; i < count; i++) {
        struct op o = w->ops[i];
        bool arrives = rng_chance(&w->rng, 0.5);
        bool late = rng_chance(&w->rng, 0.5);

        if (!o.used || o.orphan)
            continue;
        w->ops[i].orphan = true;
        if (o.acted)
            continue;
        if (o.kind == OP_COMMIT && arrives)
            ledger_apply(w);
        if (o.kind == OP_COMMIT)
            ledger_drop(w->ledger);
        w->ops[i].used = o.kind == OP_EFFECT && arrives;
        if (o.kind != OP_EFFECT || o.effect != EFFECT_SUBMIT)
            continue;
        if (!arrives)
            w->folders[o.folder].sends--;
        if (arrives && late) {
            w->ops[i].used = false;
            arrive_late(w, o);
        }
    }
}
