#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# What the fuzzers start from, and what they found before, holds in both builds.
set -u

TREE=$(readlink -f -- "$(dirname -- "${BASH_SOURCE[0]}")/../..")
cd "$TREE" || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

# Every file of the corpus is run, or the program was not the one to ask.
replay() # PROGRAM CORPUS
{
    local output
    output=$("$1" "$2") || return
    [ "$output" = "$(find "$2" -type f | wc -l) inputs, 0 unreadable" ] || { echo "$output"; return 1; }
}

for source in tests/fuzz/*_fuzz.c; do
    name=$(basename "$source" _fuzz.c)
    for build in build build/san-address-undefined; do
        check "$name holds in $build" replay "$build/fuzz/$name" "tests/fuzz/corpus/$name"
    done
done
tap_done
