// SPDX-License-Identifier: GPL-2.0-or-later
// The 32 points of the official sweep and the recipe that runs them, with mistakes put in.
#ifndef SWEEPD_TESTS_PREFLIGHT_RIG_H
#define SWEEPD_TESTS_PREFLIGHT_RIG_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fsio.h"
#include "base/mem.h"
#include "base/str.h"
#include "preflight/preflight.h"
#include "tests/unit/tap.h"
#include "tests/unit/tempdir.h"

#define RECIPES "slurm/recipes"
#define RECIPE "qwen3.5_fp8_mi325x_mtp.sh"
#define FLAGS "etc/flags/agentx-harness.txt"

enum {
    RIG_POINTS_MAX = 40,
    RIG_SCRIPT_MAX = 1024 * 1024,
    RIG_DURATION_S = 3600,
    RIG_PATH_MAX = 512
};

struct rig {
    char folder[TEMPDIR_MAX]; // a copy of the recipes
    char recipe[RIG_PATH_MAX];
    struct preflight_point points[RIG_POINTS_MAX];
    struct preflight_input in;
    struct preflight_report report;
    struct err err;
};

static inline void rig_point(struct rig *r, int tp, int ep, int conc, enum point_kind kind)
{
    struct preflight_point *p = &r->points[r->in.count++];
    struct str env = {0};
    const char *eval = kind == POINT_EVAL ? "true" : "false";

    p->axes = (struct point){.tp = tp,
                             .pp = 1,
                             .dcp = 1,
                             .pcp = 1,
                             .ep = ep,
                             .spec_decoding = "mtp",
                             .kv_offloading = "none",
                             .conc = conc,
                             .kind = kind,
                             .duration_s = RIG_DURATION_S};
    point_name(&p->axes, p->axes.name, sizeof(p->axes.name));
    str_addf(&env,
             "SWEEPD_POINT=%s\nMODEL=Qwen/Qwen3.5-397B-A17B-FP8\nMODEL_PREFIX=qwen3.5\n"
             "FRAMEWORK=sglang\nPRECISION=fp8\nTP=%d\nPP_SIZE=1\nDCP_SIZE=1\nPCP_SIZE=1\n"
             "EP_SIZE=%d\nDP_ATTENTION=false\nCONC=%d\nSPEC_DECODING=mtp\nRUN_EVAL=%s\n"
             "EVAL_ONLY=%s\nSCENARIO_TYPE=agentic-coding\nKV_OFFLOADING=none\n"
             "KV_OFFLOAD_BACKEND=\nTOTAL_CPU_DRAM_GB=0\nDURATION=%d\nGPU_COUNT=%d\n"
             "AIPERF_EXPERIMENTAL_FAST=0\nAIPERF_FAILED_REQUEST_THRESHOLD=0.10\n",
             p->axes.name, tp, ep, conc, eval, eval, RIG_DURATION_S, tp);
    p->env = str_take(&env);
}

static inline void rig_official(struct rig *r)
{
    static const struct {
        int tp, ep, concs[12];
    } arms[] = {{2, 2, {1, 4, 6}},
                {4, 1, {1, 8, 16, 32, 40, 48}},
                {4, 4, {4, 16, 32, 40, 48}},
                {8, 1, {1, 4, 8, 12, 16, 24, 32, 40, 48, 64, 80}},
                {8, 8, {4, 16, 24, 32, 40, 48, 64}}};

    for (size_t i = 0; i < sizeof(arms) / sizeof(arms[0]); i++)
        for (size_t j = 0; arms[i].concs[j]; j++)
            rig_point(r, arms[i].tp, arms[i].ep, arms[i].concs[j], POINT_THROUGHPUT);
}

// Copies the recipe and its libraries; the first `from` in the recipe becomes `to`.
static inline void rig_init(struct rig *r, const char *from, const char *to)
{
    static const char *const files[] = {RECIPE, "lib.sh", "driver.sh"};
    struct str text = {0}, edited = {0};

    *r = (struct rig){0};
    CHECK(tempdir_make(r->folder));
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        char from_path[RIG_PATH_MAX], to_path[RIG_PATH_MAX];

        snprintf(from_path, sizeof(from_path), RECIPES "/%s", files[i]);
        snprintf(to_path, sizeof(to_path), "%s/%s", r->folder, files[i]);
        CHECK_INT(fs_copy(from_path, to_path, 0755, &r->err), 0);
    }
    snprintf(r->recipe, sizeof(r->recipe), "%s/" RECIPE, r->folder);
    if (from) {
        CHECK_INT(fs_read(r->recipe, RIG_SCRIPT_MAX, &text, &r->err), 0);
        const char *at = strstr(str_text(&text), from);

        if (CHECK(at != NULL)) {
            str_add_bytes(&edited, text.p, (size_t)(at - text.p));
            str_add(&edited, to);
            str_add(&edited, at + strlen(from));
            CHECK_INT(fs_write_atomic(r->recipe, edited.p, edited.len, 0755, &r->err), 0);
        }
    }
    str_free(&text);
    str_free(&edited);
    r->in = (struct preflight_input){
        .recipe = r->recipe, .job_script = "slurm/job.sh", .flags = FLAGS, .points = r->points};
}

static inline void rig_run(struct rig *r)
{
    CHECK_INT(preflight_run(&r->in, &r->report, &r->err), 0);
}

static inline void rig_done(struct rig *r)
{
    preflight_free(&r->report);
    for (size_t i = 0; i < r->in.count; i++)
        free((char *)r->points[i].env);
    CHECK(tempdir_remove(r->folder));
}

// Prints what was found when it is not what was meant.
static inline void rig_show(const struct rig *r)
{
    struct str text = {0};

    preflight_to_text(&r->in, &r->report, &text);
    for (const char *line = str_text(&text); *line;) {
        size_t width = strcspn(line, "\n");

        printf("# %.*s\n", (int)width, line);
        line += width + (line[width] == '\n');
    }
    str_free(&text);
}

#endif
