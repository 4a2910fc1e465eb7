// SPDX-License-Identifier: GPL-2.0-or-later
// UTF-8 checked one byte at a time, for text that comes in pieces: no overlong
// forms, no surrogates, nothing above U+10FFFF. Whole texts: base/utf8.h.
#ifndef SWEEPD_INGEST_UTF8_H
#define SWEEPD_INGEST_UTF8_H

#include <stdint.h>

#define UTF8_REPLACEMENT "\xEF\xBF\xBD"

struct utf8 {
    uint8_t bytes[4]; // of the character so far
    uint8_t have;
    uint8_t need;      // bytes still missing, 0: between characters
    uint8_t low, high; // what the next byte must lie between
};

enum utf8_step {
    UTF8_DONE, // a whole character is in bytes[0..have)
    UTF8_MORE,
    UTF8_BAD, // this byte cannot stand here; the state is cleared
    UTF8_CUT, // the character before was cut short; look at this byte again
};

enum utf8_step utf8_push(struct utf8 *u, uint8_t byte);

#endif
