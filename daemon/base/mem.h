// SPDX-License-Identifier: GPL-2.0-or-later
// Memory that is never NULL. Running out of memory ends the process with a
// message: all state that matters is committed before it is acted on, so a
// restart recovers, while a half-handled allocation failure would not.
#ifndef SWEEPD_BASE_MEM_H
#define SWEEPD_BASE_MEM_H

#include <stddef.h>

// Each returns memory owned by the caller, to be given to free().
void *mem_alloc(size_t size);                         // zeroed
void *mem_array(size_t count, size_t size);           // zeroed; overflow ends the process
void *mem_grow(void *old, size_t count, size_t size); // like reallocarray
char *mem_strdup(const char *s);                      // NULL stays NULL

// Makes room for one more element in a growing array: when `used` has reached
// *cap, doubles it. Returns the array.
void *mem_room(void *array, size_t used, size_t *cap, size_t size);

#endif
