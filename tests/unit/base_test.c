// SPDX-License-Identifier: GPL-2.0-or-later
// Strings, numbers, durations, UTF-8, files, hashes, child processes.
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/dur.h"
#include "base/fsio.h"
#include "base/hash.h"
#include "base/proc.h"
#include "base/str.h"
#include "base/utf8.h"
#include "tap.h"
#include "tempdir.h"

static char root[TEMPDIR_MAX];

static void strings(void)
{
    struct str s = {0};
    char small[4];

    CHECK_TEXT(str_text(&s), "");
    for (int i = 0; i < 1000; i++)
        str_addf(&s, "%d,", i % 10);
    CHECK_INT(s.len, 2000);
    CHECK_INT(strlen(str_text(&s)), 2000);
    str_free(&s);
    CHECK(str_copy(small, sizeof(small), "abc"));
    CHECK(!str_copy(small, sizeof(small), "abcd"));
    CHECK_TEXT(small, "abc");
    CHECK(str_ends("a.yaml", ".yaml"));
    CHECK(!str_ends("l", ".yaml"));
}

static void numbers(void)
{
    int64_t n = 77;
    double d = 77;

    CHECK_INT(str_to_i64("-42", -100, 100, &n), 0);
    CHECK_INT(n, -42);
    CHECK_INT(str_to_i64("9223372036854775807", 0, INT64_MAX, &n), 0);
    CHECK_INT(n, INT64_MAX);
    n = 77;
    CHECK_INT(str_to_i64("9223372036854775808", 0, INT64_MAX, &n), -ERANGE);
    CHECK_INT(str_to_i64("101", 0, 100, &n), -ERANGE);
    CHECK_INT(str_to_i64("", 0, 100, &n), -EINVAL);
    CHECK_INT(str_to_i64(" 1", 0, 100, &n), -EINVAL);
    CHECK_INT(str_to_i64("1x", 0, 100, &n), -EINVAL);
    CHECK_INT(str_to_i64("0x10", 0, 100, &n), -EINVAL);
    CHECK_INT(n, 77); // untouched by failures
    CHECK_INT(str_to_double("3.39", &d), 0);
    CHECK_NEAR(d, 3.39, 1e-12);
    CHECK_INT(str_to_double("nan", &d), -EINVAL);
    CHECK_INT(str_to_double("1e999", &d), -EINVAL);
    CHECK_INT(str_to_double("0x1p3", &d), -EINVAL);
}

static void distances(void)
{
    CHECK_INT(str_distance("kitten", "sitting", 5), 3);
    CHECK_INT(str_distance("same", "same", 5), 0);
    CHECK_INT(str_distance("abc", "", 5), 3);
    CHECK_INT(str_distance("abcdefgh", "zzzzzzzz", 2), 3); // over the limit
}

static void durations(void)
{
    static const struct {
        const char *text;
        int64_t us;
    } good[] = {{"250ms", 250000},
                {"90s", 90 * US_PER_S},
                {"15m", 900 * US_PER_S},
                {"8h", 28800 * US_PER_S},
                {"7d", 604800 * US_PER_S},
                {"1h30m", 5400 * US_PER_S},
                {"0s", 0}};
    static const char *const bad[] = {"", "5", "s", "5 s", "-5s", "5parsecs", "99999999999999d"};
    char text[DUR_TEXT_MAX];
    int64_t us = 0;

    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        CHECK_INT(dur_parse(good[i].text, &us), 0);
        CHECK_INT(us, good[i].us);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        CHECK(dur_parse(bad[i], &us) < 0);
    CHECK_TEXT(dur_text(6720 * US_PER_S, text, sizeof(text)), "1h 52m");
    CHECK_TEXT(dur_text(843 * US_PER_S, text, sizeof(text)), "14m 03s");
    CHECK_TEXT(dur_text(8200 * US_PER_MS, text, sizeof(text)), "8.2s");
}

static void instants(void)
{
    char text[CLOCK_TEXT_MAX];

    // 1786499900 is 2026-08-12 01:58:20 UTC (date -u -d @1786499900).
    CHECK_TEXT(clock_text(INT64_C(1786499900123456), text, sizeof(text)),
               "2026-08-12T01:58:20.123456Z");
    CHECK_TEXT(clock_text(0, text, sizeof(text)), "");
}

