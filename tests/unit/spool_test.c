// SPDX-License-Identifier: GPL-2.0-or-later
// The attempt's folder: claims, end records, and what a job may leave there.
#include "spool.h"

#include <errno.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fsio.h"
#include "tap.h"
#include "tempdir.h"

static const char token[] = "0123456789abcdef0123456789abcdef";
static char root[TEMPDIR_MAX];

static void put(const char *dir, const char *name, const char *text)
{
    char path[512];
    struct err e;

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    CHECK_INT(fs_write_atomic(path, text, strlen(text), 0644, &e), 0);
}

static void dir_for(const char *name, char *buf, size_t size)
{
    struct err e;

    snprintf(buf, size, "%s/%s", root, name);
    CHECK_INT(spool_prepare(buf, "A=1\n", &e), 0);
}

static void nothing_yet(void)
{
    char dir[300];
    struct scan scan;
    struct err e;

    snprintf(dir, sizeof(dir), "%s/not-there", root);
    CHECK_INT(spool_scan(dir, token, &scan, &e), 0);
    CHECK(!scan.has_end && !scan.end_bad);
    CHECK_INT(scan.claim, CLAIM_NONE);
    CHECK_TEXT(scan.phase, "");
}

static void an_end_record(void)
{
    char dir[300];
    struct scan scan;
    struct err e;

    dir_for("end", dir, sizeof(dir));
    put(dir, "phase", "profile 1786499900\n");
    put(dir, "claim", "job 0123456789abcdef0123456789abcdef 42 node7 1786499900\n");
    put(dir, "end.json",
        "{\"version\":1,\"token\":\"0123456789abcdef0123456789abcdef\",\"exit_code\":3,"
        "\"signal\":0,\"reason\":\"replay_failed\",\"phase\":\"collect\",\"detail\":\"why\","
        "\"ended_at\":1786499999}\n");
    CHECK_INT(spool_scan(dir, token, &scan, &e), 0);
    CHECK(scan.has_end);
    CHECK_INT(scan.end.exit_code, 3);
    CHECK_TEXT(scan.end.reason, "replay_failed");
    CHECK_TEXT(scan.end.detail, "why");
    CHECK_TEXT(scan.phase, "profile");
    CHECK_INT(scan.claim, CLAIM_JOB);
    CHECK_INT(scan.claim_job_id, 42);
}

#define OUR_TOKEN "\"token\":\"0123456789abcdef0123456789abcdef\""

static const char no_exit_code[] = "{\"version\":1," OUR_TOKEN ",\"reason\":\"done\"}";
static const char text_exit_code[] =
    "{\"version\":1," OUR_TOKEN ",\"reason\":\"done\",\"exit_code\":\"0\"}";
static const char other_version[] =
    "{\"version\":2," OUR_TOKEN ",\"reason\":\"done\",\"exit_code\":0}";

static void an_end_record_that_is_none(void)
{
    static const char *const bad[] = {
        "",
        "{\"version\":1,\"token\":\"01234",
        "[]",
        "{\"version\":1,\"token\":\"ffff\",\"reason\":\"done\",\"exit_code\":0}", // another's
        "{\"version\":1,\"token\":17,\"reason\":\"done\",\"exit_code\":0}",
        "{\"version\":1,\"reason\":\"done\",\"exit_code\":0}",
        no_exit_code,
        text_exit_code,
        other_version,
        "{\"token\":\"0123456789abcdef0123456789abcdef\",\"token\":\"x\"}",
    };
    char dir[300];
    struct scan scan;
    struct err e;

    dir_for("bad", dir, sizeof(dir));
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        put(dir, "end.json", bad[i]);
        CHECK_INT(spool_scan(dir, token, &scan, &e), 0);
        CHECK(!scan.has_end);
        CHECK(scan.end_bad);
        CHECK(scan.end.detail[0] != '\0');
    }
}

static void a_folder_in_place_of_a_file_is_an_error(void)
{
    char dir[300];
    char path[320];
    struct scan scan;
    struct err e;

    dir_for("folder", dir, sizeof(dir));
    snprintf(path, sizeof(path), "%s/end.json", dir);
    CHECK_INT(mkdir(path, 0755), 0);
    CHECK(spool_scan(dir, token, &scan, &e) < 0);
}

