// SPDX-License-Identifier: GPL-2.0-or-later
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "preflight/check.h"

enum { NAMES_SHOWN = 8 };

static const char *const rules[] = {
    "script-syntax",
    "script-shebang",
    "script-executable",
    "render",
    "render-refused",
    "replay-flag",
    "flag-arity",
    "scenario-lock",
    "point-value",
    "client-flags",
    "axis-ignored",
    "golden-al",
    "eval-simulates",
    "metrics-url",
    "metrics-prefix",
    "metrics-off",
    NULL,
};

enum { FIRST_RENDERED_RULE = 4 }; // from here on they need a rendering

const char *const *preflight_rules(void)
{
    return rules;
}

// --- adding ------------------------------------------------------------------------

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

// Line of the first occurrence as a whole word; 0: not there.
static size_t line_of(const struct str *script, const char *needle)
{
    const char *text = str_text(script);
    size_t len = strlen(needle);

    for (const char *at = strstr(text, needle); at; at = strstr(at + 1, needle)) {
        size_t line = 1;

        if (strchr("-_abcdefghijklmnopqrstuvwxyz0123456789", at[len]) && at[len] != '\0')
            continue;
        for (const char *p = text; p < at; p++)
            line += *p == '\n';
        return line;
    }
    return 0;
}

static char *make_place(const struct check *c, const struct complaint *what)
{
    struct str place = {0};
    size_t line = what->needle ? line_of(&c->script, what->needle) : 0;

    str_add(&place, base_name(c->in->recipe));
    if (line > 0)
        str_addf(&place, ":%zu", line);
    if (what->part)
        str_addf(&place, ", %s", what->part);
    return str_take(&place);
}

static struct preflight_finding *find(struct preflight_report *r, const struct complaint *what,
                                      const char *text)
{
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(r->findings[i].code, what->code) == 0 && strcmp(r->findings[i].text, text) == 0)
            return &r->findings[i];
    return NULL;
}

static struct preflight_finding *add(struct check *c, const struct complaint *what,
                                     const char *text)
{
    struct preflight_report *r = c->report;

    if (!r->findings)
        r->findings = mem_array(FINDINGS_MAX, sizeof(*r->findings));
    if (r->count == FINDINGS_MAX)
        return &r->findings[r->count - 1];
    struct preflight_finding *f = &r->findings[r->count++];
    bool last = r->count == FINDINGS_MAX;

    f->severity = last ? PREFLIGHT_ERROR : what->severity;
    f->code = what->code;
    f->place = make_place(c, what);
    f->text = mem_strdup(last ? "there are more findings than can be listed" : text);
    f->fix = mem_strdup(last ? "repair the ones above and check again" : what->fix);
    f->cost = mem_strdup("");
    f->points = mem_array(c->in->count, sizeof(*f->points));
    if (f->severity == PREFLIGHT_ERROR)
        r->errors++;
    else
        r->warnings++;
    return f;
}

void complain(struct check *c, const struct complaint *what, long point, const char *fmt, ...)
{
    char text[ERR_TEXT_MAX];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    struct preflight_finding *f = find(c->report, what, text);

    if (!f)
        f = add(c, what, text);
    if (point == NO_POINT)
        return;
    for (size_t i = f->point_count; i > 0; i--)
        if (f->points[i - 1] == (size_t)point)
            return;
    f->points[f->point_count++] = (size_t)point;
}

void preflight_free(struct preflight_report *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->count; i++) {
        free(r->findings[i].place);
        free(r->findings[i].text);
        free(r->findings[i].fix);
        free(r->findings[i].cost);
        free(r->findings[i].points);
    }
    free(r->findings);
    for (size_t i = 0; i < r->rendered_count; i++)
        free(r->rendered[i].json);
    free(r->rendered);
    *r = (struct preflight_report){0};
}

// --- printing ----------------------------------------------------------------------

static const char *severity_name(enum preflight_severity s)
{
    return s == PREFLIGHT_ERROR ? "error" : "warning";
}

static void add_names(const struct preflight_input *in, const struct preflight_finding *f,
                      struct str *out)
{
    if (f->point_count == 0)
        return;
    str_addf(out, "    points: ");
    for (size_t i = 0; i < f->point_count && i < NAMES_SHOWN; i++)
        str_addf(out, "%s%s", i ? ", " : "", in->points[f->points[i]].axes.name);
    if (f->point_count > NAMES_SHOWN)
        str_addf(out, " and %zu more", f->point_count - NAMES_SHOWN);
    str_add_char(out, '\n');
}

void preflight_to_text(const struct preflight_input *in, const struct preflight_report *r,
                       struct str *out)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct preflight_finding *f = &r->findings[i];

        str_addf(out, "%s: %s: %s [%s]\n", f->place, severity_name(f->severity), f->text, f->code);
        add_names(in, f, out);
        if (f->cost[0])
            str_addf(out, "    would have cost: %s\n", f->cost);
        str_addf(out, "    fix: %s\n", f->fix);
    }
    if (r->errors > 0)
        str_add(out, "Nothing submitted.\n");
}

static const char *rule_state(const struct preflight_report *r, size_t rule)
{
    const char *state = "unknown";

    for (size_t i = 0; i < r->rendered_count; i++)
        if (r->rendered[i].json || rule < FIRST_RENDERED_RULE)
            state = "ok";
    for (size_t i = r->count; i > 0; i--)
        if (strcmp(r->findings[i - 1].code, rules[rule]) == 0)
            state = severity_name(r->findings[i - 1].severity);
    return state;
}

static json_t *finding_json(const struct preflight_input *in, const struct preflight_finding *f)
{
    json_t *points = json_array();

    for (size_t i = 0; i < f->point_count; i++)
        json_array_append_new(points, json_string(in->points[f->points[i]].axes.name));
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o}", "severity", severity_name(f->severity),
                     "code", f->code, "place", f->place, "text", f->text, "fix", f->fix, "cost",
                     f->cost, "points", points);
}

void preflight_to_json(const struct preflight_input *in, const struct preflight_report *r,
                       struct str *out)
{
    json_t *list = json_array(), *states = json_array();

    for (size_t i = 0; rules[i]; i++)
        json_array_append_new(states,
                              json_pack("{s:s, s:s}", "rule", rules[i], "state", rule_state(r, i)));
    for (size_t i = 0; i < r->count; i++)
        json_array_append_new(list, finding_json(in, &r->findings[i]));
    json_t *root = json_pack("{s:I, s:I, s:o, s:o}", "errors", (json_int_t)r->errors, "warnings",
                             (json_int_t)r->warnings, "rules", states, "findings", list);
    char *text = json_dumps(root, JSON_COMPACT);

    str_add(out, text ? text : "{}");
    free(text);
    json_decref(root);
}
