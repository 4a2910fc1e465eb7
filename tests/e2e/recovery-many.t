#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# suites: faults
# timeout: 2400
# Twenty sweeps in which sweepd is killed. Over the runs every state of an attempt is hit.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=tests/e2e/recovery.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/recovery.sh"

runs 20
for state in intent submitted pending running ended judged; do
    holds " $ALL_STATES" " $state=" "a kill fell into $state"
done
tap_done
