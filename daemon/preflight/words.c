// SPDX-License-Identifier: GPL-2.0-or-later
#include "preflight/words.h"

#include <stdlib.h>
#include <string.h>

void words_free(struct words *w)
{
    for (size_t i = 0; i < w->count; i++)
        free(w->list[i]);
    free(w->list);
    *w = (struct words){0};
}

void pairs_free(struct pairs *p)
{
    for (size_t i = 0; i < p->count; i++) {
        free(p->list[i].name);
        free(p->list[i].value);
    }
    free(p->list);
    *p = (struct pairs){0};
}

bool words_have(const struct words *w, const char *word)
{
    for (size_t i = 0; i < w->count; i++)
        if (strcmp(w->list[i], word) == 0)
            return true;
    return false;
}

const char *words_value(const struct words *w, const char *option)
{
    size_t len = strlen(option);
    const char *value = NULL;

    for (size_t i = 0; i < w->count; i++) {
        if (strncmp(w->list[i], option, len) != 0)
            continue;
        if (w->list[i][len] == '=')
            value = w->list[i] + len + 1;
        else if (w->list[i][len] == '\0' && i + 1 < w->count)
            value = w->list[i + 1];
    }
    return value;
}

const char *pairs_value(const struct pairs *p, const char *name)
{
    for (size_t i = 0; i < p->count; i++)
        if (strcmp(p->list[i].name, name) == 0)
            return p->list[i].value;
    return NULL;
}
