#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The body of every batch job, run as `bash <bundle>/job.sh` with PATH HOME SLURM_CONF
# SWEEPD_ATTEMPT_DIR SWEEPD_TOKEN and Slurm's variables. Claims the attempt, runs the recipe,
# ends every process of it, and leaves end.json: once claimed, on every path but SIGKILL.
#
# Names of this script's own are in lower case: job.env can only set upper-case ones.
set -uo pipefail

readonly port_tries=200
readonly watch_seconds=0.5      # between looks at the recipe
readonly term_grace=15          # from TERM to KILL: Slurm's own KILL follows after KillWait, 30 s
readonly sum_seconds=900        # for the checksums of the artifacts
readonly sum_seconds_hurry=5    # the same after a signal: SIGKILL follows in half a minute
readonly sum_files_max=2000
readonly detail_max=2000        # bytes
readonly reserve_bytes=4096     # kept on disk, so that a full one still takes the end record
readonly image_lock_seconds=600

self=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
readonly self
dir=${SWEEPD_ATTEMPT_DIR:-}
token=${SWEEPD_TOKEN:-}
job_id=${SLURM_JOB_ID:-0}
node=${SLURMD_NODENAME:-${HOSTNAME:-unknown}}
readonly dir token job_id node

recipe_pid=''
port=0
claimed_at=0
signal_reason=''  # set by the first signal
signal_number=0
end_reason=''     # set by fail
end_detail=''
recipe_status=''
import=''         # an unfinished image

say()
{
    printf 'job.sh: %s\n' "$1"
}

on_signal() # REASON NUMBER
{
    [ -z "$signal_reason" ] || return 0
    signal_reason=$1
    signal_number=$2
    say "signal $2: $1"
    [ -z "$recipe_pid" ] || kill -TERM "$recipe_pid" 2> /dev/null
}

# Ends the job with this reason; `finish` writes the record.
fail() # REASON TEXT
{
    end_reason=$1
    end_detail=$2
    say "$1: $2"
    exit 1
}

stop_if_signalled()
{
    [ -z "$signal_reason" ] || exit $((128 + signal_number))
}

# --- the claim -----------------------------------------------------------------------

# link(2) makes it in one step or not at all. Ours when the name leads to our file, also if
# a network file system lost the first answer and the second said "exists".
claim()
{
    local mine=".claim.$job_id.$BASHPID.$RANDOM" ours=1
    printf -v claimed_at '%(%s)T' -1
    printf 'job %s %s %s %s\n' "$token" "$job_id" "$node" "$claimed_at" > "$mine" || return 2
    sync -- "$mine" || return 2
    ln -T -- "$mine" claim 2> /dev/null
    [ "$mine" -ef claim ] || ours=0
    rm -f -- "$mine"
    [ "$ours" -eq 1 ] && return 0
    [ -e claim ] && return 1
    return 2
}

# --- the end record --------------------------------------------------------------------

# What the recipe left in .reason: a word of the contract, then text for people.
recipe_reason()
{
    local word='' text=''
    if [ -f .reason ]; then
        IFS= read -r -d '' -n "$detail_max" text < .reason
        word=${text%%$'\n'*}
        text=${text#"$word"}
    fi
    case $word in
    server_start | server_died | server_timeout | replay_failed | port | disk | gpu_dirty | image | weights | oom | config) ;;
    *) word='' ;;
    esac
    end_reason=$word
    text=${text#$'\n'}
    text=${text%$'\n'}
    end_detail=${text//$'\n'/ }
}

conclude() # PHASE
{
    if [ "$recipe_status" = 0 ]; then # also when a signal came a moment later
        end_reason='done'
        return
    fi
    if [ -n "$signal_reason" ]; then
        end_reason=$signal_reason
        end_detail="signal $signal_number in phase $1"
        return
    fi
    [ -z "$end_reason" ] || return 0
    if [ -z "$recipe_status" ]; then
        end_reason=config
        end_detail='job.sh ended before the recipe was run; see job.log'
        return
    fi
    recipe_reason
    [ -z "$end_reason" ] || return 0
    end_detail="the recipe ended with status $recipe_status in phase $1"
    case $recipe_status,$1 in
    130,* | 143,*) end_reason=terminated ;;
    *,warmup | *,profile | *,collect) end_reason=replay_failed ;;
    *) end_reason=server_start ;;
    esac
    head -c 65536 /dev/zero 2> /dev/null > .probe || end_reason=disk
    rm -f .probe
}

