// SPDX-License-Identifier: GPL-2.0-or-later
#include "preflight/flags.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fsio.h"
#include "base/mem.h"
#include "base/str.h"

enum { NEAR_MAX = 4 }; // edits to a suggestion

// Short options stand in no generated list; these are the client's own. `-v` and `-vv` raise
// the verbosity.
static const struct {
    const char *name, *full;
} shorts[] = {
    {"-m", "--model"},      {"-u", "--url"},     {"-H", "--header"},         {"-f", "--config"},
    {"-b", "--batch-size"}, {"-v", "--verbose"}, {"-vv", "--extra-verbose"},
};

// What people write for another option, when the spelling alone would not lead there. The first
// belongs to the client of fixed-sequence runs.
static const struct {
    const char *name, *instead;
} confused[] = {
    {"--use-chat-template", "--apply-chat-template"},
    {"--num-prompts", "--num-dataset-entries"},
    {"--max-concurrency", "--concurrency"},
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct flag *)a)->name, ((const struct flag *)b)->name);
}

static int parse_arity(const char *text, size_t len, enum flag_arity *ret)
{
    static const char *const words[] = {"bool", "value", "multi"};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strlen(words[i]) != len || memcmp(words[i], text, len) != 0)
            continue;
        *ret = (enum flag_arity)i;
        return 0;
    }
    return -EINVAL;
}

// "--flag<TAB>arity", more columns are for people.
static int parse_line(const char *line, size_t len, struct flag *ret)
{
    const char *tab = memchr(line, '\t', len);
    size_t name = tab ? (size_t)(tab - line) : 0;

    if (name < 3 || name >= FLAG_NAME_MAX || memcmp(line, "--", 2) != 0)
        return -EINVAL;
    if (memchr(line, '\0', name) || memchr(line, ' ', name) || memchr(line, '=', name))
        return -EINVAL;
    const char *arity = tab + 1;
    size_t rest = len - name - 1;
    const char *end = memchr(arity, '\t', rest);

    memcpy(ret->name, line, name);
    ret->name[name] = '\0';
    return parse_arity(arity, end ? (size_t)(end - arity) : rest, &ret->arity);
}

int flags_parse(const char *bytes, size_t len, struct flags *ret, struct err *e)
{
    struct flags f = {0};
    size_t cap = 0, number = 0;

    for (size_t at = 0; at < len;) {
        const char *line = bytes + at;
        const char *end = memchr(line, '\n', len - at);
        size_t width = end ? (size_t)(end - line) : len - at;

        at += width + 1;
        number++;
        if (width == 0 || line[0] == '#')
            continue;
        f.list = mem_room(f.list, f.count, &cap, sizeof(*f.list));
        if (f.count == FLAGS_MAX || parse_line(line, width, &f.list[f.count]) != 0) {
            flags_free(&f);
            return err_set(e, -EINVAL, "line %zu is no \"--flag<TAB>bool|value|multi\"%s", number,
                           number > FLAGS_MAX ? ", or there are too many" : "");
        }
        f.count++;
    }
    if (f.count == 0)
        return err_set(e, -EINVAL, "the list of flags is empty");
    qsort(f.list, f.count, sizeof(*f.list), by_name);
    *ret = f;
    return 0;
}

int flags_load(const char *path, struct flags *ret, struct err *e)
{
    struct str text = {0};
    int rc = fs_read(path, FLAGS_FILE_MAX, &text, e);

    if (rc == 0) {
        rc = flags_parse(str_text(&text), text.len, ret, e);
        if (rc != 0)
            err_wrap(e, "%s", path);
    }
    str_free(&text);
    return rc;
}

void flags_free(struct flags *f)
{
    if (!f)
        return;
    free(f->list);
    *f = (struct flags){0};
}

const struct flag *flags_find(const struct flags *f, const char *name)
{
    struct flag key = {0};

    for (size_t i = 0; i < sizeof(shorts) / sizeof(shorts[0]); i++)
        if (strcmp(shorts[i].name, name) == 0)
            name = shorts[i].full;
    if (!str_copy(key.name, sizeof(key.name), name))
        return NULL;
    return bsearch(&key, f->list, f->count, sizeof(*f->list), by_name);
}

const char *flags_nearest(const struct flags *f, const char *name)
{
    const char *best = NULL;
    int best_distance = NEAR_MAX + 1;

    for (size_t i = 0; i < sizeof(confused) / sizeof(confused[0]); i++)
        if (strcmp(confused[i].name, name) == 0 && flags_find(f, confused[i].instead))
            return confused[i].instead;
    if (strlen(name) >= FLAG_NAME_MAX)
        return NULL;
    for (size_t i = 0; i < f->count; i++) {
        int distance = str_distance(name, f->list[i].name, NEAR_MAX);

        if (distance < best_distance) {
            best_distance = distance;
            best = f->list[i].name;
        }
    }
    return best;
}
