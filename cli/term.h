// SPDX-License-Identifier: GPL-2.0-or-later
// What the terminal can show: its size, colours and characters. One per
// process, set up once by term_init().
#ifndef SWEEPCTL_TERM_H
#define SWEEPCTL_TERM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

enum {
    TERM_WIDTH_MIN = 40,
    TERM_WIDTH_DEFAULT = 80,
    TERM_WIDTH_MAX = 400,
    TERM_HEIGHT_DEFAULT = 24,
};

enum style {
    STYLE_PLAIN,
    STYLE_BOLD,
    STYLE_DIM,
    STYLE_GOOD,
    STYLE_BAD,
    STYLE_WARN,
    STYLE_BUSY,
    STYLE_INVERSE,
};

enum glyph {
    GLYPH_PASS,
    GLYPH_FAIL,
    GLYPH_PARTIAL,
    GLYPH_WAIT,
    GLYPH_CANCELLED,
    GLYPH_BAR,
    GLYPH_BAR_REST,
    GLYPH_SEPARATOR,
    GLYPH_ELLIPSIS,
    GLYPH_EDGE,
    GLYPH_COUNT
};

// Reads the locale and the environment (NO_COLOR, TERM, COLUMNS).
void term_init(void);
void term_no_color(void);

bool term_is_tty(void);       // standard output is a terminal
bool term_errors_tty(void);   // standard error is
int term_width(void);         // columns; 0 when there is no limit (not a terminal)
int term_picture_width(void); // the same, with a default where there is no limit
int term_height(void);

const char *term_glyph(enum glyph g); // by what the locale can show

// Appends text in a style, or plain when colours are off.
void term_add(struct str *out, enum style style, const char *text);
void term_begin(struct str *out, enum style style);
void term_end(struct str *out, enum style style);

#endif
