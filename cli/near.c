// SPDX-License-Identifier: GPL-2.0-or-later
#include "near.h"

#include <string.h>

#include "base/str.h"

// One slip in short words, one more for each six letters.
static int slips(const char *word)
{
    int allowed = 1 + (int)strlen(word) / 6;

    return strlen(word) >= 4 && allowed < 2 ? 2 : allowed;
}

const char *near_word(const char *written, const char *const *known, size_t count)
{
    int best = slips(written) + 1;
    const char *near = NULL;

    for (size_t i = 0; i < count; i++) {
        int distance = str_distance(written, known[i], best);

        if (distance < best) {
            best = distance;
            near = known[i];
        }
    }
    if (near || strlen(written) < 2)
        return near;
    for (size_t i = 0; i < count; i++)
        if (str_starts(known[i], written))
            return known[i];
    return NULL;
}
