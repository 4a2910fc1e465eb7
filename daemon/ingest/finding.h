// SPDX-License-Identifier: GPL-2.0-or-later
// What was found wrong with the artifacts: one entry per file and code with
// the place of the first and the number of all. The list is bounded.
#ifndef SWEEPD_INGEST_FINDING_H
#define SWEEPD_INGEST_FINDING_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "ingest/limits.h"

// `error`: numbers of the file cannot be trusted or are not there. `warning`:
// something was left out or looks wrong, the rest stands. `note`: worth knowing.
enum severity { SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_ERROR };

const char *severity_name(enum severity s);

struct finding {
    char file[FILE_NAME_MAX]; // relative to the folder read
    const char *code;         // static
    enum severity severity;
    int64_t line;   // 1-based, of the first; 0: not known
    int64_t offset; // byte, of the first; -1: not known
    int64_t count;
    char text[FINDING_TEXT_MAX]; // for people, of the first
};

struct findings {
    struct finding list[FINDINGS_MAX];
    size_t count;
    int64_t lost; // findings beyond FINDINGS_MAX
};

struct place {
    const char *file;
    int64_t line;   // 0: not known
    int64_t offset; // -1: not known
};

struct place place_file(const char *file); // the file as a whole

// `code` must be a string constant.
void findings_add(struct findings *f, enum severity severity, const char *code, struct place at,
                  const char *fmt, ...) PRINTF_LIKE(5, 6);

// The same for `more` occurrences at once; at.line and at.offset are of the first.
void findings_add_many(struct findings *f, enum severity severity, const char *code,
                       struct place at, uint64_t more, const char *text);

// The entry of this file and code, NULL when there is none.
const struct finding *findings_find(const struct findings *f, const char *file, const char *code);

#endif
