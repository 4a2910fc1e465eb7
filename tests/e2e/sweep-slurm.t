#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# suites: check check-san
# timeout: 240
# sweep-slurm against a real cluster: what it answers in good and in bad weather.
# shellcheck disable=SC2317 # functions are called through check and wait_for
set -u

TREE=$(readlink -f -- "$(dirname -- "${BASH_SOURCE[0]}")/../..")
BUILD=${SWEEPD_BUILD:-$TREE/build}
TMP=${TMPDIR:?}/w
BED=$TMP/tb
# shellcheck source=tests/lib/process.sh
. "$TREE/tests/lib/process.sh"
# shellcheck source=tests/lib/tap.sh
. "$TREE/tests/lib/tap.sh"

readonly STATE_SECONDS=15   # for a job to reach a state
readonly ANSWER_SECONDS=20  # for any answer; MessageTimeout of the testbed is 2 s
readonly WARN_SECONDS=60    # slurmctld looks at time limits twice a minute
readonly NOBODY=65534

LSAN=suppressions=$TREE/tests/lsan.supp:print_suppressions=0
export LSAN_OPTIONS=${LSAN_OPTIONS:-$LSAN}

testbed()
{
    "$TREE/tests/testbed/testbed" "$@"
}

finish()
{
    [ -z "${CHILD:-}" ] || kill "$CHILD" 2>/dev/null
    [ ! -e "$BED/.testbed" ] || testbed down "$BED"
    rm -rf -- "$TMP"
}

# --- the child -------------------------------------------------------------------

start_child()
{
    coproc SLURM { LEAK=secret exec "$BUILD/sweep-slurm" --stdio 2>> "$TMP/stderr"; }
    CHILD=$SLURM_PID
    # As descriptors of our own, which subshells keep.
    exec {TO}>&"${SLURM[1]}" {FROM}<&"${SLURM[0]}"
    eval "exec ${SLURM[1]}>&- ${SLURM[0]}<&-"
}

# End of input: sets STATUS to how it ended.
stop_child()
{
    exec {TO}>&- {FROM}<&-
    wait "$CHILD"
    STATUS=$?
    CHILD=
}

send()
{
    printf '%s\n' "$1" >&"$TO"
}

receive()
{
    ANSWER=
    read -r -t "$ANSWER_SECONDS" ANSWER <&"$FROM"
}

ask()
{
    send "$1"
    receive
}

# answer NAME JQ-EXPRESSION: it is true for the last answer.
answer()
{
    jq -e "$2" > /dev/null 2>&1 <<< "$ANSWER"
    tap_result $? "$1" "$2" "${ANSWER:-no answer}"
}

token()
{
    printf '%032x' "$1"
}

# submit TOKEN-NUMBER JQ-OBJECT: asks for a job that sleeps, with the members of the object.
submit()
{
    ask "$(jq -cn --arg token "$(token "$1")" --arg out "$TMP/job.$1" '{id: 3, op: "submit",
        name: "point", comment: "sweepd:\($token)", partition: "compute", gres: "gpu:mi325x",
        gpus: 4, exclusive: true, time_limit_min: 480, work_dir: "/tmp", stdout: $out,
        script: "#!/bin/bash\nexec sleep 600\n", env: {PATH: "/usr/bin:/bin"}} + '"${2:-{\}}")"
    JOB=$(jq -r '.job_id // empty' <<< "$ANSWER")
}

cancel() # JOB-ID TOKEN-NUMBER [MORE MEMBERS]
{
    ask "{\"id\":4,\"op\":\"cancel\",\"job_id\":$1,\"token\":\"$(token "$2")\",\"signal\":\"TERM\"${3:-}}"
}

poll()
{
    ask '{"id":2,"op":"poll","partitions":["compute"]}'
}

job() # JOB-ID MEMBER
{
    jq -r --argjson id "$1" ".jobs[] | select(.job_id == \$id) | .$2" <<< "$ANSWER"
}

has_state() # JOB-ID STATE
{
    poll && [ "$(job "$1" state)" = "$2" ]
}

# reaches JOB-ID STATE NAME
reaches()
{
    wait_for "$STATE_SECONDS" has_state "$1" "$2"
    tap_result $? "$3" "state $(job "$1" state), expected $2" "$ANSWER"
}

