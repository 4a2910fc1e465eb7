#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# suites: check check-san
# timeout: 60
# sweep-ingest as a program: options, exit status, where its output goes.
# shellcheck disable=SC2317 # functions are called through check
set -u

TREE=$(readlink -f -- "$(dirname -- "${BASH_SOURCE[0]}")/../..")
TMP=${TMPDIR:?}
INGEST=${SWEEPD_BUILD:-$TREE/build}/sweep-ingest
CASE=$TREE/tests/unit/data/replays/pass-tp4-ep1-c16
# shellcheck source=tests/lib/tap.sh
. "$TREE/tests/lib/tap.sh"

member() # JQ-PATH [OPTION...]: of the case's document
{
    local path=$1
    shift
    "$INGEST" "$@" "$CASE" | jq -c "$path"
}

is "$(member .version)" 1 'one object is printed'
is "$(member .gpu_count)" null 'without job.env the number of GPUs is not known'
is "$(member .gpu_count --tp 4)" 4 '--tp'
is "$(member .gpu_count --tp 4 --pp 2 --pcp 3)" 24 '--pp and --pcp'
is "$(member .request_metrics.throughput.per_gpu.total_tput_tps --tp 4)" 1474.31365 'a value per GPU'
printf 'TP=2\nPP_SIZE=2\n' >"$TMP/job.env"
is "$(member .gpu_count --expect "$TMP/job.env")" 4 '--expect'
is "$(member .gpu_count --context "$TMP/job.env" --tp 8)" 16 'an option is over the file'
check 'the same bytes twice' cmp <("$INGEST" "$CASE") <("$INGEST" "$CASE")
is "$(member '[.files[].sha256]' | jq -r '.[0]')" \
    "$(sha256sum "$CASE/results/aiperf_artifacts/profile_export_aiperf.json" | cut -d' ' -f1)" 'a checksum'

mkdir "$TMP/empty"
check 'an empty folder is no error' "$INGEST" "$TMP/empty"
check_fails 'a folder that is not there is one' 1 "$INGEST" "$TMP/none"
holds "$OUTPUT" "$TMP/none" 'and is named'
check_fails 'so is a file of --expect' 1 "$INGEST" --expect "$TMP/none" "$CASE"
check_fails 'no folder' 2 "$INGEST"
check_fails 'two folders' 2 "$INGEST" "$CASE" "$CASE"
check_fails 'a number that is none' 2 "$INGEST" --tp four "$CASE"
holds "$OUTPUT" 'four' 'and is shown'
check_fails 'an unknown option' 2 "$INGEST" --fast "$CASE"
check '--help' "$INGEST" --help
check '--version' "$INGEST" --version
full() { "$INGEST" "$CASE" >/dev/full; }
check_fails 'output that cannot be written' 1 full
limited() { (ulimit -v 65536 && "$INGEST" "$CASE" >/dev/null); }
case $INGEST in
*san-*) ;; # the sanitizers reserve more
*) check 'in 64 MiB of address space' limited ;;
esac

rm -rf "$TMP/job.env" "$TMP/empty"
tap_done
