-- SPDX-License-Identifier: GPL-2.0-or-later
-- The tables that sweepd writes and the views that others read. One
-- transaction; the daemon runs it under an advisory lock.
CREATE TABLE schema_version (
    version integer PRIMARY KEY,
    name text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
);

-- The single writer. Whoever holds the advisory lock raises the generation;
-- every transaction of the daemon begins by finding its own generation here,
-- so that one which lost the lock without noticing writes nothing.
CREATE TABLE writer (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    generation bigint NOT NULL,
    holder text NOT NULL,
    since timestamptz NOT NULL
);
INSERT INTO writer VALUES (true, 0, '', now());

CREATE TABLE sweep (
    seq bigint PRIMARY KEY,
    id text NOT NULL UNIQUE,
    key text NOT NULL,
    owner text NOT NULL,
    state text NOT NULL CHECK (state IN ('active', 'cancelling', 'done')),
    on_failure text NOT NULL CHECK (on_failure IN ('fail-fast', 'keep-going')),
    placement text NOT NULL CHECK (placement IN ('exclusive', 'packed')),
    fast boolean NOT NULL,
    reason text NOT NULL,
    image text NOT NULL,
    model text NOT NULL,
    runner text NOT NULL,
    recipe text NOT NULL,
    bundle text NOT NULL,
    error_rate_max double precision NOT NULL,
    al_target double precision NOT NULL, -- 0: real acceptance
    al_tolerance double precision NOT NULL,
    coverage_stall double precision NOT NULL,
    requests_min bigint NOT NULL,
    created_at timestamptz NOT NULL,
    ended_at timestamptz
);
-- One active sweep per config key, whatever the daemon believes.
CREATE UNIQUE INDEX sweep_one_active ON sweep (key) WHERE state = 'active';

CREATE TABLE point (
    sweep bigint NOT NULL REFERENCES sweep ON DELETE CASCADE,
    idx integer NOT NULL, -- matrix order
    name text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('throughput', 'eval')),
    tp integer NOT NULL,
    pp integer NOT NULL,
    dcp integer NOT NULL,
    pcp integer NOT NULL,
    ep integer NOT NULL,
    dp_attn boolean NOT NULL,
    spec_decoding text NOT NULL,
    kv_offloading text NOT NULL,
    kv_backend text NOT NULL,
    conc integer NOT NULL,
    isl integer NOT NULL,
    osl integer NOT NULL,
    total_cpu_dram_gb integer NOT NULL,
    duration_s integer NOT NULL,
    exp_name text NOT NULL,
    job_env text NOT NULL,
    expected_us bigint NOT NULL,
    state text NOT NULL CHECK (state IN ('waiting', 'active', 'done')),
    outcome text NOT NULL, -- '' until done
    reason text NOT NULL,
    chosen integer NOT NULL, -- number of the attempt that counts, 0: none
    excluded text NOT NULL, -- nodes, separated by spaces
    PRIMARY KEY (sweep, idx),
    UNIQUE (sweep, name)
);

CREATE TABLE attempt (
    sweep bigint NOT NULL,
    point integer NOT NULL,
    number integer NOT NULL,
    token text NOT NULL UNIQUE,
    state text NOT NULL CHECK (state IN ('intent', 'submitted', 'pending', 'running', 'ended', 'judged', 'lost')),
    cancel_wanted boolean NOT NULL,
    job_id bigint NOT NULL, -- 0: none known
    submit_time bigint NOT NULL, -- Slurm's, seconds since the epoch
    node text NOT NULL,
    slurm_state text NOT NULL,
    slurm_reason text NOT NULL,
    phase text NOT NULL,
    end_reason text NOT NULL,
    exit_code integer NOT NULL,
    signal integer NOT NULL,
    outcome text NOT NULL,
    blame text NOT NULL,
    reason text NOT NULL,
    al double precision, -- NULL: not measured
    total_tps_per_gpu double precision,
    output_tps_per_gpu double precision,
    output_tps_per_user double precision,
    ttft_p90_s double precision,
    cache_hit_rate double precision,
    requests bigint NOT NULL,
    evidence jsonb NOT NULL, -- one object per rule of the verdict
    summary jsonb, -- all that was read from the artifacts
    intent_at timestamptz,
    submitted_at timestamptz,
    started_at timestamptz,
    ended_at timestamptz,
    judged_at timestamptz,
    PRIMARY KEY (sweep, point, number),
    FOREIGN KEY (sweep, point) REFERENCES point ON DELETE CASCADE
);

CREATE TABLE event (
    id bigint PRIMARY KEY,
    at timestamptz NOT NULL,
    sweep bigint, -- no reference: the log outlives what it tells of
    sweep_id text NOT NULL,
    point text NOT NULL,
    attempt integer NOT NULL,
    kind text NOT NULL,
    text text NOT NULL
);
CREATE INDEX event_sweep ON event (sweep, id);

CREATE VIEW v_sweep AS
SELECT s.id AS sweep, s.key, s.owner, s.state, s.on_failure, s.placement, s.fast, s.reason, s.image, s.model,
       s.runner, s.bundle, s.created_at, s.ended_at,
       count(p.*) AS points,
       count(*) FILTER (WHERE p.state = 'waiting') AS waiting,
       count(*) FILTER (WHERE p.state = 'active') AS active,
       count(*) FILTER (WHERE p.state = 'done') AS done,
       count(*) FILTER (WHERE p.outcome = 'pass') AS passed
FROM sweep s LEFT JOIN point p ON p.sweep = s.seq
GROUP BY s.seq;

CREATE VIEW v_point AS
SELECT s.id AS sweep, s.key, p.name AS point, p.kind, p.tp, p.pp, p.dcp, p.pcp, p.ep, p.dp_attn, p.spec_decoding,
       p.kv_offloading, p.conc, p.tp * p.pp * p.pcp AS gpus, p.state, nullif(p.outcome, '') AS outcome, p.reason,
       a.number AS attempt, a.state AS attempt_state, nullif(a.phase, '') AS phase, nullif(a.slurm_state, '') AS slurm_state,
       nullif(a.job_id, 0) AS job_id, nullif(a.node, '') AS node, a.started_at, a.ended_at,
       (SELECT count(*) FROM attempt c WHERE c.sweep = p.sweep AND c.point = p.idx) AS attempts
FROM point p
JOIN sweep s ON s.seq = p.sweep
LEFT JOIN LATERAL (
    SELECT * FROM attempt x WHERE x.sweep = p.sweep AND x.point = p.idx
    ORDER BY (x.number = p.chosen) DESC, x.number DESC LIMIT 1
) a ON true;

-- One row per point with a judged attempt that counts.
CREATE VIEW v_result AS
SELECT s.id AS sweep, s.key, s.bundle, s.image, s.model, s.fast, p.name AS point, p.kind, p.tp, p.pp, p.dcp, p.pcp,
       p.ep, p.dp_attn, p.spec_decoding, p.kv_offloading, p.conc, p.tp * p.pp * p.pcp AS gpus, p.outcome,
       a.number AS attempt, a.token, a.node, a.job_id, a.started_at, a.ended_at, a.al, a.total_tps_per_gpu,
       a.output_tps_per_gpu, a.output_tps_per_user, a.ttft_p90_s, a.cache_hit_rate, a.requests, a.evidence, a.summary
FROM point p
JOIN sweep s ON s.seq = p.sweep
JOIN attempt a ON a.sweep = p.sweep AND a.point = p.idx AND a.number = p.chosen
WHERE p.state = 'done';

INSERT INTO schema_version (version, name) VALUES (1, 'init');
