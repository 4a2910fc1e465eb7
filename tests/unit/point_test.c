// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/point.h"
#include "tests/unit/tap.h"

static struct point plain(int tp, int ep, int conc)
{
    return (struct point){.tp = tp,
                          .pp = 1,
                          .dcp = 1,
                          .pcp = 1,
                          .ep = ep,
                          .conc = conc,
                          .spec_decoding = "mtp",
                          .kv_offloading = "none"};
}

static void check_name(struct point p, const char *want)
{
    char name[POINT_NAME_MAX], canonical[POINT_NAME_MAX];

    point_name(&p, name, sizeof(name));
    CHECK_TEXT(name, want);
    point_name_canonical(name, canonical, sizeof(canonical));
    CHECK_TEXT(canonical, want); // a name is its own canonical spelling
}

static void test_names(void)
{
    struct point p = plain(2, 2, 4);

    check_name(p, "tp2ep2-c4");
    check_name(plain(4, 1, 40), "tp4-c40");
    check_name(plain(4, 4, 40), "tp4ep4-c40");
    check_name(plain(8, 1, 64), "tp8-c64");
    p = plain(8, 1, 80);
    p.kind = POINT_EVAL;
    check_name(p, "tp8-c80-eval");
    p = plain(8, 8, 16);
    p.pp = 2;
    p.dcp = 4;
    p.pcp = 2;
    p.dp_attn = true;
    check_name(p, "tp8ep8-pp2-dcp4-pcp2-dpa-c16");
    p = plain(8, 1, 4);
    p.isl = 8192;
    p.osl = 1024;
    check_name(p, "tp8-8192x1024-c4");
    p = plain(8, 1, 32);
    strcpy(p.kv_offloading, "dram");
    strcpy(p.kv_backend, "vllm-simple");
    check_name(p, "tp8-kvdram-vllm-simple-c32");
}

static void test_names_are_safe_paths(void)
{
    struct point p = plain(8, 1, 32);

    strcpy(p.kv_offloading, "dram");
    strcpy(p.kv_backend, "../../Etc  Passwd/-");
    check_name(p, "tp8-kvdram-..-..-etc-passwd-c32");
}

static void test_gpus_and_arm(void)
{
    struct point p = plain(4, 4, 40);
    char arm[POINT_NAME_MAX], small[6];

    point_arm(&p, arm, sizeof(arm));
    CHECK_TEXT(arm, "tp4ep4");
    point_arm(&p, small, sizeof(small));
    CHECK_TEXT(small, "tp4ep"); // cut, and terminated
    CHECK_INT(point_gpus(&p), 4);
    p.pp = 2;
    p.dcp = 2;
    p.pcp = 2;
    CHECK_INT(point_gpus(&p), 16); // dcp and ep add none
    CHECK_TEXT(point_kind_name(POINT_EVAL), "eval");
    CHECK_TEXT(point_kind_name(POINT_THROUGHPUT), "throughput");
}

static void test_spellings(void)
{
    static const struct {
        const char *written, *want;
    } cases[] = {
        {"tep4-c40", "tp4ep4-c40"},
        {"TEP8 c64", "tp8ep8-c64"},
        {"TP4/EP4 c40", "tp4ep4-c40"},
        {"TP2/EP2-c4", "tp2ep2-c4"},
        {"TP2/EP2", "tp2ep2"},
        {"tp2_ep2_c4", "tp2ep2-c4"},
        {"  Tp8   C80 Eval ", "tp8-c80-eval"},
        {"tp4ep1-c8", "tp4-c8"},
        {"tp4/ep1 conc8", "tp4-c8"},
        {"tp04-c008", "tp4-c8"},
        {"c40 tp4", "tp4-c40"},
        {"tp8-8k1k-c4", "tp8-8192x1024-c4"},
        {"tp8-kvdram-c8foo-c32", "tp8-kvdram-c8foo-c32"},
        {"tp8-mtp-c4", "tp8-mtp-c4"},
        {"nonsense", "nonsense"},
        {"", ""},
        {"///", ""},
        {"tp", "tp"},
        {"tp99999999999999999999-c1", "tp9223372036854775807-c1"},
    };
    char buf[POINT_NAME_MAX], tiny[4];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        point_name_canonical(cases[i].written, buf, sizeof(buf));
        CHECK_TEXT(buf, cases[i].want);
    }
    point_name_canonical("tep4-c40", tiny, sizeof(tiny));
    CHECK_TEXT(tiny, "tp4");
}

int main(void)
{
    test_names();
    test_names_are_safe_paths();
    test_gpus_and_arm();
    test_spellings();
    return tap_done();
}
