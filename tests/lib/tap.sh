# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# TAP for test scripts. A script sources this, calls the checks, and ends with
# tap_done. Its first lines may say what tests/run should know:
#   # suites: check check-san     (the suites it belongs to; check when absent)
#   # timeout: 120                (seconds)
# Scripts run in the top folder of the tree with an empty TMPDIR of their own.

TAP_COUNT=0
TAP_FAILED=0

# tap_result STATUS NAME [LINE...]: one check; the lines explain a failure.
tap_result()
{
    local status=$1 name=$2
    shift 2
    TAP_COUNT=$((TAP_COUNT + 1))
    if [ "$status" -eq 0 ]; then
        printf 'ok %d - %s\n' "$TAP_COUNT" "$name"
        return 0
    fi
    TAP_FAILED=$((TAP_FAILED + 1))
    printf 'not ok %d - %s\n' "$TAP_COUNT" "$name"
    [ $# -eq 0 ] || printf '%s\n' "$@" | sed 's/^/#   /'
    return 1
}

# check NAME COMMAND...: the command succeeds. Its output shows when it does not.
check()
{
    local name=$1 text status=0
    shift
    text=$("$@" 2>&1) || status=$?
    tap_result "$status" "$name" "exit status $status of: $*" "$text"
}

# check_fails NAME STATUS COMMAND...: it ends with exactly this status. Sets OUTPUT.
check_fails()
{
    local name=$1 want=$2 status=0
    shift 2
    OUTPUT=$("$@" 2>&1) || status=$?
    [ "$status" -eq "$want" ]
    tap_result $? "$name" "exit status $status, expected $want, of: $*" "$OUTPUT"
}

# is GOT WANT NAME
is()
{
    [ "$1" = "$2" ]
    tap_result $? "$3" "     got: $1" "expected: $2"
}

# holds TEXT PART NAME: the text holds the part.
holds()
{
    [[ $1 == *"$2"* ]]
    tap_result $? "$3" "     got: $1" "wanted in it: $2"
}

tap_done()
{
    printf '1..%d\n' "$TAP_COUNT"
    [ "$TAP_FAILED" -eq 0 ]
    exit
}
