// SPDX-License-Identifier: GPL-2.0-or-later
#include "tap.h"

#include "slurm/request.c"

#define TOKEN_TEXT "0123456789abcdef0123456789abcdef"

// A good submit with one member replaced by, or extended with, `more`.
static int parse_submit(const char *more, struct request *ret, struct err *e)
{
    json_t *root =
        json_pack("{s:i s:s s:s s:s s:s s:s s:s s:s s:{s:s}}", "id", 3, "op", "submit", "name", "p",
                  "comment", COMMENT_PREFIX TOKEN_TEXT, "partition", "compute", "work_dir", "/tmp",
                  "stdout", "/tmp/o", "script", "#!/bin/sh\n", "env", "PATH", "/bin");
    json_t *extra = json_loads(more, 0, NULL);

    json_object_update(root, extra);
    char *line = json_dumps(root, JSON_COMPACT);
    int rc = request_parse(line, strlen(line), ret, e);
    free(line);
    json_decref(extra);
    json_decref(root);
    return rc;
}

static void check_submit_fault(const char *more, const char *want)
{
    struct request r;
    struct err e = {0};

    CHECK_INT(parse_submit(more, &r, &e), -EINVAL);
    CHECK_HOLDS(e.text, want);
    CHECK(r.has_id && r.id == 3);
    request_free(&r);
}

static void check_fault(const char *line, const char *want)
{
    struct request r;
    struct err e = {0};

    CHECK_INT(request_parse(line, strlen(line), &r, &e), -EINVAL);
    CHECK_HOLDS(e.text, want);
    request_free(&r);
}

static void test_submit(void)
{
    struct request r;
    struct err e;

    CHECK_INT(parse_submit("{\"gres\":\"gpu:mi325x\",\"gpus\":4,\"exclusive\":true,\"cpus\":64,"
                           "\"time_limit_min\":480,\"warn_s\":120,\"exclude\":[\"n-1\",\"n_02\"],"
                           "\"account\":\"\",\"qos\":\"high\",\"memory_mb\":1000,"
                           "\"env\":{\"A\":\"x=y\",\"B\":\"\"}}",
                           &r, &e),
              0);
    CHECK(r.op == OP_SUBMIT && r.id == 3 && r.exclusive);
    CHECK_TEXT(r.comment, "sweepd:" TOKEN_TEXT);
    CHECK_TEXT(r.gres, "gpu:mi325x");
    CHECK_INT(r.gpus, 4);
    CHECK_INT(r.cpus, 64);
    CHECK_INT(r.memory_mb, 1000);
    CHECK_INT(r.time_limit_min, 480);
    CHECK_INT(r.warn_s, 120);
    CHECK_INT((int64_t)r.exclude.n, 2);
    CHECK_TEXT(r.exclude.v[1], "n_02");
    CHECK_TEXT(r.account, NULL);
    CHECK_TEXT(r.qos, "high");
    CHECK_TEXT(r.reservation, NULL);
    CHECK_INT((int64_t)r.env.n, 2);
    CHECK_TEXT(r.env.v[0], "A=x=y");
    CHECK_TEXT(r.env.v[1], "B=");
    request_free(&r);
}

