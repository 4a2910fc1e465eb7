// SPDX-License-Identifier: GPL-2.0-or-later
#include "ingest/context.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"

enum { PARALLEL_MAX = 4096 };

static int set_parallel(int64_t *to, const char *key, const char *value, struct err *e)
{
    if (str_to_i64(value, 1, PARALLEL_MAX, to))
        return err_set(e, -EINVAL, "%s=%s: must be an integer from 1 to %d", key, value,
                       PARALLEL_MAX);
    return 0;
}

int context_set(struct context *c, const char *key, const char *value, struct err *e)
{
    if (!strcmp(key, "TP"))
        return set_parallel(&c->tp, key, value, e);
    if (!strcmp(key, "PP_SIZE"))
        return set_parallel(&c->pp, key, value, e);
    if (!strcmp(key, "PCP_SIZE"))
        return set_parallel(&c->pcp, key, value, e);
    if (!strcmp(key, "EVAL_ONLY"))
        c->eval_only = !strcmp(value, "true");
    if (!strcmp(key, "SGLANG_SIMULATE_ACC_LEN"))
        str_copy(c->simulated_length, sizeof(c->simulated_length), value);
    return 0;
}

void context_parse(struct context *c, char *text, const char *file, struct findings *f)
{
    int64_t number = 0;
    char *line;

    while ((line = strsep(&text, "\n"))) {
        char *equals = strchr(line, '=');
        struct err e = {0};

        number++;
        if (!equals)
            continue;
        *equals = '\0';
        if (context_set(c, line, equals + 1, &e))
            findings_add(f, SEVERITY_WARNING, "bad_value", (struct place){file, number, -1}, "%s",
                         e.text);
    }
}

int64_t context_gpus(const struct context *c)
{
    return c->tp * (c->pp ? c->pp : 1) * (c->pcp ? c->pcp : 1);
}
