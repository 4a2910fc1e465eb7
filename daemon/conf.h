// SPDX-License-Identifier: GPL-2.0-or-later
// The daemon's settings: one table of keys with type, range, default and unit
// (conf.c), read from sweepd.yaml. etc/sweepd.yaml shows every key.
#ifndef SWEEPD_CONF_H
#define SWEEPD_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct conf_fleet {
    char *label; // "cluster:mi325x-amds"
    char *partition;
    char *gres;     // "gpu:mi325x"
    char *hardware; // the word in recipe names: "mi325x"
    int64_t gpus_per_node;
};

struct conf_pair {
    char *name, *value;
};

// Texts are owned by the struct. Durations in microseconds.
struct conf {
    char *database;
    char *spool;
    char *listen_unix;
    char *listen_tcp;  // "" for none
    char *write_group; // its members may write, "" for none
    char *slurm_conf;
    char *slurm_account, *slurm_qos, *slurm_reservation; // "" for none
    int64_t poll_interval;
    int64_t slurm_timeout; // of one call of the child
    char *programs, *data, *recipes, *job_script, *sql;
    char *web; // the dashboard's files, "" for none
    char **matrices;
    size_t matrix_count;
    char *runners;
    struct conf_fleet *fleets;
    size_t fleet_count;
    int64_t job_time_limit;
    int64_t job_warning; // before the time limit
    struct conf_pair *job_environment;
    size_t job_environment_count;
    int64_t scan_interval;
    int64_t end_grace;
    int64_t retry_first, retry_max;
    int64_t infra_attempts;
    int64_t keep_sweeps; // finished sweeps kept in memory
    int64_t ingest_timeout;
    int64_t ingest_memory_mb; // 0: no limit
    char *log_level;
};

enum { CONF_BYTES_MAX = 1024 * 1024 };

// Reads and checks the whole file; on failure *ret is untouched and e holds
// "file:line:column: text".
int conf_load(const char *path, struct conf **ret, struct err *e) MUST_CHECK;
void conf_free(struct conf *c); // NULL is fine

// The fleet of a runner label, NULL when the configuration has none.
const struct conf_fleet *conf_fleet(const struct conf *c, const char *label);

#endif
