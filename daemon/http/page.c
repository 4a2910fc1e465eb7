// SPDX-License-Identifier: GPL-2.0-or-later
#include "http/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "http/target.h"

enum { FIRST_BUCKETS = 64, ETAG_DIGITS = 32 };

struct pages {
    struct page **buckets; // a power of two of them
    size_t bucket_count;
    size_t page_count;
};

struct pages *pages_create(void)
{
    struct pages *t = mem_alloc(sizeof(*t));

    t->bucket_count = FIRST_BUCKETS;
    t->buckets = mem_array(t->bucket_count, sizeof(*t->buckets));
    return t;
}

static struct page **bucket_of(const struct pages *t, uint64_t hash)
{
    return &t->buckets[hash & (t->bucket_count - 1)];
}

// The link that points to the page, or to the end of its bucket.
static struct page **find_link(const struct pages *t, const char *path, uint64_t hash)
{
    struct page **link = bucket_of(t, hash);

    while (*link && ((*link)->hash != hash || strcmp((*link)->path, path) != 0))
        link = &(*link)->next;
    return link;
}

static void page_free(struct page *page)
{
    answer_free(page->answer);
    answer_free(page->unchanged);
    free(page->path);
    free(page->type);
    free(page);
}

static void grow(struct pages *t)
{
    struct page **old = t->buckets;
    size_t old_count = t->bucket_count;

    t->bucket_count *= 2;
    t->buckets = mem_array(t->bucket_count, sizeof(*t->buckets));
    for (size_t i = 0; i < old_count; i++) {
        struct page *next;

        for (struct page *page = old[i]; page; page = next) {
            struct page **bucket = bucket_of(t, page->hash);

            next = page->next;
            page->next = *bucket;
            *bucket = page;
        }
    }
    free(old);
}

static void add_validators(struct answer *a, const char *etag, int64_t wall_us)
{
    if (answer_header(a, "ETag", etag) < 0 || answer_header(a, "Cache-Control", "no-cache") < 0)
        log_error("out of memory for a header");
    answer_modified(a, wall_us);
}

// What a document may do in a browser: programs and data from here alone, no frame of
// somebody else's around it. Plot writes <style> elements into its drawings.
static void confine(struct answer *a, const char *type)
{
    static const char *const headers[][2] = {
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
         "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
         "frame-ancestors 'none'"},
        {"Referrer-Policy", "no-referrer"},
        {"X-Frame-Options", "DENY"},
    };

    if (!str_starts(type, "text/html"))
        return;
    for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
        if (answer_header(a, headers[i][0], headers[i][1]) < 0)
            log_error("out of memory for a header");
}

static struct page *page_create(const char *path, uint64_t hash, const char *type, const char *etag,
                                const void *bytes, size_t len, int64_t wall_us)
{
    struct page *page = mem_alloc(sizeof(*page));

    page->hash = hash;
    page->path = mem_strdup(path);
    page->type = mem_strdup(type);
    snprintf(page->etag, sizeof(page->etag), "%s", etag);
    page->answer = answer_create(type, bytes, len);
    page->unchanged = answer_create(NULL, NULL, 0);
    add_validators(page->answer, etag, wall_us);
    add_validators(page->unchanged, etag, wall_us);
    confine(page->answer, type);
    return page;
}

void pages_set(struct pages *t, const char *path, const char *type, const void *bytes, size_t len,
               int64_t wall_us)
{
    uint64_t hash = target_hash(path, strlen(path));
    struct page **link = find_link(t, path, hash);
    struct page *old = *link;
    char digest[HASH_HEX];
    char etag[ETAG_MAX];

    hash_bytes(bytes, len, digest);
    snprintf(etag, sizeof(etag), "\"%.*s\"", ETAG_DIGITS, digest);
    if (old && strcmp(old->etag, etag) == 0 && strcmp(old->type, type) == 0)
        return;
    *link = page_create(path, hash, type, etag, bytes, len, wall_us);
    if (old) {
        (*link)->next = old->next;
        page_free(old);
        return;
    }
    if (++t->page_count > t->bucket_count)
        grow(t);
}

void pages_drop(struct pages *t, const char *path)
{
    struct page **link = find_link(t, path, target_hash(path, strlen(path)));
    struct page *page = *link;

    if (!page)
        return;
    *link = page->next;
    t->page_count--;
    page_free(page);
}

const struct page *pages_find(const struct pages *t, const char *path, uint64_t hash)
{
    return *find_link(t, path, hash);
}

void pages_free(struct pages *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->bucket_count; i++) {
        struct page *next;

        for (struct page *page = t->buckets[i]; page; page = next) {
            next = page->next;
            page_free(page);
        }
    }
    free(t->buckets);
    free(t);
}

bool page_matches(const struct page *page, const char *if_none_match)
{
    if (!if_none_match)
        return false;
    // The tag with its quotes cannot occur inside another tag, since a tag
    // holds no quote; a "W/" before it does not matter here.
    return strcmp(if_none_match, "*") == 0 || strstr(if_none_match, page->etag) != NULL;
}
