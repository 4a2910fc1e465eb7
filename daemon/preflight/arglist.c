// SPDX-License-Identifier: GPL-2.0-or-later
#include "preflight/arglist.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

// "-1" and "-0.5" are values, "-m" and "--model" are options.
static bool is_option(const char *word)
{
    return word[0] == '-' && (word[1] == '-' || isalpha((unsigned char)word[1]));
}

static size_t find_start(const struct words *w)
{
    for (size_t i = 0; i < w->count; i++)
        if (strcmp(w->list[i], "profile") == 0)
            return i + 1;
    return 0;
}

static struct arg read_option(const char *word, const struct flags *flags)
{
    struct arg arg = {0};
    const char *equals = strchr(word, '=');
    size_t len = equals ? (size_t)(equals - word) : strlen(word);

    if (len >= sizeof(arg.name))
        len = sizeof(arg.name) - 1;
    memcpy(arg.name, word, len);
    arg.inlined = equals ? equals + 1 : NULL;
    arg.flag = flags_find(flags, arg.name);
    return arg;
}

// How many of the words that follow an option are its own.
static size_t wanted(const struct arg *arg, size_t follow)
{
    if (!arg->flag) // unknown: whatever follows is taken for its values
        return follow;
    if (arg->inlined || arg->flag->arity == FLAG_BOOL)
        return 0;
    return arg->flag->arity == FLAG_VALUE && follow > 1 ? 1 : follow;
}

void arglist_read(const struct words *words, const struct flags *flags, struct arglist *ret)
{
    size_t at = find_start(words);

    *ret = (struct arglist){.words = words, .start = at};
    if (at == 0)
        return;
    ret->list = mem_array(words->count + 1, sizeof(*ret->list));
    while (at < words->count) {
        size_t follow = 0;

        if (!is_option(words->list[at])) {
            if (ret->stray == 0)
                ret->stray = at;
            at++;
            continue;
        }
        struct arg *arg = &ret->list[ret->count++];

        *arg = read_option(words->list[at++], flags);
        while (at + follow < words->count && !is_option(words->list[at + follow]))
            follow++;
        arg->first = at;
        arg->values = wanted(arg, follow);
        at += arg->values;
    }
}

void arglist_free(struct arglist *a)
{
    free(a->list);
    *a = (struct arglist){0};
}

static const struct arg *last_use(const struct arglist *a, const char *flag)
{
    for (size_t i = a->count; i > 0; i--)
        if (strcmp(a->list[i - 1].flag ? a->list[i - 1].flag->name : a->list[i - 1].name, flag) ==
            0)
            return &a->list[i - 1];
    return NULL;
}

bool arglist_have(const struct arglist *a, const char *flag)
{
    return last_use(a, flag) != NULL;
}

const char *arglist_value(const struct arglist *a, const char *flag)
{
    const struct arg *arg = last_use(a, flag);

    if (!arg)
        return NULL;
    if (arg->inlined)
        return arg->inlined;
    return arg->values > 0 ? a->words->list[arg->first] : NULL;
}
