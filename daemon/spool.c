// SPDX-License-Identifier: GPL-2.0-or-later
#include "spool.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fsio.h"
#include "base/str.h"

enum {
    DIR_MODE = 0755,
    FILE_MODE = 0644,
    SCRIPT_MODE = 0755,
    PHASE_FILE_MAX = 256,
    CLAIM_FILE_MAX = 1024,
    END_FILE_MAX = 4 * 1024 * 1024,
    NAMES_MAX = 4096, // entries of an attempt's folder that are looked at
};

bool spool_attempt_dir(const char *spool, const char *sweep, const char *point, int number,
                       char *buf, size_t size)
{
    int n = snprintf(buf, size, "%s/%s/%s/%d", spool, sweep, point, number);

    return n > 0 && (size_t)n < size;
}

int spool_prepare(const char *dir, const char *job_env, struct err *e)
{
    char path[SPOOL_PATH_MAX];
    int rc = fs_make_dirs(dir, DIR_MODE, e);

    if (rc)
        return rc;
    snprintf(path, sizeof(path), "%s/job.env", dir);
    return fs_write_atomic(path, job_env, strlen(job_env), FILE_MODE, e);
}

struct names {
    bool phase, claim, end;
};

// Listing the folder first makes a network file system ask its server: a name
// that was once absent may be remembered as absent for long.
static int list(const char *dir, struct names *ret, struct err *e)
{
    struct dirent *entry;
    DIR *d = opendir(dir);

    *ret = (struct names){0};
    if (!d && errno == ENOENT)
        return 0;
    if (!d)
        return err_set(e, -errno, "%s: %s", dir, strerror(errno));
    errno = 0;
    for (int i = 0; i < NAMES_MAX && (entry = readdir(d)); i++) {
        ret->phase |= !strcmp(entry->d_name, "phase");
        ret->claim |= !strcmp(entry->d_name, "claim");
        ret->end |= !strcmp(entry->d_name, "end.json");
    }
    int rc = errno ? err_set(e, -errno, "%s: %s", dir, strerror(errno)) : 0;
    closedir(d);
    return rc;
}

static int read_file(const char *dir, const char *name, size_t max, struct str *ret, struct err *e)
{
    char path[SPOOL_PATH_MAX];

    if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
        return err_set(e, -ENAMETOOLONG, "%s: path too long", dir);
    return fs_read(path, max, ret, e);
}

// The word at *text, copied; moves *text behind it. An empty word at the end.
static void take_word(const char **text, char *buf, size_t size)
{
    const char *start = *text + strspn(*text, " ");
    size_t len = strcspn(start, " \n");

    *text = start + len;
    snprintf(buf, size, "%.*s", (int)len, start);
}

// "job <token> <job id> <host> <time>" or "revoked <token> <who>".
static enum claim parse_claim(const char *text, const char *token, uint32_t *ret_job_id)
{
    char word[16];
    char whose[TOKEN_HEX];
    char number[16];
    int64_t job_id;

    take_word(&text, word, sizeof(word));
    take_word(&text, whose, sizeof(whose));
    take_word(&text, number, sizeof(number));
    if (strcmp(whose, token) != 0)
        return CLAIM_JOB; // not ours to judge: somebody holds it
    if (!strcmp(word, "revoked"))
        return CLAIM_OURS_REVOKED;
    *ret_job_id = str_to_i64(number, 0, UINT32_MAX, &job_id) ? 0 : (uint32_t)job_id;
    return CLAIM_JOB;
}

static void copy_text(const json_t *o, const char *name, char *buf, size_t size)
{
    const char *s = json_string_value(json_object_get(o, name));

    str_copy(buf, size, s ? s : "");
}

static bool is_end_record(const json_t *o)
{
    enum { END_VERSION = 1 };

    return json_is_object(o) && json_integer_value(json_object_get(o, "version")) == END_VERSION &&
           json_is_string(json_object_get(o, "token")) &&
           json_is_string(json_object_get(o, "reason")) &&
           json_is_integer(json_object_get(o, "exit_code"));
}

static void parse_end(const struct str *bytes, const char *token, struct scan *ret)
{
    json_error_t why;
    json_t *o = json_loadb(str_text(bytes), bytes->len, JSON_REJECT_DUPLICATES, &why);
    struct end_record *end = &ret->end;

    ret->end_bad = true;
    if (!is_end_record(o)) {
        snprintf(end->detail, sizeof(end->detail), "end.json is no end record: %.100s",
                 o ? "a member is missing or of the wrong type" : why.text);
        json_decref(o);
        return;
    }
    copy_text(o, "token", end->token, sizeof(end->token));
    copy_text(o, "reason", end->reason, sizeof(end->reason));
    copy_text(o, "phase", end->phase, sizeof(end->phase));
    copy_text(o, "detail", end->detail, sizeof(end->detail));
    end->exit_code = (int)json_integer_value(json_object_get(o, "exit_code"));
    end->signal = (int)json_integer_value(json_object_get(o, "signal"));
    end->ended_at = json_integer_value(json_object_get(o, "ended_at"));
    json_decref(o);
    if (strcmp(end->token, token) != 0) {
        snprintf(end->detail, sizeof(end->detail), "end.json is of another attempt");
        return;
    }
    ret->end_bad = false;
    ret->has_end = true;
}

