# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What the end-to-end scripts share: a testbed of their own, sweepctl, and
# questions about what is there.

TREE=$(readlink -f -- "$(dirname -- "${BASH_SOURCE[0]}")/../..")
BUILD=${SWEEPD_BUILD:-$TREE/build}
BED=${TMPDIR:?}/tb
# shellcheck disable=SC2034 # for the scripts
readonly KEY=qwen3.5-fp8-mi325x-sglang-agentic-mtp
# shellcheck source=tests/lib/process.sh
. "$TREE/tests/lib/process.sh"
# shellcheck source=tests/lib/tap.sh
. "$TREE/tests/lib/tap.sh"

testbed()
{
    "$TREE/tests/testbed/testbed" "$@"
}

bed_down()
{
    trap '' INT TERM
    [ ! -d "$BED" ] || testbed down "$BED"
}

# bed_up [OPTION...]: a testbed that ends with the script.
bed_up()
{
    trap bed_down EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    testbed up "$BED" --build "$BUILD" "$@" || {
        tap_result 1 'the testbed starts'
        tap_done
    }
    eval "$(testbed env "$BED")"
    export SLURM_CONF SWEEPD_SERVER SWEEPD_DATABASE SWEEPD_SPOOL
}

sweepctl()
{
    "$BUILD/sweepctl" "$@"
}

# api PATH [CURL OPTION...]
api()
{
    local path=$1
    shift
    curl -s --max-time 20 --unix-socket "$BED/sweepd.sock" "$@" "http://localhost/api/v1/$path"
}

sql()
{
    psql -X -q -A -t -d "$SWEEPD_DATABASE" -c "$1"
}

# Jobs that slurmctld knows, whatever their state.
slurm_jobs()
{
    squeue -h -a -t all -o '%i %T %k'
}

live_jobs()
{
    squeue -h -a -t pending,running,suspended,completing -o %i | wc -l
}

no_live_jobs()
{
    [ "$(live_jobs)" -eq 0 ]
}

sweep_state()
{
    api "sweeps/$1" | jq -r .sweep.state
}

sweep_done()
{
    [ "$(sweep_state "$1")" = 'done' ]
}

# Lines that the payloads wrote at their start, one for each that really ran.
start_lines()
{
    [ ! -e "$BED/starts" ] || cat "$BED/starts"
}
