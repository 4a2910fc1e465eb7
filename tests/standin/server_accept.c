// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/standin/server_accept.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

enum { ACCEPT_SEED = 7, ACCEPT_STREAM = 1 };

// Chance that a draft is accepted after the ones before it were. Three drafts
// then give 1 + p + p^2 + p^3 = 2.60 tokens a step, as agentic traffic does.
static const double real_chance = 0.717;

static int check_choice(const char *name, const char *a, const char *b, struct err *e)
{
    const char *v = getenv(name);

    if (!v || strcmp(v, a) == 0 || strcmp(v, b) == 0)
        return 0;
    return err_set(e, -EINVAL, "%s=%s is neither %s nor %s", name, v, a, b);
}

int accept_init(struct accept *a, int draft_tokens, bool ignore, struct err *e)
{
    const char *length = getenv("SGLANG_SIMULATE_ACC_LEN");
    const char *method = getenv("SGLANG_SIMULATE_ACC_METHOD");
    double v = 0;

    *a = (struct accept){.draft_tokens = draft_tokens};
    accept_restart(a);
    if (check_choice("SGLANG_SIMULATE_ACC_METHOD", "match-expected", "multinomial", e) ||
        check_choice("SGLANG_SIMULATE_ACC_TOKEN_MODE", "real-draft-token", "fixed", e))
        return -EINVAL;
    if (length && str_to_double(length, &v) != 0)
        return err_set(e, -EINVAL, "SGLANG_SIMULATE_ACC_LEN=%s is not a number", length);
    if (ignore || v <= 0 || !draft_tokens)
        return 0;
    a->simulated = v < 1 ? 1 : v > draft_tokens ? draft_tokens : v;
    a->multinomial = method && strcmp(method, "multinomial") == 0;
    return 0;
}

bool accept_is_shared(const struct accept *a)
{
    return a->simulated > 0;
}

void accept_restart(struct accept *a)
{
    rng_init(&a->rng, ACCEPT_SEED, ACCEPT_STREAM);
}

static int draw_real(struct accept *a)
{
    int n = 1;

    while (n < a->draft_tokens && rng_unit(&a->rng) < real_chance)
        n++;
    return n;
}

// Each draft accepted with the chance that gives the mean asked for.
static int draw_multinomial(struct accept *a)
{
    double chance = (a->simulated - 1) / (a->draft_tokens - 1);
    int n = 1;

    for (int i = 1; i < a->draft_tokens; i++)
        n += rng_unit(&a->rng) < chance;
    return n;
}

int accept_draw(struct accept *a)
{
    double whole = floor(a->simulated);

    if (!a->draft_tokens)
        return 1;
    if (!accept_is_shared(a))
        return draw_real(a);
    if (a->multinomial && a->draft_tokens > 1)
        return draw_multinomial(a);
    return (int)whole + (rng_unit(&a->rng) < a->simulated - whole);
}