int spool_scan(const char *dir, const char *token, struct scan *ret, struct err *e)
{
    struct names names;
    struct str bytes = {0};
    int rc = list(dir, &names, e);

    *ret = (struct scan){0};
    if (!rc && names.claim) {
        rc = read_file(dir, "claim", CLAIM_FILE_MAX, &bytes, e);
        if (!rc)
            ret->claim = parse_claim(str_text(&bytes), token, &ret->claim_job_id);
    }
    if (!rc && names.phase) {
        rc = read_file(dir, "phase", PHASE_FILE_MAX, &bytes, e);
        const char *text = str_text(&bytes);
        if (!rc)
            take_word(&text, ret->phase, sizeof(ret->phase));
    }
    if (!rc && names.end) {
        rc = read_file(dir, "end.json", END_FILE_MAX, &bytes, e);
        if (!rc)
            parse_end(&bytes, token, ret);
    }
    str_free(&bytes);
    return rc;
}

int spool_revoke(const char *dir, const char *token, const char *who, enum claim *ret,
                 uint32_t *ret_job_id, struct err *e)
{
    char path[SPOOL_PATH_MAX];
    struct str text = {0};
    int rc = fs_make_dirs(dir, DIR_MODE, e);

    if (rc)
        return rc;
    snprintf(path, sizeof(path), "%s/claim", dir);
    str_addf(&text, "revoked %s %s\n", token, who);
    rc = fs_create_once(path, text.p, text.len, e);
    if (rc == -EEXIST) {
        rc = fs_read(path, CLAIM_FILE_MAX, &text, e);
        if (!rc)
            *ret = parse_claim(str_text(&text), token, ret_job_id);
    } else if (!rc) {
        *ret = CLAIM_OURS_REVOKED;
    }
    str_free(&text);
    return rc;
}

int spool_bundle(const char *spool, const char *sweep, const struct spool_file *files, size_t count,
                 char ret_hash[HASH_HEX], struct err *e)
{
    char dir[SPOOL_PATH_MAX];
    char path[SPOOL_PATH_MAX + 64];
    char hash[HASH_HEX];
    struct str manifest = {0};

    snprintf(dir, sizeof(dir), "%s/%s/bundle", spool, sweep);
    int rc = fs_make_dirs(dir, DIR_MODE, e);
    for (size_t i = 0; !rc && i < count; i++) {
        snprintf(path, sizeof(path), "%s/%s", dir, files[i].name);
        rc = fs_copy(files[i].path, path, files[i].executable ? SCRIPT_MODE : FILE_MODE, e);
        if (!rc)
            rc = hash_file(path, hash, e);
        if (!rc)
            str_addf(&manifest, "%s  %s\n", hash, files[i].name);
    }
    if (!rc) {
        snprintf(path, sizeof(path), "%s/MANIFEST", dir);
        rc = fs_write_atomic(path, str_text(&manifest), manifest.len, FILE_MODE, e);
        hash_bytes(str_text(&manifest), manifest.len, ret_hash);
    }
    str_free(&manifest);
    return rc;
}

int spool_bundle_hash(const struct spool_file *files, size_t count, char ret_hash[HASH_HEX],
                      struct err *e)
{
    char hash[HASH_HEX];
    struct str manifest = {0};
    int rc = 0;

    for (size_t i = 0; !rc && i < count; i++) {
        rc = hash_file(files[i].path, hash, e);
        if (!rc)
            str_addf(&manifest, "%s  %s\n", hash, files[i].name);
    }
    if (!rc)
        hash_bytes(str_text(&manifest), manifest.len, ret_hash);
    str_free(&manifest);
    return rc;
}

int spool_check(const char *spool, struct err *e)
{
    char path[SPOOL_PATH_MAX];
    static const char probe[] = "probe\n";
    int rc = fs_make_dirs(spool, DIR_MODE, e);

    if (rc)
        return rc;
    snprintf(path, sizeof(path), "%s/.probe-%ld", spool, (long)getpid());
    rc = fs_write_atomic(path, probe, sizeof(probe) - 1, FILE_MODE, e);
    unlink(path);
    return rc;
}
