// SPDX-License-Identifier: GPL-2.0-or-later
// The worker: every job is run once and freed once, also when it is stopped in
// the middle. Meant to be run under the thread sanitizer as well.
#include "worker.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "base/mem.h"
#include "tap.h"

enum { JOBS = 2000, QUEUE = 16 };

struct job {
    struct work work;
    int input;
    int result;
};

struct tally {
    int done, cancelled, sum;
};

static void run_job(struct work *w, void *thread_ctx)
{
    struct job *j = (struct job *)w;

    j->result = j->input * *(int *)thread_ctx;
}

static void done_job(struct work *w, void *loop_ctx, int cancelled)
{
    struct job *j = (struct job *)w;
    struct tally *t = loop_ctx;

    t->done++;
    t->cancelled += cancelled;
    t->sum += j->result;
    free(j);
}

static struct job *new_job(int input)
{
    struct job *j = mem_alloc(sizeof(*j));

    j->work = (struct work){.run = run_job, .done = done_job};
    j->input = input;
    return j;
}

static void all_jobs_come_back(void)
{
    int factor = 3;
    struct tally tally = {0};
    struct worker *w = NULL;
    struct err e;

    CHECK_INT(worker_create("test", QUEUE, &factor, &tally, &w, &e), 0);
    for (int i = 0; i < JOBS; i++) {
        struct job *j = new_job(i);

        while (worker_submit(w, &j->work) == -EAGAIN) {
            struct pollfd fd = {.fd = worker_fd(w), .events = POLLIN};

            poll(&fd, 1, 1000);
            worker_collect(w);
        }
    }
    while (tally.done < JOBS) {
        struct pollfd fd = {.fd = worker_fd(w), .events = POLLIN};

        if (!CHECK(poll(&fd, 1, 10000) == 1))
            break;
        worker_collect(w);
    }
    CHECK_INT(tally.done, JOBS);
    CHECK_INT(tally.sum, 3 * (JOBS * (JOBS - 1) / 2));
    CHECK_INT(worker_load(w), 0);
    worker_free(w, 1000);
}

static void stopping_frees_what_waits(void)
{
    int factor = 1;
    struct tally tally = {0};
    struct worker *w = NULL;
    struct err e;

    CHECK_INT(worker_create("test", QUEUE, &factor, &tally, &w, &e), 0);
    int submitted = 0;
    for (int i = 0; i < QUEUE * 4; i++) {
        struct job *j = new_job(i);

        if (worker_submit(w, &j->work) == 0)
            submitted++;
        else
            free(j);
    }
    CHECK(submitted >= QUEUE);
    worker_free(w, 1000);
    CHECK_INT(tally.done, submitted);
}

int main(void)
{
    all_jobs_come_back();
    for (int i = 0; i < 100; i++)
        stopping_frees_what_waits();
    return tap_done();
}