in_slurm() # JOB-ID: its state by Slurm's own tool
{
    squeue -h -j "$1" -o %T 2>/dev/null
}

node_is() # NAME JQ-EXPRESSION
{
    poll && jq -e ".nodes[] | select(.name == \"$1\") | $2" > /dev/null <<< "$ANSWER"
}

# --- what is tested ------------------------------------------------------------------

# Milliseconds that a command took are in MS.
timed()
{
    local began
    began=$(date +%s%3N)
    "$@"
    local status=$?
    MS=$(($(date +%s%3N) - began))
    return $status
}

bad_configurations()
{
    printf 'ClusterName=x\nSlurmctldHost=localhost\nNoSuchKey=1\n' > "$TMP/unknown.conf"
    : > "$TMP/empty.conf"
    local case path
    for case in missing unknown empty; do
        path=$TMP/$case.conf
        timed check_fails "a configuration that is $case ends it with 3" 3 \
            env "SLURM_CONF=$path" timeout 20 "$BUILD/sweep-slurm" --stdio
        holds "$OUTPUT" "$path" "it names the file ($case)"
        [ "$MS" -lt 5000 ]
        tap_result $? "within seconds ($case)" "$MS ms"
    done
    check_fails "a folder as configuration ends it with 3" 3 \
        env "SLURM_CONF=$TMP" "$BUILD/sweep-slurm" --stdio
    check_fails "an unknown option is a usage error" 2 "$BUILD/sweep-slurm" --nonsense
    holds "$OUTPUT" usage "and says how it is used"
}

hello()
{
    local version
    version=$(sinfo --version | sed 's/^slurm[^ ]* //')
    ask "{\"id\":1,\"op\":\"hello\",\"user\":\"$(id -un)\"}"
    answer "hello carries the request's id" '.id == 1 and .ok'
    answer "hello knows the controller's version" ".slurm_version == \"$version\""
    answer "hello has no warning when library and cluster agree" 'has("warning") | not'
    answer "hello knows the cluster's settings" \
        '.cluster == "testbed" and .min_job_age_s == 300 and .message_timeout_s == 2'
    answer "hello knows who we are" ".uid == $(id -u)"
    ask '{"id":1,"op":"hello","user":"no-such-user"}'
    answer "hello refuses an unknown user" '.class == "refused" and (.error | contains("no-such-user"))'
    ask '{"id":1,"op":"ping"}'
    answer "ping: the controller is up" '.ok and .controller == "up"'
}

requests()
{
    local bad
    for bad in 'nonsense' '[1]' '{"op":"poll"}' '{"id":1.5,"op":"poll"}' '{"id":1,"id":2,"op":"poll"}'; do
        ask "$bad"
        answer "refused, without an id: $bad" '.id == null and .ok == false and .class == "refused"'
    done
    for bad in '{"id":7}' '{"id":7,"op":"format"}' '{"id":7,"op":"poll","partition":["compute"]}' \
        '{"id":7,"op":"poll","partitions":[""]}' '{"id":7,"op":"poll","partitions":["a,b"]}' \
        '{"id":7,"op":"cancel","token":"00000000000000000000000000000001"}' \
        '{"id":7,"op":"cancel","job_id":1,"token":"1"}' \
        '{"id":7,"op":"cancel","job_id":4294967296,"token":"00000000000000000000000000000001"}' \
        '{"id":7,"op":"submit"}'; do
        ask "$bad"
        answer "refused: $bad" '.id == 7 and .class == "refused" and (.error | length > 0)'
    done
    for bad in '{script: "echo"}' '{stdout: "job.log"}' '{stdout: "/tmp/%j"}' '{name: "a|b"}' \
        '{comment: "sweepd:1"}' '{comment: "0123456789abcdef0123456789abcdef"}' '{env: {}}' \
        '{env: {"A B": "1"}}' '{exclude: ["n[1-2]"]}' '{gpus: -1}' '{gpus: "4"}' '{exclusive: 1}' \
        '{gres: "gpu,nic"}' '{warn_s: 70000}'; do
        submit 1 "$bad"
        answer "a submit with $bad is refused" '.class == "refused" and .errno == 0'
    done
    is "$(squeue -h | wc -l)" 0 "and none of it reached Slurm"
    ask "{\"id\":7,\"op\":\"ping\",\"user\":\"$(head -c 9000000 /dev/zero | tr '\0' x)\"}"
    answer "a line that is too long is refused" \
        '.id == null and .class == "refused" and (.error | contains("longer than"))'
    ask '{"id":8,"op":"ping"}'
    answer "and the next request is answered" '.id == 8 and .ok'
}

