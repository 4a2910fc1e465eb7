// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/standin/server_engine.h"

#include <stdlib.h>

#include "base/mem.h"

enum {
    GROW_TOKENS = 256,      // room for output is taken in such pieces
    HEADROOM_TOKENS = 1024, // of an output, what admission keeps free at most
};

enum step { STEP_NONE, STEP_REFUSE, STEP_PREFILL, STEP_DECODE };

struct queue { // first in, first out
    struct request *first;
    struct request **end;
    int count;
};

struct engine {
    struct engine_config config;
    struct engine_events events;
    struct cache *cache;
    struct stats stats;
    int64_t now_ns;
    struct request *arrivals; // by (start, lane)
    struct queue refused;
    struct queue waiting;
    struct queue prefill; // admitted, prompt not computed yet
    struct request **running;
    int running_count;
    int64_t running_tokens; // contexts of the running batch
    enum step step;         // under way
    int64_t step_end_ns;
    // since the gauges were last set
    int steps;
    int64_t interval_start_ns;
    int64_t interval_accepted;
    int64_t interval_forwards;
};

static void queue_init(struct queue *q)
{
    *q = (struct queue){.end = &q->first};
}

static void queue_add(struct queue *q, struct request *r)
{
    r->next = NULL;
    *q->end = r;
    q->end = &r->next;
    q->count++;
}

static void queue_add_front(struct queue *q, struct request *r)
{
    r->next = q->first;
    q->first = r;
    if (!r->next)
        q->end = &r->next;
    q->count++;
}

static struct request *queue_take(struct queue *q)
{
    struct request *r = q->first;

    if (!r)
        return NULL;
    q->first = r->next;
    if (!q->first)
        q->end = &q->first;
    q->count--;
    return r;
}

struct engine *engine_create(const struct engine_config *config, const struct engine_events *ev)
{
    struct engine *e = mem_alloc(sizeof(*e));

    e->config = *config;
    e->events = *ev;
    e->cache = cache_create(config->model.pool_tokens, config->page_size);
    e->running = mem_array((size_t)config->max_running, sizeof(struct request *));
    queue_init(&e->refused);
    queue_init(&e->waiting);
    queue_init(&e->prefill);
    return e;
}

void engine_free(struct engine *e)
{
    if (!e)
        return;
    cache_free(e->cache);
    free(e->running);
    free(e);
}

static bool before(const struct request *a, const struct request *b)
{
    if (a->turn.start_ns != b->turn.start_ns)
        return a->turn.start_ns < b->turn.start_ns;
    return a->turn.lane < b->turn.lane;
}

void engine_submit(struct engine *e, struct request *r)
{
    struct request **at = &e->arrivals;

    if (r->turn.start_ns < e->now_ns)
        r->turn.start_ns = e->now_ns;
    while (*at && before(*at, r))
        at = &(*at)->next;
    r->next = *at;
    *at = r;
}

static void take_arrivals(struct engine *e)
{
    while (e->arrivals && e->arrivals->turn.start_ns <= e->now_ns) {
        struct request *r = e->arrivals;

        e->arrivals = r->next;
        queue_add(r->status ? &e->refused : &e->waiting, r);
    }
}

static int64_t context_of(const struct request *r)
{
    return r->turn.input + r->made;
}

// Room is needed for the part that is not in the pool and for the beginning of
// the output: the longer outputs are, the more this bets on others finishing.
static bool admit(struct engine *e, struct request *r)
{
    int64_t context = context_of(r);
    int64_t known = r->made ? context : r->turn.prefix;
    int64_t hit = cache_peek(e->cache, r->turn.conv, known < context ? known : context - 1);
    int64_t output = r->output - r->made;
    int64_t headroom = output < HEADROOM_TOKENS ? output : HEADROOM_TOKENS;

    if (e->running_count + e->prefill.count >= e->config.max_running ||
        context + headroom > cache_room(e->cache, r->turn.conv))
        return false;
    r->entry = cache_open(e->cache, r->turn.conv, hit);
    if (!cache_grow(e->cache, r->entry, context - hit)) {
        cache_close(e->cache, r->entry, e->now_ns);
        return false;
    }
    if (!r->made) {
        r->hit = hit;
        r->admitted_ns = e->now_ns;
        stats_observe(&e->stats.queue, (double)(e->now_ns - r->turn.start_ns) / 1e9);
    }
    e->stats.cache_hit_rate = (double)hit / (double)context;
    r->left = context - hit;
    r->room = r->made;
    return true;
}

