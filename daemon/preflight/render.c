// SPDX-License-Identifier: GPL-2.0-or-later
#include "preflight/render.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/proc.h"
#include "base/str.h"

enum {
    TIMEOUT_BASE_S = 10,
    TIMEOUT_MS_PER_BLOCK = 50, // measured: 4 ms
    ERROR_SHOWN = 400,         // bytes of a recipe's standard error in a message
    DRAFT_TOKENS_MAX = 64,
    EXPECTED_SECONDS_MAX = 1000000, // of one part
};

// --- one line --------------------------------------------------------------------

static bool read_words(const json_t *array, struct words *ret)
{
    size_t i;
    const json_t *item;

    if (!json_is_array(array) || json_array_size(array) == 0)
        return false;
    ret->list = mem_array(json_array_size(array), sizeof(*ret->list));
    json_array_foreach(array, i, item)
    {
        if (!json_is_string(item))
            return false;
        ret->list[ret->count++] = mem_strdup(json_string_value(item));
    }
    return true;
}

static bool read_pairs(json_t *object, struct pairs *ret)
{
    const char *name;
    json_t *value;

    if (!json_is_object(object))
        return false;
    ret->list = mem_array(json_object_size(object) + 1, sizeof(*ret->list));
    json_object_foreach(object, name, value)
    {
        if (!json_is_string(value))
            return false;
        ret->list[ret->count].name = mem_strdup(name);
        ret->list[ret->count++].value = mem_strdup(json_string_value(value));
    }
    return true;
}

static bool read_side(const json_t *root, const char *name, struct words *argv, struct pairs *env)
{
    const json_t *side = json_object_get(root, name);

    return read_words(json_object_get(side, "argv"), argv) &&
           read_pairs(json_object_get(side, "env"), env);
}

// A recipe need not say what its points take; what it says must make sense.
static bool read_expected(const json_t *parts, int64_t *ret)
{
    static const char *const names[] = {"load", "warmup", "profile", "collect"};
    int64_t sum = 0;

    for (size_t i = 0; parts && i < sizeof(names) / sizeof(names[0]); i++) {
        const json_t *v = json_object_get(parts, names[i]);

        if (!json_is_integer(v) || json_integer_value(v) < 0 ||
            json_integer_value(v) > EXPECTED_SECONDS_MAX)
            return false;
        sum += json_integer_value(v);
    }
    *ret = sum;
    return true;
}

static bool read_meta(const json_t *meta, struct rendering *r)
{
    const json_t *draft = json_object_get(meta, "draft_tokens");
    const json_t *golden = json_object_get(meta, "golden_al");
    const char *thinking = json_string_value(json_object_get(meta, "thinking"));
    const char *flags = json_string_value(json_object_get(meta, "client_flags"));

    if (!json_is_integer(draft) || !json_is_number(golden) || !thinking || !flags)
        return false;
    if (json_integer_value(draft) < 0 || json_integer_value(draft) > DRAFT_TOKENS_MAX)
        return false;
    if (!read_expected(json_object_get(meta, "expected_s"), &r->expected_s))
        return false;
    r->draft_tokens = (int)json_integer_value(draft);
    r->golden_al = json_number_value(golden);
    return str_copy(r->thinking, sizeof(r->thinking), thinking) &&
           str_copy(r->client_flags, sizeof(r->client_flags), flags);
}

// Returns what is wrong with it, NULL when nothing is.
static const char *read_root(const json_t *root, struct rendering *r)
{
    const char *point = json_string_value(json_object_get(root, "point"));
    const char *refusal = json_string_value(json_object_get(root, "error"));

    if (!point)
        return "the line has no \"point\"";
    r->point = mem_strdup(point);
    if (refusal) {
        r->refused = true;
        return refusal;
    }
    if (!read_side(root, "server", &r->server, &r->server_env))
        return "\"server\" needs \"argv\", a list of texts, and \"env\", an object of texts";
    if (!read_side(root, "replay", &r->replay, &r->replay_env))
        return "\"replay\" needs \"argv\", a list of texts, and \"env\", an object of texts";
    if (!read_meta(json_object_get(root, "meta"), r))
        return "\"meta\" needs draft_tokens, golden_al, thinking and client_flags; "
               "expected_s, if it is there, load, warmup, profile and collect in seconds";
    r->server_text = json_dumps(json_object_get(root, "server"), JSON_COMPACT | JSON_SORT_KEYS);
    return r->server_text ? NULL : "\"server\" cannot be written again";
}

