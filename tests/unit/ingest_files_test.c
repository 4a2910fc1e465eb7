// SPDX-License-Identifier: GPL-2.0-or-later
// Artifacts in odd places, behind links, without end, changing under the
// reader; and what the files beside them say.
#include <stdbool.h>
#include <sys/resource.h>

#include "ingest/source.h"
#include "tests/unit/ingest_good.h"

static void test_links(void)
{
    struct rig r, outside;
    json_t *doc;

    good_folder(&r);
    rig_init(&outside);
    rig_write(&outside, "secret", RECORD("10") "\n");
    unlink(rig_path(&r, log_name));
    char target[PATH_MAX];
    snprintf(target, sizeof(target), "%s/secret", outside.folder);
    if (symlink(target, rig_path(&r, log_name)))
        abort();
    doc = rig_run(&r);
    check_place(doc, log_name, "link", 0, 1);
    CHECK_INT(json_integer_value(doc_at(doc, "num_requests_total")), 0);
    json_decref(doc);
    unlink(rig_path(&r, log_name));
    if (mkfifo(rig_path(&r, log_name), 0600))
        abort();
    doc = rig_run(&r); // and does not wait for a writer
    check_place(doc, log_name, "not_a_file", 0, 1);
    json_decref(doc);
    rig_done(&r);
    rig_done(&outside);
    // The whole artifact folder is a link.
    good_folder(&outside);
    rig_init(&r);
    if (symlink(outside.folder, rig_path(&r, "aiperf_artifacts")))
        abort();
    doc = rig_run(&r);
    CHECK_INT(json_integer_value(doc_at(doc, "num_requests_total")), 0);
    CHECK(doc_finding(doc, log_name, "missing") != NULL);
    json_decref(doc);
    rig_done(&r);
    rig_done(&outside);
}

static void check_layout(const char *folder, const char *kind, const char *found)
{
    struct rig r;
    char name[512];

    rig_init(&r);
    // Things that must not be taken for results.
    rig_write(&r, "aiperf_artifacts/aggregate/profile_export.jsonl", RECORD("1") "\n");
    rig_write(&r, "aiperf_artifacts/phases/a/profile_export.jsonl", RECORD("1") "\n");
    snprintf(name, sizeof(name), "%s/%s", folder, log_name);
    rig_write(&r, name, RECORD("10") "\n");
    json_t *doc = rig_run(&r);
    CHECK_TEXT(doc_text(doc, "layout.kind"), kind);
    CHECK_TEXT(doc_text(doc, "layout.folder"), found);
    CHECK_INT(json_integer_value(doc_at(doc, "num_requests_total")), 1);
    json_decref(doc);
    rig_done(&r);
}

static void test_layouts(void)
{
    struct rig r;

    check_layout("aiperf_artifacts", "direct", "aiperf_artifacts");
    check_layout("aiperf_artifacts/run_0001", "per_run", "aiperf_artifacts/run_0001");
    check_layout("aiperf_artifacts/x/run_0001", "per_run", "aiperf_artifacts/x/run_0001");
    rig_init(&r);
    rig_write(&r, "results/aiperf_artifacts/run_2/profile_export.jsonl",
              RECORD("10") "\n" RECORD("10") "\n");
    rig_write(&r, "results/aiperf_artifacts/run_10/profile_export.jsonl", RECORD("10") "\n");
    rig_write(&r, "results/server.log", "max_total_num_tokens=7\n");
    json_t *doc = rig_run(&r);
    CHECK_TEXT(doc_text(doc, "layout.folder"), "results/aiperf_artifacts/run_10");
    CHECK_INT(json_integer_value(doc_at(doc, "layout.runs")), 2);
    CHECK(doc_finding(doc, "results/aiperf_artifacts/run_10", "several_runs") != NULL);
    CHECK_INT(json_integer_value(doc_at(doc, "kv_cache_pool_tokens")), 7);
    json_decref(doc);
    rig_done(&r);
}

// A line of many times the memory that the reader may have.
static void test_endless_line(void)
{
    enum { MIB = 1 << 20 };
    const off_t size = (off_t)1024 * MIB;
    struct rig r;
    struct rusage usage;
    FILE *f;

    good_folder(&r);
    f = rig_open(&r, log_name);
    fputs(RECORD("10") "\n{\"metadata\":{\"x\":\"", f);
    fflush(f);
    // A hole reads as zeros without taking a disk.
    if (fseeko(f, size, SEEK_SET))
        abort();
    fputs("\"}}\n" RECORD("30") "\n", f);
    fclose(f);
    json_t *doc = rig_run(&r);
    CHECK(doc_finding(doc, log_name, "line_too_long") != NULL ||
          doc_finding(doc, log_name, "syntax") != NULL);
    CHECK_INT(json_integer_value(doc_at(doc, "num_requests_total")), 2);
    CHECK_NEAR(doc_number(doc, "request_metrics.tokens.output_actual.mean"), 20, 0);
    json_decref(doc);
    rig_done(&r);
    getrusage(RUSAGE_SELF, &usage);
    printf("# peak memory %ld KiB\n", usage.ru_maxrss);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    CHECK(usage.ru_maxrss < 64 * 1024);
#endif
}

