// SPDX-License-Identifier: GPL-2.0-or-later
#include "term.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static struct {
    bool tty;
    bool errors_tty;
    bool color;
    bool utf8;
    int columns; // from COLUMNS, 0: not given
} term;

static const char *const sgr[] = {
    [STYLE_PLAIN] = "",        [STYLE_BOLD] = "\033[1m",    [STYLE_DIM] = "\033[2m",
    [STYLE_GOOD] = "\033[32m", [STYLE_BAD] = "\033[31m",    [STYLE_WARN] = "\033[33m",
    [STYLE_BUSY] = "\033[36m", [STYLE_INVERSE] = "\033[7m",
};

static const struct {
    const char *utf8, *ascii;
} glyphs[GLYPH_COUNT] = {
    [GLYPH_PASS] = {"\xe2\x9c\x93", "+"},      [GLYPH_FAIL] = {"\xe2\x9c\x97", "x"},
    [GLYPH_PARTIAL] = {"\xe2\x97\x8b", "o"},   [GLYPH_WAIT] = {"\xc2\xb7", "."},
    [GLYPH_CANCELLED] = {"\xe2\x80\x93", "-"}, [GLYPH_BAR] = {"\xe2\x94\x81", "="},
    [GLYPH_BAR_REST] = {"\xe2\x94\x80", "-"},  [GLYPH_SEPARATOR] = {"\xc2\xb7", "-"},
    [GLYPH_ELLIPSIS] = {"\xe2\x80\xa6", "~"},  [GLYPH_EDGE] = {"\xe2\x94\x82", "|"},
};

static bool locale_unset(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *value = getenv(names[i]);

        if (value && value[0])
            return false;
    }
    return true;
}

static bool is_set(const char *name)
{
    const char *value = getenv(name);

    return value && value[0];
}

void term_init(void)
{
    // An environment that says nothing about characters is a bare container or
    // a service, and those are UTF-8 today; one that says "C" means it.
    if (!setlocale(LC_CTYPE, locale_unset() ? "C.UTF-8" : ""))
        setlocale(LC_CTYPE, "C");
    setlocale(LC_TIME, "");

    const char *type = getenv("TERM");
    const char *columns = getenv("COLUMNS");
    int64_t n;

    term.tty = isatty(STDOUT_FILENO);
    term.errors_tty = isatty(STDERR_FILENO);
    term.color = term.tty && !is_set("NO_COLOR") && type && strcmp(type, "dumb");
    term.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
    if (columns && !str_to_i64(columns, 1, TERM_WIDTH_MAX, &n))
        term.columns = n < TERM_WIDTH_MIN ? TERM_WIDTH_MIN : (int)n;
}

void term_no_color(void)
{
    term.color = false;
}

bool term_is_tty(void)
{
    return term.tty;
}

bool term_errors_tty(void)
{
    return term.errors_tty;
}

static bool window(struct winsize *ret)
{
    return term.tty && !ioctl(STDOUT_FILENO, TIOCGWINSZ, ret) && ret->ws_col > 0;
}

int term_width(void)
{
    struct winsize size;

    if (term.columns)
        return term.columns;
    if (!term.tty)
        return 0;
    if (!window(&size))
        return TERM_WIDTH_DEFAULT;
    if (size.ws_col < TERM_WIDTH_MIN)
        return TERM_WIDTH_MIN;
    return size.ws_col > TERM_WIDTH_MAX ? TERM_WIDTH_MAX : size.ws_col;
}

int term_picture_width(void)
{
    int width = term_width();

    return width ? width : TERM_WIDTH_DEFAULT;
}

int term_height(void)
{
    struct winsize size;

    return window(&size) && size.ws_row > 0 ? size.ws_row : TERM_HEIGHT_DEFAULT;
}

const char *term_glyph(enum glyph g)
{
    return term.utf8 ? glyphs[g].utf8 : glyphs[g].ascii;
}

void term_begin(struct str *out, enum style style)
{
    if (term.color)
        str_add(out, sgr[style]);
}

void term_end(struct str *out, enum style style)
{
    if (term.color && style != STYLE_PLAIN)
        str_add(out, "\033[0m");
}

void term_add(struct str *out, enum style style, const char *text)
{
    term_begin(out, style);
    str_add(out, text);
    term_end(out, style);
}
