# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What job.sh and the recipes share: JSON text, job.env, phases and reasons, processes, HTTP.
# Needs bash 4.4 and coreutils; a node has no more for certain.

readonly ENV_LINES_MAX=1000     # lines of a job.env
readonly POLL_SECONDS=0.2       # between looks at processes that should end
readonly KILL_ROUNDS=50         # looks, POLL_SECONDS apart, until what was killed is gone
readonly HTTP_SECONDS=10        # for one answer of the model server
readonly HTTP_HEADERS_MAX=100

# --- JSON ------------------------------------------------------------------------
# Results go to REPLY: a subshell for each string would cost more than all the rest.

# Any bytes in, the inside of a valid JSON string out. What is no UTF-8 becomes '?'.
json_escape()
{
    local LC_ALL=C rest=$1 out='' chunk code
    if [[ $rest != *[^\ -~]* && $rest != *[\"\\]* ]]; then
        REPLY=$rest
        return
    fi
    local plain='^[]-~ !#-[]+'
    local wide=$'^([\xc2-\xdf][\x80-\xbf]'
    wide+=$'|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf][\x80-\xbf]'
    wide+=$'|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf][\x80-\xbf]'
    wide+=$'|[\xf1-\xf3][\x80-\xbf][\x80-\xbf][\x80-\xbf]|\xf4[\x80-\x8f][\x80-\xbf][\x80-\xbf])+'
    while [ -n "$rest" ]; do
        if [[ $rest =~ $plain || $rest =~ $wide ]]; then
            chunk=${BASH_REMATCH[0]}
            out+=$chunk
        else
            chunk=${rest:0:1}
            case $chunk in
            '"' | \\) out+="\\$chunk" ;;
            $'\n') out+='\n' ;;
            $'\t') out+='\t' ;;
            [$'\x01'-$'\x1f'$'\x7f'])
                printf -v code '%04x' "'$chunk"
                out+="\\u$code"
                ;;
            *) out+='?' ;;
            esac
        fi
        rest=${rest:${#chunk}}
    done
    REPLY=$out
}

json_array() # WORD...
{
    local word out=''
    for word; do
        if [[ $word == *[^\ -~]* || $word == *[\"\\]* ]]; then
            json_escape "$word"
            word=$REPLY
        fi
        out+=",\"$word\""
    done
    REPLY="[${out:1}]"
}

json_object() # NAME=VALUE...
{
    local pair out='' name
    for pair; do
        json_escape "${pair%%=*}"
        name=$REPLY
        json_escape "${pair#*=}"
        out+=",\"$name\":\"$REPLY\""
    done
    REPLY="{${out:1}}"
}

# --- job.env -----------------------------------------------------------------------

# Sets and exports the variable of one KEY=VALUE line; nothing in it is expanded.
# Fails with the cause in REPLY: no such line, or a name that would change the shell.
env_accept() # LINE
{
    if ! [[ $1 =~ ^([A-Z_][A-Z0-9_]*)=(.*)$ ]]; then
        REPLY="not a KEY=VALUE line: ${1:0:80}"
        return 1
    fi
    local name=${BASH_REMATCH[1]}
    case $name in
    BASH* | SHELLOPTS | IFS | ENV | PS[0-4] | UID | EUID | PPID | SECONDS | RANDOM | SLURM_* | GLOBIGNORE | POSIXLY_CORRECT)
        REPLY="$name may not be set there"
        return 1
        ;;
    esac
    if [[ ${BASH_REMATCH[2]} == *[[:cntrl:]]* ]]; then
        REPLY="the value of $name holds a control character"
        return 1
    fi
    export "$name=${BASH_REMATCH[2]}" 2> /dev/null && return
    REPLY="$name may not be set there"
    return 1
}

# Every line of a file must be acceptable; fails with the place and cause in REPLY.
env_load() # FILE
{
    local line number=0
    if ! [ -r "$1" ]; then
        REPLY="$1 cannot be read"
        return 1
    fi
    while IFS= read -r line || [ -n "$line" ]; do
        number=$((number + 1))
        if [ "$number" -gt "$ENV_LINES_MAX" ]; then
            REPLY="$1: more than $ENV_LINES_MAX lines"
            return 1
        fi
        if ! env_accept "$line"; then
            REPLY="$1:$number: $REPLY"
            return 1
        fi
    done < "$1"
}

# --- phase and reason ----------------------------------------------------------------

# Written beside and renamed, so that a reader never sees half of it. A full or
# vanished file system must not stop a measurement: the end record will tell.
replace_file() # FILE TEXT
{
    printf '%s\n' "$2" > "$1.new" 2> /dev/null && mv -f -- "$1.new" "$1" 2> /dev/null
}

phase() # prolog | image | weights | server | warmup | profile | collect
{
    local now
    printf -v now '%(%s)T' -1
    replace_file "$SWEEPD_PHASE_FILE" "$1 $now"
}

# The first reason stays: what follows from a failure is not its cause.
reason() # WORD TEXT
{
    echo "$1: $2" >&2
    [ -s "$SWEEPD_REASON_FILE" ] || replace_file "$SWEEPD_REASON_FILE" "$1"$'\n'"$2"
}

# --- processes -----------------------------------------------------------------------

# A pause that a trapped signal ends at once.
pause() # SECONDS
{
    sleep "$1" &
    wait $!
}

# Reads /proc/PID/stat into STATE, PARENT, SESSION and START; fails for one that is gone.
proc_stat() # PID
{
    local line fields
    { IFS= read -r line < "/proc/$1/stat"; } 2> /dev/null || return 1
    read -ra fields <<< "${line##*) }" # the name before may hold anything
    STATE=${fields[0]} PARENT=${fields[1]} SESSION=${fields[3]} START=${fields[19]}
}

# Fails for a dead process, for one that nobody has waited for, and for another one of
# that number.
proc_alive() # PID [START]
{
    local STATE PARENT SESSION START
    proc_stat "$1" && [[ $STATE != [ZX] ]] && [ "$START" = "${2:-$START}" ]
}

# Prints number and start time of the processes of a session, of those whose environment
# holds MARK, and of all their offspring, which may have left the session and cleared its
# environment. Only our own user's; never the caller nor what it descends from.
tree_pids() # MARK [SESSION]
{
    local pid file more STATE PARENT SESSION START
    local -A parent=() ours=() start=()
    while IFS= read -r file; do
        pid=${file//[^0-9]/}
        [ -n "$pid" ] && ours[$pid]=1
    done < <(grep -lzxsF -- "$1" /proc/[0-9]*/environ)
    for file in /proc/[0-9]*; do
        pid=${file#/proc/}
        if ! proc_stat "$pid" || [[ $STATE == [ZX] ]] || ! [ -O "$file" ]; then
            continue
        fi
        parent[$pid]=$PARENT
        start[$pid]=$START
        [ "$SESSION" != "${2:-}" ] || ours[$pid]=1
    done
    for ((more = 1; more;)); do
        more=0
        for pid in "${!parent[@]}"; do
            if [ -z "${ours[$pid]:-}" ] && [ -n "${ours[${parent[$pid]}]:-}" ]; then
                ours[$pid]=1
                more=1
            fi
        done
    done
    for ((pid = BASHPID; pid > 1; pid = ${parent[$pid]:-0})); do
        unset "ours[$pid]"
    done
    for pid in "${!ours[@]}"; do
        [ -z "${start[$pid]:-}" ] || echo "$pid ${start[$pid]}"
    done
}

# Adds what tree_pids finds to `known`, and lists in `pids` who of all known is alive: one
# that has cleared its environment is found through its parent, until that has died.
tree_look() # MARK [SESSION]
{
    local pid start
    while read -r pid start; do
        known[$pid]=$start
    done < <(tree_pids "$@")
    pids=()
    for pid in "${!known[@]}"; do
        proc_alive "$pid" "${known[$pid]}" && pids+=("$pid")
    done
}

# tree_end GRACE MARK [SESSION]: TERM, GRACE whole seconds, then KILL until nothing is left.
tree_end()
{
    local grace=$1 round pids end=$((SECONDS + $1))
    local -A known=()
    shift
    tree_look "$@"
    [ ${#pids[@]} -gt 0 ] || return 0
    [ "$grace" -eq 0 ] || kill -TERM "${pids[@]}" 2> /dev/null
    while [ "$SECONDS" -lt "$end" ]; do
        sleep "$POLL_SECONDS"
        tree_look "$@"
        [ ${#pids[@]} -gt 0 ] || return 0
    done
    for ((round = 0; round < KILL_ROUNDS; round++)); do
        kill -KILL "${pids[@]}" 2> /dev/null
        sleep "$POLL_SECONDS"
        tree_look "$@"
        [ ${#pids[@]} -gt 0 ] || return 0
    done
    echo "these processes cannot be ended: ${pids[*]}" >&2
    return 1
}

# --- HTTP ------------------------------------------------------------------------------

# Prints the body of a GET on loopback; fails unless the answer is 200.
http_get() # PORT PATH
{
    (
        exec 3<> "/dev/tcp/127.0.0.1/$1" || exit 1
        printf 'GET %s HTTP/1.0\r\nHost: localhost\r\nConnection: close\r\n\r\n' "$2" >&3 || exit 1
        IFS= read -r -t "$HTTP_SECONDS" line <&3 && [[ $line == HTTP/1.?\ 200* ]] || exit 1
        for ((n = 0; n < HTTP_HEADERS_MAX; n++)); do
            IFS= read -r -t "$HTTP_SECONDS" line <&3 || exit 1
            [ "$line" != $'\r' ] || exec timeout "$HTTP_SECONDS" cat <&3
        done
        exit 1
    ) 2> /dev/null
}

# Fails unless a process of the session listens on the port: another one's answer to
# /health must not pass for our server's.
port_is_ours() # PORT MARK SESSION
{
    local port local_address state inode pid
    local tests=(-false)
    printf -v port '%04X' "$1"
    while read -r _ local_address _ state _ _ _ _ _ inode _; do
        if [[ $local_address == *:$port && $state == 0A ]]; then
            tests+=(-o -lname "socket:\[$inode\]")
        fi
    done < <(cat /proc/net/tcp /proc/net/tcp6 2> /dev/null)
    while read -r pid _; do
        [ -z "$(find "/proc/$pid/fd" '(' "${tests[@]}" ')' -print -quit 2> /dev/null)" ] || return 0
    done < <(tree_pids "$2" "$3")
    return 1
}
