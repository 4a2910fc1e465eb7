# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# A shared file system that hangs or is full. Neither root nor a mount is asked for: a
# library loaded into sweepd and into the jobs holds or refuses their file calls below
# the spool while a file says so. It is loaded only with --spool-faults.

spool_faults()
{
    [ "$SPOOL_FAULTS" = yes ]
}

# Variables for env(1), or nothing.
spool_preload()
{
    spool_faults || return 0
    printf '%s\n' "LD_PRELOAD=$TREE/build/testbed/spoolfault.so" "TESTBED_SPOOL=$DIR/spool" \
        "TESTBED_SPOOL_FAULTS=$DIR/spool_faults" \
        "ASAN_OPTIONS=verify_asan_link_order=0:${ASAN_OPTIONS:-}"
}

set_spool_fault() # frozen|full
{
    spool_faults || die "start the testbed with --spool-faults for this"
    : > "$DIR/spool_faults/$1"
}

clear_spool_fault() # frozen|full
{
    rm -f "$DIR/spool_faults/$1"
}
