# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# sweepd itself, with a configuration that points at everything in DIR.

readonly SWEEPD_START_SECONDS=30

write_sweepd_conf() # TCP PORT
{
    cat > "$DIR/sweepd.yaml" << CONF
database: "$(database)"
spool: "$DIR/spool"
listen: {unix: "$DIR/sweepd.sock", tcp: "127.0.0.1:$1"}
slurm: {conf: "$DIR/login/slurm.conf", poll_interval: 300ms, timeout: 10s}
policy: {scan_interval: 200ms, end_grace: 5s, retry_first: 200ms, retry_max: 2s}
programs: "$BUILD"
data: "$TREE/etc"
sql: "$TREE/sql"
recipes: "$TREE/slurm/recipes"
job_script: "$TREE/slurm/job.sh"
web: "$TREE/daemon/web"
matrices: ["$TREE/etc/matrices/qwen3.5-fp8-mi325x-sglang-agentic-mtp.yaml"]
runners: "$TREE/etc/matrices/runners.yaml"
fleets:
  "cluster:mi325x-amds": {partition: compute, gres: "gpu:$GPU_TYPE", gpus_per_node: $GPUS_PER_NODE, hardware: $GPU_TYPE}
job:
  time_limit: 8h
  environment:
    SWEEPD_SERVER_CMD: "$BUILD/standin-server"
    SWEEPD_REPLAY_CMD: "$BUILD/standin-replay"
    STANDIN_SPEED: "$SPEED"
    STANDIN_FAULTS: "$DIR/faults"
    STANDIN_STARTS: "$DIR/starts"
    SWEEPD_HEALTH_INTERVAL: "0.2"
    SWEEPD_STOP_GRACE: "2"
CONF
    # A sanitizer's shadow memory is larger than any limit that makes sense.
    case $BUILD in
    */san-*) echo 'ingest: {memory_mb: 0}' >> "$DIR/sweepd.yaml" ;;
    esac
}

database()
{
    printf 'host=%s dbname=sweepd user=sweepd' "$DIR/pg"
}

make_sweepd()
{
    local port
    [ -x "$BUILD/sweepd" ] || die "$BUILD/sweepd is missing: run make"
    port=$(free_ports 1) || die "there is no free port"
    write_sweepd_conf "$port"
    start_sweepd ok
}

# start_sweepd ok|any: returns when it is healthy; with "any" when it answers at all, for a
# start while something that it needs is away.
start_sweepd()
{
    local preload
    [ -e "$DIR/sweepd.yaml" ] || die "this testbed was started with --no-sweepd"
    mapfile -t preload < <(spool_preload)
    alive sweepd || launch sweepd env "${preload[@]}" "$BUILD/sweepd" --config "$DIR/sweepd.yaml"
    wait_for "$SWEEPD_START_SECONDS" healthy_or_dead "$1" ||
        die_log sweepd "sweepd does not become healthy: '$(health)'"
    alive sweepd || die_log sweepd "sweepd ended"
}

healthy_or_dead() # STATUS
{
    local status
    gone sweepd && return
    status=$(health | jq -r .status 2>/dev/null)
    [ "$status" = "$1" ] || { [ "$1" = any ] && [ -n "$status" ]; }
}

health()
{
    curl -s -m 5 --unix-socket "$DIR/sweepd.sock" http://localhost/api/v1/health
}
