// SPDX-License-Identifier: GPL-2.0-or-later
// The texts are Slurm's own, as `scontrol show node -d` prints them.
#include "tap.h"

#include "slurm/gres.c"

static void check(const char *gres, const char *want_type, int64_t want_count)
{
    char type[GRES_TYPE_MAX];

    gres_type(gres, "gpu", type, sizeof(type));
    CHECK_TEXT(type, want_type);
    CHECK_INT(gres_count(gres, "gpu", type), want_count);
}

static void test_configured(void)
{
    check("gpu:mi325x:8", "mi325x", 8);
    check("gpu:mi325x:8(S:0-1)", "mi325x", 8);
    check("gpu:8", "", 8);
    check("gpu", "", 1);
    check("gpu:mi325x", "mi325x", 1);
    check("nic:2,gpu:mi325x:8(S:0-1)", "mi325x", 8);
    check("gpu:mi325x:8(S:0-1),nic:2", "mi325x", 8);
    check("gpu:nvidia_a100_3g.20gb:4", "nvidia_a100_3g.20gb", 4);
}

static void test_used(void)
{
    check("gpu:mi325x:0(IDX:N/A)", "mi325x", 0);
    check("gpu:mi325x:2(IDX:0-1)", "mi325x", 2);
    check("gpu:mi325x:2(IDX:0,2),nic:1", "mi325x", 2);
    check("gpu:mi325x:5(IDX:0,2,4-6),nic:1(IDX:0)", "mi325x", 5);
    check("nic:1(IDX:0,1),gpu:3(IDX:1-3)", "", 3);
}

// Other types on the same node are not taken for the first one.
static void test_mixed_types(void)
{
    check("gpu:a100:4,gpu:v100:2", "a100", 4);
    CHECK_INT(gres_count("gpu:a100:4,gpu:v100:2", "gpu", "v100"), 2);
    check("gpu:a100:4(S:0),gpu:a100:4(S:1)", "a100", 8);
    CHECK_INT(gres_count("gpu:mi325x:2(IDX:0-1)", "gpu", "h100"), 0);
}

static void test_nothing(void)
{
    check(NULL, "", 0);
    check("", "", 0);
    check("(null)", "", 0);
    check("nic:2", "", 0);
    check("gpus:4", "", 0);
    check(",,,", "", 0);
}

static void test_nonsense(void)
{
    check("gpu:mi325x:8(S:0-1", "mi325x", 8);
    check("gpu:mi325x:8)", "mi325x", 0);
    check("gpu:mi325x:8x", "mi325x", 0);
    check("gpu:mi325x:99999999999999999999", "mi325x", 0);
    CHECK_INT(gres_count("gpu:mi325x:-3", "gpu", "mi325x"), 0);
    check(":", "", 0);
    check("(((,gpu:8", "", 0);
}

static void test_long_type(void)
{
    char type[4];

    gres_type("gpu:mi325x:8", "gpu", type, sizeof(type));
    CHECK_TEXT(type, "mi3");
}

int main(void)
{
    test_configured();
    test_used();
    test_mixed_types();
    test_nothing();
    test_nonsense();
    test_long_type();
    return tap_done();
}
