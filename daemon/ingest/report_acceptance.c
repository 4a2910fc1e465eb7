// SPDX-License-Identifier: GPL-2.0-or-later
// How many tokens a verify step of speculative decoding yielded, the bonus
// token included: by the server's gauge, and by its counters.
#include <math.h>
#include <stdlib.h>

#include "ingest/report.h"

// The server's first token of a request comes from the prefill, without a
// verify step.
static double by_counters(double generated, double requests, double verify_calls)
{
    return verify_calls > 0 ? (generated - requests) / verify_calls : (double)NAN;
}

// Tokens that the last verify step of a request yields beyond its output
// length, in the mean over long requests, when a step yields the whole part of
// `length` always and one more with the chance of its fraction: for a renewal
// process on the integers E[X^2] / 2E[X] - 1/2.
static double overshoot(double length)
{
    double whole = floor(length), more = length - whole;
    double square = (1 - more) * whole * whole + more * (whole + 1) * (whole + 1);

    return square / (2 * length) - 0.5;
}

// The counters see only the tokens that were sent; this adds those that the
// output length cut off, until the length agrees with the overshoot it implies.
static double corrected(double generated, double requests, double verify_calls)
{
    enum { STEPS = 50 };
    double length = by_counters(generated, requests, verify_calls);

    for (int i = 0; i < STEPS && length >= 1; i++)
        length = (generated - requests + requests * overshoot(length)) / verify_calls;
    return length;
}

static const char *mode(const struct run *r)
{
    if (!r->server.read)
        return NULL;
    return strtod(r->server.simulated_length, NULL) > 0 ? "simulated" : "real";
}

void report_acceptance(struct out *o, const struct run *r)
{
    const struct family_sums *gauge = &r->metrics.family[FAMILY_ACCEPT_LENGTH];
    double generated = r->metrics.family[FAMILY_GENERATION_TOKENS].counter;
    double requests = r->metrics.family[FAMILY_REQUESTS].counter;
    double calls = r->metrics.family[FAMILY_VERIFY_CALLS].counter;

    out_object(o, "acceptance");
    out_bool(o, "has_sglang", r->metrics.has_sglang);
    out_rounded(o, "gauge_mean", gauge->gauge_mean);
    out_rounded(o, "gauge_samples_max", gauge->gauge_max);
    out_int(o, "gauge_series", gauge->series);
    out_rounded(o, "counter_al", by_counters(generated, requests, calls));
    out_rounded(o, "counter_al_corrected", corrected(generated, requests, calls));
    out_count(o, "verify_calls", calls);
    out_text(o, "mode", mode(r));
    out_rounded(o, "simulated_length",
                r->server.simulated_length[0] ? strtod(r->server.simulated_length, NULL)
                                              : (double)NAN);
    out_object_end(o);
}