file_sums() # SECONDS; prints the members of "files"
{
    local sum comma=''
    [ -d aiperf_artifacts ] || return 0
    while IFS= read -r -d '' sum; do
        json_escape "${sum:66}"
        printf '%s"%s":"%s"' "$comma" "$REPLY" "${sum:0:64}"
        comma=,
    done < <(find aiperf_artifacts -type f -print0 | head -z -n "$sum_files_max" |
        timeout "$1" xargs -0 -r sha256sum -z --)
}

write_record() # TEXT: by rename, after it is on disk
{
    printf '%s\n' "$1" > .end.json.new && sync -- .end.json.new && mv -fT .end.json.new end.json && sync -- .
}

# On a full disk: over the reserved blocks. Spaces after the object keep it valid JSON.
write_small_record() # TEXT
{
    local padded
    rm -f .end.json.new
    printf -v padded '%-*s' $((reserve_bytes - 1)) "$1"
    printf '%s\n' "$padded" | dd of=.reserve conv=notrunc,fsync bs="$reserve_bytes" iflag=fullblock status=none &&
        mv -fT .reserve end.json && sync -- .
}

record() # PHASE MEMBERS
{
    local now head json_node json_detail
    printf -v now '%(%s)T' -1
    json_escape "$node"; json_node=$REPLY
    json_escape "${end_detail:0:detail_max}"; json_detail=$REPLY
    printf -v head '{"version":1,"token":"%s","job_id":%d,"node":"%s","exit_code":%d,"signal":%d,"reason":"%s","phase":"%s","port":%d,"claimed_at":%d,"ended_at":%d' \
        "$token" "$job_id" "$json_node" "$2" "$signal_number" "$end_reason" "$1" "$port" "$claimed_at" "$now"
    write_record "$head,\"detail\":\"$json_detail\",\"files\":{$3}}" && return
    say 'the end record does not fit on the disk, leaving a small one'
    write_small_record "$head,\"detail\":\"the disk was full\",\"files\":{}}"
}

# Everything after a won claim comes through here, once.
finish()
{
    local status=$? last_phase='' seconds=$sum_seconds
    trap - EXIT
    trap '' TERM INT USR1
    [ -z "$recipe_status" ] || status=$recipe_status
    [ -z "$signal_reason" ] || seconds=$sum_seconds_hurry
    # Without the library there is nothing running that could be ended.
    declare -F tree_end > /dev/null && tree_end 0 "SWEEPD_TOKEN=$token" "$recipe_pid"
    declare -F json_escape > /dev/null || json_escape() { REPLY=${1//[^ A-Za-z0-9_.:-]/?}; }
    { read -r last_phase _ < phase; } 2> /dev/null
    case $last_phase in
    image | weights | server | warmup | profile | collect) ;;
    *) last_phase=prolog ;;
    esac
    conclude "$last_phase"
    record "$last_phase" "$status" "$(file_sums "$seconds")"
    say "$end_reason${end_detail:+: $end_detail}"
    rm -f .reserve .reason .reason.new phase.new .end.json.new
    [ -z "$import" ] || rm -f -- "$import"
    timeout 60 rm -rf -- "${TMPDIR:-/tmp}/sweepd-$token"
    exit "$status"
}

# --- preparing ---------------------------------------------------------------------------