idle_cluster()
{
    poll
    answer "poll lists the nodes" '[.nodes[].name] == ["mi325x-amds_00", "mi325x-amds_01", "mi325x-amds_02"]'
    answer "an idle node: 8 GPUs, none used" '.nodes[0] | .state == "IDLE" and .flags == []
        and .gres_type == "mi325x" and .gpus_total == 8 and .gpus_used == 0
        and .cpus_total == 256 and .cpus_alloc == 0 and .partitions == ["compute", "small"]'
    answer "a node's partitions come from Slurm's host lists" '.nodes[2].partitions == ["compute"]'
    answer "only the wanted partitions" '.partitions == [{"name": "compute", "up": true, "nodes": 3, "max_time_min": -1}]'
    answer "the first poll takes three calls" '.rpcs == 3 and (.rpc_us | keys == ["jobs", "nodes", "partitions"])'
    poll
    answer "the next one two" '.rpcs == 2 and .rpc_totals.jobs.count == 2'
    ask '{"id":2,"op":"poll","partitions":["small"]}'
    answer "nodes of another partition" '[.nodes[].name] == ["mi325x-amds_00", "mi325x-amds_01"]'
    answer "a partition that is down with a time limit" '.partitions == [{"name": "small", "up": false, "nodes": 2, "max_time_min": 90}]'
    ask '{"id":2,"op":"poll"}'
    answer "without a wish all partitions" '[.partitions[].name] == ["compute", "small"]'
    ask '{"id":2,"op":"poll","partitions":["nowhere"]}'
    answer "an unknown partition has no nodes" '.ok and .nodes == [] and .partitions == []'
}

exclusive_job()
{
    # shellcheck disable=SC2016
    submit 10 '{script: "#!/bin/bash\npwd; env; echo to stderr >&2; exec sleep 600\n",
        env: {PATH: "/usr/bin:/bin", KIND: "a \"b\" = c"}, exclude: ["mi325x-amds_00"]}'
    answer "submit answers with the job's id" '.ok and .job_id > 0'
    local id=$JOB text
    reaches "$id" RUNNING "the job runs"
    is "$(job "$id" comment)" "sweepd:$(token 10)" "its comment is read back"
    is "$(job "$id" name)" point "its name too"
    is "$(job "$id" uid)" "$(id -u)" "it runs as us"
    is "$(job "$id" node)" mi325x-amds_01 "not on an excluded node"
    is "$(job "$id" partition)" compute "in its partition"
    check "exclusive takes the node and all its GPUs" node_is mi325x-amds_01 \
        '.state == "ALLOCATED" and .cpus_alloc == 256 and .gpus_used == 8'
    text=$(scontrol show job -o "$id")
    holds "$text" " Requeue=0 " "it is never requeued"
    holds "$text" " TimeLimit=08:00:00 " "its time limit is the one asked for"
    check "its output is written" wait_for 5 grep -q 'to stderr' "$TMP/job.10"
    text=$(cat "$TMP/job.10")
    holds "$text" $'/tmp\n' "it began in its folder"
    holds "$text" 'KIND=a "b" = c' "its environment is what was given"
    check_fails "and holds nothing of ours" 1 grep -E '^(LEAK|TMPDIR=.*/tb|HOME)=' "$TMP/job.10"
    cancel "$id" 11
    answer "cancel with another token: foreign" '.class == "foreign"'
    cancel "$id" 10 ',"submit_time":17'
    answer "cancel with another submit time: foreign" '.class == "foreign"'
    is "$(in_slurm "$id")" RUNNING "and the job goes on"
    poll
    cancel "$id" 10 ",\"submit_time\":$(job "$id" submit_time)"
    answer "cancel with all that is right" '.ok and .id == 4'
    reaches "$id" CANCELLED "the job is cancelled"
    cancel "$id" 10
    answer "cancel again: gone" '.class == "gone"'
    cancel 4000000 10
    answer "cancel of an unknown id: gone" '.class == "gone"'
}

