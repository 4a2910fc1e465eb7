// SPDX-License-Identifier: GPL-2.0-or-later
#include "api/web.h"

#include <stdio.h>
#include <string.h>

#include "app.h"
#include "base/clock.h"
#include "base/fsio.h"
#include "base/str.h"

enum { WEB_PATH_MAX = 4096, WEB_FILE_MAX = 2 << 20 };

static const char *const files[] = {
    "api.js",
    "app.css",
    "app.js",
    "chart.js",
    "feed.js",
    "format.js",
    "grid.js",
    "icon.svg",
    "index.html",
    "live.js",
    "nodes.js",
    "pareto.js",
    "parts.js",
    "point.js",
    "sweep.js",
    "sweeps.js",
    "timeline.js",
    "vendor/d3/d3.js",
    "vendor/plot/plot.js",
    "vendor/preact/preact.js",
};

static const char *type_of(const char *name)
{
    static const char *const types[][2] = {
        {".css", "text/css; charset=utf-8"},
        {".html", "text/html; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".svg", "image/svg+xml"},
    };
    const char *dot = strrchr(name, '.');

    for (size_t i = 0; dot && i < sizeof(types) / sizeof(types[0]); i++)
        if (!strcmp(dot, types[i][0]))
            return types[i][1];
    return "application/octet-stream";
}

int api_publish_web(struct app *a, struct err *e)
{
    const char *folder = a->conf->web;
    char path[WEB_PATH_MAX];
    char page[WEB_PATH_MAX];
    struct str text = {0};
    int rc = 0;

    for (size_t i = 0; folder[0] && !rc && i < sizeof(files) / sizeof(files[0]); i++) {
        bool frame = !strcmp(files[i], "index.html");

        snprintf(path, sizeof(path), "%s/%s", folder, files[i]);
        snprintf(page, sizeof(page), "/web/%s", files[i]);
        rc = fs_read(path, WEB_FILE_MAX, &text, e);
        if (!rc)
            http_page_set(a->http, frame ? WEB_FRAME : page, type_of(files[i]), str_text(&text),
                          text.len, clock_wall_us());
    }
    str_free(&text);
    return rc;
}

bool web_is_view(const char *path)
{
    return !strcmp(path, "/nodes") || str_starts(path, "/sweeps/");
}
