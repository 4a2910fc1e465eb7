// SPDX-License-Identifier: GPL-2.0-or-later
// Pages by path, in a hash table. A page is never changed, only replaced.
#ifndef SWEEPD_HTTP_PAGE_H
#define SWEEPD_HTTP_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "http/answer.h"

enum { ETAG_MAX = 36 }; // 32 hexadecimal digits in quotes

struct page {
    struct page *next; // in the same bucket
    uint64_t hash;
    char *path;
    char *type;
    char etag[ETAG_MAX];
    struct answer *answer;
    // The 304, with an empty body. The library then writes Content-Length: 0.
    // RFC 9110 section 8.6 wants the page's length or none; but with the page's
    // length widespread parsers wait for a body, and none cannot be had.
    struct answer *unchanged;
};

struct pages;

struct pages *pages_create(void);
void pages_set(struct pages *t, const char *path, const char *type, const void *bytes, size_t len,
               int64_t wall_us);
void pages_drop(struct pages *t, const char *path);
// hash: target_hash of the path. NULL when there is no such page. The page
// lives until it is replaced or dropped; what is being sent lives on by itself.
const struct page *pages_find(const struct pages *t, const char *path, uint64_t hash);
void pages_free(struct pages *t); // NULL is fine

// Does an If-None-Match field (or NULL) name the page? Weak comparison, RFC
// 9110 section 13.1.2.
bool page_matches(const struct page *page, const char *if_none_match);

#endif