# Several jobs share a node; one that ends by itself, one that a signal ends.
packed_jobs()
{
    local a b
    submit 20 '{exclusive: false, gpus: 2, cpus: 64, exclude: ["mi325x-amds_01", "mi325x-amds_02"]}'
    a=$JOB
    submit 21 '{exclusive: false, gpus: 3, cpus: 96, exclude: ["mi325x-amds_01", "mi325x-amds_02"],
        script: "#!/bin/bash\nkill -KILL $$\n"}'
    b=$JOB
    reaches "$b" FAILED "a job that a signal ended has failed"
    is "$(job "$b" signal) $(job "$b" exit_code)" "9 0" "its signal is told apart from an exit code"
    reaches "$a" RUNNING "the other one runs"
    check "it holds its share of the node" node_is mi325x-amds_00 \
        '.state == "MIXED" and .cpus_alloc == 64 and .gpus_used == 2'
    submit 22 '{exclusive: false, gpus: 1, script: "#!/bin/bash\nexit 7\n"}'
    reaches "$JOB" FAILED "a job with an exit code has failed"
    is "$(job "$JOB" exit_code) $(job "$JOB" signal)" "7 0" "its exit code is told"
    cancel "$JOB" 22
    answer "cancel of a job that has ended by itself: gone" '.class == "gone"'
    cancel "$a" 20
    reaches "$a" CANCELLED "the packed job is cancelled"
}

refusals()
{
    submit 30 '{gpus: 9}'
    answer "more GPUs than a node has: refused" '.class == "refused" and .errno == 2014'
    answer "with Slurm's words" '.error | contains("not available")'
    submit 31 '{gres: "gpu:h100"}'
    answer "a GPU that the cluster does not have: refused" '.class == "refused"'
    submit 32 '{partition: "nowhere"}'
    answer "an unknown partition: refused" '.class == "refused" and .errno == 2000'
    submit 33 '{exclude: ["no-such-node"]}'
    answer "an unknown node: refused" '.class == "refused" and .errno == 2018'
    submit 34 '{reservation: "none"}'
    answer "an unknown reservation: refused" '.class == "refused"'
}

# Whatever others do, the answer is one line of JSON and their jobs stay theirs.
foreigners()
{
    local theirs hostile
    hostile=$'a"b\\c\n\xff\xc0\xaf\xed\xa0\x80\t\xe2\x82\xac|'
    theirs=$(sbatch --parsable -H -J "$hostile" --comment="sweepd:$hostile" --wrap 'sleep 1' -o /dev/null)
    sbatch -Q -H --wrap 'sleep 1' -o /dev/null
    sbatch -Q --begin=now+1hour --wrap 'sleep 1' -o /dev/null
    sbatch -Q --begin=now+1hour --wrap 'sleep 1' -o /dev/null
    sbatch -Q --begin=now+1hour -p small --wrap 'sleep 1' -o /dev/null
    poll
    answer "hostile names leave the answer valid" '.ok'
    is "$(printf '%s' "$ANSWER" | iconv -f UTF-8 -t UTF-8 2>&1 | wc -c)" \
        "$(printf '%s' "$ANSWER" | wc -c)" "the answer is UTF-8"
    holds "$(job "$theirs" name)" '€|' "what is good in a name stays"
    is "$(job "$theirs" state)" PENDING "a job with our prefix is listed, whoever wrote it"
    answer "others' waiting jobs of the partition are counted, held ones not" '.foreign_pending == 2'
    ask '{"id":2,"op":"poll","partitions":["small"]}'
    answer "and those of another partition apart" '.foreign_pending == 1'
    cancel "$theirs" 40
    answer "a job whose comment only begins like ours: foreign" '.class == "foreign"'
    is "$(in_slurm "$theirs")" PENDING "and stays"
    if [ "$(id -u)" -eq 0 ]; then
        theirs=$(sbatch --parsable -H --uid=$NOBODY -D /tmp --comment="sweepd:$(token 41)" \
            --wrap 'sleep 1' -o /dev/null)
        cancel "$theirs" 41
        answer "another user's job, even with our token: foreign" '.class == "foreign"'
        is "$(in_slurm "$theirs")" PENDING "and stays"
    else
        tap_result 0 "another user's job # SKIP only root can submit one"
    fi
    scancel -t PENDING
}

