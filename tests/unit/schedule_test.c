// SPDX-License-Identifier: GPL-2.0-or-later
// The placement on paper against cases whose optimum is known by hand.
#include "core/schedule.h"

#include "tap.h"

static const int eight_gpus[100] = {8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8,
                                    8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8,
                                    8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8,
                                    8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8,
                                    8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8};

static void make(const struct schedule_task *tasks, size_t count, size_t nodes,
                 enum placement placement, struct schedule *ret)
{
    struct schedule_input in = {
        .tasks = tasks,
        .count = count,
        .node_gpus = eight_gpus,
        .nodes = nodes,
        .placement = placement,
        .effort = SCHEDULE_EFFORT_PAPER,
    };

    schedule_make(&in, ret);
}

static void equal_points_in_rounds(void)
{
    struct schedule_task tasks[32];
    struct schedule s;

    for (int i = 0; i < 32; i++)
        tasks[i] = (struct schedule_task){100, 2};
    make(tasks, 32, 8, PLACE_EXCLUSIVE, &s);
    CHECK_INT(s.makespan, 400); // four rounds
    CHECK_INT(s.bound, 400);
    CHECK_NEAR(s.gpu_us, 32 * 100 * 8, 0); // whole nodes are held
    schedule_free(&s);
    make(tasks, 32, 8, PLACE_PACKED, &s);
    CHECK_INT(s.makespan, 100); // four share a node
    CHECK_NEAR(s.gpu_us, 32 * 100 * 2, 0);
    schedule_free(&s);
}

static void longest_first(void)
{
    // 7 5 4 3 3 2 on two nodes: 12 is optimal, and longest first finds it.
    const struct schedule_task tasks[] = {{7, 8}, {5, 8}, {4, 8}, {3, 8}, {3, 8}, {2, 8}};
    struct schedule s;

    make(tasks, 6, 2, PLACE_EXCLUSIVE, &s);
    CHECK_INT(s.makespan, 12);
    CHECK_INT(s.bound, 12);
    schedule_free(&s);
}

static void no_gpu_is_given_twice(void)
{
    struct schedule_task tasks[200];
    struct schedule s;
    unsigned seed = 7;

    for (int i = 0; i < 200; i++) {
        seed = seed * 1103515245u + 12345u;
        tasks[i] = (struct schedule_task){10 + (int)(seed >> 16) % 90, 1 << ((seed >> 8) % 4)};
    }
    make(tasks, 200, 5, PLACE_PACKED, &s);
    bool over = false;
    for (int i = 0; i < 200; i++) {
        int used = 0; // on its node when it begins

        for (int k = 0; k < 200; k++)
            if (s.rows[k].node == s.rows[i].node && s.rows[k].start <= s.rows[i].start &&
                s.rows[k].end > s.rows[i].start)
                used += tasks[k].gpus;
        over |= used > 8;
        CHECK_INT(s.rows[i].end - s.rows[i].start, tasks[i].duration);
    }
    CHECK(!over);
    CHECK(s.makespan >= s.bound);
    schedule_free(&s);
}

// Twenty sets of durations for the official sweep's sizes: 3 points of 2 GPUs,
// 11 of 4, 18 of 8, between 1.7 and 2.5 hours.
static void official(unsigned seed, struct schedule_task tasks[32])
{
    unsigned x = seed * 7919 + 13;

    for (int i = 0; i < 32; i++) {
        x = x * 1103515245u + 12345u;
        tasks[i] = (struct schedule_task){6120 + (x >> 16) % 2881, i < 3 ? 2 : i < 14 ? 4 : 8};
    }
}

// The bound is proven, so a plan within 1.02 of it is within 1.02 of the best.
static void near_the_best_exclusive(void)
{
    struct schedule_task tasks[32];
    struct schedule s;

    for (unsigned set = 0; set < 20; set++) {
        official(set, tasks);
        make(tasks, 32, 8, PLACE_EXCLUSIVE, &s);
        CHECK((double)s.makespan <= 1.02 * (double)s.bound);
        schedule_free(&s);
    }
}

