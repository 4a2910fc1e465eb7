// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/mem.h"

enum { READ_CHUNK = 65536, TOKEN_BYTES = 16 };

struct hash {
    struct sha256_ctx ctx;
};

static void to_hex(const uint8_t *bytes, size_t len, char *hex)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < len; i++) {
        hex[2 * i] = digits[bytes[i] >> 4];
        hex[2 * i + 1] = digits[bytes[i] & 15];
    }
    hex[2 * len] = '\0';
}

struct hash *hash_create(void)
{
    struct hash *h = mem_alloc(sizeof(*h));

    sha256_init(&h->ctx);
    return h;
}

void hash_add(struct hash *h, const void *bytes, size_t len)
{
    if (len)
        sha256_update(&h->ctx, len, bytes);
}

void hash_finish(struct hash *h, char ret_hex[HASH_HEX])
{
    uint8_t digest[SHA256_DIGEST_SIZE];

    sha256_digest(&h->ctx, sizeof(digest), digest);
    to_hex(digest, sizeof(digest), ret_hex);
    free(h);
}

void hash_free(struct hash *h)
{
    free(h);
}

void hash_bytes(const void *bytes, size_t len, char ret_hex[HASH_HEX])
{
    struct hash *h = hash_create();

    hash_add(h, bytes, len);
    hash_finish(h, ret_hex);
}

int hash_file(const char *path, char ret_hex[HASH_HEX], struct err *e)
{
    char *chunk;
    ssize_t n;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return err_set(e, -errno, "%s: %s", path, strerror(errno));
    struct hash *h = hash_create();
    chunk = mem_alloc(READ_CHUNK);
    while ((n = read(fd, chunk, READ_CHUNK)) > 0)
        hash_add(h, chunk, (size_t)n);
    int rc = n < 0 ? err_set(e, -errno, "%s: %s", path, strerror(errno)) : 0;
    free(chunk);
    close(fd);
    if (rc) {
        hash_free(h);
        return rc;
    }
    hash_finish(h, ret_hex);
    return 0;
}

void token_make(char ret_hex[TOKEN_HEX])
{
    uint8_t bytes[TOKEN_BYTES];

    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        abort();
    to_hex(bytes, sizeof(bytes), ret_hex);
}
