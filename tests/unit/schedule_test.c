// SPDX-License-Identifier: GPL-2.0-or-later
// The placement on paper against cases whose optimum is known by hand.
#include "core/schedule.h"

#include "tap.h"

static void equal_points_in_rounds(void)
{
    struct schedule_task tasks[32];
    struct schedule s;

    for (int i = 0; i < 32; i++)
        tasks[i] = (struct schedule_task){100, 2};
    schedule_make(tasks, 32, 8, 8, PLACE_EXCLUSIVE, &s);
    CHECK_INT(s.makespan, 400); // four rounds
    CHECK_INT(s.bound, 400);
    CHECK_NEAR(s.gpu_us, 32 * 100 * 8, 0); // whole nodes are held
    schedule_free(&s);
    schedule_make(tasks, 32, 8, 8, PLACE_PACKED, &s);
    CHECK_INT(s.makespan, 100); // four share a node
    CHECK_NEAR(s.gpu_us, 32 * 100 * 2, 0);
    schedule_free(&s);
}

static void longest_first(void)
{
    // 7 5 4 3 3 2 on two nodes: 12 is optimal, and longest first finds it.
    const struct schedule_task tasks[] = {{7, 8}, {5, 8}, {4, 8}, {3, 8}, {3, 8}, {2, 8}};
    struct schedule s;

    schedule_make(tasks, 6, 2, 8, PLACE_EXCLUSIVE, &s);
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
    schedule_make(tasks, 200, 5, 8, PLACE_PACKED, &s);
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

static void nothing_to_do(void)
{
    struct schedule s;

    schedule_make(NULL, 0, 8, 8, PLACE_PACKED, &s);
    CHECK_INT(s.makespan, 0);
    schedule_free(&s);
}

int main(void)
{
    equal_points_in_rounds();
    longest_first();
    no_gpu_is_given_twice();
    nothing_to_do();
    return tap_done();
}