node_flags()
{
    testbed drain-node "$BED" 1
    check "a drained node says so" node_is mi325x-amds_01 \
        '.state == "IDLE" and .flags == ["DRAIN"] and .reason == "testbed"'
    testbed undrain-node "$BED" 1
    check "and is back" node_is mi325x-amds_01 '.flags == [] and .reason == ""'
}

unchanged()
{
    local before
    submit 50 '{exclusive: false}'
    reaches "$JOB" RUNNING "a job runs while nothing changes"
    before=$(jq -c .jobs <<< "$ANSWER")
    local i same=0
    for i in 1 2 3 4 5 6 7 8; do
        poll
        [ "$(jq -c .jobs <<< "$ANSWER")" = "$before" ] || same=1
    done
    tap_result $same "unchanged lists are told again as they were" "$before" "$ANSWER"
    cancel "$JOB" 50
    reaches "$JOB" CANCELLED "and a change is seen"
}

# The script itself, not its children, gets the signal before its time is up.
warning_begins()
{
    submit 60 '{time_limit_min: 2, warn_s: 120, exclusive: false, gpus: 1,
        exclude: ["mi325x-amds_00", "mi325x-amds_01"],
        script: "#!/bin/bash\ntrap \"echo warned; exit 0\" USR1\necho ready\nsleep 600 & wait\n"}'
    WARNED=$JOB
}

warning_comes()
{
    wait_for "$WARN_SECONDS" grep -q warned "$TMP/job.60"
    tap_result $? "the warning signal reaches the batch script" "$(cat "$TMP/job.60" 2>&1)"
    reaches "$WARNED" COMPLETE "and it ends by itself"
}

ctld_pid()
{
    cat "$BED/run/slurmctld.slurm"
}

has_jobs() # TOKEN-NUMBER COUNT: the cluster is read and holds that many jobs with the token
{
    poll && jq -e --arg c "sweepd:$(token "$1")" --argjson n "$2" \
        '.ok and ([.jobs[] | select(.comment == $c)] | length) == $n' > /dev/null <<< "$ANSWER"
}

controller_stopped()
{
    testbed stop-ctld "$BED"
    timed poll
    answer "slurmctld stopped: poll is down" '.ok == false and .class == "down" and .errno == 1800'
    poll
    answer "and again" '.class == "down"'
    submit 70
    answer "submit is down, not unclear: nothing was sent" '.class == "down"'
    cancel 1 70
    answer "cancel is down" '.class == "down"'
    timed ask '{"id":1,"op":"hello"}'
    answer "hello is down" '.class == "down"'
    [ "$MS" -lt 2000 ]
    tap_result $? "within MessageTimeout" "$MS ms"
    testbed start-ctld "$BED"
    poll
    answer "slurmctld back: poll answers" '.ok and (.nodes | length) == 3'
    check "and no job came of the submit" has_jobs 70 0
}

controller_frozen()
{
    local pid
    pid=$(ctld_pid)
    poll
    kill -STOP "$pid"
    timed submit 71
    answer "slurmctld hangs during a submit: unclear" '.ok == false and .class == "unclear"'
    [ "$MS" -lt 6000 ]
    tap_result $? "after MessageTimeout" "$MS ms"
    poll
    answer "slurmctld hangs during a poll: down" '.class == "down"'
    submit 72
    answer "a submit after that is not sent at all: down" '.class == "down"'
    kill -CONT "$pid"
    check "slurmctld goes on: the unclear job is found by its token" wait_for "$STATE_SECONDS" has_jobs 71 1
    check "the other one was never submitted" has_jobs 72 0
}

