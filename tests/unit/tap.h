// SPDX-License-Identifier: GPL-2.0-or-later
// Assertions that print TAP. A test file is one program: its main calls test
// functions, then returns tap_done(). A failed check prints what it compared.
#ifndef SWEEPD_TESTS_TAP_H
#define SWEEPD_TESTS_TAP_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int tap_count;
static int tap_failed;

static inline bool tap_check(bool ok, const char *file, int line, const char *what)
{
    tap_count++;
    printf("%sok %d - %s:%d %s\n", ok ? "" : "not ", tap_count, file, line, what);
    if (!ok)
        tap_failed++;
    return ok;
}

static inline void tap_check_int(int64_t got, int64_t want, const char *file, int line,
                                 const char *what)
{
    if (!tap_check(got == want, file, line, what))
        printf("#      got %lld\n# expected %lld\n", (long long)got, (long long)want);
}

static inline void tap_check_text(const char *got, const char *want, const char *file, int line,
                                  const char *what)
{
    bool same = got && want ? strcmp(got, want) == 0 : got == want;

    if (!tap_check(same, file, line, what))
        printf("#      got \"%s\"\n# expected \"%s\"\n", got ? got : "(null)",
               want ? want : "(null)");
}

static inline void tap_check_near(double got, double want, double within, const char *file,
                                  int line, const char *what)
{
    if (!tap_check(fabs(got - want) <= within, file, line, what))
        printf("#      got %.9g\n# expected %.9g +/- %g\n", got, want, within);
}

#define CHECK(cond) tap_check((cond), __FILE__, __LINE__, #cond)
#define CHECK_INT(got, want)                                                                       \
    tap_check_int((int64_t)(got), (int64_t)(want), __FILE__, __LINE__, #got " == " #want)
#define CHECK_TEXT(got, want) tap_check_text((got), (want), __FILE__, __LINE__, #got " is " #want)
#define CHECK_NEAR(got, want, within)                                                              \
    tap_check_near((got), (want), (within), __FILE__, __LINE__, #got " near " #want)
// The text found must hold the text wanted.
#define CHECK_HOLDS(got, want)                                                                     \
    do {                                                                                           \
        if (!tap_check(strstr((got), (want)) != NULL, __FILE__, __LINE__, #got " holds " #want))   \
            printf("#      got \"%s\"\n#    wanted \"%s\" in it\n", (got), (want));                \
    } while (0)

static inline int tap_done(void)
{
    printf("1..%d\n", tap_count);
    return tap_failed ? 1 : 0;
}

#endif
