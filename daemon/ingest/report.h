// SPDX-License-Identifier: GPL-2.0-or-later
// Writes the document of docs/ingest.md.
#ifndef SWEEPD_INGEST_REPORT_H
#define SWEEPD_INGEST_REPORT_H

#include "ingest/out.h"
#include "ingest/run.h"

enum { INGEST_VERSION = 1 }; // raised when a member changes its meaning or goes away

void report_write(struct out *o, struct run *r);

// The parts. The distributions sort the run's series.
void report_client(struct out *o, const struct run *r);
void report_request_metrics(struct out *o, struct run *r);
void report_request_accounting(struct out *o, const struct run *r);
void report_server_metrics(struct out *o, const struct run *r);
void report_acceptance(struct out *o, const struct run *r);
void report_consistency(struct out *o, struct run *r); // makes findings
void report_power(struct out *o, const struct run *r);
void report_evaluation(struct out *o, const struct run *r);

// The KV pool: the log's word before the gauge's. NaN: unknown.
double report_pool_tokens(const struct run *r);

#endif