void render_parse(const char *line, size_t len, struct rendering *ret)
{
    json_error_t why;
    const char *wrong;
    json_t *root = NULL;

    *ret = (struct rendering){0};
    if (len > RENDER_LINE_MAX) {
        wrong = "the line is too long";
    } else {
        root = json_loadb(line, len, JSON_REJECT_DUPLICATES, &why);
        wrong = root ? read_root(root, ret) : why.text;
    }
    if (wrong) {
        ret->refusal = mem_strdup(wrong);
    } else {
        ret->json = mem_alloc(len + 1);
        memcpy(ret->json, line, len);
    }
    json_decref(root);
}

void rendering_free(struct rendering *list, size_t count)
{
    for (size_t i = 0; list && i < count; i++) {
        free(list[i].json);
        free(list[i].refusal);
        free(list[i].point);
        free(list[i].server_text);
        words_free(&list[i].server);
        words_free(&list[i].replay);
        pairs_free(&list[i].server_env);
        pairs_free(&list[i].replay_env);
    }
    free(list);
}

// --- all of them -------------------------------------------------------------------

static int parse_output(const struct str *output, size_t count, struct rendering **ret,
                        struct err *e)
{
    struct rendering *list = mem_array(count, sizeof(*list));
    const char *at = str_text(output), *end = at + output->len;
    size_t lines = 0;

    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t len = (size_t)((stop ? stop : end) - at);

        if (lines < count)
            render_parse(at, len, &list[lines]);
        lines++;
        at += len + 1;
    }
    if (lines != count) {
        rendering_free(list, count);
        return err_set(e, -EPROTO, "it printed %zu lines for %zu points", lines, count);
    }
    *ret = list;
    return 0;
}

// The last lines are the ones that tell.
static const char *tail(const struct str *text)
{
    const char *all = str_text(text);

    return text->len > ERROR_SHOWN ? all + text->len - ERROR_SHOWN : all;
}

// Nothing of the caller's environment but the way to its tools: a variable that happens to be set
// there must not decide what is rendered.
static int run_recipe(const char *recipe, const struct str *input, size_t count, int64_t timeout_us,
                      struct proc_result *result, struct err *e)
{
    struct str path = {0};
    const char *tools = getenv("PATH");

    str_addf(&path, "PATH=%s", tools ? tools : "/usr/bin:/bin");
    const char *const argv[] = {"bash", recipe, "--render", NULL};
    const char *const env[] = {str_text(&path), NULL};
    struct proc_spec spec = {
        .argv = argv,
        .env = env,
        .input = str_text(input),
        .input_len = input->len,
        .output_max = (count + 1) * RENDER_LINE_MAX,
        .timeout_us = timeout_us ? timeout_us
                                 : TIMEOUT_BASE_S * US_PER_S +
                                       (int64_t)count * TIMEOUT_MS_PER_BLOCK * US_PER_MS,
    };
    int rc = proc_run(&spec, result, e);

    str_free(&path);
    if (rc == 0 && result->exit_code != 0)
        rc = err_set(e, -EPROTO, "it ended with status %d: %s", result->exit_code,
                     tail(&result->errors));
    return rc;
}

int render_blocks(const char *recipe, char *const *blocks, size_t count, int64_t timeout_us,
                  struct rendering **ret, struct err *e)
{
    struct proc_result result = {0};
    struct str input = {0};

    for (size_t i = 0; i < count; i++) {
        str_add(&input, blocks[i]);
        str_add_char(&input, '\n');
    }
    int rc = run_recipe(recipe, &input, count, timeout_us, &result, e);

    if (rc == 0)
        rc = parse_output(&result.output, count, ret, e);
    proc_result_free(&result);
    str_free(&input);
    return rc;
}
