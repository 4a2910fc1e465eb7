// SPDX-License-Identifier: GPL-2.0-or-later
// UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing beyond
// U+10FFFF.
#ifndef SWEEPD_BASE_UTF8_H
#define SWEEPD_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

// Bytes of the one character at p, of the `len` bytes there; 0 when they do not
// begin with a valid one.
size_t utf8_char(const char *p, size_t len);
bool utf8_valid(const char *text, size_t len);
// Puts '?' in place of every byte that belongs to no valid character.
void utf8_clean(char *text);

#endif
