// SPDX-License-Identifier: GPL-2.0-or-later
#include "ingest/skip.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { BLOCK = 64, LANE = 16 };

void skip_begin(struct skip *s, uint64_t depth_max)
{
    memset(s, 0, sizeof(*s));
    s->depth = 1;
    s->depth_max = depth_max;
}

static void string_byte(struct skip *s, uint8_t c)
{
    if (c >= 0x80 || s->utf8.need) {
        enum utf8_step step = utf8_push(&s->utf8, c);

        s->bad_text += step == UTF8_BAD || step == UTF8_CUT;
        if (step == UTF8_CUT && c >= 0x80)
            s->bad_text += utf8_push(&s->utf8, c) == UTF8_BAD;
        if (c >= 0x80)
            return;
    }
    if (s->escaped)
        s->escaped = false;
    else if (c == '\\')
        s->escaped = true;
    else if (c == '"')
        s->in_string = false;
}

static void plain_byte(struct skip *s, uint8_t c)
{
    switch (c) {
    case '"':
        s->in_string = true;
        break;
    case '{':
    case '[':
        if (++s->depth > s->depth_max)
            s->too_deep = true;
        break;
    case '}':
    case ']':
        s->depth--;
        break;
    case 'N':
        s->not_finite += s->before != 'a'; // NaN has two
        break;
    case 'I':
        s->not_finite++;
        break;
    default:
        break;
    }
    s->before = c;
}

static size_t slow(struct skip *s, const char *bytes, size_t len)
{
    size_t i = 0;

    while (i < len && s->depth) {
        uint8_t c = (uint8_t)bytes[i++];

        if (s->in_string)
            string_byte(s, c);
        else
            plain_byte(s, c);
    }
    return i;
}

#ifdef __SSE2__
struct marks { // one bit per byte of a block
    uint64_t quote, open, close, odd;
};

static uint64_t equal(__m128i v, char c, int lane)
{
    unsigned bits = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8(c)));

    return (uint64_t)bits << lane;
}

static struct marks block_marks(const char *bytes)
{
    struct marks m = {0};

    for (int lane = 0; lane < BLOCK; lane += LANE) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(bytes + lane));
        // '[' and '{' differ in one bit only, so do ']' and '}'.
        __m128i folded = _mm_or_si128(v, _mm_set1_epi8(0x20));

        m.quote |= equal(v, '"', lane);
        m.open |= equal(folded, '{', lane);
        m.close |= equal(folded, '}', lane);
        m.odd |= equal(v, '\\', lane) | equal(v, 'N', lane) | equal(v, 'I', lane) |
                 (uint64_t)(unsigned)_mm_movemask_epi8(v) << lane;
    }
    return m;
}

// Bit i tells whether byte i lies in a string: the parity of the quotes up to it.
static uint64_t inside(uint64_t quotes, bool in_string)
{
    for (int shift = 1; shift < BLOCK; shift *= 2)
        quotes ^= quotes << shift;
    return in_string ? ~quotes : quotes;
}

static uint64_t ones(uint64_t bits)
{
    const uint64_t m1 = 0x5555555555555555, m2 = 0x3333333333333333, m4 = 0x0F0F0F0F0F0F0F0F;

    bits -= (bits >> 1) & m1;
    bits = (bits & m2) + ((bits >> 2) & m2);
    return ((bits + (bits >> 4)) & m4) * 0x0101010101010101 >> 56;
}

// Takes a block in one go when it holds no escapes, no letters of NaN or
// Infinity, only ASCII, and cannot end the container.
static bool fast(struct skip *s, const char *bytes)
{
    struct marks m = block_marks(bytes);

    if (m.odd || s->escaped || s->utf8.need)
        return false;
    uint64_t strings = inside(m.quote, s->in_string);
    uint64_t opens = ones(m.open & ~strings);
    uint64_t closes = ones(m.close & ~strings);

    if (closes >= s->depth)
        return false;
    if (s->depth + opens > s->depth_max && !s->too_deep)
        return false; // the exact depth matters now
    s->depth = s->depth + opens - closes;
    s->in_string = strings >> (BLOCK - 1);
    s->before = (uint8_t)bytes[BLOCK - 1];
    return true;
}
#else
static bool fast(struct skip *s, const char *bytes)
{
    (void)s;
    (void)bytes;
    return false;
}
#endif

size_t skip_feed(struct skip *s, const char *bytes, size_t len)
{
    size_t i = 0;

    while (s->depth && len - i >= BLOCK) {
        if (fast(s, bytes + i)) {
            i += BLOCK;
            continue;
        }
        size_t taken = slow(s, bytes + i, BLOCK);

        i += taken;
    }
    return i + slow(s, bytes + i, len - i);
}
