// SPDX-License-Identifier: GPL-2.0-or-later
#include "find.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/point.h"
#include "near.h"

enum { CANDIDATES_SHOWN = 5 };

// A word looked for among all sweeps, newest first.
struct search {
    const struct doc *sweeps;
    const char *word;
    const struct doc *found; // NULL: none
    struct str candidates;   // names of what the word fits, when more than one
    size_t candidate_count;
};

static bool is_active(const struct doc *sweep)
{
    return strcmp(doc_text(sweep, "state"), "done") != 0;
}

// The first sweep whose member is exactly `text` (NULL: any), an active one
// before ended ones.
static const struct doc *newest(const struct doc *sweeps, const char *member, const char *text)
{
    const struct doc *best = NULL;

    for (size_t i = 0; i < doc_count(sweeps); i++) {
        const struct doc *s = doc_at(sweeps, i);

        if (text && strcmp(doc_text(s, member), text) != 0)
            continue;
        if (!best)
            best = s;
        if (is_active(s))
            return s;
    }
    return best;
}

static bool seen(const struct search *s, size_t before, const char *member, const char *text)
{
    for (size_t i = 0; i < before; i++)
        if (!strcmp(doc_text(doc_at(s->sweeps, i), member), text))
            return true;
    return false;
}

// Distinct values of the member that begin with the word.
static void by_beginning(struct search *s, const char *member)
{
    const char *fits = NULL;

    for (size_t i = 0; i < doc_count(s->sweeps); i++) {
        const char *text = doc_text(doc_at(s->sweeps, i), member);

        if (!str_starts(text, s->word) || seen(s, i, member, text))
            continue;
        fits = text;
        if (s->candidate_count++ < CANDIDATES_SHOWN)
            str_addf(&s->candidates, "%s%s", s->candidates.len ? ", " : "", text);
    }
    if (s->candidate_count == 1)
        s->found = newest(s->sweeps, member, fits);
}

static void look(struct search *s)
{
    size_t count = doc_count(s->sweeps);

    if (!s->word)
        s->found = newest(s->sweeps, NULL, NULL);
    else if (!strcmp(s->word, "last"))
        s->found = doc_at(s->sweeps, 0);
    if (s->found || !s->word || !count)
        return;
    s->found = newest(s->sweeps, "id", s->word);
    if (!s->found)
        s->found = newest(s->sweeps, "key", s->word);
    if (!s->found)
        by_beginning(s, "id");
    if (!s->found && !s->candidate_count)
        by_beginning(s, "key");
}

static int not_found(const struct ctl *ctl, struct search *s)
{
    size_t count = doc_count(s->sweeps);

    if (!count)
        return ctl_fail(ctl, CTL_NOT_FOUND, "not_found", "`sweepctl submit KEY` makes one",
                        "there is no sweep yet");
    if (s->candidate_count > 1)
        return ctl_fail(ctl, CTL_USAGE, "ambiguous", "write more of it",
                        "\"%s\" fits %zu sweeps: %s%s", s->word, s->candidate_count,
                        str_text(&s->candidates),
                        s->candidate_count > CANDIDATES_SHOWN ? ", ..." : "");
    const char **names = mem_array(count * 2, sizeof(*names));
    struct str fix = {0};
    for (size_t i = 0; i < count; i++) {
        names[i] = doc_text(doc_at(s->sweeps, i), "id");
        names[count + i] = doc_text(doc_at(s->sweeps, i), "key");
    }
    const char *near = near_word(s->word, names, count * 2);
    if (near)
        str_addf(&fix, "did you mean %s?", near);
    else
        str_add(&fix, "`sweepctl status --all` lists the sweeps");
    int code =
        ctl_fail(ctl, CTL_NOT_FOUND, "not_found", str_text(&fix), "no sweep \"%s\"", s->word);
    str_free(&fix);
    free(names);
    return code;
}

void find_path(struct str *path, const char *id, const char *below)
{
    str_add(path, "/api/v1/sweeps");
    client_path_add(path, id);
    if (below)
        str_addf(path, "/%s", below);
}

static bool looks_like_id(const char *word)
{
    const char *p = word + 1;

    if (word[0] != 's' || !isdigit((unsigned char)*p))
        return false;
    while (isdigit((unsigned char)*p))
        p++;
    return *p == '-' && p[1] && strlen(word) < FIND_ID_MAX;
}

// Asks for the sweep itself, which spares the list of all.
static bool exists(struct ctl *ctl, const char *id)
{
    struct str path = {0};
    struct answer answer = {0};

    find_path(&path, id, NULL);
    int rc = client_get(ctl->client, str_text(&path), NULL, &answer, NULL);
    str_free(&path);
    doc_free(answer.doc);
    return !rc && answer.status == 200;
}

int find_sweep(struct ctl *ctl, const char *word, char ret_id[FIND_ID_MAX])
{
    struct doc *list = NULL;
    int code = ctl_client(ctl);

    if (!code && word && looks_like_id(word) && exists(ctl, word)) {
        str_copy(ret_id, FIND_ID_MAX, word);
        return 0;
    }
    if (!code)
        code = ctl_get_list(ctl, "/api/v1/sweeps", "sweeps", &list);
    if (code)
        return code;
    struct search s = {.sweeps = doc_get(list, "sweeps"), .word = word};
    look(&s);
    if (s.found)
        str_copy(ret_id, FIND_ID_MAX, doc_text(s.found, "id"));
    else
        code = not_found(ctl, &s);
    str_free(&s.candidates);
    doc_free(list);
    return code;
}

const struct doc *find_point(const struct ctl *ctl, const struct doc *points, const char *word)
{
    size_t count = doc_count(points);
    const char **names = mem_array(count + 1, sizeof(*names));
    char name[POINT_NAME_MAX];
    const struct doc *found = NULL;

    point_name_canonical(word, name, sizeof(name));
    for (size_t i = 0; i < count && !found; i++) {
        names[i] = doc_text(doc_at(points, i), "name");
        if (!strcmp(names[i], name))
            found = doc_at(points, i);
    }
    if (!found) {
        const char *near = near_word(name, names, count);
        struct str fix = {0};

        if (near)
            str_addf(&fix, "did you mean %s?", near);
        else
            str_add(&fix, "`sweepctl points SWEEP` lists them");
        ctl_fail(ctl, CTL_NOT_FOUND, "not_found", str_text(&fix), "the sweep has no point \"%s\"",
                 word);
        str_free(&fix);
    }
    free(names);
    return found;
}
