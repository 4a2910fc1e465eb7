// SPDX-License-Identifier: GPL-2.0-or-later
// A changelog, the one before it, a configuration and the one before that.
#include <stdint.h>
#include <stdlib.h>

#include "base/str.h"
#include "spec/changelog.h"
#include "tests/fuzz/parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct config *load(const struct spec_source *src)
{
    struct config *c = NULL;
    struct err e = {0};

    return config_load(src, 1, NULL, &c, &e) ? NULL : c;
}

static void expand(const struct changelog *c, const struct config *config,
                   const struct config *base)
{
    struct matrix m = {0};
    struct str text = {0};
    struct err e = {0};

    for (int strict = 0; strict < 2; strict++) {
        const struct changelog_options o = {.trim = strict, .strict = strict, .base = base};

        if (changelog_expand(c, config, &o, &m, &e)) {
            if (!e.text[0])
                abort();
            continue;
        }
        changelog_to_json(c, &m, "a", "b", &text);
        matrix_free(&m);
    }
    str_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct spec_source head = part_next("head", &data, &size);
    struct spec_source before = part_next("base", &data, &size);
    struct spec_source master = part_next("m", &data, &size);
    struct spec_source old = part_next("o", &data, &size);
    struct changelog c = {0};
    struct err e = {0};

    if (changelog_added(&head, before.len ? &before : NULL, &c, &e)) {
        if (!e.text[0])
            abort();
        return 0;
    }
    struct config *config = load(&master), *base = load(&old);
    if (config)
        expand(&c, config, base);
    config_free(config);
    config_free(base);
    changelog_free(&c);
    return 0;
}
