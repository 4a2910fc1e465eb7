// SPDX-License-Identifier: GPL-2.0-or-later
// Which path fits which pattern, and which URLs are views. The cases are from docs/api.md.
#include "api/route.h"
#include "api/web.h"
#include "tests/unit/tap.h"

static void test_fits(void)
{
    static const struct {
        const char *pattern, *path;
        bool fits;
    } cases[] = {
        {"sweeps", "sweeps", true},
        {"sweeps", "sweep", false},
        {"sweeps", "sweepss", false},
        {"sweeps", "", false},
        {"sweeps", "sweeps/", false},
        {"sweeps/{sweep}", "sweeps/s1-04fd", true},
        {"sweeps/{sweep}", "sweeps/", false},
        {"sweeps/{sweep}", "sweeps", false},
        {"sweeps/{sweep}", "sweeps/s1-04fd/points", false},
        {"sweeps/{sweep}/points", "sweeps/s1-04fd/points", true},
        {"sweeps/{sweep}/points", "sweeps//points", false},
        {"sweeps/{sweep}/points/{point}", "sweeps/s1-04fd/points/tp4-c40", true},
        {"sweeps/{sweep}/points/{point}", "sweeps/s1-04fd/points", false},
        {"sweeps/{sweep}/points/{point}", "sweeps/s1-04fd/nodes/tp4-c40", false},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        CHECK_INT(route_fits(cases[i].pattern, cases[i].path), cases[i].fits);
}

static void test_views(void)
{
    static const char *const views[] = {"/nodes", "/sweeps/s1-04fd", "/sweeps/s1-04fd/points/a"};
    static const char *const others[] = {"/",       "/node",       "/nodes/x",
                                         "/sweeps", "/web/app.js", "/api/v1/sweeps/s1-04fd"};

    for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++)
        CHECK(web_is_view(views[i]));
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        CHECK(!web_is_view(others[i]));
}

int main(void)
{
    test_fits();
    test_views();
    return tap_done();
}
