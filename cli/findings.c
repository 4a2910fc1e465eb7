// SPDX-License-Identifier: GPL-2.0-or-later
#include "findings.h"

#include <string.h>

#include "term.h"
#include "text.h"

enum { FINDING_INDENT = 2, FINDING_LABEL = 6, FINDING_POINTS_SHOWN = 8 };

static bool is_error(const struct doc *finding)
{
    return strcmp(doc_text(finding, "severity"), "warning") != 0;
}

size_t findings_errors(const struct doc *findings)
{
    size_t errors = 0;

    for (size_t i = 0; i < doc_count(findings); i++)
        errors += is_error(doc_at(findings, i));
    return errors;
}

static void labelled(struct str *out, const char *label, const char *text, int width)
{
    int indent = FINDING_INDENT + FINDING_LABEL;

    if (!text[0])
        return;
    text_spaces(out, FINDING_INDENT);
    term_add(out, STYLE_DIM, label);
    text_spaces(out, FINDING_LABEL - text_width(label));
    text_wrap(out, text, indent, width, indent);
    str_add_char(out, '\n');
}

static void write_points(struct str *out, const struct doc *points, int width)
{
    struct str text = {0};
    size_t count = doc_count(points);

    for (size_t i = 0; i < count && i < FINDING_POINTS_SHOWN; i++)
        str_addf(&text, "%s%s", i ? " " : "", doc_string(doc_at(points, i)));
    if (count > FINDING_POINTS_SHOWN)
        str_addf(&text, " and %zu more", count - FINDING_POINTS_SHOWN);
    labelled(out, "at", str_text(&text), width);
    str_free(&text);
}

static void write_one(const struct doc *finding, struct str *out, int width)
{
    bool error = is_error(finding);

    term_add(out, error ? STYLE_BAD : STYLE_WARN, error ? "error" : "warning");
    str_add_char(out, ' ');
    term_begin(out, STYLE_BOLD);
    text_add(out, doc_text(finding, "code"), 0);
    term_end(out, STYLE_BOLD);
    if (doc_text(finding, "place")[0]) {
        str_add(out, ": ");
        text_add(out, doc_text(finding, "place"), 0);
    }
    str_add_char(out, '\n');
    labelled(out, "what", doc_text(finding, "text"), width);
    write_points(out, doc_get(finding, "points"), width);
    labelled(out, "cost", doc_text(finding, "cost"), width);
    labelled(out, "fix", doc_text(finding, "fix"), width);
}

void findings_write(const struct doc *findings, struct str *out, int width)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < doc_count(findings); i++)
            if (is_error(doc_at(findings, i)) == (pass == 0))
                write_one(doc_at(findings, i), out, width);
}
