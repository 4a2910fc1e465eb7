// SPDX-License-Identifier: GPL-2.0-or-later
// What the server counts, and its Prometheus text. Names, types, labels and
// the moment at which each is counted are those of the served engine: tokens
// and requests when a request finishes, the acceptance gauge once in an
// interval of decode steps, after which it keeps its last value.
#ifndef STANDIN_SERVER_STATS_H
#define STANDIN_SERVER_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum { STATS_BUCKETS_MAX = 20 };

struct stats_histogram {
    int64_t counts[STATS_BUCKETS_MAX + 1]; // the last is beyond all bounds
    int64_t count;
    double sum;
};

struct stats {
    int64_t prompt_tokens;
    int64_t generation_tokens;
    int64_t cached_tokens;
    int64_t requests;
    int64_t aborted;
    int64_t retracted;
    int64_t verify_calls;
    struct stats_histogram ttft, e2e, itl, queue;
    // gauges of the last interval
    double accept_length;
    double accept_rate;
    double gen_throughput;
    double cache_hit_rate;
    // over the life of the server
    int64_t accepted; // tokens that verify steps yielded, before outputs were cut
    int64_t forwards; // verify steps, counted for each request in them
};

// What only the engine and the arguments know, at the moment of a scrape.
struct stats_now {
    const char *model_name;
    int running;
    int queued;
    int64_t used_tokens;
    int64_t pool_tokens;
    int draft_tokens;
    int steps;
    int page_size;
    int64_t context_len;
    bool host_cache; // play a server with a host tier though none was asked for
};

void stats_observe(struct stats_histogram *h, double seconds);
void stats_observe_many(struct stats_histogram *h, double seconds, int64_t times);
void stats_render(const struct stats *s, const struct stats_now *now, struct str *out);

#endif
