// SPDX-License-Identifier: GPL-2.0-or-later
// sim [--seeds N] [--seed0 M] [--mask HEX] [--trace] [--complete]
//
// Runs core against a simulated cluster, database and file system, one world a
// seed, and holds every event against the invariants. A seed that fails is run
// again with as few classes of faults as it needs, and its story is printed.
// --complete: a pair of event and state that can happen and did not is a
// failure too.
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "scene.h"

enum {
    STORY_LINES = 150, // the last ones of a failing seed
    TRACE_LINES = 200000,
    STORIES_MAX = 5, // a whole story; of other failures the line only
};

struct options {
    uint64_t seeds, seed0;
    uint32_t mask;
    bool trace, complete;
};

static bool number(const char *text, int base, uint64_t *ret)
{
    char *end;

    *ret = strtoull(text, &end, base);
    return *text && !*end;
}

static bool parse(int argc, char **argv, struct options *ret)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        uint64_t mask = ret->mask;
        bool ok = true;

        if (!strcmp(argv[i], "--trace"))
            ret->trace = true;
        else if (!strcmp(argv[i], "--complete"))
            ret->complete = true;
        else if (!strcmp(argv[i], "--seeds"))
            ok = number(value, 10, &ret->seeds) && i++;
        else if (!strcmp(argv[i], "--seed0"))
            ok = number(value, 10, &ret->seed0) && i++;
        else if (!strcmp(argv[i], "--mask"))
            ok = number(value, 16, &mask) && i++;
        else
            ok = false;
        if (!ok)
            return false;
        ret->mask = (uint32_t)mask;
    }
    return true;
}

// The kind of a failure: its text up to the first figure.
static bool same_kind(const char *a, const char *b)
{
    size_t len = strcspn(a, "0123456789(");

    return strcspn(b, "0123456789(") == len && !strncmp(a, b, len);
}

// Switches off every class of faults that this failure does without.
static uint32_t shrink(uint64_t seed, uint32_t mask, const char *what)
{
    struct coverage *scratch = mem_alloc(sizeof(*scratch));
    struct scene_result r;

    for (int f = 0; f < FAULT_COUNT; f++) {
        uint32_t less = mask | (1u << f);

        if (less == mask)
            continue;
        scene_run(seed, less, false, scratch, &r);
        if (r.broken[0] && same_kind(r.broken, what))
            mask = less;
    }
    free(scratch);
    return mask;
}

// Lines begin with the sweep and point that they concern; "0.-1" is everybody.
static bool concerns(const char *line, struct ref ref)
{
    long long sweep = 0;
    int point = 0;

    if (sscanf(line, "%lld.%d", &sweep, &point) != 2 || !sweep || ref.point < 0)
        return true;
    return sweep == ref.sweep && point == ref.point;
}

static void print_story(char *trace, struct ref ref, size_t limit)
{
    size_t count = 0;
    char *save = NULL;
    char **lines = mem_array(limit, sizeof(*lines));

    for (char *line = strtok_r(trace, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        if (concerns(line, ref))
            lines[count++ % limit] = strchr(line, ' ') + 1;
    for (size_t i = count > limit ? count - limit : 0; i < count; i++)
        printf("#   %s\n", lines[i % limit]);
    free(lines);
}

static void print_faults(uint32_t mask)
{
    printf("#   with");
    for (int f = 0; f < FAULT_COUNT; f++)
        if (!(mask & (1u << f)))
            printf(" %s", fault_name((enum fault)f));
    printf("\n");
}

static void explain(uint64_t seed, uint32_t mask, const char *what)
{
    struct coverage *scratch = mem_alloc(sizeof(*scratch));
    struct scene_result r;

    mask = shrink(seed, mask, what);
    scene_run(seed, mask, true, scratch, &r);
    print_faults(mask);
    print_story(r.trace, r.ref, STORY_LINES);
    printf("#   again: build/sim --seeds 1 --seed0 %llu --mask %x --trace\n",
           (unsigned long long)seed, mask);
    free(r.trace);
    free(scratch);
}

static bool run_seed(uint64_t seed, const struct options *o, struct coverage *coverage,
                     size_t stories)
{
    struct scene_result r;

    scene_run(seed, o->mask, o->trace, coverage, &r);
    if (o->trace) {
        print_story(r.trace, ALL, TRACE_LINES);
        free(r.trace);
    }
    if (!r.broken[0])
        return true;
    printf("seed %llu, sweep %lld point %d attempt %d: %s\n", (unsigned long long)seed,
           (long long)r.ref.sweep, r.ref.point, r.ref.attempt, r.broken);
    if (!o->trace && stories < STORIES_MAX)
        explain(seed, o->mask, r.broken);
    return false;
}

static double seconds_since(const struct timespec *start)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

int main(int argc, char **argv)
{
    struct options o = {.seeds = 2000, .seed0 = 1};
    struct coverage *coverage;
    struct timespec start;
    size_t failed = 0;

    if (!parse(argc, argv, &o)) {
        fprintf(stderr, "usage: sim [--seeds N] [--seed0 M] [--mask HEX] [--trace] [--complete]\n");
        return 2;
    }
    coverage = mem_alloc(sizeof(*coverage));
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (uint64_t i = 0; i < o.seeds; i++)
        failed += !run_seed(o.seed0 + i, &o, coverage, failed);
    double seconds = seconds_since(&start);
    coverage_print(coverage);
    printf("# %llu seeds in %.1f s, %.0f a second\n", (unsigned long long)o.seeds, seconds,
           (double)o.seeds / seconds);
    size_t missing = o.complete ? coverage_missing(coverage) : 0;
    printf("%llu passed, %zu failed, 0 skipped\n", (unsigned long long)(o.seeds - failed),
           failed + missing);
    free(coverage);
    return failed || missing ? 1 : 0;
}