static void test_submit_faults(void)
{
    check_submit_fault("{\"name\":\"\"}", "\"name\" is empty");
    check_submit_fault("{\"name\":\"a b\"}", "\"name\" holds a character");
    check_submit_fault("{\"name\":7}", "\"name\" is no text");
    check_submit_fault("{\"comment\":\"" TOKEN_TEXT "\"}", "\"comment\" does not begin");
    check_submit_fault("{\"comment\":\"sweepd:0123\"}", "\"comment\" is no token");
    check_submit_fault("{\"comment\":\"sweepd:0123456789ABCDEF0123456789abcdef\"}", "is no token");
    check_submit_fault("{\"script\":\"echo\"}", "\"script\" does not begin with");
    check_submit_fault("{\"stdout\":\"o\"}", "\"stdout\" is no absolute path");
    check_submit_fault("{\"stdout\":\"/o/%j\"}", "\"stdout\" holds");
    check_submit_fault("{\"work_dir\":\"/a\\\\b\"}", "\"work_dir\" holds");
    check_submit_fault("{\"env\":{}}", "\"env\" is empty");
    check_submit_fault("{\"env\":{\"1A\":\"x\"}}", "variable \"1A\"");
    check_submit_fault("{\"env\":{\"A=B\":\"x\"}}", "variable \"A=B\"");
    check_submit_fault("{\"env\":{\"A\":1}}", "variable \"A\" of \"env\" is no text");
    check_submit_fault("{\"env\":[\"A=1\"]}", "\"env\" is no object");
    check_submit_fault("{\"exclude\":[\"a\",\"n[1-2]\"]}", "element 1 of \"exclude\"");
    check_submit_fault("{\"exclude\":[\"a\",7]}", "element 1 of \"exclude\" is no text");
    check_submit_fault("{\"gpus\":4}", "\"gpus\" is given without \"gres\"");
    check_submit_fault("{\"gres\":\"gpu\"}", "\"gres\" is given without \"gpus\"");
    check_submit_fault("{\"gres\":\"gpu\",\"gpus\":1025}", "\"gpus\" is 1025");
    check_submit_fault("{\"gres\":\"gpu\",\"gpus\":4.0}", "\"gpus\" is no whole number");
    check_submit_fault("{\"cpus\":65535}", "\"cpus\" is 65535");
    check_submit_fault("{\"time_limit_min\":-1}", "\"time_limit_min\" is -1");
    check_submit_fault("{\"warn_s\":60}", "\"warn_s\" is given without");
    check_submit_fault("{\"exclusive\":\"yes\"}", "\"exclusive\" is neither true nor false");
    check_submit_fault("{\"exclusve\":true}", "unknown member \"exclusve\" in \"submit\"");
}

static void test_others(void)
{
    const char *cancel = "{\"id\":4,\"op\":\"cancel\",\"job_id\":4294967293,\"token\":\"" TOKEN_TEXT
                         "\",\"signal\":\"TERM\",\"submit_time\":1796096610}";
    const char *poll = "{\"id\":-2,\"op\":\"poll\",\"partitions\":[\"a\",\"b\"]}";
    struct request r;
    struct err e;

    CHECK_INT(request_parse(cancel, strlen(cancel), &r, &e), 0);
    CHECK(r.op == OP_CANCEL && r.job_id == 4294967293 && r.submit_time == 1796096610);
    CHECK_TEXT(r.token, TOKEN_TEXT);
    request_free(&r);
    CHECK_INT(request_parse(poll, strlen(poll), &r, &e), 0);
    CHECK(r.op == OP_POLL && r.id == -2 && r.partitions.n == 2);
    request_free(&r);
}

static void test_faults(void)
{
    check_fault("", "no JSON");
    check_fault("{", "no JSON");
    check_fault("{\"id\":1,\"op\":\"ping\"} {}", "no JSON");
    check_fault("[]", "no JSON object");
    check_fault("{\"op\":\"ping\"}", "\"id\"");
    check_fault("{\"id\":\"1\",\"op\":\"ping\"}", "\"id\"");
    check_fault("{\"id\":1}", "\"op\"");
    check_fault("{\"id\":1,\"op\":\"pong\"}", "unknown operation \"pong\"");
    check_fault("{\"id\":1,\"op\":\"ping\",\"op\":\"poll\"}", "no JSON");
    check_fault("{\"id\":1,\"op\":\"hello\",\"user\":\"a\\u0000b\"}", "no JSON");
    check_fault("{\"id\":1,\"op\":\"cancel\",\"job_id\":0,\"token\":\"" TOKEN_TEXT "\"}",
                "\"job_id\" is 0");
    check_fault("{\"id\":1,\"op\":\"cancel\",\"job_id\":4294967294,\"token\":\"" TOKEN_TEXT "\"}",
                "\"job_id\" is 4294967294");
    check_fault("{\"id\":1,\"op\":\"cancel\",\"job_id\":9}", "\"token\" is missing");
    check_fault("{\"id\":1,\"op\":\"cancel\",\"job_id\":9,\"token\":\"" TOKEN_TEXT
                "\",\"signal\":\"STOP\"}",
                "\"signal\" is neither");
    check_fault("{\"id\":1,\"op\":\"submit\"}", "is missing");
}

int main(void)
{
    test_submit();
    test_submit_faults();
    test_others();
    test_faults();
    return tap_done();
}
