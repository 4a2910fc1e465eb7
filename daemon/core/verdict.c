// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Sources: docs/results.md gives each limit's reason.
static const char *const SUMMARY = "profile_export_aiperf.json";
static const char *const REQUESTS = "profile_export.jsonl";
static const char *const ENGINE = "server_metrics_export.json";
static const char *const END = "end.json";

static const char *const REASON_COVERAGE = "insufficient_profile_metric_coverage";
static const char *const REASON_OVERFLOW = "context_overflow_rate_exceeded";
static const char *const REASON_CANCELLED = "run_cancelled";

struct limits limits_default(void)
{
    return (struct limits){
        .error_rate_max = 0.10,
        .al_target = 0,
        .al_tolerance = 0.05,
        .coverage_stall = 0.85,
        .requests_min = 1,
    };
}

void metrics_clear(struct metrics *m)
{
    *m = (struct metrics){NAN, NAN, NAN, NAN, NAN, NAN, 0};
}

static bool has_reason(const struct facts *f, const char *reason)
{
    for (size_t i = 0; i < f->reason_count; i++)
        if (!strcmp(f->reasons[i], reason))
            return true;
    return false;
}

// Reasons that no other rule names.
static size_t other_reasons(const struct facts *f)
{
    size_t n = 0;

    for (size_t i = 0; i < f->reason_count; i++)
        n += strcmp(f->reasons[i], REASON_COVERAGE) != 0 &&
             strcmp(f->reasons[i], REASON_OVERFLOW) != 0 &&
             strcmp(f->reasons[i], REASON_CANCELLED) != 0;
    return n;
}

static double best_coverage(const struct facts *f)
{
    return fmax(f->coverage_ttft, f->coverage_itl); // fmax passes over a NaN
}

// Each rule says whether it holds and shows what it saw. A rule whose fact is
// missing for a reason that an earlier rule names holds: one cause, one word.

static bool rule_error_rate(const struct facts *f, const struct limits *l, struct evidence *e)
{
    snprintf(e->value, sizeof(e->value), "%.4f (%lld of %lld failed)", f->error_rate,
             (long long)f->requests_failed,
             (long long)f->requests_ok + (long long)f->requests_failed);
    snprintf(e->limit, sizeof(e->limit), "at most %.2f", l->error_rate_max);
    return isnan(f->error_rate) || f->error_rate <= l->error_rate_max;
}

static bool rule_overflow(const struct facts *f, const struct limits *l, struct evidence *e)
{
    (void)l;
    bool bad = has_reason(f, REASON_OVERFLOW);

    snprintf(e->value, sizeof(e->value), "%s", bad ? "rate exceeded" : "not reported");
    snprintf(e->limit, sizeof(e->limit), "at most 1 %% of responses, as the client stamps it");
    return !bad;
}

static bool rule_summary(const struct facts *f, const struct limits *l, struct evidence *e)
{
    snprintf(e->value, sizeof(e->value), "%s, %lld requests", f->has_summary ? "there" : "missing",
             (long long)f->requests_ok);
    snprintf(e->limit, sizeof(e->limit), "a summary with at least %lld request",
             (long long)l->requests_min);
    return f->has_summary && f->requests_ok >= l->requests_min;
}

static bool rule_artifacts(const struct facts *f, const struct limits *l, struct evidence *e)
{
    (void)l;
    snprintf(e->limit, sizeof(e->limit), "whole and consistent");
    if (f->artifacts_bad || !f->has_requests) {
        snprintf(e->value, sizeof(e->value), "%s",
                 f->bad_detail[0] ? f->bad_detail : "request log missing");
        return false;
    }
    snprintf(e->value, sizeof(e->value), "readable to the end");
    return true;
}

static bool rule_engine(const struct facts *f, const struct limits *l, struct evidence *e)
{
    (void)l;
    snprintf(e->value, sizeof(e->value), "%s", f->has_engine_metrics ? "there" : "missing");
    snprintf(e->limit, sizeof(e->limit), "metrics with the prefix sglang:");
    return f->has_engine_metrics;
}

static bool rule_al(const struct facts *f, const struct limits *l, struct evidence *e)
{
    if (l->al_target <= 0) {
        snprintf(e->value, sizeof(e->value), "%.3f", f->al_gauge);
        snprintf(e->limit, sizeof(e->limit), "none (real acceptance)");
        return true;
    }
    snprintf(e->value, sizeof(e->value), "%.3f (by counters %.3f)", f->al_gauge, f->al_counter);
    snprintf(e->limit, sizeof(e->limit), "%.2f +/- %.2f", l->al_target, l->al_tolerance);
    return fabs(f->al_gauge - l->al_target) <= l->al_tolerance;
}

