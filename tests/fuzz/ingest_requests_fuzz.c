// SPDX-License-Identifier: GPL-2.0-or-later
// Any bytes as profile_export.jsonl.
#include "tests/fuzz/ingest_fuzz.h"

static void read_all(struct run *r, struct source *s)
{
    requests_read(&r->requests, s, &r->findings);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    fuzz_reader("profile_export.jsonl", bytes, len, read_all);
    return 0;
}
