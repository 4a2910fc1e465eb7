// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/utf8.h"

#include <stdint.h>
#include <string.h>

size_t utf8_char(const char *p, size_t len)
{
    const unsigned char *s = (const unsigned char *)p;
    size_t n;
    uint32_t c;

    if (!len)
        return 0;
    if (s[0] < 0x80)
        return 1;
    if (s[0] >= 0xc2 && s[0] < 0xe0) {
        n = 2;
        c = s[0] & 0x1f;
    } else if ((s[0] & 0xf0) == 0xe0) {
        n = 3;
        c = s[0] & 0x0f;
    } else if (s[0] >= 0xf0 && s[0] < 0xf5) {
        n = 4;
        c = s[0] & 0x07;
    } else {
        return 0;
    }
    if (n > len)
        return 0;
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (s[i] & 0x3fu);
    }
    if ((n == 3 && (c < 0x800 || (c >= 0xd800 && c < 0xe000))) ||
        (n == 4 && (c < 0x10000 || c > 0x10ffff)))
        return 0;
    return n;
}

bool utf8_valid(const char *text, size_t len)
{
    while (len) {
        size_t n = utf8_char(text, len);

        if (!n)
            return false;
        text += n;
        len -= n;
    }
    return true;
}

void utf8_clean(char *text)
{
    size_t len = strlen(text);

    while (len) {
        size_t n = utf8_char(text, len);

        if (!n) {
            *text = '?';
            n = 1;
        }
        text += n;
        len -= n;
    }
}
