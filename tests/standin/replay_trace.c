// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/standin/replay_trace.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "tests/standin/common_rng.h"

enum {
    TURNS_MIN = 12,
    TURNS_MAX = 80,
    NAME_MAX_LEN = 24,
    OUTPUT_MIN = 16,
    OUTPUT_MAX = 12000,
    START_STREAM = 1 << 20, // streams above are for the start within a session
};

static const double subagent_chance = 0.03; // of a turn of the agent

struct builder {
    struct trace *trace;
    size_t cap;
    const struct trace_spec *spec;
    struct rng rng;
};

struct talk { // one conversation while it grows
    const char *conv;
    int depth;
    int turns;       // so far
    int64_t first;   // instructions that the first turn brings
    int64_t context; // what the last turn sent and received
    double growth;   // median of new tokens a turn
    double think;    // median seconds
    double think_max;
};

static int64_t draw_tokens(struct rng *r, double median, double sigma, double low, double high)
{
    return (int64_t)rng_lognormal(r, median, sigma, low, high);
}

// False when the context is full: the conversation ends there. Its first turn
// is cut to fit instead, so that none is empty.
static bool add_turn(struct builder *b, struct talk *talk)
{
    struct rng *r = &b->rng;
    struct trace *t = b->trace;
    struct trace_turn turn = {.index = talk->turns, .depth = talk->depth, .prefix = talk->context};
    int64_t max = b->spec->context_max;

    snprintf(turn.conv, sizeof(turn.conv), "%s", talk->conv);
    turn.input = talk->context + draw_tokens(r, talk->growth, 0.9, 40, 30000);
    turn.output = draw_tokens(r, 330, 1.27, OUTPUT_MIN, OUTPUT_MAX);
    turn.think_s = rng_lognormal(r, talk->think, 1.1, 0.2, talk->think_max);
    if (talk->turns == 0) {
        turn.input += talk->first;
        turn.output = turn.output < max / 2 ? turn.output : max / 2;
        turn.input = turn.input < max - turn.output ? turn.input : max - turn.output;
    }
    if (turn.input + turn.output > max)
        return false;
    t->turns = mem_room(t->turns, t->count, &b->cap, sizeof(*t->turns));
    t->turns[t->count++] = turn;
    talk->context = turn.input + turn.output;
    talk->turns++;
    return true;
}

static void add_subagent(struct builder *b, const char *name, int number)
{
    struct rng *r = &b->rng;
    char conv[WIRE_CONV_MAX];
    struct talk talk = {.conv = conv, .depth = 1, .think = 2, .think_max = 20};
    int turns = 3 + (int)(rng_unit(r) * 9);

    snprintf(conv, sizeof(conv), "%.*s::sa:%d", NAME_MAX_LEN, name, number);
    talk.growth = rng_lognormal(r, 1500, 0.4, 300, 4000);
    talk.first = draw_tokens(r, 16000, 0.3, 6000, 40000);
    while (turns-- > 0 && add_turn(b, &talk))
        continue;
}

static void add_session(struct builder *b, const char *name)
{
    struct rng *r = &b->rng;
    struct talk talk = {.conv = name, .think = 20, .think_max = b->spec->think_max_s};
    int turns = (int)rng_lognormal(r, 24, 0.25, TURNS_MIN, TURNS_MAX);
    int subagents = 0;

    talk.growth = rng_lognormal(r, 2000, 0.2, 800, 4000);
    talk.first = draw_tokens(r, 34000, 0.25, 12000, 60000);
    while (turns-- > 0 && add_turn(b, &talk))
        if (rng_unit(r) < subagent_chance)
            add_subagent(b, name, ++subagents);
}

struct trace *trace_create(const struct trace_spec *spec, int number)
{
    struct builder b = {.trace = mem_alloc(sizeof(struct trace)), .spec = spec};
    char name[NAME_MAX_LEN];
    struct rng start;

    snprintf(name, sizeof(name), "trace-%03d", number);
    rng_init(&b.rng, spec->seed, (uint64_t)number);
    rng_init(&start, spec->seed, START_STREAM + (uint64_t)number);
    add_session(&b, name);
    double ratio = spec->start_min + (spec->start_max - spec->start_min) * rng_unit(&start);
    b.trace->first = (size_t)(ratio * (double)b.trace->count);
    return b.trace;
}

void trace_free(struct trace *t)
{
    if (!t)
        return;
    free(t->turns);
    free(t);
}
