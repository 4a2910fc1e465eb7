// SPDX-License-Identifier: GPL-2.0-or-later
// A thread for calls that block, with a bounded queue of owned jobs and a
// descriptor that tells the loop when jobs are done.
#ifndef SWEEPD_WORKER_H
#define SWEEPD_WORKER_H

#include <stddef.h>

#include "base/err.h"

struct worker;

// A job embeds this as its first member. `run` is called on the thread and
// touches nothing but the job; `done` is called on the loop and frees the job,
// also for jobs that never ran because the worker was stopped (`cancelled`).
struct work {
    void (*run)(struct work *w, void *thread_ctx);
    void (*done)(struct work *w, void *loop_ctx, int cancelled);
    struct work *next;
};

// `thread_ctx` is handed to run() alone, `loop_ctx` to done() alone.
int worker_create(const char *name, size_t queue_max, void *thread_ctx, void *loop_ctx,
                  struct worker **ret, struct err *e) MUST_CHECK;

// Returns -EAGAIN when the queue is full: the job stays the caller's.
int worker_submit(struct worker *w, struct work *job) MUST_CHECK;

int worker_fd(const struct worker *w); // readable when worker_collect has something to do
void worker_collect(struct worker *w); // calls done() of every finished job
size_t worker_load(struct worker *w);  // jobs waiting or running

// Lets the running job end for at most `patience_ms`, then leaves the thread
// behind: it holds only its own job. Waiting jobs are cancelled.
void worker_free(struct worker *w, int patience_ms); // NULL is fine

#endif
