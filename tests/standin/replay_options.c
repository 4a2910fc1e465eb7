// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/standin/replay_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

static const double duration_min_s = 900; // the scenario's
static const double idle_cap_locked_s = 10;

static int read_double(const struct flags *f, const char *name, double low, double *value,
                       struct err *e)
{
    const char *text = flags_value(f, name);

    if (!text)
        return 0;
    if (str_to_double(text, value) || *value < low)
        return err_set(e, -EINVAL, "Invalid value \"%s\" for \"%s\". Must be a number >= %g.", text,
                       name, low);
    return 0;
}

static int read_int(const struct flags *f, const char *name, int64_t low, int64_t high,
                    int64_t *value, struct err *e)
{
    const char *text = flags_value(f, name);

    if (text && str_to_i64(text, low, high, value))
        return err_set(e, -EINVAL, "Invalid value \"%s\" for \"%s\". Must be an integer >= %lld.",
                       text, name, (long long)low);
    return 0;
}

static const char *text_of(const struct flags *f, const char *name, const char *fallback)
{
    const char *text = flags_value(f, name);

    return text ? text : fallback;
}

static int read_texts(const struct flags *f, struct options *o, struct err *e)
{
    o->scenario = flags_value(f, "--scenario");
    o->url = text_of(f, "--url", "http://localhost:8000");
    o->endpoint = text_of(f, "--endpoint", text_of(f, "--custom-endpoint", "/v1/chat/completions"));
    o->model = text_of(f, "--model", flags_value(f, "--model-names"));
    o->dataset = flags_value(f, "--public-dataset");
    o->folder = text_of(f, "--output-artifact-dir", text_of(f, "--artifact-dir", "artifacts"));
    o->server_metrics = !flags_given(f, "--no-server-metrics");
    o->override_rules = flags_given(f, "--unsafe-override");
    for (size_t i = 0; flags_nth(f, "--server-metrics", i); i++) {
        if (o->metrics_count == METRICS_URLS_MAX)
            return err_set(e, -EINVAL, "--server-metrics: more than %d URLs", METRICS_URLS_MAX);
        o->metrics[o->metrics_count++] = flags_nth(f, "--server-metrics", i);
    }
    if (!o->model)
        return err_set(e, -EINVAL,
                       "Command \"profile\" parameter \"--model\" requires an argument.");
    if (!str_starts(o->url, "http://"))
        return err_set(e, -EINVAL, "--url %s: only http:// is served here", o->url);
    return 0;
}

static int read_numbers(const struct flags *f, struct options *o, struct err *e)
{
    int64_t concurrency = 1;

    // A list of values is a sweep; the scenario refuses it with its own words.
    if (!strchr(text_of(f, "--concurrency", ""), ',') &&
        read_int(f, "--concurrency", 1, CONCURRENCY_MAX, &concurrency, e))
        return e->code;
    o->concurrency = (int)concurrency;
    if (!strchr(text_of(f, "--benchmark-duration", ""), ',') &&
        read_double(f, "--benchmark-duration", 1, &o->duration_s, e))
        return e->code;
    if (read_double(f, "--benchmark-grace-period", 0, &o->grace_s, e) ||
        read_double(f, "--warmup-grace-period", 0, &o->warmup_grace_s, e) ||
        read_double(f, "--stats-interval", 0.001, &o->stats_s, e) ||
        read_double(f, "--slice-duration", 0.001, &o->slice_s, e) ||
        read_double(f, "--failed-request-threshold", 0, &o->failed_max, e) ||
        read_double(f, "--trajectory-start-min-ratio", 0, &o->start_min, e) ||
        read_double(f, "--trajectory-start-max-ratio", 0, &o->start_max, e) ||
        read_double(f, "--trace-idle-gap-cap-seconds", 0, &o->idle_cap_s, e) ||
        read_int(f, "--random-seed", 0, INT32_MAX, &o->seed, e) ||
        read_int(f, "--warmup-requests-per-lane", 0, 10000, &o->warmup_requests, e) ||
        read_int(f, "--num-dataset-entries", 1, 100000, &o->dataset_entries, e) ||
        read_int(f, "--max-context-length", 1024, INT32_MAX, &o->context_max, e))
        return e->code;
    if (o->start_min > o->start_max || o->start_max > 1)
        return err_set(e, -EINVAL,
                       "--trajectory-start-min-ratio and -max-ratio: not 0 <= min <= "
                       "max <= 1");
    return 0;
}

