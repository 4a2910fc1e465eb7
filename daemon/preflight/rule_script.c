// SPDX-License-Identifier: GPL-2.0-or-later
// The script itself: does bash read it, can it be run.
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/fsio.h"
#include "base/proc.h"
#include "preflight/check.h"

enum { SCRIPT_MAX = 1024 * 1024, SYNTAX_TIMEOUT_S = 10, SYNTAX_OUTPUT_MAX = 4096 };

// Scripts that a recipe is made of, beside it.
static const char *const libraries[] = {"lib.sh", "driver.sh"};

static bool check_syntax(struct check *c, const char *path)
{
    const char *const argv[] = {"bash", "-n", path, NULL};
    struct proc_spec spec = {
        .argv = argv, .output_max = SYNTAX_OUTPUT_MAX, .timeout_us = SYNTAX_TIMEOUT_S * US_PER_S};
    struct complaint what = {PREFLIGHT_ERROR, "script-syntax", NULL, NULL,
                             "run `bash -n` on the script and repair the line it names"};
    struct proc_result result = {0};
    struct err e = {0};
    bool ok = proc_run(&spec, &result, &e) == 0;

    if (!ok) {
        complain(c, &what, NO_POINT, "bash cannot be run: %s", e.text);
    } else if (result.exit_code != 0) {
        const char *text = str_text(&result.errors);

        ok = false;
        complain(c, &what, NO_POINT, "bash does not understand it: %.*s", (int)strcspn(text, "\n"),
                 text);
    }
    proc_result_free(&result);
    return ok;
}

static bool check_libraries(struct check *c)
{
    const char *slash = strrchr(c->in->recipe, '/');
    int folder = slash ? (int)(slash - c->in->recipe) + 1 : 0;
    bool ok = true;

    for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
        char path[PATH_MAX];
        int n = snprintf(path, sizeof(path), "%.*s%s", folder, c->in->recipe, libraries[i]);

        if (n > 0 && (size_t)n < sizeof(path) && fs_exists(path))
            ok = check_syntax(c, path) && ok;
    }
    return ok;
}

static void check_shebang(struct check *c)
{
    static const char *const good[] = {"#!/usr/bin/env bash\n", "#!/bin/bash\n",
                                       "#!/usr/bin/bash\n"};
    const struct complaint what = {PREFLIGHT_ERROR, "script-shebang", NULL, NULL,
                                   "begin it with the line #!/usr/bin/env bash"};

    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        if (str_starts(str_text(&c->script), good[i]))
            return;
    complain(c, &what, NO_POINT, "the first line does not name bash");
}

static void check_executable(struct check *c)
{
    const struct complaint what = {PREFLIGHT_ERROR, "script-executable", NULL, NULL,
                                   "chmod +x the script"};
    struct stat st;

    if (stat(c->in->recipe, &st) == 0 && !(st.st_mode & S_IXUSR))
        complain(c, &what, NO_POINT, "it is not executable");
}

bool rule_script(struct check *c)
{
    const struct complaint unreadable = {PREFLIGHT_ERROR, "script-syntax", NULL, NULL,
                                         "name a recipe that exists, or repair its permissions"};
    struct err e = {0};

    if (fs_read(c->in->recipe, SCRIPT_MAX, &c->script, &e) != 0) {
        complain(c, &unreadable, NO_POINT, "it cannot be read: %s", e.text);
        return false;
    }
    bool ok = check_syntax(c, c->in->recipe);

    ok = check_libraries(c) && ok;
    if (c->in->job_script)
        ok = check_syntax(c, c->in->job_script) && ok;
    check_shebang(c);
    check_executable(c);
    return ok;
}
