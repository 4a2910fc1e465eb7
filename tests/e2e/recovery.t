#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# suites: check
# timeout: 420
# Five sweeps in which sweepd is killed; tests/e2e/recovery-many.t does more.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=tests/e2e/recovery.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/recovery.sh"

runs 5
tap_done
