// SPDX-License-Identifier: GPL-2.0-or-later
// The settings: defaults, units, ranges, unknown keys.
#include "conf.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fsio.h"
#include "tap.h"

static char path[300];

static const char fleet[] =
    "spool: /s\nfleets: {\"cluster:mi325x-amds\": {partition: compute, gres: "
    "\"gpu:mi325x\", gpus_per_node: 8}}\n";

static int load(const char *more, struct conf **ret, struct err *e)
{
    char text[2048];

    snprintf(text, sizeof(text), "%s%s", fleet, more);
    CHECK_INT(fs_write_atomic(path, text, strlen(text), 0600, e), 0);
    return conf_load(path, ret, e);
}

static void defaults(void)
{
    struct conf *c = NULL;
    struct err e = {0};

    CHECK_INT(load("", &c, &e), 0);
    if (!c)
        return;
    CHECK_INT(c->poll_interval, 2 * US_PER_S);
    CHECK_INT(c->job_time_limit, 8 * 3600 * US_PER_S);
    CHECK_INT(c->infra_attempts, 3);
    CHECK_TEXT(c->listen_tcp, "");
    CHECK_TEXT(c->spool, "/s");
    CHECK_TEXT(conf_fleet(c, "cluster:mi325x-amds")->hardware, "mi325x"); // from the label
    CHECK(conf_fleet(c, "cluster:other") == NULL);
    conf_free(c);
}

static void values(void)
{
    struct conf *c = NULL;
    struct err e = {0};

    CHECK_INT(load("slurm: {poll_interval: 250ms}\nmatrices: [a, b]\n"
                   "job: {environment: {A: \"1 2\", B: x=y}}\nlisten: {tcp: \"127.0.0.1:1\"}\n",
                   &c, &e),
              0);
    if (!c)
        return;
    CHECK_INT(c->poll_interval, 250 * US_PER_MS);
    CHECK_INT(c->matrix_count, 2);
    CHECK_TEXT(c->matrices[1], "b");
    CHECK_INT(c->job_environment_count, 2);
    CHECK_TEXT(c->job_environment[1].name, "B");
    CHECK_TEXT(c->job_environment[1].value, "x=y");
    CHECK_TEXT(c->listen_tcp, "127.0.0.1:1");
    conf_free(c);
}

static void refusals(void)
{
    static const struct {
        const char *more, *said;
    } cases[] = {
        {"slurm: {pol_interval: 2s}\n", ":3:9: unknown key 'slurm.pol_interval'; did you mean "
                                        "'slurm.poll_interval'?"},
        {"slurm: {poll_interval: 2}\n", "is not a duration"},
        {"slurm: {poll_interval: 1ms}\n", "outside 50ms to"},
        {"policy: {infra_attempts: 0}\n", "outside 1 to 20"},
        {"policy: {infra_attempts: many}\n", "must be a whole number"},
        {"spool: /t\n", "spool"}, // twice
        {"matrices: a\n", "must be a list"},
        {"job: {environment: {A: \"x\\ny\"}}\n", "line breaks"},
        {"fleeets: {}\n", "did you mean 'fleets'?"},
        {"slurm: 3\n", "must be a map"},
        {"slurm: {\n", ""},
    };
    struct conf *c = NULL;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct err e = {0};

        CHECK(load(cases[i].more, &c, &e) < 0);
        CHECK_HOLDS(e.text, cases[i].said);
        CHECK_HOLDS(e.text, path);
    }
    CHECK(c == NULL);
}

static void what_is_required(void)
{
    struct conf *c = NULL;
    struct err e = {0};

    CHECK_INT(fs_write_atomic(path, "spool: /s\n", 10, 0600, &e), 0);
    CHECK(conf_load(path, &c, &e) < 0);
    CHECK_HOLDS(e.text, "the key 'fleets' is missing");
    CHECK(conf_load("/no/such/file", &c, &e) < 0);
    CHECK_HOLDS(e.text, "/no/such/file");
}

static void the_shipped_file(void)
{
    struct conf *c = NULL;
    struct err e = {0};

    CHECK_INT(conf_load("etc/sweepd.yaml", &c, &e), 0);
    CHECK_TEXT(e.text, "");
    conf_free(c);
}

int main(void)
{
    snprintf(path, sizeof(path), "%s/conf-%ld.yaml", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp",
             (long)getpid());
    defaults();
    values();
    refusals();
    what_is_required();
    the_shipped_file();
    unlink(path);
    return tap_done();
}
