// SPDX-License-Identifier: GPL-2.0-or-later
#include "args.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "near.h"

enum { LETTER_CODES = 256 }; // getopt codes above it are indexes of options

struct entry {
    const struct opt *opt;
    bool given;
    const char **values;
    size_t count, cap;
};

struct word {
    const char *text;
    struct entry *after; // list option right before it, NULL: none
};

struct args {
    struct entry entries[ARGS_OPTIONS_MAX];
    size_t entry_count;
    struct word *words;
    size_t word_count, word_cap;
    const char **operands;
    size_t operand_count, operand_cap;
    char **pieces; // owned texts: values split at commas
    size_t piece_count, piece_cap;
};

struct forms {
    char letters[ARGS_OPTIONS_MAX * 2 + 3];
    struct option longs[ARGS_OPTIONS_MAX + 1];
};

static void add_table(struct args *a, const struct opt *table)
{
    for (const struct opt *o = table; o && o->name && a->entry_count < ARGS_OPTIONS_MAX; o++)
        a->entries[a->entry_count++].opt = o;
}

static void make_forms(const struct args *a, const char *mode, struct forms *f)
{
    char *letter = f->letters + strlen(mode);

    memcpy(f->letters, mode, strlen(mode));
    for (size_t i = 0; i < a->entry_count; i++) {
        const struct opt *o = a->entries[i].opt;

        f->longs[i].name = o->name;
        f->longs[i].has_arg = o->arg ? required_argument : no_argument;
        f->longs[i].val = LETTER_CODES + (int)i;
        if (!o->letter)
            continue;
        *letter++ = o->letter;
        if (o->arg)
            *letter++ = ':';
    }
}

static struct entry *by_code(struct args *a, int code)
{
    for (size_t i = 0; i < a->entry_count; i++) {
        const struct opt *o = a->entries[i].opt;

        if (o && (code == LETTER_CODES + (int)i || (o->letter && o->letter == code)))
            return &a->entries[i];
    }
    return NULL;
}

static int unknown_option(struct args *a, const char *written, struct err *e)
{
    const char *names[ARGS_OPTIONS_MAX];
    char name[64];
    size_t len = strcspn(written, "=");

    for (size_t i = 0; i < a->entry_count; i++)
        names[i] = a->entries[i].opt->name;
    if (written[0] != '-' || written[1] != '-' || len - 2 >= sizeof(name))
        return err_set(e, -EINVAL, "unknown option %.*s", (int)len, written);
    memcpy(name, written + 2, len - 2);
    name[len - 2] = '\0';
    const char *near = near_word(name, names, a->entry_count);
    if (near)
        return err_set(e, -EINVAL, "unknown option --%s; did you mean --%s?", name, near);
    return err_set(e, -EINVAL, "unknown option --%s", name);
}

// What getopt_long() objected to, from its variables.
static int explain(struct args *a, int code, char **argv, struct err *e)
{
    struct entry *entry = by_code(a, optopt);
    char letter[] = {'-', (char)optopt, '\0'};

    if (code == ':' && entry)
        return err_set(e, -EINVAL, "--%s needs a value: %s", entry->opt->name, entry->opt->arg);
    if (optopt >= LETTER_CODES && entry)
        return err_set(e, -EINVAL, "--%s takes no value", entry->opt->name);
    return unknown_option(a, optopt ? letter : argv[optind - 1], e);
}

static void add_value(struct entry *entry, const char *text)
{
    entry->values = mem_room(entry->values, entry->count, &entry->cap, sizeof(*entry->values));
    entry->values[entry->count++] = text;
}

static int add_values(struct args *a, struct entry *entry, const char *text, struct err *e)
{
    entry->given = true;
    if (!(entry->opt->flags & OPT_LIST)) {
        entry->count = 0;
        add_value(entry, text);
        return 0;
    }
    if (entry->count >= ARGS_VALUES_MAX)
        return err_set(e, -EINVAL, "--%s has more than %d values", entry->opt->name,
                       ARGS_VALUES_MAX);
    if (!(entry->opt->flags & OPT_COMMA)) {
        add_value(entry, text);
        return 0;
    }
    char *copy = mem_strdup(text);
    a->pieces = mem_room(a->pieces, a->piece_count, &a->piece_cap, sizeof(*a->pieces));
    a->pieces[a->piece_count++] = copy;
    char *rest = copy;
    size_t before = entry->count;
    for (char *piece = strsep(&rest, ","); piece; piece = strsep(&rest, ","))
        if (*piece)
            add_value(entry, piece);
    // An unset shell variable must not turn "these" into "all".
    if (entry->count == before)
        return err_set(e, -EINVAL, "--%s needs a value: %s", entry->opt->name, entry->opt->arg);
    return 0;
}