static bool rule_stalled(const struct facts *f, const struct limits *l, struct evidence *e)
{
    double best = best_coverage(f);

    snprintf(e->value, sizeof(e->value), "coverage %.4f", best);
    snprintf(e->limit, sizeof(e->limit), "at least %.2f", l->coverage_stall);
    return isnan(best) || best >= l->coverage_stall;
}

static bool rule_not_cancelled(const struct facts *f, const struct limits *l, struct evidence *e)
{
    (void)l;
    bool bad = f->was_cancelled || has_reason(f, REASON_CANCELLED);

    snprintf(e->value, sizeof(e->value), "%s", bad ? "cancelled" : "ran to its end");
    snprintf(e->limit, sizeof(e->limit), "ran to its end");
    return !bad;
}

static bool rule_stamp(const struct facts *f, const struct limits *l, struct evidence *e)
{
    (void)l;
    snprintf(e->limit, sizeof(e->limit), "stamped valid by the client");
    if (other_reasons(f)) {
        size_t i = 0;

        while (!strcmp(f->reasons[i], REASON_COVERAGE) || !strcmp(f->reasons[i], REASON_OVERFLOW) ||
               !strcmp(f->reasons[i], REASON_CANCELLED))
            i++;
        snprintf(e->value, sizeof(e->value), "%s", f->reasons[i]);
        return false;
    }
    snprintf(e->value, sizeof(e->value), "%s",
             f->submission_valid < 0   ? "no stamp"
             : f->submission_valid > 0 ? "valid"
                                       : "invalid");
    return f->submission_valid > 0 || (f->submission_valid == 0 && f->reason_count);
}

static bool rule_exit(const struct facts *f, const struct limits *l, struct evidence *e)
{
    (void)l;
    snprintf(e->value, sizeof(e->value), "exit code %d", f->exit_code);
    snprintf(e->limit, sizeof(e->limit), "0, or a coverage failure");
    return f->exit_code == 0 || has_reason(f, REASON_COVERAGE);
}

static bool rule_coverage(const struct facts *f, const struct limits *l, struct evidence *e)
{
    (void)l;
    double best = best_coverage(f);
    bool short_of = has_reason(f, REASON_COVERAGE) ||
                    (!isnan(best) && !isnan(f->coverage_required) && best < f->coverage_required);

    snprintf(e->value, sizeof(e->value), "%.4f (first tokens %.4f, tokens %.4f)", best,
             f->coverage_ttft, f->coverage_itl);
    snprintf(e->limit, sizeof(e->limit), "at least %.2f", f->coverage_required);
    return !short_of;
}

static const struct {
    const char *name;
    bool (*holds)(const struct facts *, const struct limits *, struct evidence *);
    enum outcome outcome;
    const char *const *source;
    bool needs_summary; // says nothing without one: no_summary names the cause
} rules[] = {
    {"error_rate", rule_error_rate, OUTCOME_ERROR_RATE, &SUMMARY, true},
    {"overflow", rule_overflow, OUTCOME_OVERFLOW, &SUMMARY, true},
    {"summary", rule_summary, OUTCOME_NO_SUMMARY, &SUMMARY, false},
    {"artifacts", rule_artifacts, OUTCOME_BAD_ARTIFACT, &REQUESTS, false},
    {"engine_metrics", rule_engine, OUTCOME_NO_SERVER_METRICS, &ENGINE, false},
    {"al", rule_al, OUTCOME_AL_OFF, &ENGINE, false},
    {"stalled", rule_stalled, OUTCOME_STALLED, &SUMMARY, true},
    {"not_cancelled", rule_not_cancelled, OUTCOME_RUN_CANCELLED, &SUMMARY, true},
    {"stamp", rule_stamp, OUTCOME_OVERRIDE, &SUMMARY, true},
    {"exit", rule_exit, OUTCOME_BAD_ARTIFACT, &END, false},
    {"coverage", rule_coverage, OUTCOME_COVERAGE, &SUMMARY, true},
};

void verdict_judge(const struct facts *f, const struct limits *l, struct verdict *ret)
{
    *ret = (struct verdict){.outcome = OUTCOME_PASS};
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        struct evidence *e = &ret->evidence[ret->count++];

        e->rule = rules[i].name;
        e->source = *rules[i].source;
        e->holds = rules[i].holds(f, l, e);
        if (rules[i].needs_summary && !f->has_summary) {
            e->holds = true;
            snprintf(e->value, sizeof(e->value), "not known: no summary");
        }
        if (!e->holds && ret->outcome == OUTCOME_PASS)
            ret->outcome = rules[i].outcome;
    }
}

const struct evidence *verdict_cause(const struct verdict *v)
{
    for (size_t i = 0; i < v->count; i++)
        if (!v->evidence[i].holds)
            return &v->evidence[i];
    return NULL;
}