static void revoke_wins_once_and_for_ever(void)
{
    char dir[300];
    enum claim claim = CLAIM_NONE;
    uint32_t job_id = 0;
    struct scan scan;
    struct err e;

    dir_for("revoke", dir, sizeof(dir));
    CHECK_INT(spool_revoke(dir, token, "me", &claim, &job_id, &e), 0);
    CHECK_INT(claim, CLAIM_OURS_REVOKED);
    claim = CLAIM_NONE;
    CHECK_INT(spool_revoke(dir, token, "another daemon", &claim, &job_id, &e), 0);
    CHECK_INT(claim, CLAIM_OURS_REVOKED); // whoever of us did it
    CHECK_INT(spool_scan(dir, token, &scan, &e), 0);
    CHECK_INT(scan.claim, CLAIM_OURS_REVOKED);
    dir_for("claimed", dir, sizeof(dir));
    put(dir, "claim", "job 0123456789abcdef0123456789abcdef 99 n 1\n");
    CHECK_INT(spool_revoke(dir, token, "me", &claim, &job_id, &e), 0);
    CHECK_INT(claim, CLAIM_JOB);
    CHECK_INT(job_id, 99);
}

static void a_claim_of_another_token_is_not_ours_to_take(void)
{
    char dir[300];
    enum claim claim = CLAIM_NONE;
    uint32_t job_id = 0;
    struct err e;

    dir_for("foreign", dir, sizeof(dir));
    put(dir, "claim", "revoked ffffffffffffffffffffffffffffffff somebody\n");
    CHECK_INT(spool_revoke(dir, token, "me", &claim, &job_id, &e), 0);
    CHECK_INT(claim, CLAIM_JOB);
}

enum { RACERS = 8, ROUNDS = 50 };

static void *race(void *arg)
{
    struct err e;
    char text[64];

    snprintf(text, sizeof(text), "%lu\n", (unsigned long)pthread_self());
    return (void *)(intptr_t)(fs_create_once(arg, text, strlen(text), &e) == 0);
}

static void one_of_many_claims(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t threads[RACERS];
        char path[300];
        int winners = 0;

        snprintf(path, sizeof(path), "%s/race-%d", root, round);
        for (int i = 0; i < RACERS; i++)
            CHECK_INT(pthread_create(&threads[i], NULL, race, path), 0);
        for (int i = 0; i < RACERS; i++) {
            void *won;

            pthread_join(threads[i], &won);
            winners += won != NULL;
        }
        CHECK_INT(winners, 1);
    }
}

static void a_bundle(void)
{
    char from[300];
    char hash[HASH_HEX];
    char again[HASH_HEX];
    struct err e;
    struct str manifest = {0};
    char path[320];

    snprintf(from, sizeof(from), "%s/from", root);
    CHECK_INT(fs_write_atomic(from, "abc", 3, 0644, &e), 0);
    const struct spool_file files[] = {{"job.sh", from, true}, {"flags.txt", from, false}};
    CHECK_INT(spool_bundle(root, "s1-x", files, 2, hash, &e), 0);
    CHECK_INT(spool_bundle(root, "s1-x", files, 2, again, &e), 0);
    CHECK_TEXT(hash, again);
    snprintf(path, sizeof(path), "%s/s1-x/bundle/MANIFEST", root);
    CHECK_INT(fs_read(path, 4096, &manifest, &e), 0);
    // SHA-256 of "abc", FIPS 180-2.
    CHECK_TEXT(str_text(&manifest),
               "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  job.sh\n"
               "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  flags.txt\n");
    str_free(&manifest);
}

int main(void)
{
    CHECK(tempdir_make(root));
    nothing_yet();
    an_end_record();
    an_end_record_that_is_none();
    a_folder_in_place_of_a_file_is_an_error();
    revoke_wins_once_and_for_ever();
    a_claim_of_another_token_is_not_ours_to_take();
    one_of_many_claims();
    a_bundle();
    CHECK(tempdir_remove(root));
    return tap_done();
}