check_bundle()
{
    # shellcheck source=slurm/recipes/lib.sh
    . "$self/lib.sh" || fail config "$self/lib.sh cannot be read"
    if [ -f "$self/MANIFEST" ]; then
        (cd -- "$self" && sha256sum --quiet --strict -c MANIFEST) ||
            fail config 'the bundle differs from its manifest; see job.log'
    fi
}

load_environment()
{
    env_load "$dir/job.env" || fail config "$REPLY"
    [ "${SWEEPD_TOKEN:-}" = "$token" ] || fail config 'job.env is of another attempt'
    export SWEEPD_ATTEMPT_DIR=$dir SWEEPD_TOKEN=$token RUNNER_NAME=$node RESULT_DIR=$dir
    export SWEEPD_PHASE_FILE=$dir/phase SWEEPD_REASON_FILE=$dir/.reason
    export SWEEPD_SCRATCH=${TMPDIR:-/tmp}/sweepd-$token
    # Compilers' caches of one job only: two jobs in one cache have raced.
    export XDG_CACHE_HOME=$SWEEPD_SCRATCH/xdg TRITON_CACHE_DIR=$SWEEPD_SCRATCH/triton
    mkdir -p -- "$XDG_CACHE_HOME" "$TRITON_CACHE_DIR" || fail disk "cannot make $SWEEPD_SCRATCH"
}

# Binds each candidate as the server will: only that tells whether it is free.
free_port() # LOW HIGH OFFSET
{
    if perl -MIO::Socket::INET -e 1 2> /dev/null; then
        perl -MIO::Socket::INET -e '
            my ($low, $high, $offset, $tries) = @ARGV;
            for my $i (0 .. $tries - 1) {
                my $port = $low + ($offset + $i) % ($high - $low + 1);
                IO::Socket::INET->new(LocalAddr => "0.0.0.0", LocalPort => $port,
                                      Proto => "tcp", Listen => 1) or next;
                print $port;
                exit 0;
            }
            exit 1' "$@" "$port_tries"
    else
        python3 -c '
import socket, sys
low, high, offset, tries = map(int, sys.argv[1:])
for i in range(tries):
    port = low + (offset + i) % (high - low + 1)
    try:
        with socket.socket() as s:
            s.bind(("0.0.0.0", port))
            s.listen(1)
    except OSError:
        continue
    print(port)
    sys.exit(0)
sys.exit(1)' "$@" "$port_tries"
    fi
}

