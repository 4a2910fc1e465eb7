// SPDX-License-Identifier: GPL-2.0-or-later
#include "spec/changelog.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "spec/arena.h"
#include "spec/fields.h"
#include "spec/yaml.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

// Every entry begins so; the published changelog holds links in this one form,
// while an entry that is not merged yet may have three letters for the number.
static const char entry_start[] = "- config-keys:";
static const char link_line[] = "  pr-link: ";
static const char link_prefix[] = "https://github.com/SemiAnalysisAI/InferenceX/pull/";
static const char link_unknown[] = "X"
                                   "XX";

// --- bytes -------------------------------------------------------------------

static int fail_at(struct err *e, const char *name, int line, int column, const char *text)
{
    return err_set(e, -EINVAL, "%s:%d:%d: %s", name, line, column, text);
}

static int check_bytes(const struct spec_source *src, struct err *e)
{
    int line = 1, column = 1;

    if (src->len > CHANGELOG_BYTES_MAX)
        return err_set(e, -E2BIG, "%s: larger than %d bytes", src->name, CHANGELOG_BYTES_MAX);
    if (!src->len)
        return fail_at(e, src->name, 1, 1, "the changelog is empty");
    for (size_t i = 0; i < src->len; i++, column++) {
        char c = src->bytes[i];

        if (c == '\t')
            return fail_at(e, src->name, line, column, "a tab; indent with spaces");
        if (c == '\r')
            return fail_at(e, src->name, line, column,
                           "a carriage return; lines end with a line feed alone");
        if (!c)
            return fail_at(e, src->name, line, column, "a zero byte");
        if (c == '\n') {
            line++;
            column = 0;
        }
    }
    if (src->bytes[src->len - 1] != '\n')
        return fail_at(e, src->name, line, column, "the last line does not end with a line feed");
    return 0;
}

static size_t line_length(const char *s, size_t left)
{
    const char *end = memchr(s, '\n', left);

    return end ? (size_t)(end - s) : left;
}

static bool begins(const char *s, size_t len, const char *prefix)
{
    size_t n = strlen(prefix);

    return len >= n && memcmp(s, prefix, n) == 0;
}

static size_t count_starts(const struct spec_source *src)
{
    size_t n = 0;

    for (size_t at = 0, len; at < src->len; at += len + 1) {
        len = line_length(src->bytes + at, src->len - at);
        n += begins(src->bytes + at, len, entry_start);
    }
    return n;
}

// --- entries -----------------------------------------------------------------

struct raw_entry {
    const struct yaml_value *keys, *description, *scenarios;
    const char *pr_link;
    bool evals_only, all_evals, append_only;
    int min_ep;
};

#define AT(member) offsetof(struct raw_entry, member)

static const struct field entry_fields[] = {
    {"config-keys", FIELD_NODE, true, AT(keys), 0, 0, NULL},
    {"description", FIELD_NODE, true, AT(description), 0, 0, NULL},
    {"pr-link", FIELD_TEXT, true, AT(pr_link), 0, 0, NULL},
    {"evals-only", FIELD_BOOL, false, AT(evals_only), 0, 0, NULL},
    {"all-evals", FIELD_BOOL, false, AT(all_evals), 0, 0, NULL},
    {"append-only", FIELD_BOOL, false, AT(append_only), 0, 0, NULL},
    {"eval-min-prefill-ep", FIELD_INT, false, AT(min_ep), 1, INT32_MAX, NULL},
    {"scenario-type", FIELD_NODE, false, AT(scenarios), 0, 0, NULL},
};
static const struct field_table entry_table = {"a changelog entry", entry_fields,
                                               COUNT(entry_fields)};

static int check_list(const char *name, const struct yaml_value *list, const char *what,
                      struct err *e)
{
    int rc = fields_list(name, list, what, e);

    if (rc)
        return rc;
    if (!list->count)
        return yaml_err(e, name, list, "%s is empty; it needs at least one member", what);
    if (list->count > CHANGELOG_LIST_MAX)
        return yaml_err(e, name, list, "%s has more than %d members", what, CHANGELOG_LIST_MAX);
    return 0;
}

// Unlike other texts a line of the description may span lines.
static int read_texts(struct changelog *c, const struct yaml_value *list, const char *what,
                      bool one_line, const char ***ret, size_t *ret_count, struct err *e)
{
    int rc = check_list(c->name, list, what, e);

    if (rc)
        return rc;
    *ret = arena_alloc(c->arena, list->count, sizeof(**ret));
    *ret_count = list->count;
    for (size_t i = 0; i < list->count && !rc; i++) {
        const struct yaml_value *v = list->items[i];
        const char *text = v->text;

        if (one_line || v->type != YAML_STRING)
            rc = fields_text(c->name, v, what, &text, e);
        if (!rc)
            (*ret)[i] = arena_strdup(c->arena, text);
    }
    return rc;
}