// Packed, no bound that we know proves the best. These are the makespans that a
// search of 75 times the effort found (make bench searches for 60 s).
static void near_the_best_packed(void)
{
    static const int64_t best[20] = {24857, 24899, 24742, 25430, 24869, 25079, 25208,
                                     25688, 24826, 24766, 25284, 25128, 25812, 25771,
                                     25379, 25088, 24699, 25666, 25283, 25546};
    struct schedule_task tasks[32];
    struct schedule s;

    for (unsigned set = 0; set < 20; set++) {
        official(set, tasks);
        make(tasks, 32, 8, PLACE_PACKED, &s);
        CHECK((double)s.makespan <= 1.02 * (double)best[set]);
        CHECK(s.makespan >= s.bound);
        schedule_free(&s);
    }
}

// Equal points take four rounds either way; packing saves GPU time alone.
static void packing_saves_gpu_time(void)
{
    struct schedule_task tasks[32];
    struct schedule whole, packed;

    official(0, tasks);
    for (int i = 0; i < 32; i++)
        tasks[i].duration = 7200;
    make(tasks, 32, 8, PLACE_EXCLUSIVE, &whole);
    make(tasks, 32, 8, PLACE_PACKED, &packed);
    CHECK_INT(whole.makespan, 4 * 7200);
    CHECK_INT(packed.makespan, 4 * 7200);
    CHECK_NEAR(whole.gpu_us, 32 * 8 * 7200.0, 0);
    CHECK_NEAR(packed.gpu_us, (3 * 2 + 11 * 4 + 18 * 8) * 7200.0, 0);
    schedule_free(&whole);
    schedule_free(&packed);
}

static void what_is_held_is_waited_for(void)
{
    const struct schedule_task tasks[] = {{60, 8}, {50, 8}};
    const struct schedule_hold holds[] = {{0, 8, 100}};
    struct schedule_input in = {
        .tasks = tasks,
        .count = 2,
        .node_gpus = eight_gpus,
        .nodes = 2,
        .holds = holds,
        .hold_count = 1,
        .placement = PLACE_EXCLUSIVE,
        .effort = SCHEDULE_EFFORT_DISPATCH,
    };
    struct schedule s;

    schedule_make(&in, &s); // both on the free node: 110; the held one would take 150
    CHECK_INT(s.makespan, 110);
    CHECK_INT((int)s.rows[0].node, 1);
    CHECK_INT((int)s.rows[1].node, 1);
    schedule_free(&s);
    in.placement = PLACE_PACKED;
    const struct schedule_hold half[] = {{0, 4, 100}, {1, 8, 100}};
    const struct schedule_task small[] = {{60, 4}, {50, 8}};
    in.tasks = small;
    in.holds = half;
    in.hold_count = 2;
    schedule_make(&in, &s); // four GPUs are free now, eight at 100
    CHECK_INT(s.rows[0].start, 0);
    CHECK_INT(s.rows[1].start, 100);
    schedule_free(&s);
}

static void what_fits_nowhere(void)
{
    const struct schedule_task tasks[] = {{60, 16}, {50, 8}};
    struct schedule s;

    make(tasks, 2, 1, PLACE_PACKED, &s);
    CHECK(!s.rows[0].placed);
    CHECK(s.rows[1].placed);
    CHECK_INT(s.makespan, 50);
    schedule_free(&s);
}

static void nothing_to_do(void)
{
    struct schedule s;

    make(NULL, 0, 8, PLACE_PACKED, &s);
    CHECK_INT(s.makespan, 0);
    schedule_free(&s);
}

int main(void)
{
    equal_points_in_rounds();
    longest_first();
    no_gpu_is_given_twice();
    near_the_best_exclusive();
    near_the_best_packed();
    packing_saves_gpu_time();
    what_is_held_is_waited_for();
    what_fits_nowhere();
    nothing_to_do();
    return tap_done();
}
