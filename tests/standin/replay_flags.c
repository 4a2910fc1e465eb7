// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/standin/replay_flags.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fsio.h"
#include "base/mem.h"

#define FLAGS_PATH "etc/flags/agentx-harness.txt"

enum {
    FLAGS_FILE_MAX = 1 << 20,
    LEVELS_UP = 5, // build/, build/san-.../, build/san-.../clang/
    NEAR = 12,     // edits up to which a flag is taken for a slip
};

enum arity { NO_VALUE, ONE_VALUE, MANY_VALUES };

struct known {
    char *name;
    enum arity arity;
};

struct given {
    const char *name;
    const char *value; // NULL for a switch
};

struct flags {
    struct known *known;
    size_t known_count;
    size_t known_cap;
    struct given *given;
    size_t given_count;
    size_t given_cap;
    char **joined; // names cut out of --name=value
    size_t joined_count;
    size_t joined_cap;
};

static const char *const shorts[][2] = {
    {"-m", "--model"},      {"-u", "--url"},     {"-H", "--header"},         {"-f", "--config"},
    {"-b", "--batch-size"}, {"-v", "--verbose"}, {"-vv", "--extra-verbose"},
};

static int read_line(struct flags *f, char *line, struct err *e)
{
    static const char *const names[] = {"bool", "value", "multi"};
    char *tab = strchr(line, '\t');

    if (!line[0])
        return 0;
    if (!tab || !str_starts(line, "--"))
        return err_set(e, -EINVAL, "not a flag and its arity: %s", line);
    *tab = '\0';
    for (int i = 0; i < 3; i++) {
        if (strcmp(tab + 1, names[i]) != 0)
            continue;
        f->known = mem_room(f->known, f->known_count, &f->known_cap, sizeof(*f->known));
        f->known[f->known_count++] = (struct known){mem_strdup(line), (enum arity)i};
        return 0;
    }
    return err_set(e, -EINVAL, "%s: unknown arity %s", line, tab + 1);
}

// The list beside the program's folder or above it.
static bool find_list(char *path, size_t size)
{
    char folder[PATH_MAX - sizeof(FLAGS_PATH) - 2];
    ssize_t n = readlink("/proc/self/exe", folder, sizeof(folder) - 1);

    if (n <= 0)
        return false;
    folder[n] = '\0';
    for (int i = 0; i < LEVELS_UP; i++) {
        char *slash = strrchr(folder, '/');

        if (!slash)
            return false;
        *slash = '\0';
        snprintf(path, size, "%s/" FLAGS_PATH, folder);
        if (fs_exists(path))
            return true;
    }
    return false;
}

int flags_load(struct flags **ret, struct err *e)
{
    const char *named = getenv("STANDIN_FLAGS");
    char path[PATH_MAX];
    struct str text = {0};

    if (named && named[0])
        snprintf(path, sizeof(path), "%s", named);
    else if (!find_list(path, sizeof(path)))
        return err_set(e, -ENOENT, "no " FLAGS_PATH " near the program; name it in STANDIN_FLAGS");
    struct flags *f = mem_alloc(sizeof(*f));
    int rc = fs_read(path, FLAGS_FILE_MAX, &text, e);
    char *rest = rc ? NULL : text.p;
    char *line;
    while (!rc && (line = strsep(&rest, "\n")))
        rc = read_line(f, line, e);
    str_free(&text);
    if (rc) {
        flags_free(f);
        return err_wrap(e, "flag list %s", path);
    }
    *ret = f;
    return 0;
}

void flags_free(struct flags *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->known_count; i++)
        free(f->known[i].name);
    for (size_t i = 0; i < f->joined_count; i++)
        free(f->joined[i]);
    free(f->known);
    free(f->given);
    free(f->joined);
    free(f);
}

static const struct known *find(const struct flags *f, const char *name)
{
    for (size_t i = 0; i < f->known_count; i++)
        if (strcmp(f->known[i].name, name) == 0)
            return &f->known[i];
    return NULL;
}

static const char *nearest(const struct flags *f, const char *name)
{
    const char *best = NULL;
    int least = NEAR + 1;

    for (size_t i = 0; i < f->known_count; i++) {
        int d = str_distance(name, f->known[i].name, NEAR);

        if (d < least) {
            least = d;
            best = f->known[i].name;
        }
    }
    return best;
}

static const char *long_name(const char *arg)
{
    for (size_t i = 0; i < sizeof(shorts) / sizeof(shorts[0]); i++)
        if (strcmp(shorts[i][0], arg) == 0)
            return shorts[i][1];
    return arg;
}

static void add(struct flags *f, const char *name, const char *value)
{
    f->given = mem_room(f->given, f->given_count, &f->given_cap, sizeof(*f->given));
    f->given[f->given_count++] = (struct given){name, value};
}

static char *cut_name(struct flags *f, const char *arg, const char *equals)
{
    f->joined = mem_room(f->joined, f->joined_count, &f->joined_cap, sizeof(*f->joined));
    char *name = mem_strdup(arg);
    name[equals - arg] = '\0';
    f->joined[f->joined_count++] = name;
    return name;
}

static int unknown(const struct flags *f, const char *arg, struct err *e)
{
    const char *near = nearest(f, arg);

    if (!near)
        return err_set(e, -EINVAL, "Unknown option: \"%s\".", arg);
    return err_set(e, -EINVAL, "Unknown option: \"%s\". Did you mean \"%s\"?", arg, near);
}

static bool is_flag(const char *arg)
{
    return arg[0] == '-' && arg[1] && !strchr("0123456789.", arg[1]);
}

// One flag with its values; returns how many arguments it took.
static int read_flag(struct flags *f, int argc, char **argv, struct err *e)
{
    const char *arg = argv[0];
    const char *equals = str_starts(arg, "--") ? strchr(arg, '=') : NULL;
    const char *name = equals ? cut_name(f, arg, equals) : long_name(arg);
    const struct known *k = find(f, name);
    int used = 1;

    if (!is_flag(arg))
        return err_set(e, -EINVAL, "Unused Tokens: ['%s'].", arg);
    if (!k)
        return unknown(f, name, e);
    if (k->arity == NO_VALUE) {
        if (equals)
            return err_set(e, -EINVAL, "Option \"%s\" takes no value.", name);
        add(f, k->name, NULL);
        return used;
    }
    if (equals) {
        add(f, k->name, equals + 1);
        return used;
    }
    while (used < argc && !is_flag(argv[used]) && (used == 1 || k->arity == MANY_VALUES))
        add(f, k->name, argv[used++]);
    if (used == 1)
        return err_set(e, -EINVAL, "Option \"%s\" requires an argument.", name);
    return used;
}

int flags_parse(struct flags *f, int argc, char **argv, struct err *e)
{
    while (argc > 0) {
        int used = read_flag(f, argc, argv, e);

        if (used < 0)
            return used;
        argc -= used;
        argv += used;
    }
    return 0;
}

bool flags_given(const struct flags *f, const char *name)
{
    for (size_t i = 0; i < f->given_count; i++)
        if (strcmp(f->given[i].name, name) == 0)
            return true;
    return false;
}

const char *flags_value(const struct flags *f, const char *name)
{
    for (size_t i = f->given_count; i-- > 0;)
        if (strcmp(f->given[i].name, name) == 0)
            return f->given[i].value;
    return NULL;
}

const char *flags_nth(const struct flags *f, const char *name, size_t n)
{
    for (size_t i = 0; i < f->given_count; i++)
        if (strcmp(f->given[i].name, name) == 0 && n-- == 0)
            return f->given[i].value;
    return NULL;
}