int options_read(const struct flags *f, struct options *ret, struct err *e)
{
    struct options o = {
        .duration_s = 1800,
        .grace_s = 30,
        .warmup_grace_s = 1800,
        .stats_s = 30,
        .failed_max = -1,
        .start_max = 1,
        .idle_cap_s = 300,
        .seed = 42,
        .warmup_requests = 1,
        .dataset_entries = 393,
    };

    if (read_texts(f, &o, e) || read_numbers(f, &o, e))
        return -EINVAL;
    *ret = o;
    return 0;
}

static bool is_known_dataset(const char *name)
{
    static const char *const names[] = {
        "with_subagents",
        "with_subagents_060226",
        "with_subagents_060526",
        "with_subagents_060826",
        "061326",
        "061526",
        "062126",
    };
    char full[96];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(full, sizeof(full), "semianalysis_cc_traces_weka_%s", names[i]);
        if (strcmp(name, full) == 0)
            return true;
        snprintf(full, sizeof(full), "semianalysis_cc_traces_weka_%s_256k", names[i]);
        if (strcmp(name, full) == 0)
            return true;
    }
    return false;
}

static void conflict(struct str *all, const char *text)
{
    str_addf(all, "\n  - %s", text);
}

// Settings that a scenario forbids, whatever their value.
static void check_forbidden(const struct flags *f, struct str *all)
{
    static const char *const names[] = {
        "--ignore-trace-delays", "--inter-turn-delay-cap-seconds",
        "--synthesis-max-isl",   "--fixed-schedule",
        "--request-rate",        "--arrival-pattern",
        "--user-centric-rate",   "--concurrency-min",
        "--concurrency-max",
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (flags_given(f, names[i]))
            str_addf(all, "\n  - %s may not be set", names[i]);
}

static void check_values(const struct flags *f, const struct options *o, struct str *all)
{
    const char *bust = flags_value(f, "--cache-bust");
    double cap = idle_cap_locked_s;

    if (strchr(text_of(f, "--concurrency", ""), ',') ||
        strchr(text_of(f, "--benchmark-duration", ""), ','))
        conflict(all, "a list of values is a sweep; give one value");
    if (o->duration_s < duration_min_s)
        str_addf(all, "\n  - --benchmark-duration must be >= %g, got %g", duration_min_s,
                 o->duration_s);
    if (bust && strcmp(bust, "first_turn_prefix") != 0)
        str_addf(all, "\n  - --cache-bust must be first_turn_prefix, got %s", bust);
    if (flags_given(f, "--system-idle-gap-cap-seconds") &&
        (str_to_double(flags_value(f, "--system-idle-gap-cap-seconds"), &cap) ||
         cap < idle_cap_locked_s || cap > idle_cap_locked_s))
        str_addf(all, "\n  - --system-idle-gap-cap-seconds must be %g", idle_cap_locked_s);
    if (o->dataset && !is_known_dataset(o->dataset))
        str_addf(all, "\n  - --public-dataset %s is not a dataset of the scenario", o->dataset);
}

int options_check(const struct flags *f, struct options *o, struct err *e)
{
    struct str all = {0};
    int rc = 0;

    if (!o->scenario)
        return 0;
    if (strcmp(o->scenario, "inferencex-agentx-mvp") != 0 && strcmp(o->scenario, "agentx") != 0)
        return err_set(e, -EINVAL,
                       "Invalid value \"%s\" for \"--scenario\". Choose from: "
                       "\"agentx\", \"inferencex-agentx-mvp\".",
                       o->scenario);
    if (!o->dataset)
        return err_set(e, -EPERM, "ScenarioLockError: scenario %s needs --public-dataset",
                       o->scenario);
    check_forbidden(f, &all);
    check_values(f, o, &all);
    o->broke_rules = all.len > 0;
    if (o->broke_rules && !o->override_rules)
        rc = err_set(e, -EPERM, "ScenarioLockError: scenario %s conflicts with:%s", o->scenario,
                     all.p);
    str_free(&all);
    return rc;
}
