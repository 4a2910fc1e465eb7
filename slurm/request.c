// SPDX-License-Identifier: GPL-2.0-or-later
#include "slurm/request.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"

enum {
    NAME_MAX_BYTES = 256,
    PATH_MAX_BYTES = 4096,
    SCRIPT_MAX_BYTES = 4 << 20, // Slurm's own default of max_script_size
    LIST_MAX = 4096,
    ENV_TEXT_MAX = 32768,
    GPUS_MAX = 1024,
    CPUS_MAX = 65534, // cpus_per_task is 16 bits wide in Slurm, less two special values
    MEMORY_MB_MAX = 1 << 30,
    MINUTES_MAX = 366 * 24 * 60,
    WARN_S_MAX = 65535, // warn_time is 16 bits wide in Slurm
};

#define JOB_ID_MAX INT64_C(0xfffffffd) // above are Slurm's special values

enum kind { WORD, PATH, TOKEN, COMMENT, SCRIPT, SIGNAL, NUMBER, TRUTH, WORDS, ENV };

struct field {
    const char *key;
    enum kind kind;
    bool needed;   // and not empty
    size_t offset; // into struct request
    int64_t max;   // of a NUMBER, whose least value is 0, or 1 when needed
};

#define AT(member) offsetof(struct request, member)

static const struct field hello_fields[] = {
    {"user", WORD, false, AT(user), 0},
    {0},
};

static const struct field poll_fields[] = {
    {"partitions", WORDS, false, AT(partitions), 0},
    {0},
};

static const struct field submit_fields[] = {
    {"name", WORD, true, AT(name), 0},
    {"comment", COMMENT, true, AT(comment), 0},
    {"partition", WORD, true, AT(partition), 0},
    {"gres", WORD, false, AT(gres), 0},
    {"gpus", NUMBER, false, AT(gpus), GPUS_MAX},
    {"exclusive", TRUTH, false, AT(exclusive), 0},
    {"cpus", NUMBER, false, AT(cpus), CPUS_MAX},
    {"memory_mb", NUMBER, false, AT(memory_mb), MEMORY_MB_MAX},
    {"time_limit_min", NUMBER, false, AT(time_limit_min), MINUTES_MAX},
    {"warn_s", NUMBER, false, AT(warn_s), WARN_S_MAX},
    {"exclude", WORDS, false, AT(exclude), 0},
    {"work_dir", PATH, true, AT(work_dir), 0},
    {"stdout", PATH, true, AT(output), 0},
    {"script", SCRIPT, true, AT(script), 0},
    {"env", ENV, true, AT(env), 0},
    {"account", WORD, false, AT(account), 0},
    {"qos", WORD, false, AT(qos), 0},
    {"reservation", WORD, false, AT(reservation), 0},
    {0},
};

static const struct field cancel_fields[] = {
    {"job_id", NUMBER, true, AT(job_id), JOB_ID_MAX},
    {"token", TOKEN, true, AT(token), 0},
    {"submit_time", NUMBER, false, AT(submit_time), INT64_MAX},
    {"signal", SIGNAL, false, AT(signal), 0},
    {0},
};

static const struct field ping_fields[] = {{0}};

static const struct {
    const char *name;
    const struct field *fields;
} operations[] = {
    [OP_HELLO] = {"hello", hello_fields},    [OP_POLL] = {"poll", poll_fields},
    [OP_SUBMIT] = {"submit", submit_fields}, [OP_CANCEL] = {"cancel", cancel_fields},
    [OP_PING] = {"ping", ping_fields},
};

enum { OPERATIONS = sizeof(operations) / sizeof(operations[0]) };

static bool only(const char *text, const char *allowed)
{
    return text[strspn(text, allowed)] == '\0';
}

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

// Words go into Slurm's lists and patterns, where ',', '[', '%' and spaces
// would mean something else than themselves.
static const char *word_fault(const char *text)
{
    if (strlen(text) > NAME_MAX_BYTES)
        return "is too long";
    if (!only(text, LETTERS DIGITS "._:@/+=-"))
        return "holds a character other than letters, digits and ._:@/+=-";
    return NULL;
}

static const char *token_fault(const char *text)
{
    if (strlen(text) != TOKEN_HEX - 1 || !only(text, DIGITS "abcdef"))
        return "is no token (32 hexadecimal digits)";
    return NULL;
}

