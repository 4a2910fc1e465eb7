// SPDX-License-Identifier: GPL-2.0-or-later
// Error numbers as slurm_errno.h of 22.05 numbers them, and what sweepd must do
// on each: the three promises decide, never the text.
#include "tap.h"

#include "slurm/failure.c"

struct expected {
    int code;
    const char *read;
    const char *submit;
    const char *cancel;
};

static const struct expected table[] = {
    {1800, "down", "down", "down"},          // no connection to slurmctld
    {1001, "down", "down", "down"},          // no connection
    {111, "down", "down", "down"},           // refused
    {2027, "down", "down", "down"},          // standby
    {5004, "down", "unclear", "down"},       // timed out
    {5000, "down", "unclear", "down"},       // the connection was closed
    {5005, "down", "unclear", "down"},       // could not be sent whole
    {1801, "down", "unclear", "down"},       // send
    {1802, "down", "unclear", "down"},       // receive
    {1007, "down", "unclear", "down"},       // authentication, of request or answer
    {6000, "down", "unclear", "down"},       // munge credential
    {1805, "down", "unclear", "down"},       // dropped by slurmctld
    {110, "down", "unclear", "down"},        // ETIMEDOUT
    {104, "down", "unclear", "down"},        // ECONNRESET
    {-1, "down", "unclear", "down"},         // no reason given
    {11, "limit", "limit", "limit"},         // EAGAIN: MaxJobCount
    {1804, "limit", "limit", "limit"},       // too many requests
    {2007, "limit", "limit", "limit"},       // job queue full
    {2050, "limit", "limit", "limit"},       // association or QOS limit
    {2074, "limit", "limit", "limit"},       // QOS threshold
    {2101, "limit", "limit", "limit"},       // partition down
    {2105, "limit", "limit", "limit"},       // submissions disabled
    {2000, "refused", "refused", "refused"}, // partition name
    {2002, "refused", "refused", "refused"}, // access denied
    {2014, "refused", "refused", "refused"}, // node configuration
    {2018, "refused", "refused", "refused"}, // node name
    {2045, "refused", "refused", "refused"}, // account
    {2051, "refused", "refused", "refused"}, // time limit
    {2053, "refused", "refused", "refused"}, // reservation
    {2066, "refused", "refused", "refused"}, // QOS
    {2072, "refused", "refused", "refused"}, // gres
    {2115, "refused", "refused", "refused"}, // tres
    {2017, "slurm", "slurm", "gone"},        // job id
    {2021, "slurm", "slurm", "gone"},        // already done
    {2090, "slurm", "slurm", "slurm"},       // internal
    {1005, "slurm", "slurm", "slurm"},       // protocol version
    {7000, "slurm", "slurm", "slurm"},       // slurmdbd
    {2999, "slurm", "slurm", "slurm"},       // a number of tomorrow
};

static void test_table(void)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        const struct expected *t = &table[i];

        printf("# %d\n", t->code);
        CHECK_TEXT(failure_class_name(failure_classify(t->code, FAILURE_OF_READ)), t->read);
        CHECK_TEXT(failure_class_name(failure_classify(t->code, FAILURE_OF_SUBMIT)), t->submit);
        CHECK_TEXT(failure_class_name(failure_classify(t->code, FAILURE_OF_CANCEL)), t->cancel);
    }
}

// Only a submit is ever unclear, and only a cancel finds its job gone.
static void test_all_numbers(void)
{
    bool good = true;

    for (int code = -2; code < 12000; code++) {
        good = good && failure_classify(code, FAILURE_OF_READ) != CLASS_UNCLEAR &&
               failure_classify(code, FAILURE_OF_CANCEL) != CLASS_UNCLEAR &&
               failure_classify(code, FAILURE_OF_READ) != CLASS_GONE &&
               failure_classify(code, FAILURE_OF_SUBMIT) != CLASS_GONE &&
               failure_classify(code, FAILURE_OF_SUBMIT) != CLASS_FOREIGN;
    }
    CHECK(good);
}

static void test_set(void)
{
    struct failure f = {.code = 7};

    CHECK_INT(failure_set(&f, CLASS_GONE, "job %d has ended", 17), -1);
    CHECK_TEXT(f.text, "job 17 has ended");
    CHECK_INT(f.code, 0);
    CHECK_TEXT(failure_class_name(f.class), "gone");
    CHECK_TEXT(failure_class_name(CLASS_FOREIGN), "foreign");
}

int main(void)
{
    test_table();
    test_all_numbers();
    test_set();
    return tap_done();
}
