// SPDX-License-Identifier: GPL-2.0-or-later
#include "ingest/utf8.h"

enum { TAIL_LOW = 0x80, TAIL_HIGH = 0xBF };

static enum utf8_step begin(struct utf8 *u, uint8_t byte)
{
    u->bytes[0] = byte;
    u->have = 1;
    u->low = TAIL_LOW;
    u->high = TAIL_HIGH;
    if (byte < 0x80) {
        u->need = 0;
        return UTF8_DONE;
    }
    if (byte < 0xC2 || byte > 0xF4)
        return UTF8_BAD;
    u->need = byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3;
    // The second byte of these four is limited: overlong forms, surrogates,
    // beyond U+10FFFF.
    if (byte == 0xE0)
        u->low = 0xA0;
    if (byte == 0xED)
        u->high = 0x9F;
    if (byte == 0xF0)
        u->low = 0x90;
    if (byte == 0xF4)
        u->high = 0x8F;
    return UTF8_MORE;
}

enum utf8_step utf8_push(struct utf8 *u, uint8_t byte)
{
    if (u->need == 0) {
        enum utf8_step step = begin(u, byte);

        if (step == UTF8_BAD)
            u->have = u->need = 0;
        return step;
    }
    if (byte < u->low || byte > u->high) {
        u->have = u->need = 0;
        return UTF8_CUT;
    }
    u->bytes[u->have++] = byte;
    u->low = TAIL_LOW;
    u->high = TAIL_HIGH;
    return --u->need ? UTF8_MORE : UTF8_DONE;
}
