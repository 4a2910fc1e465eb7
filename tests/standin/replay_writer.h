// SPDX-License-Identifier: GPL-2.0-or-later
// JSON written front to back. A member's key is NULL inside an array.
#ifndef STANDIN_REPLAY_WRITER_H
#define STANDIN_REPLAY_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct writer {
    struct str out;
    int depth;
    bool indent; // two spaces a level, else all on one line
    bool comma;  // something stands before, on the same level
};

void writer_free(struct writer *j);
void writer_open(struct writer *j, const char *key, char bracket);     // '{' or '['
void writer_close(struct writer *j, char bracket);                     // '}' or ']'
void writer_text(struct writer *j, const char *key, const char *text); // NULL gives null
void writer_int(struct writer *j, const char *key, int64_t v);
void writer_double(struct writer *j, const char *key, double v); // null unless finite
void writer_bool(struct writer *j, const char *key, bool v);
void writer_null(struct writer *j, const char *key);

#endif
