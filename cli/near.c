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

// As near as another, but better: a slip of one letter keeps the length.
static bool same_length(const char *a, const char *b)
{
    return strlen(a) == strlen(b);
}

const char *near_word(const char *written, const char *const *known, size_t count)
{
    int best = slips(written);
    const char *near = NULL;

    for (size_t i = 0; i < count; i++) {
        int distance = str_distance(written, known[i], best);

        if (distance > best || (near && distance == best &&
                                (same_length(written, near) || !same_length(written, known[i]))))
            continue;
        best = distance;
        near = known[i];
    }
    for (size_t i = 0; !near && written[0] && written[1] && i < count; i++)
        if (str_starts(known[i], written))
            near = known[i];
    return near;
}