static int read_scenarios(const struct changelog *c, const struct yaml_value *list,
                          struct changelog_entry *en, struct err *e)
{
    int rc = check_list(c->name, list, "scenario-type", e);

    for (size_t i = 0; !rc && i < list->count; i++) {
        const struct yaml_value *v = list->items[i];
        const char *text = "";

        rc = fields_text(c->name, v, "scenario-type", &text, e);
        if (rc)
            break;
        if (strcmp(text, "fixed-seq-len") == 0)
            en->scenarios |= MATRIX_FIXED;
        else if (strcmp(text, "agentic-coding") == 0)
            en->scenarios |= MATRIX_AGENTIC;
        else
            rc = yaml_err(e, c->name, v,
                          "scenario-type: '%.80s' is not one of fixed-seq-len, agentic-coding",
                          text);
    }
    return rc;
}

static int read_entry(struct changelog *c, const struct yaml_value *node,
                      struct changelog_entry *en, struct err *e)
{
    struct raw_entry raw = {0};
    int rc = fields_read(&entry_table, c->name, node, &raw, e);

    if (rc)
        return rc;
    if (raw.append_only && (raw.evals_only || raw.all_evals || raw.min_ep))
        return yaml_err(e, c->name, fields_get(node, "append-only"),
                        "append-only adds throughput points; it does not go with evals-only, "
                        "all-evals or eval-min-prefill-ep");
    *en = (struct changelog_entry){
        .line = node->line,
        .pr_link = arena_strdup(c->arena, raw.pr_link),
        .evals_only = raw.evals_only,
        .all_evals = raw.all_evals,
        .append_only = raw.append_only,
        .eval_min_prefill_ep = raw.min_ep,
    };
    rc = read_texts(c, raw.keys, "config-keys", true, &en->keys, &en->key_count, e);
    if (!rc)
        rc = read_texts(c, raw.description, "description", false, &en->description,
                        &en->description_count, e);
    if (!rc && raw.scenarios)
        rc = read_scenarios(c, raw.scenarios, en, e);
    return rc;
}

static int read_entries(struct changelog *c, const struct spec_source *src,
                        const struct yaml_value *root, struct err *e)
{
    size_t starts = count_starts(src);
    int rc = fields_list(c->name, root, "the changelog", e);

    if (rc)
        return rc;
    if (!root->count)
        return yaml_err(e, c->name, root, "the changelog has no entries");
    if (root->count > CHANGELOG_ENTRIES_MAX)
        return yaml_err(e, c->name, root, "more than %d entries", CHANGELOG_ENTRIES_MAX);
    c->entries = arena_alloc(c->arena, root->count, sizeof(*c->entries));
    c->count = root->count;
    for (size_t i = 0; i < root->count && !rc; i++)
        rc = read_entry(c, root->items[i], &c->entries[i], e);
    if (!rc && starts != root->count)
        rc = yaml_err(e, c->name, root,
                      "%zu entries, but %zu lines begin with '%s'; each entry "
                      "begins so, at the left margin",
                      root->count, starts, entry_start);
    return rc;
}

int changelog_parse(const struct spec_source *src, struct changelog *ret, struct err *e)
{
    struct changelog c = {0};
    struct yaml_doc *doc = NULL;
    int rc = check_bytes(src, e);

    if (!rc)
        rc = yaml_doc_parse(src->name, src->bytes, src->len, &doc, e);
    if (rc)
        return rc;
    c.arena = arena_create();
    c.name = arena_strdup(c.arena, src->name);
    rc = read_entries(&c, src, yaml_doc_root(doc), e);
    yaml_doc_free(doc);
    if (rc)
        changelog_free(&c);
    else
        *ret = c;
    return rc;
}

void changelog_free(struct changelog *c)
{
    if (!c)
        return;
    arena_free(c->arena);
    *c = (struct changelog){0};
}

// --- what was added ------------------------------------------------------------

static bool is_canonical_link(const char *s, size_t len)
{
    size_t n = strlen(link_prefix);

    if (!begins(s, len, link_prefix) || len == n || s[n] == '0')
        return false;
    for (; n < len; n++)
        if (!isdigit((unsigned char)s[n]))
            return false;
    return true;
}

static bool is_unknown_link(const char *link)
{
    if (str_starts(link, link_prefix))
        link += strlen(link_prefix);
    return strcmp(link, link_unknown) == 0;
}

