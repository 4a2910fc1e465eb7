// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/standin/replay_lane.h"

#include <inttypes.h>
#include <stdio.h>

#include "tests/standin/common_rng.h"

enum { ID_STREAM = 1 << 24 };

static int session_number(const struct lane *l, const struct lane_plan *p, int round)
{
    return l->number + p->lanes * round;
}

const struct trace_turn *lane_peek(struct lane *l, const struct lane_plan *p)
{
    while (!l->trace || l->next >= l->trace->count) {
        trace_free(l->trace);
        l->trace = trace_create(&p->spec, session_number(l, p, l->round) % p->sessions);
        l->next = l->round == 0 ? l->trace->first : 0;
        l->round++;
    }
    return &l->trace->turns[l->next];
}

static void make_ids(struct record *r, const struct lane_plan *p)
{
    struct rng rng;
    uint64_t conv = 0;

    rng_init(&rng, p->spec.seed, (uint64_t)ID_STREAM + (uint64_t)r->session);
    uint64_t root = rng_next(&rng);
    uint64_t more = rng_next(&rng);
    for (const char *c = r->turn.conv; *c; c++)
        conv = conv * 31 + (unsigned char)*c;
    rng_init(&rng, root, conv);
    uint64_t own = rng_next(&rng);
    rng_init(&rng, own, (uint64_t)r->start_ns);
    uint64_t request = rng_next(&rng);
    snprintf(r->root_id, sizeof(r->root_id), "%016" PRIx64 "%016" PRIx64, root, more);
    if (r->turn.depth == 0)
        snprintf(r->session_id, sizeof(r->session_id), "%s", r->root_id);
    else
        snprintf(r->session_id, sizeof(r->session_id), "%016" PRIx64 "%016" PRIx64, own, more);
    snprintf(r->request_id, sizeof(r->request_id), "%016" PRIx64 "%016" PRIx64, request, own);
}

void lane_take(struct lane *l, const struct lane_plan *p, bool warmup, int64_t start_ns)
{
    const struct trace_turn *turn = lane_peek(l, p);
    struct record *r = &l->record;

    r->lane = l->number;
    r->session = session_number(l, p, l->round - 1);
    r->warmup = warmup;
    r->turn = *turn;
    r->start_ns = start_ns;
    r->end_ns = 0;
    r->chunk_count = 0;
    r->input = turn->input;
    r->output = turn->output;
    r->cached = 0;
    r->cancelled = false;
    r->overflow = false;
    r->error = (struct record_error){0};
    make_ids(r, p);
    l->complete = false;
    l->stamp_ns = start_ns;
    l->next++;
}

void lane_end_session(struct lane *l)
{
    if (l->trace)
        l->next = l->trace->count;
}

void lane_free(struct lane *l)
{
    trace_free(l->trace);
    l->trace = NULL;
}
