# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034 # a recipe reads what is set here
# Renders or runs a recipe. A recipe sources this, declares
#   RECIPE_READS     names of the variables that it reads,
#   recipe_build     sets SERVER_ARGV SERVER_ENV SERVER_UNSET REPLAY_ARGV REPLAY_ENV META
#                    from them, or says why not with `refuse` and fails; starts nothing,
# and ends with recipe_main "$@":
#   --render         blocks of KEY=VALUE lines on standard input, a line of JSON for each
#   --run DIR [KEY=VALUE...]
#                    runs DIR/job.env; the words win over it. Nothing else is taken from the
#                    environment, since a container image may overwrite that silently.
# recipe_build is the same for both: what was checked is what runs.

RECIPE_HOME=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=slurm/recipes/lib.sh
. "$RECIPE_HOME/lib.sh"

# What every recipe may be told by the site, with its default.
declare -rA SITE_DEFAULTS=(
    [SWEEPD_SERVER_CMD]='python3 -m sglang.launch_server'
    [SWEEPD_REPLAY_CMD]='aiperf'
    [SWEEPD_CLIENT_HOOK]=''          # command that installs the client into SWEEPD_CLIENT_DIR
    [SWEEPD_WEIGHTS_HOOK]=''         # command that fetches the model
    [SWEEPD_HOOK_TIMEOUT]=3600       # seconds for each of them
    [SWEEPD_SERVER_TIMEOUT]=5400     # seconds until the server must be ready
    [SWEEPD_HEALTH_INTERVAL]=5       # seconds between looks at it; more often disturbs it
    [SWEEPD_WATCH_INTERVAL]=1        # seconds between looks at a running replay
    [SWEEPD_STOP_GRACE]=60           # whole seconds from TERM to KILL
)
readonly SITE_DEFAULTS
readonly RENDER_LINES_MAX=1000   # of a block
readonly MARKS_MAX=500           # lines of the replay log looked at in one turn

# State is in lower case: job.env can only set upper-case names.
server_pid=''
replay_pid=''
refusal=''

refuse() # TEXT: always fails
{
    refusal=$1
    return 1
}

# Whole numbers without sign, leading zero or surprise in arithmetic.
is_count() # TEXT
{
    [[ $1 =~ ^[1-9][0-9]{0,8}$ ]]
}

forget_environment()
{
    local name
    for name in "${RECIPE_READS[@]}" "${!SITE_DEFAULTS[@]}" PORT RESULT_DIR; do
        unset "$name"
    done
}

apply_defaults()
{
    local name
    for name in "${!SITE_DEFAULTS[@]}"; do
        [ -n "${!name:-}" ] || export "$name=${SITE_DEFAULTS[$name]}"
    done
    SERVER_ARGV=() SERVER_ENV=() SERVER_UNSET=() REPLAY_ARGV=() REPLAY_ENV=() META=()
}

# --- rendering -----------------------------------------------------------------------

render_lines() # LINE...: one block, in a shell of its own
{
    local line server_argv server_env replay_argv replay_env
    unset ROCR_VISIBLE_DEVICES HIP_VISIBLE_DEVICES # the node's, not the point's
    forget_environment
    unset SWEEPD_POINT
    for line; do
        env_accept "$line" || refuse "job.env: $REPLY" || break
    done
    export PORT="${PORT:-0}" RESULT_DIR="${RESULT_DIR:-/RESULT_DIR}"
    apply_defaults
    if [ -n "$refusal" ] || ! recipe_build; then
        json_object "point=${SWEEPD_POINT:-}" "error=$refusal"
        printf '%s\n' "$REPLY"
        return
    fi
    json_array "${SERVER_ARGV[@]}"; server_argv=$REPLY
    json_object "${SERVER_ENV[@]}"; server_env=$REPLY
    json_array "${REPLAY_ARGV[@]}"; replay_argv=$REPLY
    json_object "${REPLAY_ENV[@]}"; replay_env=$REPLY
    json_escape "${SWEEPD_POINT:-}"
    printf '{"point":"%s","server":{"argv":%s,"env":%s},"replay":{"argv":%s,"env":%s},"meta":{%s}}\n' \
        "$REPLY" "$server_argv" "$server_env" "$replay_argv" "$replay_env" "$(IFS=,; echo "${META[*]}")"
}

