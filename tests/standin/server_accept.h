// SPDX-License-Identifier: GPL-2.0-or-later
// How many tokens a verify step of speculative decoding yields.
#ifndef STANDIN_SERVER_ACCEPT_H
#define STANDIN_SERVER_ACCEPT_H

#include <stdbool.h>

#include "base/err.h"
#include "tests/standin/common_rng.h"

struct accept {
    int draft_tokens; // 0: no speculation, one token a step
    double simulated; // mean length asked for, 0: real verification
    bool multinomial; // spread around the mean, not the two integers beside it
    struct rng rng;
};

// Reads SGLANG_SIMULATE_ACC_LEN, _METHOD and _TOKEN_MODE as the server does:
// the length includes the target's own token, 0 or less is off. `ignore` plays
// a server that these variables did not reach. -EINVAL for a value that the
// server refuses.
int accept_init(struct accept *a, int draft_tokens, bool ignore, struct err *e) MUST_CHECK;

// True when one draw holds for the whole batch (simulated), false when each
// request has its own (real).
bool accept_is_shared(const struct accept *a);
void accept_restart(struct accept *a); // the same draws from the beginning
int accept_draw(struct accept *a);     // 1 to draft_tokens

#endif
