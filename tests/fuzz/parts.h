// SPDX-License-Identifier: GPL-2.0-or-later
// One fuzz input as several texts, apart by a line of its own.
#ifndef SWEEPD_TESTS_FUZZ_PARTS_H
#define SWEEPD_TESTS_FUZZ_PARTS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "spec/config.h"

#define PART_LINE "%%%\n"

// Takes the text up to the next line off the front of *data.
static inline struct spec_source part_next(const char *name, const uint8_t **data, size_t *size)
{
    const char *start = (const char *)*data;
    const char *line = *size ? memmem(start, *size, PART_LINE, strlen(PART_LINE)) : NULL;
    size_t len = line ? (size_t)(line - start) : *size;
    size_t used = line ? len + strlen(PART_LINE) : len;

    *data += used;
    *size -= used;
    return (struct spec_source){.name = name, .bytes = start, .len = len};
}

#endif
