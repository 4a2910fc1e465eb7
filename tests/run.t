#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 90
# The runner against a tree of planted tests: every way to fail must count as a failure.
set -u
unset SWEEPD_BUILD
. tests/lib/tap.sh
. tests/lib/process.sh

TOP=$TMPDIR/tree
mkdir -p "$TOP/tests/unit" "$TOP/build/unit"
cp -r tests/run tests/lib "$TOP/tests/"

plant() # NAME, the script on standard input
{
    {
        echo '#!/bin/bash'
        cat
    } > "$TOP/tests/$1.t"
    chmod +x "$TOP/tests/$1.t"
}

# Runs the planted tests; sets OUTPUT and LAST, its closing line.
run() # STATUS NAME ARGUMENT...
{
    check_fails "$2" "$1" "$TOP/tests/run" "${@:3}"
    LAST=$(tail -n 1 <<< "$OUTPUT")
}

expect() # NAME CLOSING-LINE PART
{
    local status=1
    [[ $2 == *" 0 failed,"* ]] && status=0
    run "$status" "$1: exit status" "$1"
    is "$LAST" "$2" "$1: closing line"
    holds "$OUTPUT" "$3" "$1: says why"
}

plant good << 'T'
printf 'ok 1 - a\nok 2 - b\n1..2\n'
T
plant bad << 'T'
printf '1..2\nok 1 - a\nnot ok 2 - the sky is green\n# got blue\n'
exit 1
T
plant skip << 'T'
printf 'ok 1 - a\nok 2 - b # skip no moon\n1..2\n'
T
plant skipall << 'T'
echo '1..0 # skip nothing here'
T
plant short << 'T'
printf '1..3\nok 1 - a\nok 2 - b\n'
T
plant noplan << 'T'
echo 'ok 1 - a'
T
plant gap << 'T'
printf 'ok 1 - a\nok 3 - b\n1..2\n'
T
plant silent << 'T'
exit 0
T
plant empty << 'T'
echo '1..0'
T
plant dies << 'T'
printf 'ok 1 - a\n1..1\n'
kill -SEGV $$
T
plant lies << 'T'
printf 'not ok 1 - a\n1..1\n'
T
plant bails << 'T'
printf 'ok 1 - a\n1..1\nBail out! no more\n'
T
plant hangs << 'T'
# timeout: 1
printf 'ok 1 - a\n1..1\n'
sleep 1000
T
plant file << 'T'
printf 'ok 1 - a\n1..1\n'
touch "$TMPDIR/forgotten"
T
plant process << 'T'
printf 'ok 1 - a\n1..1\n'
(setsid sleep 1000 &) > /dev/null 2>&1
T
plant report << 'T'
printf 'ok 1 - a\n1..1\n'
log=${ASAN_OPTIONS#log_path=}
echo '==1==ERROR: AddressSanitizer: planted' > "${log%%:*}.1"
T

expect good '2 passed, 0 failed, 0 skipped' 'good'
expect bad '1 passed, 1 failed, 0 skipped' '# got blue'
expect skip '1 passed, 0 failed, 1 skipped' 'no moon'
expect skipall '0 passed, 0 failed, 1 skipped' 'nothing here'
expect short '2 passed, 1 failed, 0 skipped' 'planned 3 checks, 2 came'
expect noplan '1 passed, 1 failed, 0 skipped' '0 plans'
expect gap '2 passed, 1 failed, 0 skipped' 'check 3 came as number 2'
expect silent '0 passed, 1 failed, 0 skipped' 'it printed no TAP'
expect empty '0 passed, 1 failed, 0 skipped' 'it checked nothing'
expect dies '1 passed, 1 failed, 0 skipped' 'exit status 139'
expect lies '0 passed, 2 failed, 0 skipped' 'in spite of failures'
expect bails '1 passed, 1 failed, 0 skipped' 'no more'
expect file '1 passed, 1 failed, 0 skipped' 'left files in its TMPDIR: forgotten'
expect process '1 passed, 1 failed, 0 skipped' 'left a process: '
expect report '1 passed, 1 failed, 0 skipped' 'AddressSanitizer: planted'
expect hangs '1 passed, 2 failed, 0 skipped' 'ended at its time limit of 1 s'

# Unit programs, and several names at once.
touch "$TOP/tests/unit/sum_test.c" "$TOP/tests/unit/missing_test.c"
cp "$TOP/tests/good.t" "$TOP/build/unit/sum"
run 0 'a unit test by name' sum
is "$LAST" '2 passed, 0 failed, 0 skipped' 'its checks are counted'
run 1 'several names, one bad' sum bad skip
is "$LAST" '4 passed, 1 failed, 1 skipped' 'the sum over several'
is "$(grep -c ' passed, ' <<< "$OUTPUT")" 1 'there is one closing line'
run 1 'a unit program that was not built' missing
holds "$OUTPUT" 'it printed no TAP' 'is a failure'
run 2 'an unknown name' nosuchtest

# A suite takes the scripts that name it.
printf '#!/bin/bash\n# suites: faults\necho ok 1\necho 1..1\n' > "$TOP/tests/slow.t"
chmod +x "$TOP/tests/slow.t"
run 0 'a suite' faults
is "$LAST" '1 passed, 0 failed, 0 skipped' 'a suite runs what names it'

# Interrupted, it takes its test with it, and its files.
plant waits << 'T'
(setsid sleep 2000 &) > /dev/null 2>&1
touch "$STARTED"
sleep 1000
T
interrupt() # SIGNAL TARGET-PREFIX: "" is the runner, "-" its group, as a terminal does it
{
    export STARTED=$TMPDIR/started
    # In the background bash makes a command deaf to INT; perl gives it its ears back.
    # shellcheck disable=SC2016 # the dollar is perl's
    setsid perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' "$TOP/tests/run" waits > "$TMPDIR/out" 2>&1 &
    local runner=$!
    check "$1 $2: the test starts" wait_for 20 test -e "$STARTED"
    export -n STARTED
    kill "-$1" -- "$2$runner"
    wait "$runner"
    is $? $((128 + $(kill -l "$1"))) "$1 $2: exit status"
    is "$(cd "$TMPDIR" && printf '%s ' *)" 'out started tree ' "$1 $2: no folder is left"
    is "$(marked "STARTED=$STARTED")" '' "$1 $2: no process is left"
    rm -f "$STARTED"
}
interrupt TERM ''
interrupt INT ''
interrupt INT -
interrupt HUP -

rm -rf "$TMPDIR/tree" "$TMPDIR/out"
tap_done
