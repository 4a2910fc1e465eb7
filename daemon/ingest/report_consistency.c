// SPDX-License-Identifier: GPL-2.0-or-later
// What the client summed up against what its own log of requests says.
#include <math.h>
#include <stdlib.h>

#include "ingest/report.h"

static const double MS_PER_S = 1000.0;
static const double TOLERANCE = 0.01; // of the greater of two latencies

struct check {
    const char *name;
    double client, log;
    double tolerance;
    enum severity severity; // of the finding when they differ
};

static void write_check(struct out *o, struct run *r, const struct check *c)
{
    double greater = fmax(fabs(c->client), fabs(c->log));
    char path[FILE_NAME_MAX * 2];
    bool agrees = fabs(c->client - c->log) <= c->tolerance * greater;

    if (isnan(c->client) || isnan(c->log))
        return;
    out_object(o, NULL);
    out_text(o, "name", c->name);
    out_rounded(o, "client", c->client);
    out_rounded(o, "log", c->log);
    out_bool(o, "agrees", agrees);
    out_object_end(o);
    if (agrees)
        return;
    path_join(r->layout.folder, "profile_export_aiperf.json", path, sizeof(path));
    findings_add(&r->findings, c->severity, "inconsistent", place_file(path),
                 "%s is %.6g in the summary and %.6g by the request log", c->name, c->client,
                 c->log);
}

static double seconds(const struct summary_block *b, enum summary_stat stat)
{
    return b->stat[stat] / MS_PER_S;
}

struct check_names {
    const char *mean, *p50, *p75, *p90, *p95;
};

static void write_latencies(struct out *o, struct run *r, const struct check_names *n,
                            const struct summary_block *b, struct series *log)
{
    struct stats s = stats_of(log);
    const struct check checks[] = {
        {n->mean, seconds(b, STAT_AVG), s.mean, TOLERANCE, SEVERITY_WARNING},
        {n->p50, seconds(b, STAT_P50), s.p50, TOLERANCE, SEVERITY_WARNING},
        {n->p75, seconds(b, STAT_P75), s.p75, TOLERANCE, SEVERITY_WARNING},
        {n->p90, seconds(b, STAT_P90), s.p90, TOLERANCE, SEVERITY_WARNING},
        {n->p95, seconds(b, STAT_P95), s.p95, TOLERANCE, SEVERITY_WARNING},
    };

    for (size_t i = 0; s.count && i < sizeof(checks) / sizeof(*checks); i++)
        write_check(o, r, &checks[i]);
}

static void write_counts(struct out *o, struct run *r)
{
    struct error_rate e = summary_error_rate(&r->summary);
    const struct check checks[] = {
        // A log that holds fewer has lost lines.
        {"request_count", e.ok, (double)r->requests.profiled, 0, SEVERITY_ERROR},
        {"error_count", e.errors, (double)r->requests.errors_profiled, 0, SEVERITY_WARNING},
    };

    for (size_t i = 0; i < sizeof(checks) / sizeof(*checks); i++)
        write_check(o, r, &checks[i]);
}

void report_consistency(struct out *o, struct run *r)
{
    static const struct check_names ttft = {"ttft_mean", "ttft_p50", "ttft_p75", "ttft_p90",
                                            "ttft_p95"};
    static const struct check_names e2el = {"e2el_mean", "e2el_p50", "e2el_p75", "e2el_p90",
                                            "e2el_p95"};
    static const struct check_names itl = {"itl_mean", "itl_p50", "itl_p75", "itl_p90", "itl_p95"};
    const struct summary_block *b = r->summary.block;

    out_array(o, "consistency");
    if (r->summary.read && r->requests.read) {
        write_counts(o, r);
        write_latencies(o, r, &ttft, &b[SUMMARY_TTFT], &r->requests.ttft);
        write_latencies(o, r, &e2el, &b[SUMMARY_LATENCY], &r->requests.latency);
        write_latencies(o, r, &itl, &b[SUMMARY_ITL], &r->requests.itl);
    }
    out_array_end(o);
}