static void add_word(struct args *a, const char *text, struct entry *after)
{
    a->words = mem_room(a->words, a->word_count, &a->word_cap, sizeof(*a->words));
    a->words[a->word_count++] = (struct word){text, after};
}

static int read_all(struct args *a, int argc, char **argv, struct err *e)
{
    struct forms forms = {0};
    struct entry *list = NULL;
    int code;

    make_forms(a, "-:", &forms);
    opterr = 0;
    optind = 0; // GNU: also forgets an earlier scan
    while ((code = getopt_long(argc, argv, forms.letters, forms.longs, NULL)) != -1) {
        if (code == 1) {
            add_word(a, optarg, list);
            continue;
        }
        struct entry *entry = by_code(a, code);
        if (!entry)
            return explain(a, code, argv, e);
        list = entry->opt->flags & OPT_LIST ? entry : NULL;
        entry->given = true;
        int rc = entry->opt->arg ? add_values(a, entry, optarg, e) : 0;
        if (rc)
            return rc;
    }
    for (int i = optind; i < argc; i++)
        add_word(a, argv[i], NULL);
    return 0;
}

// Gives each word to the option before it or to the operands.
static int share_out(struct args *a, size_t need, struct err *e)
{
    size_t free_words = 0;
    size_t listed = 0;

    for (size_t i = 0; i < a->word_count; i++)
        if (a->words[i].after)
            listed++;
        else
            free_words++;
    size_t back = free_words < need ? need - free_words : 0;
    for (size_t i = 0; i < a->word_count; i++) {
        struct word *w = &a->words[i];

        if (w->after && listed-- > back) {
            int rc = add_values(a, w->after, w->text, e);

            if (rc)
                return rc;
            continue;
        }
        a->operands = mem_room(a->operands, a->operand_count, &a->operand_cap, sizeof(char *));
        a->operands[a->operand_count++] = w->text;
    }
    return 0;
}

int args_parse(const struct opt *common, const struct opt *own, size_t need, int argc, char **argv,
               struct args **ret, struct err *e)
{
    struct args *a = mem_alloc(sizeof(*a));

    add_table(a, common);
    add_table(a, own);
    int rc = read_all(a, argc, argv, e);
    if (!rc)
        rc = share_out(a, need, e);
    if (rc)
        args_free(a);
    else
        *ret = a;
    return rc;
}

void args_free(struct args *a)
{
    if (!a)
        return;
    for (size_t i = 0; i < a->entry_count; i++)
        free(a->entries[i].values);
    for (size_t i = 0; i < a->piece_count; i++)
        free(a->pieces[i]);
    free(a->pieces);
    free(a->words);
    free(a->operands);
    free(a);
}

int args_first_word(const struct opt *common, int argc, char **argv, struct err *e)
{
    struct args a = {0};
    struct forms forms = {0};
    int code;

    add_table(&a, common);
    make_forms(&a, "+:", &forms);
    opterr = 0;
    optind = 0;
    while ((code = getopt_long(argc, argv, forms.letters, forms.longs, NULL)) != -1)
        if (!by_code(&a, code))
            return explain(&a, code, argv, e);
    return optind;
}

static const struct entry *by_name(const struct args *a, const char *name)
{
    for (size_t i = 0; i < a->entry_count; i++)
        if (!strcmp(a->entries[i].opt->name, name))
            return &a->entries[i];
    return NULL;
}

bool args_has(const struct args *a, const char *name)
{
    const struct entry *entry = by_name(a, name);

    return entry && entry->given;
}

const char *args_value(const struct args *a, const char *name)
{
    const struct entry *entry = by_name(a, name);

    return entry && entry->count ? entry->values[entry->count - 1] : NULL;
}

const char *const *args_values(const struct args *a, const char *name, size_t *ret_count)
{
    const struct entry *entry = by_name(a, name);

    *ret_count = entry ? entry->count : 0;
    return entry ? (const char *const *)entry->values : NULL;
}

size_t args_operand_count(const struct args *a)
{
    return a->operand_count;
}

const char *args_operand(const struct args *a, size_t i)
{
    return i < a->operand_count ? a->operands[i] : NULL;
}