static void test_long_line(void)
{
    enum { TIMES = 5 * 1000 * 1000 };
    struct rig r;
    FILE *f;

    good_folder(&r);
    f = rig_open(&r, log_name);
    fputs("{\"metrics\":{\"inter_chunk_latency\":{\"value\":[", f);
    repeat(f, "1,", TIMES);
    fputs("1]}}}\n" RECORD("10") "\n", f);
    fclose(f);
    json_t *doc = rig_run(&r);
    check_place(doc, log_name, "line_too_long", 1, 1);
    CHECK_INT(json_integer_value(doc_at(doc, "num_requests_total")), 1);
    json_decref(doc);
    rig_done(&r);
}

// The file grows or is replaced between the reader's first and last look.
static void test_change(void)
{
    struct findings *f = calloc(1, sizeof(*f));
    struct artifacts *a = calloc(1, sizeof(*a));
    struct root root;
    struct rig r;
    struct err e;
    const char *bytes;

    rig_init(&r);
    rig_write(&r, "one", "first");
    if (!f || !a || root_open(&root, r.folder, &e))
        abort();
    struct source *s = source_open(&root, "one", SOURCE_REQUIRED, INT64_MAX, f);
    CHECK_INT((int64_t)source_read(s, &bytes), 5);
    FILE *more = fopen(rig_path(&r, "one"), "a");
    fputs(" and more", more);
    fclose(more);
    CHECK_INT((int64_t)source_read(s, &bytes), 0); // it is not followed
    source_close(s, a);
    CHECK(findings_find(f, "one", "changed") != NULL);

    f->count = 0;
    s = source_open(&root, "one", SOURCE_REQUIRED, INT64_MAX, f);
    while (source_read(s, &bytes))
        continue;
    rig_write(&r, "two", "first and more");
    char two[PATH_MAX];
    snprintf(two, sizeof(two), "%s", rig_path(&r, "two"));
    if (rename(two, rig_path(&r, "one")))
        abort();
    source_close(s, a);
    CHECK(findings_find(f, "one", "changed") != NULL);

    f->count = 0;
    s = source_open(&root, "one", SOURCE_REQUIRED, INT64_MAX, f);
    while (source_read(s, &bytes))
        continue;
    source_close(s, a);
    CHECK_INT((int64_t)f->count, 0);
    // SHA-256 of "first and more", by sha256sum.
    CHECK_TEXT(a->list[2].sha256,
               "894dd4ff409c2de5f21cbf8d3a878fb288da15b2192b4734f27884790b59f098");
    CHECK(source_open(&root, "../one", SOURCE_REQUIRED, INT64_MAX, f) == NULL);
    CHECK(findings_find(f, "../one", "link") != NULL);
    root_close(&root);
    rig_done(&r);
    free(f);
    free(a);
}

static void test_context(void)
{
    struct rig r;
    json_t *doc;

    good_folder(&r);
    rig_write(&r, "job.env", "SWEEPD_POINT=x\nTP=8\nPP_SIZE=2\nPCP_SIZE=3\nEMPTY=\nodd line\n");
    doc = rig_run_folder(r.folder, 0);
    CHECK_INT(json_integer_value(doc_at(doc, "gpu_count")), 48);
    json_decref(doc);
    doc = rig_run_folder(r.folder, 2); // an option wins
    CHECK_INT(json_integer_value(doc_at(doc, "gpu_count")), 12);
    json_decref(doc);
    rig_write(&r, "job.env", "TP=eight\n");
    doc = rig_run_folder(r.folder, 0);
    check_place(doc, "job.env", "bad_value", 1, 1);
    CHECK(json_is_null(doc_at(doc, "gpu_count")));
    CHECK_INT((int64_t)json_object_size(doc_at(doc, "request_metrics.throughput.per_gpu")), 0);
    json_decref(doc);
    rig_write(&r, "server_env.txt", "SGLANG_SIMULATE_ACC_LEN=3.39\n");
    doc = rig_run(&r);
    CHECK_TEXT(doc_text(doc, "acceptance.mode"), "simulated");
    CHECK_NEAR(doc_number(doc, "acceptance.simulated_length"), 3.39, 0);
    json_decref(doc);
    rig_write(&r, "server_env.txt", "OTHER=1\n");
    rig_write(&r, "server_info.json",
              "{\"tp_size\":4,\"api_key\":\"sesame\",\"hf_token\":\"x\",\"max_total_tokens\":null,"
              "\"version\":\"0.5\",\"internal_states\":[{\"avg_spec_accept_length\":3.3},{}]}");
    doc = rig_run(&r);
    CHECK_TEXT(doc_text(doc, "acceptance.mode"), "real");
    CHECK_INT(json_integer_value(doc_at(doc, "server_info.arguments.tp_size")), 4);
    CHECK_INT((int64_t)json_object_size(doc_at(doc, "server_info.arguments")), 3);
    CHECK_NEAR(doc_number(doc, "server_info.accept_lengths.0"), 3.3, 0);
    json_decref(doc);
    rig_done(&r);
}

int main(void)
{
    test_links();
    test_layouts();
    test_endless_line();
    test_long_line();
    test_change();
    test_context();
    return tap_done();
}
