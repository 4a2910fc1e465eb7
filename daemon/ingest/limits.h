// SPDX-License-Identifier: GPL-2.0-or-later
// Every bound of the reader of artifacts. What crosses one is reported as a
// finding; nothing here grows with the size of a file, apart from the few
// numbers kept per request for the percentiles.
#ifndef SWEEPD_INGEST_LIMITS_H
#define SWEEPD_INGEST_LIMITS_H

enum {
    INGEST_READ_CHUNK = 256 * 1024,

    JSON_DEPTH_MAX = 32,         // deeper containers are read as null
    JSON_KEY_MAX = 128,          // a longer key equals no wanted one
    JSON_STRING_MAX = 64 * 1024, // longer strings are cut
    JSON_SCALAR_MAX = 64,        // longer numbers are read as null

    REQUEST_LINE_MAX = 4 * 1024 * 1024, // a longer line of the request log is not read
    REQUESTS_MAX = 4 * 1000 * 1000,     // successful requests whose numbers are kept
    REQUEST_TOKENS_MAX = 1 << 30,       // of one request
    ERROR_CATEGORIES_MAX = 64,
    ERROR_CATEGORY_MAX = 120,      // characters
    QPS_WINDOWS_MAX = 1000 * 1000, // one-second windows, 11 days

    SUMMARY_REASONS_MAX = 32,
    SUMMARY_COVERAGE_MAX = 16,
    SUMMARY_TEXT_MAX = 256,
    PASSED_ON_MAX = 64 * 1024, // bytes of an object that is handed on as it is

    METRIC_FAMILIES_MAX = 4096, // counted; only the wanted ones are kept
    METRIC_SOURCES_MAX = 32,    // values of the label cache_source

    SERVER_LOG_HEAD = 64 * 1024 * 1024, // bytes of server.log that are read
    SERVER_LOG_LINE_MAX = 64 * 1024,
    SERVER_LOG_RANKS_MAX = 1024,

    POWER_SAMPLES_MAX = 1000 * 1000,
    POWER_GPUS_MAX = 64,
    POWER_LINE_MAX = 8 * 1024,

    CONTEXT_FILE_MAX = 64 * 1024,
    SMALL_FILE_MAX = 4 * 1024 * 1024, // server_info.json, evaluation results
    EVALUATION_FILES_MAX = 64,
    EVALUATION_TASKS_MAX = 32,
    EVALUATION_METRICS_MAX = 32, // of one task
    LAYOUT_ENTRIES_MAX = 4096,   // names read of one folder

    FINDINGS_MAX = 128,
    FINDING_TEXT_MAX = 256,
    FILES_MAX = 96,
    FILE_NAME_MAX = 512,
};

#endif
