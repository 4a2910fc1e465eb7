// SPDX-License-Identifier: GPL-2.0-or-later
#include "ingest/finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

const char *severity_name(enum severity s)
{
    static const char *const names[] = {"note", "warning", "error"};

    return names[s];
}

struct place place_file(const char *file)
{
    return (struct place){file, 0, -1};
}

static struct finding *look(struct findings *f, const char *file, const char *code)
{
    for (size_t i = 0; i < f->count; i++) {
        if (!strcmp(f->list[i].code, code) && !strcmp(f->list[i].file, file))
            return &f->list[i];
    }
    return NULL;
}

void findings_add(struct findings *f, enum severity severity, const char *code, struct place at,
                  const char *fmt, ...)
{
    struct finding *there = look(f, at.file, code);
    va_list ap;

    if (there) {
        there->count++;
        if (severity > there->severity)
            there->severity = severity;
        return;
    }
    if (f->count == FINDINGS_MAX) {
        f->lost++;
        return;
    }
    there = &f->list[f->count++];
    str_copy(there->file, sizeof(there->file), at.file);
    there->code = code;
    there->severity = severity;
    there->line = at.line;
    there->offset = at.offset;
    there->count = 1;
    va_start(ap, fmt);
    vsnprintf(there->text, sizeof(there->text), fmt, ap);
    va_end(ap);
}

void findings_add_many(struct findings *f, enum severity severity, const char *code,
                       struct place at, uint64_t more, const char *text)
{
    struct finding *there;

    if (!more)
        return;
    findings_add(f, severity, code, at, "%s", text);
    there = look(f, at.file, code);
    if (there)
        there->count += (int64_t)(more - 1);
}

const struct finding *findings_find(const struct findings *f, const char *file, const char *code)
{
    for (size_t i = 0; i < f->count; i++) {
        if (!strcmp(f->list[i].code, code) && !strcmp(f->list[i].file, file))
            return &f->list[i];
    }
    return NULL;
}
