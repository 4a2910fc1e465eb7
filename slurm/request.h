// SPDX-License-Identifier: GPL-2.0-or-later
// One request line, checked: known operation, known members, right types, ranges
// and characters. What passes here can be handed to Slurm as it is.
#ifndef SWEEPD_SLURM_REQUEST_H
#define SWEEPD_SLURM_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum operation { OP_HELLO, OP_POLL, OP_SUBMIT, OP_CANCEL, OP_PING };

// What a job's comment begins with when it is ours; the token follows.
#define COMMENT_PREFIX "sweepd:"

struct words {
    char **v;
    size_t n;
};

// Texts that were not given are NULL, numbers 0, lists empty.
struct request {
    int64_t id;
    bool has_id; // set as soon as it was read, also when the request is bad
    enum operation op;

    char *user;              // hello
    struct words partitions; // poll

    char *name;    // submit
    char *comment; // COMMENT_PREFIX and 32 hexadecimal digits
    char *partition;
    char *gres; // "gpu" or "gpu:mi325x"
    int64_t gpus;
    bool exclusive;
    int64_t cpus;           // 0: left to Slurm
    int64_t memory_mb;      // per node, 0: left to Slurm
    int64_t time_limit_min; // 0: the partition's default
    int64_t warn_s;         // seconds before the limit at which the script gets SIGUSR1, 0: never
    struct words exclude;   // node names
    char *work_dir;         // absolute
    char *output;           // absolute; standard output and error
    char *script;
    struct words env; // "KEY=VALUE"
    char *account;
    char *qos;
    char *reservation;

    int64_t job_id;      // cancel
    char *token;         // 32 hexadecimal digits
    int64_t submit_time; // 0: not compared
    char *signal;        // "TERM" or "KILL"
};

// 0, or -EINVAL with the member named in *e. *ret must be given to request_free
// in either case.
int request_parse(const char *line, size_t len, struct request *ret, struct err *e) MUST_CHECK;
void request_free(struct request *r);

#endif