// Slurm expands '%' and '\' in a job's file names.
static const char *path_fault(const char *text)
{
    if (text[0] != '/')
        return "is no absolute path";
    if (strlen(text) > PATH_MAX_BYTES)
        return "is too long";
    if (strpbrk(text, "%\\\n"))
        return "holds '%', '\\' or a line end, which Slurm would not take literally";
    return NULL;
}

// slurmctld takes a script without an interpreter line, and the job then fails
// on its node.
static const char *script_fault(const char *text)
{
    if (strlen(text) > SCRIPT_MAX_BYTES)
        return "is too long";
    return str_starts(text, "#!") ? NULL : "does not begin with \"#!\"";
}

static const char *text_fault(enum kind kind, const char *text)
{
    switch (kind) {
    case PATH:
        return path_fault(text);
    case TOKEN:
        return token_fault(text);
    case COMMENT:
        return str_starts(text, COMMENT_PREFIX) ? token_fault(text + strlen(COMMENT_PREFIX))
                                                : "does not begin with \"" COMMENT_PREFIX "\"";
    case SCRIPT:
        return script_fault(text);
    case SIGNAL:
        return strcmp(text, "TERM") != 0 && strcmp(text, "KILL") != 0 ? "is neither TERM nor KILL"
                                                                      : NULL;
    default:
        return word_fault(text);
    }
}

static int parse_text(const struct field *f, const json_t *value, char **ret, struct err *e)
{
    if (!json_is_string(value))
        return err_set(e, -EINVAL, "\"%s\" is no text", f->key);
    const char *text = json_string_value(value);
    if (!text[0] && f->needed)
        return err_set(e, -EINVAL, "\"%s\" is empty", f->key);
    if (!text[0])
        return 0;
    const char *fault = text_fault(f->kind, text);
    if (fault)
        return err_set(e, -EINVAL, "\"%s\" %s", f->key, fault);
    *ret = mem_strdup(text);
    return 0;
}

static int parse_number(const struct field *f, const json_t *value, int64_t *ret, struct err *e)
{
    int64_t min = f->needed ? 1 : 0;

    if (!json_is_integer(value))
        return err_set(e, -EINVAL, "\"%s\" is no whole number", f->key);
    json_int_t n = json_integer_value(value);
    if (n < min || n > f->max)
        return err_set(e, -EINVAL, "\"%s\" is %lld, not from %lld to %lld", f->key, (long long)n,
                       (long long)min, (long long)f->max);
    *ret = n;
    return 0;
}

static int parse_words(const struct field *f, const json_t *value, struct words *ret, struct err *e)
{
    size_t i;
    json_t *item;

    if (!json_is_array(value) || json_array_size(value) > LIST_MAX)
        return err_set(e, -EINVAL, "\"%s\" is no list of at most %d texts", f->key, LIST_MAX);
    ret->v = mem_array(json_array_size(value) + 1, sizeof(*ret->v));
    json_array_foreach(value, i, item)
    {
        const char *text = json_string_value(item);
        const char *fault = !text ? "is no text" : !text[0] ? "is empty" : word_fault(text);

        if (fault)
            return err_set(e, -EINVAL, "element %zu of \"%s\" %s", i, f->key, fault);
        ret->v[ret->n++] = mem_strdup(text);
    }
    return 0;
}

static const char *variable_fault(const char *key, const json_t *value)
{
    if (!only(key, LETTERS DIGITS "_") || !key[0] || strchr(DIGITS, key[0]))
        return "has a name that no shell variable can have";
    if (!json_is_string(value))
        return "is no text";
    if (json_string_length(value) > ENV_TEXT_MAX)
        return "is too long";
    return NULL;
}

static int parse_env(const struct field *f, json_t *value, struct words *ret, struct err *e)
{
    const char *key;
    json_t *item;

    if (!json_is_object(value) || json_object_size(value) > LIST_MAX)
        return err_set(e, -EINVAL, "\"%s\" is no object of at most %d members", f->key, LIST_MAX);
    if (!json_object_size(value)) // slurmctld refuses a job without an environment
        return err_set(e, -EINVAL, "\"%s\" is empty", f->key);
    ret->v = mem_array(json_object_size(value) + 1, sizeof(*ret->v));
    json_object_foreach(value, key, item)
    {
        const char *fault = variable_fault(key, item);
        struct str s = {0};

        if (fault)
            return err_set(e, -EINVAL, "variable \"%s\" of \"%s\" %s", key, f->key, fault);
        str_addf(&s, "%s=", key);
        str_add(&s, json_string_value(item));
        ret->v[ret->n++] = str_take(&s);
    }
    return 0;
}

