// SPDX-License-Identifier: GPL-2.0-or-later
#include "api/route.h"

#include <stdio.h>
#include <string.h>

#include "api/events.h"
#include "api/health.h"
#include "api/nodes.h"
#include "api/points.h"
#include "api/reply.h"
#include "api/submit.h"
#include "api/sweeps.h"
#include "api/web.h"
#include "base/str.h"

enum { ALLOW_MAX = 64 };
#define PREFIX "/api/v1/"

const struct route api_routes[] = {
    {"GET", "health", ACCESS_READ, health_get},
    {"GET", "sweeps", ACCESS_READ, sweeps_get},
    {"POST", "sweeps", ACCESS_SUBMIT, submit_post},
    {"GET", "sweeps/{sweep}", ACCESS_READ, sweep_get},
    {"POST", "sweeps/{sweep}/cancel", ACCESS_SUBMIT, sweep_post_cancel},
    {"GET", "sweeps/{sweep}/points", ACCESS_READ, points_get},
    {"GET", "sweeps/{sweep}/points/{point}", ACCESS_READ, point_get},
    {"GET", "sweeps/{sweep}/results", ACCESS_READ, results_get},
    {"GET", "nodes", ACCESS_READ, nodes_get},
    {"GET", "events", ACCESS_READ, events_get},
    {"POST", "check", ACCESS_READ, check_post},
    {"POST", "plan", ACCESS_READ, plan_post},
    {NULL, NULL, ACCESS_READ, NULL},
};

// Copies the part of the path that stands where the pattern has `name`, "" when it is
// longer than out. False when the pattern has none. The path fits the pattern.
static bool part_of(const char *pattern, const char *path, const char *name, char *out, size_t size)
{
    const char *at = strstr(pattern, name);
    size_t len;

    out[0] = '\0';
    if (!at)
        return false;
    for (const char *p = pattern; p < at; p++)
        if (*p == '/')
            path = strchr(path, '/') + 1;
    len = strcspn(path, "/");
    if (len < size) {
        memcpy(out, path, len);
        out[len] = '\0';
    }
    return true;
}

bool route_fits(const char *pattern, const char *path)
{
    while (*pattern) {
        size_t want = strcspn(pattern, "/");
        size_t got = strcspn(path, "/");

        if (!got || (*pattern != '{' && (want != got || memcmp(pattern, path, got) != 0)))
            return false;
        pattern += want;
        path += got;
        if (*pattern != *path)
            return false;
        pattern += *pattern == '/';
        path += *path == '/';
    }
    return !*path;
}

static struct sweep *find_sweep(const struct app *a, const char *id)
{
    for (size_t i = 0; i < a->core.sweep_count; i++)
        if (!strcmp(a->core.sweeps[i]->id, id))
            return a->core.sweeps[i];
    return NULL;
}

static const struct sweep_point *find_point(const struct sweep *s, const char *written)
{
    char name[POINT_NAME_MAX];

    point_name_canonical(written, name, sizeof(name));
    for (size_t i = 0; i < s->point_count; i++)
        if (!strcmp(s->points[i].point.name, name))
            return &s->points[i];
    return NULL;
}

// Fills what the pattern names. Answers and returns false when there is none.
static bool resolve(struct app *a, const struct route *r, const char *path, struct call *c)
{
    char id[HTTP_PATH_MAX];

    if (!part_of(r->pattern, path, "{sweep}", id, sizeof(id)))
        return true;
    c->sweep = find_sweep(a, id);
    if (!c->sweep) {
        reply_not_found(a, c->req->id, "There is no sweep of this id.");
        return false;
    }
    if (!part_of(r->pattern, path, "{point}", id, sizeof(id)))
        return true;
    c->point = find_point(c->sweep, id);
    if (!c->point)
        reply_not_found(a, c->req->id, "The sweep has no such point.");
    return c->point;
}

// Only the unix socket brings writes here, with the peer's uid and gid.
static bool allowed(struct app *a, const struct route *r, const struct http_request *req)
{
    if (r->access == ACCESS_READ || writers_allow(a->writers, req->uid, req->gid))
        return true;
    http_problem(a->http, req->id, HTTP_FORBIDDEN, "forbidden", "Not allowed",
                 "You may read here, but not submit or cancel.",
                 "An administrator can put you into listen.write_group.", NULL);
    return false;
}

static void wrong_method(struct app *a, uint64_t request, const char *path)
{
    char allow[ALLOW_MAX] = "";

    for (const struct route *r = api_routes; r->method; r++)
        if (route_fits(r->pattern, path)) {
            size_t len = strlen(allow);

            snprintf(allow + len, sizeof(allow) - len, "%s%s", len ? ", " : "",
                     strcmp(r->method, "GET") != 0 ? r->method : "GET, HEAD");
        }
    http_header_add(a->http, request, "Allow", allow);
    http_problem(a->http, request, HTTP_NOT_ALLOWED, "method_not_allowed", "Method not allowed",
                 "Resources are read with GET and changed with POST.", NULL, NULL);
}

static void dispatch(struct app *a, const struct http_request *req, const char *path)
{
    const char *method = strcmp(req->method, "HEAD") != 0 ? req->method : "GET";
    struct call c = {.req = req};
    bool known = false;

    for (const struct route *r = api_routes; r->method; r++) {
        if (!route_fits(r->pattern, path))
            continue;
        known = true;
        if (strcmp(r->method, method) != 0)
            continue;
        if (allowed(a, r, req) && resolve(a, r, path, &c))
            r->handle(a, &c);
        return;
    }
    if (known)
        wrong_method(a, req->id, path);
    else
        reply_not_found(a, req->id, "There is no such resource.");
}

// A view of the dashboard, which the frame draws; nothing where none is served.
static void view(struct app *a, const struct http_request *req)
{
    bool read = !strcmp(req->method, "GET") || !strcmp(req->method, "HEAD");

    if (!read || !web_is_view(req->path) || http_reply_page(a->http, req->id, WEB_FRAME) < 0)
        reply_not_found(a, req->id, "There is no such resource.");
}

void api_on_request(void *ctx, const struct http_request *req)
{
    struct app *a = ctx;

    if (a->role == ROLE_STARTING && strcmp(req->path, PREFIX "health") != 0)
        http_problem(a->http, req->id, HTTP_UNAVAILABLE, "starting", "Starting",
                     "The sweeps are not loaded yet.", "Ask again in a moment.", NULL);
    else if (!str_starts(req->path, PREFIX))
        view(a, req);
    else
        dispatch(a, req, req->path + strlen(PREFIX));
}
