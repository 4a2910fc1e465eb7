// SPDX-License-Identifier: GPL-2.0-or-later
// Any bytes as server_metrics_export.json.
#include "tests/fuzz/ingest_fuzz.h"

static void read_all(struct run *r, struct source *s)
{
    metrics_read(&r->metrics, s, &r->findings);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    fuzz_reader("server_metrics_export.json", bytes, len, read_all);
    return 0;
}
