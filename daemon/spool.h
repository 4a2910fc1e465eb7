// SPDX-License-Identifier: GPL-2.0-or-later
// The sweep's and the attempt's folder on the shared file system, as
// docs/architecture.md describes them. Every call blocks: for worker threads.
#ifndef SWEEPD_SPOOL_H
#define SWEEPD_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hash.h"
#include "core/event.h"

enum { SPOOL_PATH_MAX = 1024 };

// "<spool>/<sweep>/<point>/<number>"; false when it does not fit.
bool spool_attempt_dir(const char *spool, const char *sweep, const char *point, int number,
                       char *buf, size_t size);

// Makes the attempt's folder and its job.env. Doing it again is harmless.
int spool_prepare(const char *dir, const char *job_env, struct err *e) MUST_CHECK;

// Reads phase, claim and end record. 0 also when nothing is there yet; an
// error means that the file system could not be asked. An end record that is
// cut, or of another token, is `end_bad`.
int spool_scan(const char *dir, const char *token, struct scan *ret, struct err *e) MUST_CHECK;

// Tries to own the claim with the word "revoked". Whoever owns it afterwards
// stands in *ret; with CLAIM_JOB the job id too.
int spool_revoke(const char *dir, const char *token, const char *who, enum claim *ret,
                 uint32_t *ret_job_id, struct err *e) MUST_CHECK;

struct spool_file {
    const char *name; // in the bundle
    const char *path; // where it is copied from
    bool executable;
};

// Copies the files into <spool>/<sweep>/bundle, writes MANIFEST, and gives the
// bundle's hash.
int spool_bundle(const char *spool, const char *sweep, const struct spool_file *files, size_t count,
                 char ret_hash[HASH_HEX], struct err *e) MUST_CHECK;
// The hash that a bundle of these files would have; writes nothing.
int spool_bundle_hash(const struct spool_file *files, size_t count, char ret_hash[HASH_HEX],
                      struct err *e) MUST_CHECK;

// Can a file be written, read back and removed?
int spool_check(const char *spool, struct err *e) MUST_CHECK;

#endif