static void utf8(void)
{
    static const struct {
        const char *text;
        const char *clean;
    } cases[] = {
        {"plain", "plain"},
        {"gr\xc3\xb6\xc3\x9f", "gr\xc3\xb6\xc3\x9f"},
        {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
        {"cut \xc3", "cut ?"},
        {"overlong \xc0\xaf", "overlong ??"},
        {"surrogate \xed\xa0\x80", "surrogate ???"},
        {"beyond \xf4\x90\x80\x80", "beyond ????"},
        {"\xff\xfe", "??"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[64];

        snprintf(text, sizeof(text), "%s", cases[i].text);
        CHECK_INT(utf8_valid(text, strlen(text)), !strcmp(cases[i].text, cases[i].clean));
        utf8_clean(text);
        CHECK_TEXT(text, cases[i].clean);
    }
}

static void files(void)
{
    char path[300];
    struct str text = {0};
    struct stat st;
    struct err e = {0};

    snprintf(path, sizeof(path), "%s/a/b/c", root);
    CHECK_INT(fs_make_dirs(path, 0755, &e), 0);
    CHECK_INT(fs_make_dirs(path, 0755, &e), 0);
    CHECK(fs_read(path, 10, &text, &e) < 0); // a folder
    snprintf(path, sizeof(path), "%s/a/file", root);
    CHECK_INT(fs_write_atomic(path, "hello", 5, 0600, &e), 0);
    CHECK_INT(fs_write_atomic(path, "world!", 6, 0600, &e), 0);
    CHECK_INT(fs_read(path, 6, &text, &e), 0);
    CHECK_TEXT(str_text(&text), "world!");
    CHECK_INT(stat(path, &st), 0);
    CHECK_INT(st.st_mode & 0777, 0600);
    CHECK_INT(fs_read(path, 5, &text, &e), -EFBIG);
    CHECK_HOLDS(e.text, path);
    snprintf(path, sizeof(path), "%s/none", root);
    CHECK_INT(fs_read(path, 5, &text, &e), -ENOENT);
    snprintf(path, sizeof(path), "%s/once", root);
    CHECK_INT(fs_create_once(path, "one", 3, &e), 0);
    CHECK_INT(fs_create_once(path, "one", 3, &e), 0); // an answer that was lost
    CHECK_INT(fs_create_once(path, "two", 3, &e), -EEXIST);
    str_free(&text);
}

static void hashes(void)
{
    char hex[HASH_HEX];
    char one[TOKEN_HEX];
    char two[TOKEN_HEX];
    char path[300];
    struct err e;
    struct hash *h = hash_create();

    hash_bytes("abc", 3, hex); // FIPS 180-2
    CHECK_TEXT(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    hash_add(h, "a", 1);
    hash_add(h, "bc", 2);
    hash_finish(h, hex);
    CHECK_TEXT(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    snprintf(path, sizeof(path), "%s/empty", root);
    CHECK_INT(fs_write_atomic(path, "", 0, 0644, &e), 0);
    CHECK_INT(hash_file(path, hex, &e), 0);
    CHECK_TEXT(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    token_make(one);
    token_make(two);
    CHECK_INT(strlen(one), TOKEN_HEX - 1);
    CHECK(strcmp(one, two) != 0);
}

static int run(const char *script, const char *input, int64_t timeout_us, struct proc_result *ret)
{
    const char *const argv[] = {"sh", "-c", script, NULL};
    struct err e;
    struct proc_spec spec = {.argv = argv,
                             .input = input,
                             .input_len = input ? strlen(input) : 0,
                             .output_max = 100000,
                             .timeout_us = timeout_us};

    return proc_run(&spec, ret, &e);
}

static void children(void)
{
    struct proc_result r;

    CHECK_INT(run("cat; echo no >&2; exit 3", "text", 10 * US_PER_S, &r), 0);
    CHECK_INT(r.exit_code, 3);
    CHECK_TEXT(str_text(&r.output), "text");
    CHECK_TEXT(str_text(&r.errors), "no\n");
    proc_result_free(&r);
    CHECK_INT(run("kill -9 $$", NULL, 10 * US_PER_S, &r), 0);
    CHECK_INT(r.signal, 9);
    proc_result_free(&r);
    CHECK_INT(run("sleep 100 & wait", NULL, US_PER_S / 5, &r), -ETIMEDOUT);
    proc_result_free(&r);
    CHECK_INT(run("exec >&- 2>&-; sleep 100", NULL, US_PER_S / 5, &r), -ETIMEDOUT);
    proc_result_free(&r);
    CHECK_INT(run("yes", NULL, 10 * US_PER_S, &r), -EFBIG);
    CHECK_INT(r.output.len, 100000);
    proc_result_free(&r);
    CHECK_INT(run("exec /no/such/program", NULL, 10 * US_PER_S, &r), 0);
    CHECK_INT(r.exit_code, 127);
    proc_result_free(&r);
    // A child that does not read: the rest of the input is dropped.
    char *much = malloc(1 << 20);
    memset(much, 'x', (1 << 20) - 1);
    much[(1 << 20) - 1] = '\0';
    CHECK_INT(run("exec <&-; echo done", much, 10 * US_PER_S, &r), 0);
    CHECK_TEXT(str_text(&r.output), "done\n");
    proc_result_free(&r);
    free(much);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    CHECK(tempdir_make(root));
    strings();
    numbers();
    distances();
    durations();
    instants();
    utf8();
    files();
    hashes();
    children();
    CHECK(tempdir_remove(root));
    return tap_done();
}
