// SPDX-License-Identifier: GPL-2.0-or-later
// The rule table: each rule is broken alone, and must name the outcome.
#include "core/verdict.h"

#include <math.h>

#include "tap.h"

static struct facts good(void)
{
    return (struct facts){.has_summary = true,
                          .has_requests = true,
                          .has_engine_metrics = true,
                          .submission_valid = 1,
                          .error_rate = 0.004,
                          .requests_ok = 240,
                          .requests_failed = 1,
                          .coverage_ttft = 0.9931,
                          .coverage_itl = 0.999,
                          .coverage_required = 0.95,
                          .al_gauge = 3.39,
                          .al_counter = 3.37};
}

static struct limits limits(void)
{
    struct limits l = limits_default();

    l.al_target = 3.39;
    return l;
}

static const char *judge(const struct facts *f)
{
    struct limits l = limits();
    static struct verdict v;

    verdict_judge(f, &l, &v);
    return outcome_name(v.outcome);
}

static void add_reason(struct facts *f, const char *reason)
{
    snprintf(f->reasons[f->reason_count++], VERDICT_REASON_MAX, "%s", reason);
    f->submission_valid = 0;
}

static void each_rule_alone(void)
{
    struct facts f = good();

    CHECK_TEXT(judge(&f), "pass");
    f = good();
    f.error_rate = 0.4;
    CHECK_TEXT(judge(&f), "error_rate");
    f = good();
    add_reason(&f, "context_overflow_rate_exceeded");
    CHECK_TEXT(judge(&f), "overflow");
    f = good();
    f.has_summary = false;
    CHECK_TEXT(judge(&f), "no_summary");
    f = good();
    f.requests_ok = 0;
    CHECK_TEXT(judge(&f), "no_summary");
    f = good();
    f.artifacts_bad = true;
    CHECK_TEXT(judge(&f), "bad_artifact");
    f = good();
    f.has_requests = false;
    CHECK_TEXT(judge(&f), "bad_artifact");
    f = good();
    f.has_engine_metrics = false;
    CHECK_TEXT(judge(&f), "no_server_metrics");
    f = good();
    f.al_gauge = 2.61;
    CHECK_TEXT(judge(&f), "al_off");
    f = good();
    f.al_gauge = NAN;
    CHECK_TEXT(judge(&f), "al_off");
    f = good();
    f.was_cancelled = true;
    CHECK_TEXT(judge(&f), "run_cancelled");
    f = good();
    add_reason(&f, "unsafe_override");
    CHECK_TEXT(judge(&f), "override");
    f = good();
    f.submission_valid = -1; // no stamp is no valid stamp
    CHECK_TEXT(judge(&f), "override");
    f = good();
    f.exit_code = 1;
    CHECK_TEXT(judge(&f), "bad_artifact");
}

static void coverage_is_only_coverage(void)
{
    struct facts f = good();

    add_reason(&f, "insufficient_profile_metric_coverage");
    f.exit_code = 1;
    f.coverage_ttft = 0.9241;
    f.coverage_itl = 0.9308;
    CHECK_TEXT(judge(&f), "coverage");
    f.coverage_itl = 0.84;
    f.coverage_ttft = 0.80;
    CHECK_TEXT(judge(&f), "stalled");
    f.coverage_itl = 0.85; // the limit itself is a coverage failure
    CHECK_TEXT(judge(&f), "coverage");
    f.error_rate = 0.11;
    CHECK_TEXT(judge(&f), "error_rate");
    f.error_rate = 0;
    add_reason(&f, "run_cancelled");
    CHECK_TEXT(judge(&f), "run_cancelled");
    // The client's stamp says valid, its own numbers say short.
    f = good();
    f.coverage_ttft = 0.90;
    f.coverage_itl = 0.949;
    CHECK_TEXT(judge(&f), "coverage");
    // Either signal is enough.
    f.coverage_ttft = 0.10;
    f.coverage_itl = 0.95;
    CHECK_TEXT(judge(&f), "pass");
}

static void limits_are_inclusive(void)
{
    struct facts f = good();

    f.error_rate = 0.10;
    CHECK_TEXT(judge(&f), "pass");
    f.error_rate = 0.1000001;
    CHECK_TEXT(judge(&f), "error_rate");
    f = good();
    f.al_gauge = 3.345;
    CHECK_TEXT(judge(&f), "pass");
    f.al_gauge = 3.33; // thinking-off golden
    CHECK_TEXT(judge(&f), "al_off");
}

static void the_first_rule_names_the_outcome_and_all_are_kept(void)
{
    struct facts f = good();
    struct limits l = limits();
    struct verdict v;
    size_t broken = 0;

    f.error_rate = 0.5;
    f.al_gauge = 1.0;
    f.has_engine_metrics = false;
    verdict_judge(&f, &l, &v);
    CHECK_TEXT(outcome_name(v.outcome), "error_rate");
    for (size_t i = 0; i < v.count; i++)
        broken += !v.evidence[i].holds;
    CHECK_INT(broken, 3);
    CHECK_TEXT(verdict_cause(&v)->rule, "error_rate");
    CHECK_HOLDS(verdict_cause(&v)->value, "0.5000");
}

static void real_acceptance_has_no_target(void)
{
    struct facts f = good();
    struct limits l = limits_default();
    struct verdict v;

    f.al_gauge = 2.4;
    verdict_judge(&f, &l, &v);
    CHECK_TEXT(outcome_name(v.outcome), "pass");
}

int main(void)
{
    each_rule_alone();
    coverage_is_only_coverage();
    limits_are_inclusive();
    the_first_rule_names_the_outcome_and_all_are_kept();
    real_acceptance_has_no_target();
    return tap_done();
}
