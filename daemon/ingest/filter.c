// SPDX-License-Identifier: GPL-2.0-or-later
#include "ingest/filter.h"

#include <string.h>

// The piece being fed. Bytes from `from` up to `at` go on unchanged and have
// not been passed yet.
struct piece {
    const char *bytes;
    size_t len;
    size_t from;
    size_t at;
    int64_t offset; // of bytes[0]
};

void filter_begin(struct filter *f, const struct filter_spec *spec, int64_t offset)
{
    memset(f, 0, sizeof(*f));
    f->spec = *spec;
    f->offset = offset;
}

static int64_t here(const struct piece *p)
{
    return p->offset + (int64_t)p->at;
}

static void pass(struct filter *f, const char *bytes, size_t len, int64_t offset)
{
    if (len && !f->stopped && !f->spec.pass(f->spec.ctx, bytes, len, offset))
        f->stopped = true;
}

static void flush(struct filter *f, struct piece *p)
{
    pass(f, p->bytes + p->from, p->at - p->from, p->offset + (int64_t)p->from);
    p->from = p->at;
}

static void note(struct filter *f, enum filter_note what, int64_t offset)
{
    f->spec.note(f->spec.ctx, what, offset, 1);
}

// --- strings ---------------------------------------------------------------

static void string_begin(struct filter *f)
{
    f->state = FILTER_STRING;
    f->length = 0;
    f->cut = f->escaped = false;
    f->hex_left = 0;
    f->matches = f->spec.skip != NULL;
    memset(&f->utf8, 0, sizeof(f->utf8));
}

static void string_end(struct filter *f)
{
    f->state = FILTER_BETWEEN;
    f->was_name = f->matches && f->spec.skip[f->length] == '\0';
}

static void replace(struct filter *f, struct piece *p, int64_t offset)
{
    note(f, FILTER_BAD_TEXT, offset);
    if (!f->cut)
        pass(f, UTF8_REPLACEMENT, strlen(UTF8_REPLACEMENT), offset);
    p->from = p->at;
}

// Characters beyond ASCII are held back until they are whole. Returns whether
// the byte at p->at was taken.
static bool string_wide(struct filter *f, struct piece *p)
{
    if (!f->utf8.need)
        flush(f, p);
    enum utf8_step step = utf8_push(&f->utf8, (uint8_t)p->bytes[p->at]);

    if (step == UTF8_CUT) {
        replace(f, p, here(p));
        return false;
    }
    p->at++;
    p->from = p->at;
    if (step == UTF8_BAD)
        replace(f, p, here(p) - 1);
    else if (step == UTF8_DONE && !f->cut)
        pass(f, (const char *)f->utf8.bytes, f->utf8.have, here(p) - f->utf8.have);
    f->matches = false;
    return true;
}

// Where a string may be cut: not inside an escape.
static void string_limit(struct filter *f, struct piece *p)
{
    if (f->cut || f->length < JSON_STRING_MAX || f->escaped || f->hex_left)
        return;
    note(f, FILTER_LONG_STRING, here(p));
    flush(f, p);
    f->cut = true;
}

static void string_ascii(struct filter *f, struct piece *p)
{
    char c = p->bytes[p->at];

    if (f->matches && c != '"' && (!c || f->spec.skip[f->length] != c))
        f->matches = false;
    if (f->hex_left) {
        f->hex_left--;
    } else if (f->escaped) {
        f->escaped = false;
        f->hex_left = c == 'u' ? 4 : 0;
    } else if (c == '\\') {
        f->escaped = true;
    } else if (c == '"') {
        if (f->cut)
            p->from = p->at;
        p->at++;
        string_end(f);
        return;
    }
    p->at++;
    f->length++;
    if (f->cut)
        p->from = p->at;
}

static void in_string(struct filter *f, struct piece *p)
{
    string_limit(f, p);
    if (((unsigned char)p->bytes[p->at] >= 0x80 || f->utf8.need) && string_wide(f, p)) {
        f->length++;
        return;
    }
    if ((unsigned char)p->bytes[p->at] < 0x80)
        string_ascii(f, p);
}

// --- numbers and words -----------------------------------------------------

