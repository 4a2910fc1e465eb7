# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# slurmctld and one slurmd per node, all on the loopback.

readonly CLUSTER_SECONDS=30 # from the start of the daemons to all nodes idle
readonly PORT_TRIES=5

readonly NODE_PREFIX=mi325x-amds_
readonly GPU_TYPE=mi325x
readonly GPUS_PER_NODE=8
readonly CPUS_PER_NODE=256

node_name() # NUMBER
{
    printf '%s%02d' "$NODE_PREFIX" "$((10#$1))"
}

node_numbers()
{
    seq 0 $((NODES - 1))
}

node_range()
{
    printf '%s[00-%02d]' "$NODE_PREFIX" $((NODES - 1))
}

# check_node NUMBER: dies unless there is such a node.
check_node()
{
    if ! [[ $1 =~ ^[0-9]{1,3}$ ]] || [ "$((10#$1))" -ge "$NODES" ]; then
        die "there is no node '$1': they are numbered 0 to $((NODES - 1))"
    fi
}

write_slurm_conf() # PORT OF SLURMCTLD, PORTS OF NODES...
{
    local me ctld_port=$1 i
    local -a port=("${@:2}")
    me=$(id -un)
    {
        cat << CONF
ClusterName=testbed
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$ctld_port
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmUser=$me
SlurmdUser=$me
AuthType=auth/munge
AuthInfo=socket=$DIR/munge/munge.sock,cred_expire=5
CredType=cred/munge
StateSaveLocation=$DIR/state
SlurmctldPidFile=$DIR/run/slurmctld.slurm
SlurmctldLogFile=$DIR/log/slurmctld.log
SlurmctldDebug=info
SlurmdSpoolDir=$DIR/n/%n
SlurmdPidFile=$DIR/run/%n.slurm
SlurmdLogFile=$DIR/log/%n.log
SlurmdDebug=info
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
TaskProlog=$DIR/task_prolog
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdTimeout=5
SlurmctldTimeout=10
InactiveLimit=0
MinJobAge=$MIN_JOB_AGE
KillWait=2
WaitTime=0
MessageTimeout=2
TCPTimeout=2
MaxJobCount=20000
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1,bf_resolution=1,bf_window=10,default_queue_depth=1000,bf_max_job_test=1000
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
GresTypes=gpu
JobCompType=jobcomp/none
AccountingStorageType=accounting_storage/none
EnforcePartLimits=NO
PlugStackConfig=$DIR/plugstack.conf
CONF
        for i in $(node_numbers); do
            printf '%s ' "NodeName=$(node_name "$i")" NodeAddr=127.0.0.1 NodeHostname=localhost \
                "Port=${port[i]}" "CPUs=$CPUS_PER_NODE" Boards=1 SocketsPerBoard=2 \
                "CoresPerSocket=$((CPUS_PER_NODE / 2))" ThreadsPerCore=1 RealMemory=2000000 \
                "Gres=gpu:$GPU_TYPE:$GPUS_PER_NODE" "Feature=$GPU_TYPE,amds" State=UNKNOWN
            echo
        done
        echo "PartitionName=compute Nodes=$(node_range) Default=YES MaxTime=INFINITE" \
            "State=UP OverSubscribe=NO"
    } > "$DIR/slurm.conf"
    # The login side: the same cluster, through its own munge socket.
    mkdir -p "$DIR/login"
    sed "s|^AuthInfo=.*|AuthInfo=socket=$DIR/munge/login.sock,cred_expire=5|" \
        "$DIR/slurm.conf" > "$DIR/login/slurm.conf"
    : > "$DIR/plugstack.conf"
    echo 'CgroupAutomount=no' > "$DIR/cgroup.conf"
    cat > "$DIR/gres.conf" << CONF
AutoDetect=off
NodeName=$(node_range) Name=gpu Type=$GPU_TYPE File=$DIR/dev/gpu[0-$((GPUS_PER_NODE - 1))]
CONF
}