render()
{
    local line lines=()
    while IFS= read -r line || [ -n "$line" ]; do
        if [ -n "$line" ]; then
            lines+=("$line")
            [ ${#lines[@]} -le "$RENDER_LINES_MAX" ] && continue
            echo "a block has more than $RENDER_LINES_MAX lines" >&2
            return 1
        fi
        [ ${#lines[@]} -eq 0 ] || (render_lines "${lines[@]}")
        lines=()
    done
    [ ${#lines[@]} -eq 0 ] || (render_lines "${lines[@]}")
}

# --- the server ------------------------------------------------------------------------

server_tree()
{
    echo "SWEEPD_SERVER_OF=$SWEEPD_TOKEN"
}

start_server()
{
    local name unset=()
    for name in "${SERVER_UNSET[@]}"; do
        unset+=(-u "$name")
    done
    printf '%s\n' "${SERVER_ARGV[@]}" > "$RESULT_DIR/server_command.txt"
    # A background command leads no group, so setsid does not fork: the pid is the server's.
    env "${unset[@]}" "$(server_tree)" "${SERVER_ENV[@]}" setsid "${SERVER_ARGV[@]}" \
        < /dev/null > "$RESULT_DIR/server.log" 2>&1 &
    server_pid=$!
}

stop_server()
{
    [ -n "$server_pid" ] || return 0
    tree_end "$SWEEPD_STOP_GRACE" "$(server_tree)" "$server_pid"
    server_pid=''
}

# Names the cause of a server that has died, as far as its last words tell.
server_died() # WORD: when they do not
{
    local word=$1 status last
    wait "$server_pid"
    status=$?
    last=$(tail -c 65536 -- "$RESULT_DIR/server.log" | tr -d '\0')
    if grep -qi 'address already in use' <<< "$last"; then
        word=port
    elif grep -qiE 'out of memory|not enough memory|OutOfMemoryError' <<< "$last"; then
        word=oom
    fi
    reason "$word" "the model server ended with status $status: $(tail -n 1 <<< "$last")"
}

wait_for_server()
{
    local end=$((SECONDS + SWEEPD_SERVER_TIMEOUT))
    until http_get "$PORT" /health > /dev/null; do
        if ! proc_alive "$server_pid"; then
            server_died server_start
            return 1
        fi
        if [ "$SECONDS" -ge "$end" ]; then
            reason server_timeout "the model server was not ready after $SWEEPD_SERVER_TIMEOUT s"
            return 1
        fi
        pause "$SWEEPD_HEALTH_INTERVAL"
    done
    if ! proc_alive "$server_pid"; then
        server_died server_start
        return 1
    fi
    if ! port_is_ours "$PORT" "$(server_tree)" "$server_pid"; then
        reason port "port $PORT answers, but no process of this job listens on it"
        return 1
    fi
}

# What the server really got, from the kernel and from itself.
read_back_server()
{
    local names='' name pair
    if [ -s "/proc/$server_pid/cmdline" ]; then
        tr '\0' '\n' < "/proc/$server_pid/cmdline" > "$RESULT_DIR/server_command.txt"
    fi
    for name in "${SERVER_ENV[@]%%=*}" "${SERVER_UNSET[@]}" ROCR_VISIBLE_DEVICES HIP_VISIBLE_DEVICES; do
        names+=" $name "
    done
    while IFS= read -r -d '' pair; do
        [[ $names != *" ${pair%%=*} "* ]] || printf '%s\n' "${pair//$'\n'/ }"
    done < "/proc/$server_pid/environ" > "$RESULT_DIR/server_env.txt"
    { http_get "$PORT" /server_info || http_get "$PORT" /get_server_info; } |
        sed -E 's/("[A-Za-z_]*(api_?key|secret|passw(or)?d|credentials?|_token)"[[:space:]]*:[[:space:]]*)"([^"\\]|\\.)*"/\1"redacted"/Ig' \
            > "$RESULT_DIR/server_info.json"
}

# A server whose environment is not what was rendered would measure something else for an hour.
# One that has written over its own environment proves nothing: the results will be judged.
gate_environment()
{
    local pair name
    local -A got=()
    while IFS= read -r -d '' pair; do
        got[${pair%%=*}]=${pair#*=}
    done < "/proc/$server_pid/environ"
    [ "SWEEPD_SERVER_OF=${got[SWEEPD_SERVER_OF]:-}" = "$(server_tree)" ] || return 0
    for pair in "${SERVER_ENV[@]}"; do
        name=${pair%%=*}
        [ "$name=${got[$name]-}" = "$pair" ] && continue
        reason config "the server's $name is '${got[$name]-}', not '${pair#*=}' as checked"
        return 1
    done
    for name in "${SERVER_UNSET[@]}"; do
        [ -n "${got[$name]+set}" ] || continue
        reason config "the server has $name=${got[$name]}, which must not be set"
        return 1
    done
}

# --- the replay client -------------------------------------------------------------------

start_replay()
{
    printf '%s\n' "${REPLAY_ARGV[@]}" > "$RESULT_DIR/replay_command.txt"
    : > "$RESULT_DIR/replay.log"
    local path=$PATH
    [ ! -d "$SWEEPD_CLIENT_DIR/bin" ] || path=$SWEEPD_CLIENT_DIR/bin:$PATH
    PATH=$path env "${REPLAY_ENV[@]}" "${REPLAY_ARGV[@]}" \
        < /dev/null >> "$RESULT_DIR/replay.log" 2>&1 &
    replay_pid=$!
}

stop_replay()
{
    if [ -z "$replay_pid" ] || ! proc_alive "$replay_pid"; then
        return 0
    fi
    kill -TERM "$replay_pid" 2> /dev/null
    local end=$((SECONDS + SWEEPD_STOP_GRACE))
    while proc_alive "$replay_pid" && [ "$SECONDS" -lt "$end" ]; do
        pause "$POLL_SECONDS"
    done
    kill -KILL "$replay_pid" 2> /dev/null
}

# The client's own marks in its log tell where it is.
follow_phases() # FD
{
    local line n
    for ((n = 0; n < MARKS_MAX; n++)); do
        IFS= read -r line <&"$1" || break
        case $line in
        *'Phase profiling started'*) phase profile ;;
        *'Phase profiling complete'*) phase collect ;;
        esac
    done
}

# Sets replay_status. A replay without its server is ended: it can prove nothing.
watch_replay()
{
    local log died=''
    exec {log}< "$RESULT_DIR/replay.log"
    while proc_alive "$replay_pid"; do
        follow_phases "$log"
        if ! proc_alive "$server_pid"; then
            died=1
            server_died server_died
            stop_replay
            break
        fi
        pause "$SWEEPD_WATCH_INTERVAL"
    done
    follow_phases "$log"
    exec {log}<&-
    wait "$replay_pid"
    replay_status=$?
    replay_pid=''
    [ -z "$died" ] || [ "$replay_status" -ne 0 ] || replay_status=1
}

# --- running -----------------------------------------------------------------------------

run_hook() # PHASE REASON COMMAND LINE
{
    local words
    read -ra words <<< "$3"
    [ ${#words[@]} -gt 0 ] || return 0
    phase "$1"
    timeout -k 10 "$SWEEPD_HOOK_TIMEOUT" "${words[@]}" < /dev/null &
    wait $! || { reason "$2" "$3: failed with status $?"; return 1; }
}

stop_all()
{
    local status=$?
    trap '' TERM INT
    stop_replay
    stop_server
    exit "$status"
}

run() # DIR [KEY=VALUE...]
{
    local word given=$1
    shift
    forget_environment
    env_load "$given/job.env" || { echo "$REPLY" >&2; return 1; }
    export RESULT_DIR=$given
    for word; do
        env_accept "$word" || { echo "$REPLY" >&2; return 1; }
    done
    apply_defaults
    : "${SWEEPD_PHASE_FILE:=$RESULT_DIR/phase}" "${SWEEPD_REASON_FILE:=$RESULT_DIR/.reason}"
    export SWEEPD_CLIENT_DIR="${SWEEPD_SCRATCH:-${TMPDIR:-/tmp}/sweepd-$SWEEPD_TOKEN}/client"
    recipe_build || { reason config "$refusal"; return 1; }
    if [ "${EVAL_ONLY:-}" = true ]; then
        reason config 'evaluation is not available in this recipe yet'
        return 1
    fi
    trap stop_all EXIT
    trap 'exit 143' TERM
    trap 'exit 130' INT
    run_hook image image "$SWEEPD_CLIENT_HOOK" || return
    run_hook weights weights "$SWEEPD_WEIGHTS_HOOK" || return
    phase server
    start_server
    wait_for_server || return
    read_back_server
    gate_environment || return
    phase warmup
    start_replay
    watch_replay
    [ "$replay_status" -ne 0 ] || phase collect
    return "$replay_status"
}

recipe_main()
{
    case ${1:-} in
    --render) render ;;
    --run)
        [ -n "${2:-}" ] || { echo "--run wants the attempt's folder" >&2; return 2; }
        shift
        run "$@"
        ;;
    *)
        echo "usage: ${0##*/} --render | --run DIR [KEY=VALUE...]" >&2
        return 2
        ;;
    esac
}
