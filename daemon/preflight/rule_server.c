// SPDX-License-Identifier: GPL-2.0-or-later
// What the server would run with: acceptance length and metrics.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "preflight/arglist.h"
#include "preflight/check.h"
#include "preflight/golden.h"

static const char simulate_len[] = "SGLANG_SIMULATE_ACC_LEN";
static const char arguments[] = "server arguments", environment[] = "server environment";

static const double AL_STEP = 0.005; // half of the table's last digit

// --- acceptance ----------------------------------------------------------------------

// What the server's environment will hold: the recipe's own setting wins over job.env.
static const char *server_variable(const struct check *c, size_t point, const char *name)
{
    const char *own = pairs_value(&c->renderings[point].server_env, name);

    return own ? own : pairs_value(&c->jobs[point], name);
}

static double simulated(const struct check *c, size_t point)
{
    const char *text = server_variable(c, point, simulate_len);
    double al = 0;

    if (!text || str_to_double(text, &al) != 0 || al <= 0)
        return 0;
    return al;
}

static int draft_steps(const struct rendering *r)
{
    const char *text = words_value(&r->server, "--speculative-num-steps");
    int64_t steps = 0;

    if (!text || str_to_i64(text, 1, GOLDEN_DRAFT_MAX, &steps) != 0)
        return 0;
    return (int)steps;
}

static void check_evaluation(struct check *c, size_t point, double al)
{
    const struct complaint what = {PREFLIGHT_ERROR, "eval-simulates", environment, simulate_len,
                                   "do not set it when EVAL_ONLY is true"};

    if (al > 0)
        complain(c, &what, (long)point,
                 "an evaluation would run with simulated acceptance (%s): its tokens are not the "
                 "model's, and its score means nothing",
                 simulate_len);
}

static void check_way(struct check *c, size_t point)
{
    static const struct {
        const char *name, *value;
    } ways[] = {{"SGLANG_SIMULATE_ACC_METHOD", "match-expected"},
                {"SGLANG_SIMULATE_ACC_TOKEN_MODE", "real-draft-token"}};

    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        const char *got = server_variable(c, point, ways[i].name);
        struct complaint what = {PREFLIGHT_ERROR, "golden-al", environment, ways[i].name,
                                 "set it as the published sweeps do"};

        if (!got || strcmp(got, ways[i].value) != 0)
            complain(c, &what, (long)point, "%s must be %s, it is %.60s", ways[i].name,
                     ways[i].value, got ? got : "not set");
    }
}

// The length must be the golden one of the draft that the server's arguments ask for. What the
// recipe says of itself is held against the same value: it is what results are judged by.
static void check_length(struct check *c, size_t point, double al, int steps, double golden)
{
    const struct rendering *r = &c->renderings[point];
    struct str fix = {0};
    struct complaint what = {PREFLIGHT_ERROR, "golden-al", environment, simulate_len, NULL};

    str_addf(&fix, "set %s=%.2f", simulate_len, golden);
    what.fix = str_text(&fix);
    if (fabs(al - golden) > AL_STEP)
        complain(c, &what, (long)point,
                 "%s is %.2f, golden is %.2f for %s with thinking on and %d draft tokens",
                 simulate_len, al, golden, pairs_value(&c->jobs[point], "MODEL_PREFIX"), steps);
    what.needle = "golden_al";
    what.part = "what it says of itself";
    what.fix = "make draft_tokens, thinking and golden_al agree with the arguments";
    if (fabs(r->golden_al - golden) > AL_STEP || r->draft_tokens != steps ||
        strcmp(r->thinking, "on") != 0)
        complain(c, &what, (long)point,
                 "it claims %.2f for %d draft tokens with thinking %s; the agentic corpus thinks, "
                 "and golden for %d is %.2f",
                 r->golden_al, r->draft_tokens, r->thinking, steps, golden);
    str_free(&fix);
}

