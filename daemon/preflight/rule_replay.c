// SPDX-License-Identifier: GPL-2.0-or-later
// The replay command: its flags against the pinned client's list, and the locks of the agentic
// scenario, which the client would enforce only after the model has loaded.
#include <stdlib.h>
#include <string.h>

#include "preflight/arglist.h"
#include "preflight/check.h"

enum { DURATION_MIN_S = 900 }; // below it the scenario calls a run invalid

static const char part[] = "replay command";

// --- flags -------------------------------------------------------------------------

// "--no-x" of a known bool: the client's framework may make it by itself.
static bool is_negative_form(const struct flags *flags, const char *name)
{
    char positive[FLAG_NAME_MAX] = "-";

    if (!str_starts(name, "--no-"))
        return false;
    str_copy(positive + 1, sizeof(positive) - 1, name + strlen("--no"));
    const struct flag *f = flags_find(flags, positive);

    return f && f->arity == FLAG_BOOL;
}

static void unknown_flag(struct check *c, size_t point, const char *name)
{
    const char *near = flags_nearest(&c->flags, name);
    struct str fix = {0};
    struct complaint what = {PREFLIGHT_ERROR, "replay-flag", part, name, NULL};

    if (is_negative_form(&c->flags, name)) {
        what.severity = PREFLIGHT_WARNING;
        what.fix = "leave it out unless you have seen this build take it";
        complain(c, &what, (long)point,
                 "%s is a negative form that the client's flag list does not name", name);
        return;
    }
    if (near)
        str_addf(&fix, "did you mean %s?", near);
    else
        str_addf(&fix, "remove it, or choose a flag from the list of %zu", c->flags.count);
    what.fix = str_text(&fix);
    complain(c, &what, (long)point,
             "the pinned client does not know %s and would end at its start, after the model has "
             "loaded",
             name);
    str_free(&fix);
}

static void check_arity(struct check *c, size_t point, const struct arg *arg)
{
    const struct complaint what = {PREFLIGHT_ERROR, "flag-arity", part, arg->name,
                                   "write the flag as the client's list has it"};

    if (arg->flag->arity == FLAG_BOOL) {
        if (arg->inlined)
            complain(c, &what, (long)point, "%s takes no value", arg->name);
    } else if (!arg->inlined && arg->values == 0) {
        complain(c, &what, (long)point, "%s needs a value and has none", arg->name);
    }
}

void rule_flags(struct check *c, size_t point)
{
    const struct complaint none = {PREFLIGHT_ERROR, "replay-flag", part, NULL,
                                   "run the client's sub-command `profile`"};
    const struct complaint stray = {PREFLIGHT_ERROR, "flag-arity", part, NULL,
                                    "give the word to a flag, or remove it"};
    struct arglist args;

    arglist_read(&c->renderings[point].replay, &c->flags, &args);
    if (args.start == 0)
        complain(c, &none, (long)point, "the command is no `profile` run");
    for (size_t i = 0; i < args.count; i++) {
        if (args.list[i].flag)
            check_arity(c, point, &args.list[i]);
        else
            unknown_flag(c, point, args.list[i].name);
    }
    if (args.stray)
        complain(c, &stray, (long)point, "the word \"%.100s\" belongs to no flag",
                 args.words->list[args.stray]);
    arglist_free(&args);
}

// --- scenario ----------------------------------------------------------------------

// Settings that the scenario fixes. `only` is the one value it takes, NULL: it takes none.
static const struct lock {
    const char *flag, *only, *why;
} locks[] = {
    {"--request-rate", NULL, "the recorded sessions give the timing"},
    {"--arrival-pattern", NULL, "the recorded sessions give the timing"},
    {"--user-centric-rate", NULL, "the recorded sessions give the timing"},
    {"--fixed-schedule", NULL, "the recorded sessions give the timing"},
    {"--ignore-trace-delays", NULL, "the recorded delays are part of the load"},
    {"--inter-turn-delay-cap-seconds", NULL, "the recorded delays are part of the load"},
    {"--synthesis-max-isl", NULL, "prompts may not be cut"},
    {"--no-streaming", NULL, "latencies are measured on streams"},
    {"--unsafe-override", NULL, "a run with it is never valid"},
    {"--profile-export-prefix", NULL, "the artifacts must keep their names"},
    {"--cache-bust", "first_turn_prefix", "other forms change what the cache can hit"},
    {"--system-idle-gap-cap-seconds", "10", "the scenario is defined with it"},
};

static bool known_corpus(const char *name)
{
    static const char prefix[] = "semianalysis_cc_traces_weka_", reduced[] = "_256k";
    static const char *const sets[] = {"with_subagents",
                                       "with_subagents_060226",
                                       "with_subagents_060526",
                                       "with_subagents_060826",
                                       "061326",
                                       "061526",
                                       "062126"};

    if (!name || !str_starts(name, prefix))
        return false;
    const char *set = name + strlen(prefix);
    size_t len = strlen(set) - (str_ends(set, reduced) ? strlen(reduced) : 0);

    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
        if (strlen(sets[i]) == len && memcmp(sets[i], set, len) == 0)
            return true;
    return false;
}

