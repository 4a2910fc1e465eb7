// SPDX-License-Identifier: GPL-2.0-or-later
// One line of the request log, gathered value by value.
#ifndef SWEEPD_INGEST_RECORD_H
#define SWEEPD_INGEST_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "ingest/json.h"

enum record_number {
    RECORD_TTFT, // milliseconds, as the next three
    RECORD_LATENCY,
    RECORD_ITL,
    RECORD_FULL_ITL,
    RECORD_INPUT, // tokens
    RECORD_OUTPUT,
    RECORD_NUMBERS,
};

enum record_word { // what names the kind of an error, in order of preference
    RECORD_TYPE,
    RECORD_ERROR_TYPE,
    RECORD_CODE,
    RECORD_CLASS,
    RECORD_STATUS,
    RECORD_MESSAGE,
    RECORD_INNER, // the member `error` of an error
    RECORD_PLAIN, // an error that is only a text
    RECORD_WORDS,
};

enum { RECORD_WORD_MAX = 512 };

struct record {
    bool object; // the line holds an object
    bool warmup; // of a phase other than `profiling`
    bool failed;
    bool cancelled;
    int64_t start_ns, end_ns; // 0: absent
    bool has[RECORD_NUMBERS];
    double number[RECORD_NUMBERS];
    char word[RECORD_WORDS][RECORD_WORD_MAX]; // empty: absent
    const char *odd; // name of a value of a wrong type or range, NULL: none
};

void record_clear(struct record *r);
// To be called for every value of the line.
void record_value(struct record *r, const struct json *j, const struct json_value *v);

// The category that the error of a failed record counts under, cut to
// ERROR_CATEGORY_MAX characters; never empty. buf of RECORD_WORD_MAX bytes.
const char *record_category(const struct record *r, char *buf);

#endif
