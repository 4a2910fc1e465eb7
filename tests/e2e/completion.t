#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# suites: check
# timeout: 60
# The completion of sweepctl in bash: the help is the real program's, the server's answers are
# files, and one server never answers.
# shellcheck disable=SC2317 # functions are called through check
set -u

TREE=$(readlink -f -- "$(dirname -- "${BASH_SOURCE[0]}")/../..")
BUILD=${SWEEPD_BUILD:-$TREE/build}
TMP=${TMPDIR:?}
DATA=$TREE/tests/e2e/data/sweepctl
MATRICES=$TREE/etc/matrices
# shellcheck source=tests/lib/tap.sh
. "$TREE/tests/lib/tap.sh"

readonly KEY=qwen3.5-fp8-mi325x-sglang-agentic-mtp
readonly BOUND_SECONDS=5 # for an answer that does not come; the completion gives up after 1
trap 'rm -rf "${TMP:?}"/*' EXIT

# sweepctl in PATH: answers --json from $TMP/sweeps and $TMP/points, keeps what it was asked.
make_fake()
{
    mkdir "$TMP/bin"
    cat > "$TMP/bin/sweepctl" << FAKE
#!/bin/bash
case " \$* " in
*' --json '*)
    echo "\$*" >> '$TMP/asked'
    [ ! -e '$TMP/silent' ] || exec tail -f /dev/null
    case " \$* " in
    *' points '*) cat '$TMP/points' ;;
    *) cat '$TMP/sweeps' ;;
    esac
    ;;
*) exec '$BUILD/sweepctl' "\$@" ;;
esac
FAKE
    chmod 755 "$TMP/bin/sweepctl"
    cp "$DATA/sweeps.json" "$TMP/sweeps"
    cp "$DATA/points-mid.json" "$TMP/points"
}

# complete_line WORD...: what bash would offer for the last word, one a line, sorted.
complete_line()
{
    rm -f "$TMP/asked"
    COMP_LINE="sweepctl $*"
    COMP_POINT=${#COMP_LINE}
    COMPREPLY=()
    _sweepctl sweepctl "${@: -1}" "${@: -2:1}"
    [ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort
}

# offers NAME WANT WORD...: WANT are words separated by spaces.
offers()
{
    local name=$1 want=$2
    shift 2
    is "$(complete_line "$@" | paste -sd ' ')" "$want" "$name"
}

# The long options in the help's list.
help_options()
{
    "$BUILD/sweepctl" "$1" --help | grep '^  -' | grep -oE -- '--[a-z][a-z-]*' | LC_ALL=C sort -u | paste -sd ' '
}

test_grammar()
{
    local command commands
    commands=$("$BUILD/sweepctl" help | sed -n 's/^  \([a-z]*\) .*/\1/p')
    offers "every command of the help" "$(LC_ALL=C sort <<< "$commands" | paste -sd ' ')" ''
    offers "a command's beginning" 'submit' su
    for command in $commands; do
        offers "the options of $command" "$(help_options "$command")" "$command" --
    done
    offers "common options before a command" '--help --json --no-color --server --utc' --
    offers "help takes a command" 'cancel check' help c
    offers "nodes takes nothing" '' nodes ''
}

test_names()
{
    offers "sweeps by id" 's10-7f00 s11-02bc s12-7f3a' status s1
    offers "the newest sweep" 'last' status la
    offers "sweeps by key" "${KEY%-mtp} $KEY" cancel qwen3.5-fp8-mi325x-sglang
    offers "status takes one sweep" '' status last ''
    offers "points of the sweep" 'tp4-c1 tp4-c16' points s11-02bc tp4-c1
    is "$(cat "$TMP/asked")" 'points s11-02bc --json' "are asked of that sweep"
    offers "points in a list with commas" 'tp8-c80,tp2ep2-c1' submit "$KEY" --points tp8-c80,tp2ep2-c1
    offers "keys to submit, of the server" "${KEY%-mtp} $KEY" submit qwen3.5-fp8-mi325x-sg
    offers "keys of the file given" "$KEY" plan -c "$MATRICES/$KEY.yaml" qwen
    [ ! -e "$TMP/asked" ]
    tap_result $? "ask no server then" "$(cat "$TMP/asked" 2>/dev/null)"
    offers "the list of files goes on" "$MATRICES/$KEY.yaml" submit --config a.yaml "$MATRICES/$KEY.y"
    offers "check takes a key or files" "$MATRICES/runners.yaml" check "$MATRICES/run"
    offers "a file for an option" "$MATRICES/runners.yaml" check --runners "$MATRICES/run"
    offers "a value behind =" "tp4-c40" submit "$KEY" --points=tp4-c40
    complete_line --server http://localhost:1 status s1 > /dev/null
    is "$(cat "$TMP/asked")" '--server http://localhost:1 status --all --json' "the server of the line is asked"
    complete_line status --server=unix:/x s1 > /dev/null
    is "$(cat "$TMP/asked")" '--server=unix:/x status --all --json' "however it is written"
}

test_weather()
{
    local started=$SECONDS
    # shellcheck disable=SC2016 # that is what must not run
    printf '{"sweeps":[{"id":"s1-a b"},{"id":"$(touch %s)"},{"id":"`x`"},{"id":"s1;x"},{"id":"s1-good"}]}' \
        "$TMP/ran" > "$TMP/sweeps"
    offers "names that a shell would read are not offered" 'last s1-good' status ''
    [ ! -e "$TMP/ran" ]
    tap_result $? "and none is run"
    echo 'not json' > "$TMP/sweeps"
    offers "an answer that is no JSON offers nothing" 'last' status ''
    touch "$TMP/silent"
    started=$SECONDS
    offers "a server that never answers offers nothing" '' submit s
    [ $((SECONDS - started)) -lt "$BOUND_SECONDS" ]
    tap_result $? "and does not hold the shell up" "it took $((SECONDS - started)) s"
}

make_fake
PATH=$TMP/bin:$PATH
# shellcheck source=etc/completions/sweepctl.bash
. "$TREE/etc/completions/sweepctl.bash"
check "bash knows the completion" complete -p sweepctl
test_grammar
test_names
test_weather
tap_done
