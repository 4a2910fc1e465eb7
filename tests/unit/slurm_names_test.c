// SPDX-License-Identifier: GPL-2.0-or-later
// The numbers are written here as slurm.h of 22.05 documents them, bit by bit,
// not through its macros: this checks the table against the wire.
#include "tap.h"

#include "slurm/names.c"
#include "slurm/out.c"

static const char *const job_bases[] = {
    "PENDING", "RUNNING",   "SUSPENDED", "COMPLETE",  "CANCELLED", "FAILED",
    "TIMEOUT", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "DEADLINE",  "OOM",
};

static const char *const node_bases[] = {"UNKNOWN_0", "DOWN",  "IDLE",  "ALLOCATED",
                                         "ERROR",     "MIXED", "FUTURE"};

// By bit number, 8 to 31; NULL: no such flag.
static const char *const job_bits[32] = {
    [8] = "LAUNCH_FAILED", [9] = "UPDATE_DB",      [10] = "REQUEUE",       [11] = "REQUEUE_HOLD",
    [12] = "SPECIAL_EXIT", [13] = "RESIZING",      [14] = "CONFIGURING",   [15] = "COMPLETING",
    [16] = "STOPPED",      [17] = "RECONFIG",      [18] = "POWER_UP_NODE", [19] = "REVOKED",
    [20] = "REQUEUE_FED",  [21] = "RESV_DEL_HOLD", [22] = "SIGNALING",     [23] = "STAGE_OUT",
};

static const char *const node_bits[32] = {
    [4] = "NET",           [5] = "RESERVED",       [6] = "UNDRAIN",        [7] = "CLOUD",
    [8] = "RESUME",        [9] = "DRAIN",          [10] = "COMPLETING",    [11] = "NO_RESPOND",
    [12] = "POWERED_DOWN", [13] = "FAIL",          [14] = "POWERING_UP",   [15] = "MAINT",
    [16] = "REBOOT",       [17] = "REBOOT_CANCEL", [18] = "POWERING_DOWN", [19] = "DYNAMIC_FUTURE",
    [20] = "REBOOT",       [21] = "PLANNED",       [22] = "INVALID_REG",   [23] = "POWER_DOWN",
    [24] = "POWER_UP",     [25] = "POWER_DRAIN",   [26] = "DYNAMIC_NORM",
};

typedef void out_flags_fn(struct str *s, const char *key, uint32_t state);

static void check_flags(out_flags_fn *out, uint32_t state, const char *want)
{
    struct str s = {0};

    out(&s, "flags", state);
    CHECK_TEXT(str_text(&s), want);
    str_free(&s);
}

static void check_each_bit(out_flags_fn *out, const char *const *names, unsigned first)
{
    for (unsigned bit = first; bit < 32; bit++) {
        char want[NAME_MAX_LEN * 2];

        if (names[bit])
            snprintf(want, sizeof(want), "\"flags\":[\"%s\"]", names[bit]);
        else
            snprintf(want, sizeof(want), "\"flags\":[\"UNKNOWN_FLAG_0x%x\"]", 1u << bit);
        check_flags(out, 1u << bit | 1, want);
    }
}

// Every base state, known or not, with every flag: the name is the base's.
static void test_bases(void)
{
    char buf[NAME_MAX_LEN];
    char want[NAME_MAX_LEN];

    for (uint32_t base = 0; base < 256; base++) {
        bool same = true;

        snprintf(want, sizeof(want), "UNKNOWN_%u", base);
        for (unsigned bit = 7; bit < 32; bit++) {
            uint32_t flag = bit == 7 ? 0 : 1u << bit;
            const char *name = base < 12 ? job_bases[base] : want;

            if (strcmp(job_state_name(base | flag, buf, sizeof(buf)), name) != 0)
                same = false;
        }
        CHECK(same);
    }
    for (uint32_t base = 0; base < 16; base++) {
        snprintf(want, sizeof(want), "UNKNOWN_%u", base);
        CHECK_TEXT(node_state_name(base | 1u << 9, buf, sizeof(buf)),
                   base < 7 ? node_bases[base] : want);
    }
}

static void test_finished(void)
{
    for (uint32_t base = 0; base < 256; base++) {
        bool ended = base >= 3 && base <= 11;

        CHECK(job_is_finished(base) == ended && job_is_finished(base | 1u << 15) == ended);
        CHECK(job_is_pending(base | 1u << 14) == (base == 0));
    }
}

int main(void)
{
    test_bases();
    check_each_bit(out_job_flags, job_bits, 8);
    check_each_bit(out_node_flags, node_bits, 4);
    check_flags(out_job_flags, 3, "\"flags\":[]");
    check_flags(out_job_flags, 1u << 15 | 1u << 10 | 1u << 30,
                "\"flags\":[\"REQUEUE\",\"COMPLETING\",\"UNKNOWN_FLAG_0x40000000\"]");
    check_flags(out_node_flags, 1u << 16 | 1u << 20 | 1u << 9, "\"flags\":[\"DRAIN\",\"REBOOT\"]");
    test_finished();
    return tap_done();
}
