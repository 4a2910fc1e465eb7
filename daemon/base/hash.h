// SPDX-License-Identifier: GPL-2.0-or-later
// SHA-256 (nettle) and random tokens.
#ifndef SWEEPD_BASE_HASH_H
#define SWEEPD_BASE_HASH_H

#include <stddef.h>

#include "base/err.h"

enum {
    HASH_HEX = 65,  // 64 hexadecimal digits and the terminator
    TOKEN_HEX = 33, // 128 random bits
};

struct hash; // a running SHA-256

struct hash *hash_create(void); // owned by the caller, ends with hash_finish or hash_free
void hash_add(struct hash *h, const void *bytes, size_t len);
void hash_finish(struct hash *h, char ret_hex[HASH_HEX]); // frees h
void hash_free(struct hash *h);                           // NULL is fine

void hash_bytes(const void *bytes, size_t len, char ret_hex[HASH_HEX]);
// Reads the file at path to its end; -errno when it cannot.
int hash_file(const char *path, char ret_hex[HASH_HEX], struct err *e) MUST_CHECK;

// 128 bits from the kernel as 32 hexadecimal digits. Ends the process when the
// kernel has none, which it always has after boot.
void token_make(char ret_hex[TOKEN_HEX]);

#endif
