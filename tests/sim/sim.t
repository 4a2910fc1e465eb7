#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# suites: check check-san
# timeout: 150
# Core against a simulated world, seed by seed: tests/sim/README.md.
set -u

TREE=$(readlink -f -- "$(dirname -- "${BASH_SOURCE[0]}")/../..")
BUILD=${SWEEPD_BUILD:-$TREE/build}
SIM=$BUILD/sim
# shellcheck source=tests/lib/tap.sh
. "$TREE/tests/lib/tap.sh"

seeds=2000
[[ $BUILD != *san-* ]] || seeds=400 # too few for every pair of event and state

run_seeds()
{
    local output
    output=$("$SIM" --seeds "$seeds" --seed0 1)
    printf '%s\n' "$output" | grep -v '^# [a-z]*: [a-z]' | sed 's/^# /  /'
    [ "$(tail -n 1 <<< "$output")" = "$seeds passed, 0 failed, 0 skipped" ]
}

complete()
{
    "$SIM" --seeds "$seeds" --seed0 1 --complete
}

# The same seed is the same story, to the last event.
story() # SEED
{
    "$SIM" --seeds 1 --seed0 "$1" --trace | grep -v ' a second$'
}

check "$seeds seeds hold every invariant" run_seeds
if [ "$seeds" -eq 2000 ]; then
    check 'every event has met every state that it can meet' complete
fi
for seed in 3 77; do
    is "$(story "$seed" | sha256sum)" "$(story "$seed" | sha256sum)" "seed $seed is the same again"
done
holds "$(story 3)" 'job: claims and begins' 'a story tells what happened'
check_fails 'an unknown option is refused' 2 "$SIM" --seed 1
tap_done
