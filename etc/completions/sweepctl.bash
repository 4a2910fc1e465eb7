# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# bash completion of sweepctl. Commands, options and what they take come from its own help;
# sweeps, keys and points from the server, which gets a second to answer.

_sweepctl_seconds=1    # for one question to the server
_sweepctl_bytes=4194304 # of an answer that are looked at
_sweepctl_names=2000   # that are offered

# Asks the server that the command line names.
_sweepctl_ask() # ARGUMENT...
{
    timeout -k 1 "$_sweepctl_seconds" "$_sweepctl_program" "${_sweepctl_server[@]}" "$@" --json \
        2> /dev/null < /dev/null | head -c "$_sweepctl_bytes"
}

# The values of a member, of names that need no quoting; anything else is not offered.
_sweepctl_values() # MEMBER
{
    grep -oE "\"$1\": *\"[A-Za-z0-9][A-Za-z0-9._+-]*\"" | cut -d '"' -f 4 |
        awk '!seen[$0]++' | head -n "$_sweepctl_names"
}

# Keys of matrix files: those of --config, else the installed ones.
_sweepctl_file_keys()
{
    local files=("${_sweepctl_configs[@]}") file
    [ ${#files[@]} -gt 0 ] || files=(/usr/share/sweepd/matrices/*.yaml)
    for file in "${files[@]}"; do
        [ "${file##*/}" = runners.yaml ] || [ ! -f "$file" ] ||
            sed -nE 's/^([A-Za-z0-9][A-Za-z0-9._+-]*):.*/\1/p' "$file" 2> /dev/null
    done | head -n "$_sweepctl_names"
}

# The names of a kind that a word of the help stands for.
_sweepctl_list() # KIND
{
    case $1 in
    SWEEP)
        local sweeps
        sweeps=$(_sweepctl_ask status --all)
        echo last
        _sweepctl_values id <<< "$sweeps"
        _sweepctl_values key <<< "$sweeps"
        ;;
    KEY)
        _sweepctl_file_keys
        [ ${#_sweepctl_configs[@]} -gt 0 ] || _sweepctl_ask status --all | _sweepctl_values key
        ;;
    POINT) _sweepctl_ask points "${_sweepctl_operands[0]:-last}" | _sweepctl_values name ;;
    COMMAND) "$_sweepctl_program" help 2> /dev/null | sed -nE 's/^  ([a-z][a-z-]*) .*/\1/p' ;;
    esac
}

_sweepctl_offer() # KIND WORD
{
    local head='' word=$2
    case $1 in
    FILE | DIR)
        compopt -o filenames 2> /dev/null
        [ "$1" = FILE ] && mapfile -t COMPREPLY < <(compgen -f -- "$word")
        [ "$1" = DIR ] && mapfile -t COMPREPLY < <(compgen -d -- "$word")
        return
        ;;
    *,) # several, separated by commas
        [[ $word != *,* ]] || head=${word%,*},
        word=${word##*,}
        ;;
    esac
    mapfile -O "${#COMPREPLY[@]}" -t COMPREPLY < <(
        compgen -P "$head" -W "$(_sweepctl_list "${1%,}")" -- "$word"
    )
}

# Reads the help of the command into _sweepctl_options, option to kind; a kind ends in "," for
# lists with commas and in ".." for lists of words.
_sweepctl_read_help() # COMMAND
{
    local line rest pattern='--([a-z][a-z-]*)( ([A-Z]+)(,?\.?\.?))?'
    _sweepctl_usage=''
    while IFS= read -r line; do
        if [[ $line == 'usage: '* ]]; then
            _sweepctl_usage=$line
        elif [[ $line == '  -'* ]]; then
            rest=$line
            while [[ $rest =~ $pattern ]]; do
                _sweepctl_options[--${BASH_REMATCH[1]}]=${BASH_REMATCH[3]}${BASH_REMATCH[4]/,../,}
                rest=${rest#*"${BASH_REMATCH[0]}"}
            done
            if [[ $line =~ ^\ \ -(.),\ --([a-z-]+) ]]; then
                _sweepctl_options[-${BASH_REMATCH[1]}]=${_sweepctl_options[--${BASH_REMATCH[2]}]}
            fi
        fi
    done < <("$_sweepctl_program" ${1:+"$1"} --help 2> /dev/null < /dev/null)
}

# Goes over the words before the cursor. Sets the command, operands, server, configurations and
# _sweepctl_kind, what the option before the cursor still takes.
_sweepctl_read_words() # WORD...
{
    local word kind=''
    for word; do
        case $word in
        --*=*) [[ $word != --server=* ]] || _sweepctl_server=("$word") ;;
        -*)
            kind=${_sweepctl_options[$word]:-}
            [[ $word != -s && $word != --server ]] || kind=URL
            ;;
        *)
            case $kind in
            URL) _sweepctl_server=(--server "$word") ;;
            FILE..) _sweepctl_configs+=("$word") ;;
            '')
                if [ -z "$_sweepctl_command" ]; then
                    _sweepctl_command=$word
                    _sweepctl_read_help "$word"
                else
                    _sweepctl_operands+=("$word")
                fi
                ;;
            esac
            [[ $kind == *.. ]] || kind=''
            ;;
        esac
    done
    _sweepctl_kind=$kind
}

# What the next operand is called in the usage line: "[KEY] FILE.." gives KEY and FILE, later FILE.
_sweepctl_operand_kinds()
{
    local words place=${#_sweepctl_operands[@]} last
    read -ra words <<< "${_sweepctl_usage#*" $_sweepctl_command"}"
    [ "${words[0]:-}" != '[OPTION..]' ] || words=("${words[@]:1}")
    last=$((${#words[@]} - 1))
    [ "$last" -ge 0 ] || return 0
    if [ "$place" -gt "$last" ]; then
        [[ ${words[last]} == *.. ]] || return 0
        place=$last
    fi
    echo "${words[place]//[^A-Z]/}"
    [[ ${words[place]} != \[*\] || $place -ge $last ]] || echo "${words[place + 1]//[^A-Z]/}"
}

_sweepctl()
{
    local _sweepctl_program=${1/#\~/$HOME} _sweepctl_command='' _sweepctl_usage='' _sweepctl_kind=''
    local _sweepctl_server=() _sweepctl_configs=() _sweepctl_operands=() kind
    local -A _sweepctl_options=()
    # Not COMP_WORDS, which are cut at colons too.
    local line=${COMP_LINE:0:COMP_POINT} words current
    read -ra words <<< "${line}x"
    current=${words[-1]%x}
    COMPREPLY=()
    _sweepctl_read_words "${words[@]:1:${#words[@]}-2}"
    if [[ $current == --*=* ]]; then
        kind=${_sweepctl_options[${current%%=*}]:-}
        _sweepctl_offer "${kind%..}" "${current#*=}"
        return
    fi
    if [[ $current == -* ]]; then
        [ -n "$_sweepctl_command" ] || _sweepctl_read_help ''
        mapfile -t COMPREPLY < <(compgen -W "${!_sweepctl_options[*]}" -- "$current" | grep '^--')
        return
    fi
    case $_sweepctl_kind in
    '') ;;
    *..) _sweepctl_offer "${_sweepctl_kind%..}" "$current" ;;
    *)
        _sweepctl_offer "$_sweepctl_kind" "$current"
        return
        ;;
    esac
    if [ -z "$_sweepctl_command" ]; then
        _sweepctl_offer COMMAND "$current"
        return
    fi
    for kind in $(_sweepctl_operand_kinds); do
        _sweepctl_offer "$kind" "$current"
    done
}

complete -F _sweepctl sweepctl
