// SPDX-License-Identifier: GPL-2.0-or-later
#include "worker.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

struct queue {
    struct work *head, *tail;
    size_t count;
};

struct worker {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake; // a job came, or the end
    pthread_cond_t idle; // the thread has left
    struct queue waiting, finished;
    size_t queue_max;
    void *thread_ctx;
    void *loop_ctx;
    int fd;
    bool running; // a job is with the thread
    bool ending;
    bool left;
};

static void push(struct queue *q, struct work *job)
{
    job->next = NULL;
    if (q->tail)
        q->tail->next = job;
    else
        q->head = job;
    q->tail = job;
    q->count++;
}

static struct work *pop(struct queue *q)
{
    struct work *job = q->head;

    if (!job)
        return NULL;
    q->head = job->next;
    if (!q->head)
        q->tail = NULL;
    q->count--;
    return job;
}

static void tell(const struct worker *w)
{
    uint64_t one = 1;

    if (write(w->fd, &one, sizeof(one)) < 0)
        return; // the counter is full: the loop has been told already
}

static void *work_loop(void *arg)
{
    struct worker *w = arg;

    pthread_mutex_lock(&w->lock);
    while (!w->ending) {
        struct work *job = pop(&w->waiting);

        if (!job) {
            pthread_cond_wait(&w->wake, &w->lock);
            continue;
        }
        w->running = true;
        pthread_mutex_unlock(&w->lock);
        job->run(job, w->thread_ctx);
        pthread_mutex_lock(&w->lock);
        w->running = false;
        push(&w->finished, job);
        tell(w);
    }
    w->left = true;
    pthread_cond_signal(&w->idle);
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

int worker_create(const char *name, size_t queue_max, void *thread_ctx, void *loop_ctx,
                  struct worker **ret, struct err *e)
{
    struct worker *w = mem_alloc(sizeof(*w));
    pthread_condattr_t monotonic;

    w->queue_max = queue_max;
    w->thread_ctx = thread_ctx;
    w->loop_ctx = loop_ctx;
    w->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (w->fd < 0) {
        int rc = -errno;

        free(w);
        return err_set(e, rc, "eventfd: %s", strerror(-rc));
    }
    pthread_mutex_init(&w->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&w->wake, NULL);
    pthread_cond_init(&w->idle, &monotonic);
    pthread_condattr_destroy(&monotonic);
    int rc = pthread_create(&w->thread, NULL, work_loop, w);
    if (rc) {
        close(w->fd);
        free(w);
        return err_set(e, -rc, "cannot start the %s thread: %s", name, strerror(rc));
    }
    pthread_setname_np(w->thread, name);
    *ret = w;
    return 0;
}

int worker_submit(struct worker *w, struct work *job)
{
    int rc = 0;

    pthread_mutex_lock(&w->lock);
    if (w->waiting.count >= w->queue_max) {
        rc = -EAGAIN;
    } else {
        push(&w->waiting, job);
        pthread_cond_signal(&w->wake);
    }
    pthread_mutex_unlock(&w->lock);
    return rc;
}

int worker_fd(const struct worker *w)
{
    return w->fd;
}

static struct work *take_finished(struct worker *w)
{
    pthread_mutex_lock(&w->lock);
    struct work *job = pop(&w->finished);
    pthread_mutex_unlock(&w->lock);
    return job;
}

void worker_collect(struct worker *w)
{
    uint64_t count;
    struct work *job;

    if (read(w->fd, &count, sizeof(count)) < 0 && errno != EAGAIN)
        return;
    while ((job = take_finished(w)))
        job->done(job, w->loop_ctx, 0);
}

size_t worker_load(struct worker *w)
{
    pthread_mutex_lock(&w->lock);
    size_t load = w->waiting.count + (w->running ? 1 : 0);
    pthread_mutex_unlock(&w->lock);
    return load;
}

static bool wait_left(struct worker *w, int patience_ms)
{
    struct timespec until;
    int rc = 0;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += patience_ms / 1000;
    until.tv_nsec += (long)(patience_ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    while (!w->left && rc != ETIMEDOUT)
        rc = pthread_cond_timedwait(&w->idle, &w->lock, &until);
    return w->left;
}

void worker_free(struct worker *w, int patience_ms)
{
    struct work *job;

    if (!w)
        return;
    pthread_mutex_lock(&w->lock);
    w->ending = true;
    pthread_cond_signal(&w->wake);
    bool left = wait_left(w, patience_ms);
    pthread_mutex_unlock(&w->lock);
    while ((job = pop(&w->waiting)))
        job->done(job, w->loop_ctx, 1);
    while ((job = take_finished(w)))
        job->done(job, w->loop_ctx, 0);
    if (!left) {
        // Stuck in a call that does not return, on a file system whose server
        // is away: the process is about to end and takes it along.
        pthread_detach(w->thread);
        return;
    }
    pthread_join(w->thread, NULL);
    pthread_cond_destroy(&w->wake);
    pthread_cond_destroy(&w->idle);
    pthread_mutex_destroy(&w->lock);
    close(w->fd);
    free(w);
}
