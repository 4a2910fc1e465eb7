// SPDX-License-Identifier: GPL-2.0-or-later
// An argument vector and an environment as plain lists, owned.
#ifndef SWEEPD_PREFLIGHT_WORDS_H
#define SWEEPD_PREFLIGHT_WORDS_H

#include <stdbool.h>
#include <stddef.h>

struct words {
    char **list;
    size_t count;
};

struct pair {
    char *name, *value;
};

struct pairs {
    struct pair *list;
    size_t count;
};

void words_free(struct words *w);
void pairs_free(struct pairs *p);

bool words_have(const struct words *w, const char *word);
// The value of an option in either form, "--name V" or "--name=V"; of several the last one, as
// argument parsers take it. NULL: absent, or without a value.
const char *words_value(const struct words *w, const char *option);
// NULL: absent.
const char *pairs_value(const struct pairs *p, const char *name);

#endif