static void check_locks(struct check *c, size_t point, const struct arglist *args)
{
    for (size_t i = 0; i < sizeof(locks) / sizeof(locks[0]); i++) {
        const struct lock *l = &locks[i];
        struct complaint what = {PREFLIGHT_ERROR, "scenario-lock", part, l->flag, "remove it"};
        const char *value = arglist_value(args, l->flag);

        if (!arglist_have(args, l->flag) || (l->only && value && strcmp(value, l->only) == 0))
            continue;
        if (l->only)
            complain(c, &what, (long)point, "the scenario takes %s with %s alone: %s", l->flag,
                     l->only, l->why);
        else
            complain(c, &what, (long)point, "the scenario refuses %s: %s", l->flag, l->why);
    }
}

static void check_duration(struct check *c, size_t point, const struct arglist *args)
{
    const char *text = arglist_value(args, "--benchmark-duration");
    int want = c->in->points[point].axes.duration_s;
    double seconds = 0;
    struct complaint what = {PREFLIGHT_ERROR, "scenario-lock", part, "--benchmark-duration",
                             "pass the point's DURATION, or 1200 in fast mode"};

    if (!text || str_to_double(text, &seconds) != 0) {
        complain(c, &what, (long)point, "--benchmark-duration must be one number of seconds");
    } else if (seconds < DURATION_MIN_S) {
        complain(c, &what, (long)point,
                 "the scenario calls a profile under %d s invalid, --benchmark-duration is %s",
                 DURATION_MIN_S, text);
    } else if (want > 0 && (seconds < want || seconds > want)) {
        what.code = "point-value";
        complain(c, &what, (long)point, "--benchmark-duration is %s, the point's is %d", text,
                 want);
    }
}

static void check_concurrency(struct check *c, size_t point, const struct arglist *args)
{
    const char *text = arglist_value(args, "--concurrency");
    int64_t n = 0;
    struct complaint what = {PREFLIGHT_ERROR, "scenario-lock", part, "--concurrency",
                             "pass the point's CONC"};

    if (text && strchr(text, ',')) {
        complain(c, &what, (long)point,
                 "--concurrency is a list: the scenario refuses a run over several");
        return;
    }
    what.code = "point-value";
    if (!text || str_to_i64(text, 1, INT32_MAX, &n) != 0)
        complain(c, &what, (long)point, "--concurrency must be one positive number");
    else if (n != c->in->points[point].axes.conc)
        complain(c, &what, (long)point, "--concurrency is not the point's concurrency");
}

static void check_artifacts(struct check *c, size_t point, const struct arglist *args)
{
    const char *place = arglist_value(args, "--output-artifact-dir");
    const struct complaint what = {PREFLIGHT_ERROR, "point-value", part, "--output-artifact-dir",
                                   "pass --output-artifact-dir \"$RESULT_DIR/aiperf_artifacts\""};

    if (!place)
        place = arglist_value(args, "--artifact-dir");
    if (!place || !str_ends(place, "/aiperf_artifacts"))
        complain(c, &what, (long)point,
                 "the artifacts must go to aiperf_artifacts in the attempt's folder");
}

void rule_scenario(struct check *c, size_t point)
{
    const char *kind = pairs_value(&c->jobs[point], "SCENARIO_TYPE");
    const struct complaint missing = {
        PREFLIGHT_ERROR, "scenario-lock", part, NULL,
        "pass --scenario inferencex-agentx-mvp: without it nothing is checked by the client"};
    const struct complaint corpus = {PREFLIGHT_ERROR, "scenario-lock", part, "--public-dataset",
                                     "pass --public-dataset semianalysis_cc_traces_weka_..., one "
                                     "of the corpora that the scenario takes"};
    struct arglist args;

    if (!kind || strcmp(kind, "agentic-coding") != 0)
        return;
    arglist_read(&c->renderings[point].replay, &c->flags, &args);
    const char *scenario = arglist_value(&args, "--scenario");

    if (!scenario ||
        (strcmp(scenario, "inferencex-agentx-mvp") != 0 && strcmp(scenario, "agentx") != 0))
        complain(c, &missing, (long)point, "the replay does not run the agentic scenario");
    check_locks(c, point, &args);
    check_duration(c, point, &args);
    check_concurrency(c, point, &args);
    check_artifacts(c, point, &args);
    if (!known_corpus(arglist_value(&args, "--public-dataset")))
        complain(c, &corpus, (long)point, "the corpus is none that the scenario takes");
    arglist_free(&args);
}
