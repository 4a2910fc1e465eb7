#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# suites: check
# timeout: 240
# The dashboard in a real browser while a sweep runs: dashboard.mjs looks, this script
# gives it a testbed and a sweep. Screenshots stay in build/screenshots.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../e2e/lib.sh"

readonly HERE=$TREE/tests/browser
readonly MODULES=$TREE/build/browser
readonly SHOTS=$TREE/build/screenshots

# The two packages of package-lock.json, into build/.
install_modules()
{
    mkdir -p "$MODULES" "$SHOTS"
    cmp -s "$HERE/package-lock.json" "$MODULES/installed" && return
    cp "$HERE"/package.json "$HERE"/package-lock.json "$HERE"/.npmrc "$HERE"/dashboard.mjs "$MODULES" &&
        (cd "$MODULES" && npm_config_cache=$TREE/build/npm-cache npm ci --ignore-scripts) &&
        cp "$HERE/package-lock.json" "$MODULES/installed"
}

tcp_port()
{
    sed -n 's/.*tcp: "127\.0\.0\.1:\([0-9]*\)".*/\1/p' "$BED/sweepd.yaml"
}

check 'npm ci installs what the lock file names' install_modules
bed_up --speed 400
SWEEP=$(sweepctl submit "$KEY" --keep-going --json --conc 1,4,8,16,32,40 | jq -r .sweep.id)
cp "$HERE/dashboard.mjs" "$MODULES/dashboard.mjs"
while IFS=$'\t' read -r status name detail; do
    [ "$status" = ok ]
    tap_result $? "$name" "$detail"
done < <(HOME=$TMPDIR/home node "$MODULES/dashboard.mjs" "http://127.0.0.1:$(tcp_port)" "$SWEEP" "$SHOTS" 2>&1 ||
    printf 'failed\tthe browser ends by itself\tstatus %s\n' $?)
rm -rf "${TMPDIR:?}/home"
is "$(api "sweeps/$SWEEP" | jq -r .sweep.state)" active 'the sweep that nobody could cancel goes on'
tap_done
