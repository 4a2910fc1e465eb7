// SPDX-License-Identifier: GPL-2.0-or-later
// sweep-slurm's lines of JSON <-> plain structs.
#ifndef SWEEPD_SLURMWIRE_H
#define SWEEPD_SLURMWIRE_H

#include "base/str.h"
#include "conf.h"
#include "slurmc.h"

void slurmwire_hello(struct str *out, uint64_t id);
void slurmwire_poll(struct str *out, uint64_t id, const struct conf *conf);
void slurmwire_submit(struct str *out, uint64_t id, const struct slurmc_submit *s);
void slurmwire_cancel(struct str *out, uint64_t id, uint32_t job_id, const char *token,
                      int64_t submit_time);

struct slurmwire_answer {
    uint64_t id;
    struct slurmc_answer a; // op, ref and began_at are the caller's to fill
    char text[ERR_TEXT_MAX];
    struct job *jobs;   // owned
    struct node *nodes; // owned
    int min_job_age_s;
    char version[32], cluster[64];
};

// -EPROTO when the line is not an answer. On success the answer must be given
// to slurmwire_answer_done(). Nodes get the label of the fleet that they serve.
int slurmwire_parse(const char *line, size_t len, const struct conf *conf,
                    struct slurmwire_answer *ret, struct err *e) MUST_CHECK;
void slurmwire_answer_done(struct slurmwire_answer *a);

#endif
