// SPDX-License-Identifier: GPL-2.0-or-later
// A folder of artifacts without a fault, for a test to spoil one of them.
#ifndef SWEEPD_TESTS_INGEST_GOOD_H
#define SWEEPD_TESTS_INGEST_GOOD_H

#include "tests/unit/ingest_rig.h"

static const char log_name[] = "profile_export.jsonl";
static const char summary_name[] = "profile_export_aiperf.json";
static const char metrics_name[] = "server_metrics_export.json";

// A request with so many output tokens, of one second.
#define RECORD(tokens)                                                                             \
    "{\"metadata\":{\"benchmark_phase\":\"profiling\",\"request_start_ns\":1786500000000000001,"   \
    "\"request_end_ns\":1786500001000000001},\"metrics\":{\"output_sequence_length\":{"            \
    "\"value\":" tokens ",\"unit\":\"tokens\"},\"input_sequence_length\":{\"value\":100,\"unit\":" \
    "\"tokens\"},\"request_latency\":{\"value\":1000.5,\"unit\":\"ms\"}},\"error\":null}"

static inline void good_folder(struct rig *r)
{
    rig_init(r);
    rig_write(r, summary_name,
              "{\"metadata\":{\"submission_valid\":true},"
              "\"request_count\":{\"unit\":\"requests\",\"avg\":1}}");
    rig_write(r, log_name, RECORD("10") "\n");
    rig_write(r, metrics_name,
              "{\"metrics\":{\"sglang:spec_accept_length\":{\"type\":\"gauge\",\"series\":"
              "[{\"stats\":{\"avg\":3.39,\"max\":3.4}}]}}}");
    rig_write(r, "server_metrics_export.csv", "metric\n");
    rig_write(r, "server.log", "max_total_num_tokens=5\n");
}

// The document must have this finding, first on this line (0: none is known),
// so many times.
static inline void check_place(json_t *doc, const char *file, const char *code, int64_t line,
                               int64_t count)
{
    json_t *one = doc_finding(doc, file, code);

    printf("# %s: %s\n", file, code);
    if (!CHECK(one != NULL)) {
        doc_show_findings(doc);
        return;
    }
    CHECK_INT(json_integer_value(json_object_get(one, "line")), line);
    CHECK_INT(json_integer_value(json_object_get(one, "count")), count);
}

static inline void repeat(FILE *f, const char *text, size_t times)
{
    for (size_t i = 0; i < times; i++)
        fputs(text, f);
}

#endif