static int parse_field(const struct field *f, json_t *value, struct request *r, struct err *e)
{
    void *to = (char *)r + f->offset;

    switch (f->kind) {
    case NUMBER:
        return parse_number(f, value, to, e);
    case WORDS:
        return parse_words(f, value, to, e);
    case ENV:
        return parse_env(f, value, to, e);
    case TRUTH:
        if (!json_is_boolean(value))
            return err_set(e, -EINVAL, "\"%s\" is neither true nor false", f->key);
        *(bool *)to = json_is_true(value);
        return 0;
    default:
        return parse_text(f, value, to, e);
    }
}

static bool known(const struct field *fields, const char *key)
{
    if (strcmp(key, "id") == 0 || strcmp(key, "op") == 0)
        return true;
    for (; fields->key; fields++)
        if (strcmp(key, fields->key) == 0)
            return true;
    return false;
}

static int parse_fields(const struct field *fields, json_t *root, struct request *r, struct err *e)
{
    const char *key;
    json_t *value;

    json_object_foreach(root, key, value) if (!known(fields, key)) return err_set(
        e, -EINVAL, "unknown member \"%s\" in \"%s\"", key, operations[r->op].name);
    for (; fields->key; fields++) {
        value = json_object_get(root, fields->key);
        if (!value && fields->needed)
            return err_set(e, -EINVAL, "\"%s\" is missing", fields->key);
        int rc = value ? parse_field(fields, value, r, e) : 0;
        if (rc)
            return rc;
    }
    return 0;
}

static int parse_object(json_t *root, struct request *r, struct err *e)
{
    const json_t *id = json_object_get(root, "id");
    const char *op = json_string_value(json_object_get(root, "op"));

    if (!json_is_object(root))
        return err_set(e, -EINVAL, "the request is no JSON object");
    if (!json_is_integer(id))
        return err_set(e, -EINVAL, "\"id\" is no whole number");
    r->id = json_integer_value(id);
    r->has_id = true;
    if (!op)
        return err_set(e, -EINVAL, "\"op\" is no text");
    for (int i = 0; i < OPERATIONS; i++) {
        if (strcmp(op, operations[i].name) == 0) {
            r->op = (enum operation)i;
            return parse_fields(operations[i].fields, root, r, e);
        }
    }
    return err_set(e, -EINVAL, "unknown operation \"%s\"", op);
}

static int check_submit(const struct request *r, struct err *e)
{
    if (r->op != OP_SUBMIT)
        return 0;
    if (r->gpus && !r->gres)
        return err_set(e, -EINVAL, "\"gpus\" is given without \"gres\"");
    if (r->gres && !r->gpus)
        return err_set(e, -EINVAL, "\"gres\" is given without \"gpus\"");
    if (r->warn_s && !r->time_limit_min)
        return err_set(e, -EINVAL, "\"warn_s\" is given without \"time_limit_min\"");
    return 0;
}

int request_parse(const char *line, size_t len, struct request *ret, struct err *e)
{
    json_error_t where;

    *ret = (struct request){0};
    json_t *root = json_loadb(line, len, JSON_REJECT_DUPLICATES, &where);
    if (!root)
        return err_set(e, -EINVAL, "the request is no JSON: %s at byte %d", where.text,
                       where.position);
    int rc = parse_object(root, ret, e);
    json_decref(root);
    return rc ? rc : check_submit(ret, e);
}

static void words_free(struct words *w)
{
    for (size_t i = 0; i < w->n; i++)
        free(w->v[i]);
    free(w->v);
}

void request_free(struct request *r)
{
    free(r->user);
    words_free(&r->partitions);
    free(r->name);
    free(r->comment);
    free(r->partition);
    free(r->gres);
    words_free(&r->exclude);
    free(r->work_dir);
    free(r->output);
    free(r->script);
    words_free(&r->env);
    free(r->account);
    free(r->qos);
    free(r->reservation);
    free(r->token);
    free(r->signal);
    *r = (struct request){0};
}