# Run by slurmd before each task, it marks the payload as this testbed's and this node's.
write_task_prolog()
{
    {
        echo '#!/bin/sh'
        echo "echo 'export SWEEPD_TESTBED=$DIR'"
        echo "echo \"export SWEEPD_TESTBED_NODE=$DIR/n/\$SLURMD_NODENAME\""
        spool_preload | sed "s/.*/echo 'export &'/"
    } > "$DIR/task_prolog"
    chmod 755 "$DIR/task_prolog"
}

make_cluster()
{
    local i tries
    for i in $(node_numbers); do
        mkdir -p "$DIR/n/$(node_name "$i")"
    done
    for ((i = 0; i < GPUS_PER_NODE; i++)); do
        ln -sfn /dev/null "$DIR/dev/gpu$i"
    done
    write_task_prolog
    start_munge
    for ((tries = 0; tries < PORT_TRIES; tries++)); do
        try_cluster && return
        port_taken || break
        end_cluster
    done
    tail -n 3 "$DIR"/log/"$NODE_PREFIX"*.log >&2
    die_log slurmctld "the nodes did not become idle"
}

# Somebody else took a port between our look and our use.
port_taken()
{
    grep -qs 'Address already in use' "$DIR/log/slurmctld.log" "$DIR"/log/"$NODE_PREFIX"*.log
}

try_cluster()
{
    local ports i
    rm -f "$DIR/log/slurmctld.log" "$DIR"/log/"$NODE_PREFIX"*.log
    mapfile -t ports < <(free_ports $((NODES + 1)))
    [ "${#ports[@]}" -eq $((NODES + 1)) ] || die "there are no $((NODES + 1)) free ports"
    write_slurm_conf "${ports[@]}"
    launch_ctld
    for i in $(node_numbers); do
        launch_slurmd "$i"
    done
    wait_for "$CLUSTER_SECONDS" idle_or_dead && all_idle
}

launch_ctld()
{
    launch slurmctld env "SLURM_CONF=$DIR/slurm.conf" slurmctld -D
}

launch_slurmd() # NUMBER
{
    local name
    name=$(node_name "$1")
    # On the holder, not through it: slurmstepd writes its title over its environment.
    SWEEPD_TESTBED_NODE=$DIR/n/$name launch "$name" env "SLURM_CONF=$DIR/slurm.conf" \
        slurmd -D -N "$name"
}

slurm() # COMMAND...: one of Slurm's, as the cluster's owner
{
    SLURM_CONF=$DIR/slurm.conf timeout 10 "$@" 2>/dev/null
}

node_states()
{
    slurm sinfo -h -N -o '%N %T'
}

all_idle()
{
    [ "$(node_states | awk '$2 == "idle"' | wc -l)" -eq "$NODES" ]
}

idle_or_dead()
{
    local i
    alive slurmctld || return 0
    for i in $(node_numbers); do
        alive "$(node_name "$i")" || return 0
    done
    all_idle
}

end_cluster()
{
    local i
    halt slurmctld KILL 5
    for i in $(node_numbers); do
        kill_node "$i"
    done
}

# A crash of the node: slurmd and its slurmstepd first, so that none can report the end
# of a payload, then the payloads.
kill_node() # NUMBER
{
    local name
    name=$(node_name "$1")
    reap "SWEEPD_TESTBED_NODE=$DIR/n/$name" || exit 1
    halt "$name" KILL 5
}

start_node() # NUMBER
{
    alive "$(node_name "$1")" || launch_slurmd "$1"
    wait_for 30 node_answers "$1" || die_log "$(node_name "$1")" "the node did not come back"
}

node_answers() # NUMBER
{
    local state
    state=$(slurm sinfo -h -n "$(node_name "$1")" -o %T | head -n 1)
    [[ -n $state && $state != *[\*] && $state != down* && $state != unk* ]]
}

set_node() # NUMBER KEY=VALUE...
{
    slurm scontrol update "nodename=$(node_name "$1")" "${@:2}" ||
        die "slurmctld refused to change node $1"
}

start_ctld()
{
    alive slurmctld || launch_ctld
    wait_for 30 ctld_answers || die_log slurmctld "slurmctld does not answer"
}

ctld_answers()
{
    slurm scontrol ping | grep -q 'is UP'
}
