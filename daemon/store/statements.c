// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/statements.h"

static const struct store_sql statements[STORE_STATEMENT_COUNT] = {
    [STORE_PUT_SWEEP] =
        {"put_sweep",
         "INSERT INTO sweep (seq, id, key, owner, state, on_failure, placement, fast, reason, "
         "image,"
         " model, runner, recipe, bundle, error_rate_max, al_target, al_tolerance, coverage_stall,"
         " requests_min, created_at, ended_at)"
         " VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19,$20,$21)"
         " ON CONFLICT (seq) DO UPDATE SET state=EXCLUDED.state, reason=EXCLUDED.reason,"
         " ended_at=EXCLUDED.ended_at",
         21},
    [STORE_PUT_POINT] =
        {"put_point",
         "INSERT INTO point (sweep, idx, name, kind, tp, pp, dcp, pcp, ep, dp_attn, spec_decoding,"
         " kv_offloading, kv_backend, conc, isl, osl, total_cpu_dram_gb, duration_s, exp_name,"
         " job_env, expected_us, state, outcome, reason, chosen, excluded)"
         " VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19,$20,$21,$22,"
         "$23,$24,$25,$26)"
         " ON CONFLICT (sweep, idx) DO UPDATE SET state=EXCLUDED.state, outcome=EXCLUDED.outcome,"
         " reason=EXCLUDED.reason, chosen=EXCLUDED.chosen, excluded=EXCLUDED.excluded",
         26},
    [STORE_PUT_ATTEMPT] =
        {"put_attempt",
         "INSERT INTO attempt (sweep, point, number, token, state, cancel_wanted, job_id,"
         " submit_time, node, slurm_state, slurm_reason, phase, end_reason, exit_code, signal,"
         " outcome, blame, reason, al, total_tps_per_gpu, output_tps_per_gpu, output_tps_per_user,"
         " ttft_p90_s, cache_hit_rate, requests, evidence, summary, intent_at, submitted_at,"
         " started_at, ended_at, judged_at)"
         " VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19,$20,$21,$22,"
         "$23,$24,$25,$26,$27,$28,$29,$30,$31,$32)"
         " ON CONFLICT (sweep, point, number) DO UPDATE SET state=EXCLUDED.state,"
         " cancel_wanted=EXCLUDED.cancel_wanted, job_id=EXCLUDED.job_id,"
         " submit_time=EXCLUDED.submit_time, node=EXCLUDED.node, slurm_state=EXCLUDED.slurm_state,"
         " slurm_reason=EXCLUDED.slurm_reason, phase=EXCLUDED.phase,"
         " end_reason=EXCLUDED.end_reason, exit_code=EXCLUDED.exit_code, signal=EXCLUDED.signal,"
         " outcome=EXCLUDED.outcome, blame=EXCLUDED.blame, reason=EXCLUDED.reason, al=EXCLUDED.al,"
         " total_tps_per_gpu=EXCLUDED.total_tps_per_gpu,"
         " output_tps_per_gpu=EXCLUDED.output_tps_per_gpu,"
         " output_tps_per_user=EXCLUDED.output_tps_per_user, ttft_p90_s=EXCLUDED.ttft_p90_s,"
         " cache_hit_rate=EXCLUDED.cache_hit_rate, requests=EXCLUDED.requests,"
         " evidence=EXCLUDED.evidence, summary=EXCLUDED.summary, intent_at=EXCLUDED.intent_at,"
         " submitted_at=EXCLUDED.submitted_at, started_at=EXCLUDED.started_at,"
         " ended_at=EXCLUDED.ended_at, judged_at=EXCLUDED.judged_at",
         32},
    [STORE_PUT_EVENT] = {"put_event",
                         "INSERT INTO event (id, at, sweep, sweep_id, point, attempt, kind, text)"
                         " VALUES ($1,$2,$3,$4,$5,$6,$7,$8) ON CONFLICT (id) DO NOTHING",
                         8},
};

#define RECENT                                                                                     \
    "WITH recent AS (SELECT seq FROM sweep WHERE state <> 'done' UNION"                            \
    " (SELECT seq FROM sweep ORDER BY seq DESC LIMIT $1)) "
// Instants go in and out as microseconds since the epoch.
#define MICROS(column) "(extract(epoch FROM " column ") * 1000000)::bigint"

static const struct store_sql queries[STORE_QUERY_COUNT] = {
    [STORE_SWEEPS] =
        {"sweeps",
         RECENT "SELECT seq, id, key, owner, state, on_failure, placement, fast, reason, image,"
                " model, runner, recipe, bundle, error_rate_max, al_target, al_tolerance,"
                " coverage_stall, requests_min, " MICROS("created_at") ", " MICROS(
                    "ended_at") " FROM sweep WHERE seq IN (SELECT seq FROM recent) ORDER BY seq",
         1},
    [STORE_POINTS] = {"points",
                      RECENT
                      "SELECT sweep, idx, name, kind, tp, pp, dcp, pcp, ep, dp_attn, spec_decoding,"
                      " kv_offloading, kv_backend, conc, isl, osl, total_cpu_dram_gb, duration_s,"
                      " exp_name, job_env, expected_us, state, outcome, reason, chosen, excluded"
                      " FROM point WHERE sweep IN (SELECT seq FROM recent) ORDER BY sweep, idx",
                      1},
    [STORE_ATTEMPTS] =
        {"attempts",
         RECENT
         "SELECT sweep, point, number, token, state, cancel_wanted, "
         "job_id, submit_time,"
         " node, slurm_state, slurm_reason, phase, end_reason, "
         "exit_code, signal, outcome,"
         " blame, reason, al, total_tps_per_gpu, output_tps_per_gpu, "
         "output_tps_per_user,"
         " ttft_p90_s, cache_hit_rate, requests, evidence, "
         "summary, " MICROS("intent_at") ", " MICROS("submitted_at") ", " MICROS(
             "started_at") ", " MICROS("ended_at") ", " MICROS("judge"
                                                               "d_at") " FROM attempt WHERE sweep "
                                                                       "IN (SELECT seq FROM recent)"
                                                                       " ORDER BY sweep, point, "
                                                                       "number",
         1},
    [STORE_EVENTS] =
        {"events",
         "SELECT id, " MICROS(
             "at") ", sweep, sweep_id, point, attempt, kind, text"
                   " FROM (SELECT * FROM event ORDER BY id DESC LIMIT $1) last ORDER BY id",
         1},
    [STORE_MAXIMA] = {"maxima",
                      "SELECT coalesce((SELECT max(seq) FROM sweep), 0),"
                      " coalesce((SELECT max(id) FROM event), 0), $1::bigint",
                      1},
};

const struct store_sql *store_statement(enum store_statement s)
{
    return &statements[s];
}

const struct store_sql *store_query(enum store_query q)
{
    return &queries[q];
}
