// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 8 };

static void *checked(void *p, size_t size)
{
    if (!p && size) {
        fprintf(stderr, "out of memory (%zu bytes)\n", size);
        abort();
    }
    return p;
}

void *mem_alloc(size_t size)
{
    return checked(calloc(1, size ? size : 1), size);
}

void *mem_array(size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        return checked(NULL, SIZE_MAX);
    return mem_alloc(count * size);
}

void *mem_grow(void *old, size_t count, size_t size)
{
    size_t bytes = count * size;

    if (size && count > SIZE_MAX / size)
        return checked(NULL, SIZE_MAX);
    return checked(realloc(old, bytes ? bytes : 1), bytes);
}

char *mem_strdup(const char *s)
{
    return s ? checked(strdup(s), 1) : NULL;
}

void *mem_room(void *array, size_t used, size_t *cap, size_t size)
{
    if (used < *cap)
        return array;
    *cap = *cap ? *cap * 2 : FIRST_CAPACITY;
    return mem_grow(array, *cap, size);
}
