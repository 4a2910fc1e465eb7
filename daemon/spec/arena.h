// SPDX-License-Identifier: GPL-2.0-or-later
// Memory that lives and dies together: pieces are never given back one by one.
#ifndef SWEEPD_SPEC_ARENA_H
#define SWEEPD_SPEC_ARENA_H

#include <stddef.h>

struct arena;

struct arena *arena_create(void);
void arena_free(struct arena *a); // NULL is fine

void *arena_alloc(struct arena *a, size_t count, size_t size);   // zeroed; aligned for any type
char *arena_text(struct arena *a, const char *text, size_t len); // a terminated copy
char *arena_strdup(struct arena *a, const char *text);           // NULL stays NULL

// Takes over what `other` holds and frees `other`.
void arena_adopt(struct arena *a, struct arena *other);

#endif