static void check_throughput(struct check *c, size_t point, double al, int steps, double golden)
{
    struct complaint what = {PREFLIGHT_ERROR, "golden-al", environment, simulate_len, NULL};

    if (steps == 0) {
        const char *asked = c->in->points[point].axes.spec_decoding;

        what.fix = "pass the server its --speculative- arguments";
        if (asked[0] && strcmp(asked, "none") != 0)
            complain(c, &what, (long)point,
                     "the point asks for %s, but the server would not speculate", asked);
        what.fix = "remove it, or ask for speculative decoding";
        if (al > 0)
            complain(c, &what, (long)point, "%s is set, but the server does not speculate",
                     simulate_len);
        return;
    }
    if (golden <= 0) {
        const char *prefix = pairs_value(&c->jobs[point], "MODEL_PREFIX");

        what.fix = "choose a draft length that has a golden acceptance length";
        complain(c, &what, (long)point,
                 "there is no golden acceptance length for %.60s with %d draft tokens",
                 prefix ? prefix : "this model", steps);
        return;
    }
    if (al <= 0) {
        what.fix = "set it for throughput points";
        complain(c, &what, (long)point,
                 "%s is not set: throughput is only compared at the golden acceptance length",
                 simulate_len);
        return;
    }
    check_length(c, point, al, steps, golden);
    check_way(c, point);
}

void rule_golden(struct check *c, size_t point)
{
    const char *prefix = pairs_value(&c->jobs[point], "MODEL_PREFIX");
    double al = simulated(c, point);
    int steps = draft_steps(&c->renderings[point]);
    double golden = prefix ? golden_value(golden_find(prefix), true, steps) : 0;
    struct preflight_rendered *out = &c->report->rendered[point];

    out->draft_tokens = steps;
    out->simulated_al = al;
    out->golden_al = golden;
    if (c->in->points[point].axes.kind == POINT_EVAL)
        check_evaluation(c, point, al);
    else
        check_throughput(c, point, al, steps, golden);
}

// --- metrics -------------------------------------------------------------------------

// The URL must be of the server that the recipe starts, and of nothing else.
static void check_url(struct check *c, size_t point)
{
    const struct rendering *r = &c->renderings[point];
    const char *port = words_value(&r->server, "--port");
    const struct complaint what = {PREFLIGHT_ERROR, "metrics-url", "replay command",
                                   "--server-metrics",
                                   "pass --server-metrics \"http://localhost:$PORT/metrics\""};
    struct str want = {0};
    struct arglist args;

    arglist_read(&r->replay, &c->flags, &args);
    const char *url = arglist_value(&args, "--server-metrics");

    str_addf(&want, ":%.10s/metrics", port ? port : "");
    if (!url)
        complain(c, &what, (long)point,
                 "no metrics URL is given: the client would guess, and without metrics the "
                 "acceptance length cannot be judged");
    else if (!str_starts(url, "http://") || !port || !str_ends(url, str_text(&want)))
        complain(c, &what, (long)point, "the metrics URL %.100s is not the server's (--port %.10s)",
                 url, port ? port : "not given");
    arglist_free(&args);
    str_free(&want);
}

void rule_metrics(struct check *c, size_t point)
{
    const struct rendering *r = &c->renderings[point];
    const char *framework = pairs_value(&c->jobs[point], "FRAMEWORK");
    const char *prefix = pairs_value(&r->replay_env, "AIPERF_REQUIRED_SERVER_METRIC_PREFIX");
    const struct complaint required = {
        PREFLIGHT_ERROR, "metrics-prefix", "replay environment",
        "AIPERF_REQUIRED_SERVER_METRIC_PREFIX",
        "set AIPERF_REQUIRED_SERVER_METRIC_PREFIX to the framework's, sglang: for SGLang"};
    const struct complaint off = {PREFLIGHT_ERROR, "metrics-off", arguments, NULL,
                                  "pass --enable-metrics to the server"};
    size_t len = framework ? strlen(framework) : 0;

    check_url(c, point);
    if (len == 0 || !prefix || strncmp(prefix, framework, len) != 0 ||
        strcmp(prefix + len, ":") != 0)
        complain(c, &required, (long)point,
                 "the metrics of the framework are not required: foreign ones would pass");
    if (len > 0 && strcmp(framework, "sglang") == 0 && !words_have(&r->server, "--enable-metrics"))
        complain(c, &off, (long)point,
                 "the server would serve no metrics: --enable-metrics is missing");
}
