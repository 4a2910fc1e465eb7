// SPDX-License-Identifier: GPL-2.0-or-later
// Keeps the pages that are read most in step with core's state.
#include <stdio.h>

#include "api/health.h"
#include "api/nodes.h"
#include "api/points.h"
#include "api/reply.h"
#include "api/sweeps.h"
#include "base/clock.h"
#include "base/mem.h"

enum { PAGE_PATH_MAX = 512 };

static void put(struct app *a, const char *path, struct str *text)
{
    http_page_set(a->http, path, JSON_TYPE, str_text(text), text->len, clock_wall_us());
    str_clear(text);
}

static uint64_t versions_of(const struct sweep *s)
{
    uint64_t sum = 1 + s->v.now;

    for (size_t i = 0; i < s->point_count; i++) {
        sum += s->points[i].v.now;
        for (size_t k = 0; k < s->points[i].attempt_count; k++)
            sum += s->points[i].attempts[k].v.now;
    }
    return sum;
}

static void publish_sweep(struct app *a, const struct sweep *s)
{
    char path[PAGE_PATH_MAX];
    struct str text = {0};

    snprintf(path, sizeof(path), "/api/v1/sweeps/%s", s->id);
    sweep_document(a, s, &text);
    put(a, path, &text);
    snprintf(path, sizeof(path), "/api/v1/sweeps/%s/points", s->id);
    points_document(&a->core, s, &text);
    put(a, path, &text);
    str_free(&text);
}

void api_publish(struct app *a)
{
    struct str text = {0};
    bool changed = a->published_count != a->core.sweep_count || !a->published;

    a->publish_at = 0;
    a->published = mem_grow(a->published, a->core.sweep_count + 1, sizeof(*a->published));
    for (size_t i = 0; i < a->core.sweep_count; i++) {
        const struct sweep *s = a->core.sweeps[i];
        uint64_t sum = versions_of(s);

        if (i < a->published_count && a->published[i] == sum)
            continue;
        a->published[i] = sum;
        changed = true;
        publish_sweep(a, s);
    }
    a->published_count = a->core.sweep_count;
    if (changed) {
        sweeps_document(a, NULL, NULL, &text);
        put(a, "/api/v1/sweeps", &text);
    }
    if (changed || a->nodes_changed) {
        a->nodes_changed = false;
        nodes_document(a, &text);
        put(a, "/api/v1/nodes", &text);
    }
    str_free(&text);
}

void api_publish_health(struct app *a)
{
    struct str text = {0};

    health_document(a, &text);
    put(a, "/api/v1/health", &text);
    str_free(&text);
}