static double prefill_part(const struct engine *e, struct request *r, int64_t budget)
{
    const struct model *m = &e->config.model;

    r->take = r->left < budget ? r->left : budget;
    double take = (double)r->take;
    double behind = (double)(context_of(r) - r->left) + take / 2;
    return take * (m->prefill_token_s + behind * m->prefill_pair_s);
}

static void begin(struct engine *e, enum step step, double seconds)
{
    e->step = step;
    e->step_end_ns = e->now_ns + (int64_t)(seconds * 1e9);
}

static bool plan_prefill(struct engine *e)
{
    int64_t budget = e->config.chunk_tokens;
    double seconds = e->config.model.prefill_s;

    for (struct request *r = e->prefill.first; r; r = r->next) {
        seconds += prefill_part(e, r, budget);
        budget -= r->take;
    }
    while (budget > 0 && e->waiting.first && admit(e, e->waiting.first)) {
        struct request *r = queue_take(&e->waiting);

        queue_add(&e->prefill, r);
        seconds += prefill_part(e, r, budget);
        budget -= r->take;
    }
    if (!e->prefill.first)
        return false;
    begin(e, STEP_PREFILL, seconds);
    return true;
}

static void running_remove(struct engine *e, int i)
{
    e->running_tokens -= context_of(e->running[i]);
    e->running_count--;
    for (; i < e->running_count; i++)
        e->running[i] = e->running[i + 1];
}

// The request with the least output goes back to the head of the queue; what
// it has computed stays in the pool for as long as nobody takes the room.
static void retract_one(struct engine *e)
{
    int least = 0;

    for (int i = 1; i < e->running_count; i++)
        if (e->running[i]->made <= e->running[least]->made)
            least = i;
    struct request *r = e->running[least];
    running_remove(e, least);
    cache_close(e->cache, r->entry, e->now_ns);
    r->entry = NULL;
    queue_add_front(&e->waiting, r);
    e->stats.retracted++;
}

static bool has_room(struct engine *e, struct request *r)
{
    int64_t more = r->output - r->room;

    if (r->made + r->gain <= r->room)
        return true;
    more = more < GROW_TOKENS ? more : GROW_TOKENS;
    if (!cache_grow(e->cache, r->entry, more))
        return false;
    r->room += more;
    return true;
}

static void draw(struct engine *e)
{
    int shared = accept_is_shared(&e->config.accept) ? accept_draw(&e->config.accept) : 0;

    for (int i = 0; i < e->running_count; i++) {
        struct request *r = e->running[i];
        int length = shared ? shared : accept_draw(&e->config.accept);
        int64_t left = r->output - r->made;

        e->interval_accepted += length;
        r->gain = length < left ? length : left;
    }
    e->interval_forwards += e->running_count;
}

static void plan_decode(struct engine *e)
{
    const struct model *m = &e->config.model;

    draw(e);
    for (int i = 0; i < e->running_count;) {
        if (has_room(e, e->running[i]) || e->running_count == 1)
            i++;
        else {
            retract_one(e);
            i = 0;
        }
    }
    begin(e, STEP_DECODE,
          m->step_s + m->step_request_s * e->running_count +
              m->step_token_s * (double)e->running_tokens);
}

int64_t engine_next(struct engine *e)
{
    if (e->step != STEP_NONE)
        return e->step_end_ns;
    take_arrivals(e);
    if (e->refused.first)
        begin(e, STEP_REFUSE, 0);
    else if (!plan_prefill(e) && e->running_count)
        plan_decode(e);
    if (e->step != STEP_NONE)
        return e->step_end_ns;
    return e->arrivals ? e->arrivals->turn.start_ns : ENGINE_NEVER;
}

static void finish(struct engine *e, struct request *r)
{
    struct stats *s = &e->stats;
    double total = (double)(e->now_ns - r->turn.start_ns) / 1e9;

    cache_close(e->cache, r->entry, e->now_ns);
    r->entry = NULL;
    s->prompt_tokens += r->turn.input;
    s->generation_tokens += r->output;
    s->cached_tokens += r->hit;
    s->verify_calls += r->verify_calls;
    s->requests++;
    stats_observe(&s->e2e, total);
    if (r->output > 1)
        stats_observe_many(&s->itl,
                           (double)(e->now_ns - r->first_ns) / 1e9 / (double)(r->output - 1),
                           r->output - 1);
    e->events.done(e->events.context, r, e->now_ns);
}

