// SPDX-License-Identifier: GPL-2.0-or-later
// The options of a replay command as the client would read them, by its flag list.
#ifndef SWEEPD_PREFLIGHT_ARGLIST_H
#define SWEEPD_PREFLIGHT_ARGLIST_H

#include <stdbool.h>
#include <stddef.h>

#include "preflight/flags.h"
#include "preflight/words.h"

// One written option. Pointers lead into the words and the flag list.
struct arg {
    char name[FLAG_NAME_MAX]; // as written, without "=value"; cut when longer
    const struct flag *flag;  // NULL: the client does not know it
    const char *inlined;      // the value of --name=value; NULL: none
    size_t first, values;     // words that follow as values
};

struct arglist {
    const struct words *words;
    struct arg *list;
    size_t count;
    size_t start; // word after the sub-command "profile"; 0: there is none
    size_t stray; // first word that belongs to no option; 0: none
};

// Reads the words after "profile". *ret must be given to arglist_free().
void arglist_read(const struct words *words, const struct flags *flags, struct arglist *ret);
void arglist_free(struct arglist *a);

bool arglist_have(const struct arglist *a, const char *flag);
// First value of the last use of a flag, in whatever form; NULL: absent, or without value.
const char *arglist_value(const struct arglist *a, const char *flag);

#endif
