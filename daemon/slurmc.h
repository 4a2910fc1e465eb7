// SPDX-License-Identifier: GPL-2.0-or-later
// The client of sweep-slurm: starts and supervises the child, keeps a bounded
// queue of requests, ends a call that outlives its deadline together with the
// child. Used on the loop; nothing blocks. The wire is docs/architecture.md's.
#ifndef SWEEPD_SLURMC_H
#define SWEEPD_SLURMC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "conf.h"
#include "core/event.h"
#include "loop.h"

struct slurmc;

enum slurmc_op { SLURMC_HELLO, SLURMC_POLL, SLURMC_SUBMIT, SLURMC_CANCEL };

struct slurmc_submit {
    const char *name, *token, *partition, *gres;
    int gpus;
    bool exclusive;
    int cpus; // 0: Slurm's default
    int64_t time_limit_us, warning_us;
    const char *const *exclude; // node names
    size_t exclude_count;
    const char *work_dir, *output, *script;
    const char *const *env;                  // name, value, name, value ...
    size_t env_count;                        // of pairs
    const char *account, *qos, *reservation; // "" for none
};

struct slurmc_answer {
    enum slurmc_op op;
    struct ref ref; // as given with the request
    bool ok;
    enum failure failure;   // when not ok
    bool gone;              // a cancel of a job that is not there, or not ours
    const char *text;       // for people, when not ok
    uint32_t job_id;        // of a submit
    int64_t began_at;       // monotonic, when the request was sent
    const struct job *jobs; // of a poll
    size_t job_count;
    const struct node *nodes;
    size_t node_count;
    int foreign_pending;
    int64_t rpcs;
};

// Called on the loop, never from within a slurmc_ call. What the answer points
// to lives until the callback returns.
typedef void slurmc_on_answer(void *ctx, const struct slurmc_answer *a);

struct slurmc_status {
    bool up;                   // the last poll was answered
    bool bad_config;           // the child refuses to work with this slurm.conf
    char detail[ERR_TEXT_MAX]; // what is wrong, when not up
    int64_t last_ok;           // monotonic
    int64_t rpcs;              // in all
    int min_job_age_s;         // 0: not known yet
    char version[32], cluster[64];
};

int slurmc_create(const struct conf *conf, struct loop *loop, slurmc_on_answer *fn, void *ctx,
                  struct slurmc **ret, struct err *e) MUST_CHECK;
void slurmc_free(struct slurmc *c); // NULL is fine; the child ends with us

// Each returns -EAGAIN when the queue is full: ask again later.
int slurmc_poll(struct slurmc *c) MUST_CHECK;
int slurmc_submit(struct slurmc *c, struct ref ref, const struct slurmc_submit *s) MUST_CHECK;
int slurmc_cancel(struct slurmc *c, struct ref ref, uint32_t job_id, const char *token,
                  int64_t submit_time) MUST_CHECK;

bool slurmc_polling(const struct slurmc *c); // a poll is queued or under way
const struct slurmc_status *slurmc_status(const struct slurmc *c);

// Deadlines and restarts; the monotonic time of its next wish to be called.
int64_t slurmc_turn(struct slurmc *c);

#endif