static int check_links(const struct changelog *c, size_t from, struct err *e)
{
    for (size_t i = from; i < c->count; i++) {
        const char *link = c->entries[i].pr_link;

        if (!is_canonical_link(link, strlen(link)) && !is_unknown_link(link))
            return err_set(e, -EINVAL,
                           "%s:%d:1: the pr-link of this entry must be %s<number>, or %s as long "
                           "as the number is not known",
                           c->name, c->entries[i].line, link_prefix, link_unknown);
    }
    return 0;
}

static int count_lines(const char *s, size_t len)
{
    int n = 0;

    for (size_t i = 0; i < len; i++)
        n += s[i] == '\n';
    return n;
}

// Entries are apart by exactly one empty line, also the first from what was
// there; none comes after the last.
static int check_gaps(const struct spec_source *head, size_t from, struct err *e)
{
    int line = count_lines(head->bytes, from) + 1;
    size_t blank = from ? 0 : 1; // a file that begins with its entry lacks nothing

    for (size_t at = from, len; at < head->len; at += len + 1, line++) {
        const char *s = head->bytes + at;

        len = line_length(s, head->len - at);
        if (!len) {
            blank++;
            continue;
        }
        if (begins(s, len, entry_start) && blank != 1)
            return fail_at(e, head->name, line, 1,
                           "exactly one empty line must stand before an entry");
        if (!begins(s, len, entry_start) && blank)
            return fail_at(e, head->name, line, 1, "an empty line inside or outside of an entry");
        blank = 0;
    }
    return blank ? fail_at(e, head->name, line - 1, 1, "an empty line after the last entry") : 0;
}

// The line of head at which it stops being a continuation of base.
static int first_difference(const struct spec_source *head, const struct spec_source *base)
{
    size_t i = 0;

    while (i < head->len && i < base->len && head->bytes[i] == base->bytes[i])
        i++;
    return count_lines(head->bytes, i) + 1;
}

static bool is_link_fix(const char *old, size_t old_len, const char *new, size_t new_len)
{
    size_t n = strlen(link_line);

    return begins(old, old_len, link_line) && begins(new, new_len, link_line) &&
           is_canonical_link(new + n, new_len - n);
}

// Line for line the same, but for links that are canonical now.
static bool only_links_differ(const struct spec_source *head, const struct spec_source *base)
{
    size_t h = 0, b = 0;

    while (h < head->len && b < base->len) {
        size_t hl = line_length(head->bytes + h, head->len - h);
        size_t bl = line_length(base->bytes + b, base->len - b);
        bool same = hl == bl && memcmp(head->bytes + h, base->bytes + b, hl) == 0;

        if (!same && !is_link_fix(base->bytes + b, bl, head->bytes + h, hl))
            return false;
        h += hl + 1;
        b += bl + 1;
    }
    return h >= head->len && b >= base->len;
}

static void keep_from_line(struct changelog *c, int line)
{
    size_t from = 0;

    while (from < c->count && c->entries[from].line < line)
        from++;
    c->entries += from;
    c->count -= from;
}

static int check_added(const struct spec_source *head, size_t from, struct changelog *c,
                       struct err *e)
{
    int rc = check_gaps(head, from, e);

    keep_from_line(c, count_lines(head->bytes, from) + 1);
    if (!rc && !c->count)
        rc = err_set(e, -EINVAL, "%s: no entry was added, so there is nothing to measure",
                     head->name);
    return rc ? rc : check_links(c, 0, e);
}

static int compare_files(const struct spec_source *head, const struct spec_source *base,
                         struct changelog *c, struct err *e)
{
    bool grown = head->len >= base->len && memcmp(head->bytes, base->bytes, base->len) == 0;

    if (grown)
        return check_added(head, base->len, c, e);
    if (only_links_differ(head, base)) {
        c->count = 0;
        return 0;
    }
    return fail_at(e, head->name, first_difference(head, base), 1,
                   "an entry that was there before has changed; entries are appended at the end "
                   "and never edited");
}

int changelog_added(const struct spec_source *head, const struct spec_source *base,
                    struct changelog *ret, struct err *e)
{
    struct changelog c = {0};
    int rc = base && base->len ? check_bytes(base, e) : 0;

    if (!rc)
        rc = changelog_parse(head, &c, e);
    if (rc || !base)
        goto out;
    rc = base->len ? compare_files(head, base, &c, e) : check_added(head, 0, &c, e);
    if (rc)
        changelog_free(&c);
out:
    if (!rc)
        *ret = c;
    return rc;
}
