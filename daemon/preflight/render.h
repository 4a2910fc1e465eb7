// SPDX-License-Identifier: GPL-2.0-or-later
// Runs a recipe with --render and reads its answer (docs/architecture.md, "Rendering a recipe").
#ifndef SWEEPD_PREFLIGHT_RENDER_H
#define SWEEPD_PREFLIGHT_RENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "preflight/words.h"

enum { RENDER_WORD_MAX = 32, RENDER_LINE_MAX = 64 * 1024 };

struct rendering {
    char *json;    // the line; NULL when there is none of the right shape
    char *refusal; // why the recipe refuses the point, or what is wrong with the line
    bool refused;  // refusal is the recipe's own word
    char *point;
    struct words server, replay;
    struct pairs server_env, replay_env;
    char *server_text; // arguments and environment of the server, comparable
    int draft_tokens;  // what the recipe says of itself, to be held against its arguments
    double golden_al;
    char thinking[RENDER_WORD_MAX]; // "on" or "off"
    char client_flags[RENDER_WORD_MAX];
    int64_t expected_s; // all parts together; 0: the recipe does not say
};

// Renders `count` blocks of KEY=VALUE lines in one process. *ret is an array of `count`, to be
// given to rendering_free(), on success only. -EPROTO: the recipe failed or did not print a line
// for each block; -ETIMEDOUT, -EFBIG and others of proc_run().
int render_blocks(const char *recipe, char *const *blocks, size_t count, int64_t timeout_us,
                  struct rendering **ret, struct err *e) MUST_CHECK;
// Reads one line, which need not be terminated. Never fails: see rendering.json.
void render_parse(const char *line, size_t len, struct rendering *ret);
void rendering_free(struct rendering *list, size_t count);

#endif
