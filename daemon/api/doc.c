// SPDX-License-Identifier: GPL-2.0-or-later
#include "api/doc.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "base/version.h"

void doc_set_time(json_t *o, const char *name, int64_t wall)
{
    char text[CLOCK_TEXT_MAX];

    json_object_set_new(o, name,
                        wall ? json_string(clock_text(wall, text, sizeof(text))) : json_null());
}

void doc_set_number(json_t *o, const char *name, double d)
{
    json_object_set_new(o, name, isfinite(d) ? json_real(d) : json_null());
}

void doc_set_text(json_t *o, const char *name, const char *text)
{
    // What came from outside may be cut in the middle of a character.
    char *clean = mem_strdup(text);

    utf8_clean(clean);
    json_object_set_new(o, name, json_string(clean));
    free(clean);
}

void doc_set_text_or_null(json_t *o, const char *name, const char *text)
{
    if (text[0])
        doc_set_text(o, name, text);
    else
        json_object_set_new(o, name, json_null());
}

json_t *doc_open(void)
{
    json_t *o = json_object();

    json_object_set_new(o, "schema_version", json_integer(JSON_SCHEMA_VERSION));
    doc_set_time(o, "as_of", clock_wall_us());
    return o;
}

void doc_close(json_t *o, struct str *out)
{
    char *text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(9));

    str_add(out, text ? text : "{}");
    free(text);
    json_decref(o);
}