# Starts at a place of its own, so that jobs of one node do not try the same ports in turn.
pick_port()
{
    local range=${SWEEPD_PORT_RANGE:-40000-49999}
    local low=1 high=0 found
    if [[ $range =~ ^([1-9][0-9]{3,4})-([1-9][0-9]{3,4})$ ]]; then
        low=${BASH_REMATCH[1]} high=${BASH_REMATCH[2]}
    fi
    if [ "$low" -gt "$high" ] || [ "$high" -gt 65535 ]; then
        fail config "SWEEPD_PORT_RANGE=$range is no range of ports"
    fi
    found=$(free_port "$low" "$high" $((16#${token:0:7})))
    [ -n "$found" ] || fail port "no free port in $range, or neither perl nor python3 to look for one"
    port=$found
    export PORT=$port
}

# --- the container -------------------------------------------------------------------------

# In the background: a signal that comes meanwhile must not wait for the command.
patiently() # COMMAND...
{
    local pid
    "$@" < /dev/null &
    pid=$!
    while proc_alive "$pid"; do
        stop_if_signalled
        pause "$watch_seconds"
    done
    stop_if_signalled
    wait "$pid"
}

# Imports once per node: under a lock, to a temporary name, looked through before it counts.
import_image() # sets squash
{
    local folder=${SWEEPD_SQUASH_DIR:-/raid/squash} lock new
    squash=$folder/${IMAGE//[\/:@#]/_}.sqsh
    new=$squash.$token
    mkdir -p -- "$folder" || fail image "cannot make $folder"
    exec {lock}> "$squash.lock" || fail image "cannot write to $folder"
    patiently flock -w "$image_lock_seconds" "$lock" ||
        fail image "another job has held $squash.lock for $image_lock_seconds s"
    if ! unsquashfs -l "$squash" > /dev/null 2>&1; then
        rm -f -- "$squash" "$new"
        import=$new # finish removes it
        patiently enroot import -o "$new" "docker://$IMAGE" || fail image "cannot import $IMAGE; see job.log"
        unsquashfs -l "$new" > /dev/null 2>&1 || fail image "the import of $IMAGE is not a whole file system"
        mv -fT -- "$new" "$squash" || fail image "cannot rename $new"
    fi
    exec {lock}>&-
}

# Sets command: the words that run the recipe.
recipe_command()
{
    local words=(
        --run "$dir" "PORT=$PORT" "RUNNER_NAME=$node" "SWEEPD_TOKEN=$token"
        "SWEEPD_PHASE_FILE=$SWEEPD_PHASE_FILE" "SWEEPD_REASON_FILE=$SWEEPD_REASON_FILE"
        "SWEEPD_SCRATCH=$SWEEPD_SCRATCH" "XDG_CACHE_HOME=$XDG_CACHE_HOME" "TRITON_CACHE_DIR=$TRITON_CACHE_DIR"
    )
    command=()
    case ${SWEEPD_CONTAINER:-none} in
    none) ;;
    pyxis)
        phase image
        import_image
        command=(
            srun --ntasks=1 --cpu-bind=none "--container-image=$squash"
            "--container-mounts=$dir:$dir,$self:$self,/dev/kfd:/dev/kfd,/dev/dri:/dev/dri${SWEEPD_CONTAINER_MOUNTS:+,$SWEEPD_CONTAINER_MOUNTS}"
            --container-mount-home --container-writable --container-remap-root
            "--container-workdir=$dir" --no-container-entrypoint --export=ALL
        )
        ;;
    *) fail config "SWEEPD_CONTAINER=$SWEEPD_CONTAINER: neither none nor pyxis" ;;
    esac
    command+=(bash "$self/recipe.sh" "${words[@]}")
}

# --- running -----------------------------------------------------------------------------

# The recipe ends its own server and client when it is told to. One that does not is ended
# with everything else.
run_recipe()
{
    local end=''
    stop_if_signalled
    setsid "${command[@]}" < /dev/null &
    recipe_pid=$!
    [ -z "$signal_reason" ] || kill -TERM "$recipe_pid" 2> /dev/null
    while proc_alive "$recipe_pid"; do
        if [ -n "$signal_reason" ]; then
            : "${end:=$((SECONDS + ${SWEEPD_TERM_GRACE:-$term_grace}))}"
            [ "$SECONDS" -lt "$end" ] || kill -KILL "$recipe_pid" 2> /dev/null
        fi
        pause "$watch_seconds"
    done
    wait "$recipe_pid"
    recipe_status=$?
}

main()
{
    trap 'on_signal terminated 15' TERM
    trap 'on_signal terminated 2' INT
    trap 'on_signal time_limit 10' USR1
    umask 022
    [[ $token =~ ^[0-9a-f]{32}$ && $job_id =~ ^[0-9]{1,10}$ ]] || { say 'no token, or no job id'; exit 1; }
    cd -- "$dir" || exit 1
    claim
    case $? in
    0) ;;
    1) say "this attempt is taken: $(head -c 200 claim)"; exit 0 ;;
    *) say "cannot write to $dir"; exit 1 ;;
    esac
    trap finish EXIT
    check_bundle
    SWEEPD_PHASE_FILE=$dir/phase phase prolog
    head -c "$reserve_bytes" /dev/zero | tr '\0' ' ' > .reserve || fail disk "cannot write to $dir"
    load_environment
    pick_port
    recipe_command
    run_recipe
    exit "$recipe_status"
}

main