static bool ends_scalar(char c)
{
    return c == ',' || c == ':' || c == ']' || c == '}' || c == '{' || c == '[' || c == '"' ||
           c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static void scalar_begin(struct filter *f, struct piece *p)
{
    flush(f, p);
    f->state = FILTER_SCALAR;
    f->scalar_len = 0;
    f->scalar_at = here(p);
}

static bool is_word(const char *text, size_t len, const char *word)
{
    return strlen(word) == len && !memcmp(text, word, len);
}

static void scalar_end(struct filter *f)
{
    f->state = FILTER_BETWEEN;
    if (f->scalar_len > JSON_SCALAR_MAX) {
        note(f, FILTER_LONG_NUMBER, f->scalar_at);
        pass(f, "null", 4, f->scalar_at);
    } else if (is_word(f->scalar, f->scalar_len, "NaN") ||
               is_word(f->scalar, f->scalar_len, "Infinity") ||
               is_word(f->scalar, f->scalar_len, "-Infinity")) {
        note(f, FILTER_NOT_FINITE, f->scalar_at);
        pass(f, "null", 4, f->scalar_at);
    } else {
        pass(f, f->scalar, f->scalar_len, f->scalar_at);
    }
}

static void in_scalar(struct filter *f, struct piece *p)
{
    size_t start = p->at;

    while (p->at < p->len && !ends_scalar(p->bytes[p->at]))
        p->at++;
    size_t more = p->at - start;
    size_t room = f->scalar_len < JSON_SCALAR_MAX ? JSON_SCALAR_MAX - f->scalar_len : 0;

    if (room)
        memcpy(f->scalar + f->scalar_len, p->bytes + start, more < room ? more : room);
    f->scalar_len = more <= room ? f->scalar_len + more : JSON_SCALAR_MAX + 1;
    p->from = p->at;
    if (p->at < p->len)
        scalar_end(f);
}

// A word that lies whole in the piece and is an ordinary one needs no copy.
static bool plain_scalar(struct piece *p)
{
    size_t end = p->at;
    size_t max = p->len - p->at < JSON_SCALAR_MAX ? p->len : p->at + JSON_SCALAR_MAX;
    char c = p->bytes[p->at];

    if (c == 'N' || c == 'I' || (c == '-' && end + 1 < p->len && p->bytes[end + 1] == 'I'))
        return false;
    while (end < max && !ends_scalar(p->bytes[end]))
        end++;
    if (end == max)
        return false;
    p->at = end;
    return true;
}

// --- what is left out ------------------------------------------------------

static void skip_start(struct filter *f, struct piece *p)
{
    flush(f, p);
    f->skip_at = here(p);
    skip_begin(&f->skip,
               f->depth >= JSON_DEPTH_MAX ? UINT64_MAX : (uint64_t)(JSON_DEPTH_MAX - f->depth));
    f->state = FILTER_SKIP;
    p->at++;
}

static void skip_notes(struct filter *f)
{
    if (f->skip.not_finite)
        f->spec.note(f->spec.ctx, FILTER_NOT_FINITE, f->skip_at, f->skip.not_finite);
    if (f->skip.bad_text)
        f->spec.note(f->spec.ctx, FILTER_BAD_TEXT, f->skip_at, f->skip.bad_text);
    if (f->skip.too_deep)
        note(f, FILTER_TOO_DEEP, f->skip_at);
}

static void in_skip(struct filter *f, struct piece *p)
{
    p->at += skip_feed(&f->skip, p->bytes + p->at, p->len - p->at);
    p->from = p->at;
    if (f->skip.depth)
        return;
    skip_notes(f);
    pass(f, "null", 4, f->skip_at);
    f->state = FILTER_BETWEEN;
}

// --- the whole -------------------------------------------------------------

static void open_container(struct filter *f, struct piece *p)
{
    bool deep = f->depth >= JSON_DEPTH_MAX;

    if (deep)
        note(f, FILTER_TOO_DEEP, here(p));
    if (deep || f->skip_value) {
        f->skip_value = false;
        skip_start(f, p);
        return;
    }
    f->depth++;
    p->at++;
}

static void between(struct filter *f, struct piece *p)
{
    char c = p->bytes[p->at];

    if (c == ':')
        f->skip_value = f->was_name;
    if (c == '{' || c == '[') {
        open_container(f, p);
    } else if (c == '"') {
        f->skip_value = false;
        p->at++;
        string_begin(f);
        return;
    } else if (ends_scalar(c)) {
        if (c == '}' || c == ']')
            f->depth -= f->depth > 0;
        p->at++;
        if (c != ':' && c != ' ' && c != '\n' && c != '\r' && c != '\t')
            f->skip_value = false;
    } else {
        f->skip_value = false;
        if (!plain_scalar(p))
            scalar_begin(f, p);
    }
    if (c != ' ' && c != '\n' && c != '\r' && c != '\t')
        f->was_name = false;
}

bool filter_feed(struct filter *f, const char *bytes, size_t len)
{
    struct piece p = {.bytes = bytes, .len = len, .offset = f->offset};

    while (p.at < len && !f->stopped) {
        switch (f->state) {
        case FILTER_BETWEEN:
            between(f, &p);
            break;
        case FILTER_STRING:
            in_string(f, &p);
            break;
        case FILTER_SCALAR:
            in_scalar(f, &p);
            break;
        case FILTER_SKIP:
            in_skip(f, &p);
            break;
        }
    }
    if (f->state != FILTER_SKIP)
        flush(f, &p);
    f->offset += (int64_t)len;
    return !f->stopped;
}

void filter_end(struct filter *f)
{
    if (f->state == FILTER_SCALAR)
        scalar_end(f);
    if (f->state == FILTER_SKIP)
        skip_notes(f);
}