static void stream(struct engine *e, struct request *r, bool first)
{
    if (!first && r->made < r->output && r->made - r->sent < e->config.stream_interval)
        return;
    e->events.chunk(e->events.context, r, r->made - r->sent, e->now_ns);
    r->sent = r->made;
}

// A prompt that is computed yields the first token, and a retracted request
// its next one, at the end of the prefill step.
static void end_prefill(struct engine *e)
{
    int count = e->prefill.count;

    while (count-- > 0) {
        struct request *r = queue_take(&e->prefill);
        bool first = r->first_ns == 0;

        r->left -= r->take;
        r->take = 0;
        if (r->left > 0) {
            queue_add(&e->prefill, r);
            continue;
        }
        if (first) {
            r->first_ns = e->now_ns;
            stats_observe(&e->stats.ttft, (double)(e->now_ns - r->turn.start_ns) / 1e9);
        }
        r->made++;
        stream(e, r, first);
        if (r->made >= r->output) {
            finish(e, r);
            continue;
        }
        e->running[e->running_count++] = r;
        e->running_tokens += context_of(r);
    }
}

static void set_gauges(struct engine *e)
{
    struct stats *s = &e->stats;
    double seconds = (double)(e->now_ns - e->interval_start_ns) / 1e9;
    int drafts = e->config.accept.draft_tokens - 1;

    if (++e->steps < e->config.log_interval || !e->interval_forwards)
        return;
    double length = (double)e->interval_accepted / (double)e->interval_forwards;
    if (drafts > 0) {
        s->accept_length = length;
        s->accept_rate = (length - 1) / drafts;
    }
    s->gen_throughput = seconds > 0 ? (double)e->interval_accepted / seconds : 0;
    s->accepted += e->interval_accepted;
    s->forwards += e->interval_forwards;
    e->steps = 0;
    e->interval_accepted = e->interval_forwards = 0;
    e->interval_start_ns = e->now_ns;
}

static void end_decode(struct engine *e)
{
    int kept = 0;
    int count = e->running_count;

    for (int i = 0; i < count; i++) {
        struct request *r = e->running[i];

        r->made += r->gain;
        r->verify_calls++;
        e->running_tokens += r->gain;
        stream(e, r, false);
        if (r->made < r->output) {
            e->running[kept++] = r;
            continue;
        }
        e->running_tokens -= context_of(r);
        finish(e, r);
    }
    e->running_count = kept;
    set_gauges(e);
}

void engine_advance(struct engine *e)
{
    int64_t to = engine_next(e);
    enum step step = e->step;

    if (to == ENGINE_NEVER)
        return;
    e->now_ns = to;
    e->step = STEP_NONE;
    if (step == STEP_PREFILL)
        end_prefill(e);
    else if (step == STEP_DECODE)
        end_decode(e);
    else if (step == STEP_REFUSE)
        for (struct request *r; (r = queue_take(&e->refused));)
            e->events.done(e->events.context, r, e->now_ns);
}

static void release(struct engine *e, struct request *r)
{
    if (r->entry)
        cache_close(e->cache, r->entry, e->now_ns);
    r->entry = NULL;
    e->stats.aborted++;
}

void engine_cancel(struct engine *e)
{
    struct request *r;

    for (int i = 0; i < e->running_count; i++)
        release(e, e->running[i]);
    while ((r = queue_take(&e->prefill)))
        release(e, r);
    while ((r = queue_take(&e->waiting)))
        release(e, r);
    queue_init(&e->refused);
    e->arrivals = NULL;
    e->running_count = 0;
    e->running_tokens = 0;
    e->step = STEP_NONE;
}

void engine_renew(struct engine *e)
{
    if (e->running_count || e->waiting.first || e->prefill.first || e->arrivals ||
        e->step != STEP_NONE)
        return;
    cache_free(e->cache);
    e->cache = cache_create(e->config.model.pool_tokens, e->config.page_size);
    accept_restart(&e->config.accept);
    e->steps = 0;
    e->interval_accepted = e->interval_forwards = 0;
    e->interval_start_ns = e->now_ns;
}

int64_t engine_now(const struct engine *e)
{
    return e->now_ns;
}

const struct stats *engine_stats(const struct engine *e)
{
    return &e->stats;
}

int engine_running(const struct engine *e)
{
    return e->running_count;
}

int engine_queued(const struct engine *e)
{
    return e->waiting.count + e->prefill.count;
}

int64_t engine_used_tokens(const struct engine *e)
{
    return cache_in_use(e->cache);
}