munge_stopped()
{
    testbed stop-munge "$BED"
    poll
    answer "munge stopped: poll is down" '.class == "down"'
    submit 73
    answer "submit is down" '.class == "down"'
    answer "and munge is named" '.error | contains("munged")'
    testbed start-munge "$BED"
    testbed skew-munge "$BED" 3600
    submit 73
    answer "clocks apart: submit is down" '.class == "down"'
    answer "and clocks are named" '.error | contains("clocks")'
    testbed start-munge "$BED"
    poll
    answer "munge back: poll answers" '.ok'
    check "and no job came of the submit" has_jobs 73 0
}

# The job count is slurmctld's own limit on how much may be queued.
job_limit()
{
    local jobs
    jobs=$(squeue -h -t all | wc -l)
    sed -i "s/^MaxJobCount=.*/MaxJobCount=$((jobs + 2))/" "$BED/slurm.conf" "$BED/login/slurm.conf"
    testbed stop-ctld "$BED"
    testbed start-ctld "$BED"
    local i
    for i in 80 81 82 83; do
        submit $i
        [ -n "$JOB" ] || break
    done
    answer "the cluster's job limit is back-pressure" '.class == "limit"'
    is "$i" 82 "after the jobs that fit"
}

quits()
{
    stop_child
    is "$STATUS" 0 "end of input ends it with 0"
    start_child
    ask '{"id":1,"op":"ping"}'
    kill -STOP "$(ctld_pid)"
    send '{"id":2,"op":"ping"}'
    kill -TERM "$CHILD"
    receive
    answer "a stop signal lets the call under way be answered" '.id == 2 and .class == "down"'
    kill -CONT "$(ctld_pid)"
    wait "$CHILD"
    is "$?" 0 "and then ends it with 0"
    CHILD=
}

# Its input stays open here: only the parent's death can end it.
orphaned()
{
    mkfifo "$TMP/in"
    # shellcheck disable=SC2016
    bash -c '"$1" --stdio < "$2" > "$3" 2>&1 & echo $!; wait' _ "$BUILD/sweep-slurm" "$TMP/in" \
        "$TMP/orphan" > "$TMP/orphan.pid" &
    local parent=$! hold orphan
    exec {hold}> "$TMP/in"
    printf '{"id":1,"op":"ping"}\n' >&"$hold"
    check "a child of a parent" wait_for 10 grep -q '"ok":true' "$TMP/orphan"
    orphan=$(cat "$TMP/orphan.pid")
    kill -KILL "$parent"
    wait "$parent" 2>/dev/null
    check "ends when the parent dies" wait_for 10 is_gone "$orphan"
    exec {hold}>&-
}

is_gone()
{
    ! proc_start "$1" > /dev/null
}

# As sweepd starts it.
on_descriptor_three()
{
    # shellcheck disable=SC2016
    ANSWER=$(perl -MSocket -MPOSIX=dup2 -e '
        socketpair(my $ours, my $theirs, AF_UNIX, SOCK_STREAM, 0) or die $!;
        my $pid = fork // die $!;
        if (!$pid) { dup2(fileno($theirs), 3); exec @ARGV; die $! }
        close $theirs;
        syswrite($ours, "{\"id\":9,\"op\":\"ping\"}\n");
        print scalar readline($ours);
        close $ours;
        waitpid($pid, 0);
        exit $? >> 8;' "$BUILD/sweep-slurm" 2>> "$TMP/stderr")
    is "$?" 0 "on descriptor 3 it ends with 0 when the other side closes"
    answer "and answers there" '.id == 9 and .ok'
}

# --- all of it -----------------------------------------------------------------------

mkdir "$TMP" || exit 1
trap finish EXIT
bad_configurations
testbed up "$BED" --nodes 3 --no-sweepd || exit 1
eval "$(testbed env "$BED")"
echo 'PartitionName=small Nodes=mi325x-amds_[00,01] MaxTime=90 State=DOWN' |
    tee -a "$BED/slurm.conf" >> "$BED/login/slurm.conf"
check "a second partition" scontrol reconfigure
start_child
requests
hello
idle_cluster
warning_begins
exclusive_job
packed_jobs
refusals
foreigners
node_flags
unchanged
warning_comes # before the bad weather, which its node may not survive
controller_stopped
controller_frozen
munge_stopped
job_limit
quits
orphaned
on_descriptor_three
check_fails "no sanitizer had anything to say" 1 grep -E 'ERROR: |runtime error' "$TMP/stderr"
tap_done
