// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/standin/server_model.h"

#include <math.h>

// One GPU of the node and the checkpoint that is served on it.
static const double hbm_gb = 274.9;
static const double weights_gb = 406.0;
static const double reserve_gb = 12.0;       // state of the linear layers, activations, graphs
static const double draft_share = 0.85;      // the draft model takes the rest of the static part
static const double kv_gb_per_mtoken = 20.2; // on each GPU: two KV heads, copied beyond TP2
static const double prefill_tokens_per_s = 8000; // of one GPU that has
static const double roomy_gb = 20.0; // at least this beside the weights; else in small pieces

static double free_gb(const struct model_arm *arm)
{
    double gb = hbm_gb * arm->mem_fraction * draft_share - weights_gb / arm->tp - reserve_gb;

    return gb > 0 ? gb : 0;
}

void model_init(struct model *m, const struct model_arm *arm)
{
    double tp = arm->tp;
    double spread = arm->ep > 1 ? log2(arm->ep) : 0; // expert parallelism: more messages,
    double experts = arm->ep > 1 ? 0.85 : 1.0;       // fuller experts
    double roomy = fmin(1.0, free_gb(arm) / roomy_gb);
    double prefill = prefill_tokens_per_s * tp * fmax(roomy, 0.05) / (arm->ep > 1 ? 1.03 : 1.0);
    double pages = floor(free_gb(arm) / kv_gb_per_mtoken * 1e6 / arm->page_size);

    *m = (struct model){
        .load_s = 700 + 1300 / tp,
        .step_s = (0.016 + 0.056 / tp + 0.0008 * spread) / arm->rate,
        .step_request_s = (0.00008 + 0.0014 / tp) * experts / arm->rate,
        .step_token_s = (0.8e-9 + 6e-9 / tp) / arm->rate,
        .prefill_s = 0.020 / arm->rate,
        .prefill_token_s = 1 / prefill / arm->rate,
        .prefill_pair_s = 0.35e-9 / tp / arm->rate,
        .pool_tokens = (int64_t)pages * arm->page_size,
    };
}
