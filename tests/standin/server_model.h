// SPDX-License-Identifier: GPL-2.0-or-later
// The speed and the memory of the model server's arms, as numbers. The client
// knows none of them. Where throughput peaks is not written here: it follows
// from how many contexts fit into the KV pool and from what a miss costs.
#ifndef STANDIN_SERVER_MODEL_H
#define STANDIN_SERVER_MODEL_H

#include <stdint.h>

struct model_arm { // what of the arguments decides the speed
    int tp;
    int ep;
    double mem_fraction; // --mem-fraction-static
    int page_size;
    double rate; // 2 is twice as fast
};

struct model {
    double load_s;          // reading the weights
    double step_s;          // one verify step: for the batch,
    double step_request_s;  // for each request in it,
    double step_token_s;    // and for each token of context in it
    double prefill_s;       // one prefill step: for the batch,
    double prefill_token_s; // for each new token,
    double prefill_pair_s;  // and for each (new token, token before it)
    int64_t pool_tokens;
};

void model_init(struct model *m, const struct model_arm *arm);

#endif
