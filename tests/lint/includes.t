#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 60
# The include check finds each kind of wrong include in a planted tree, and only those.
set -u
. tests/lib/tap.sh

TOP=$TMPDIR/tree
mkdir -p "$TOP/docs"
cp docs/architecture.md "$TOP/docs/"

plant() # FILE LINE...
{
    mkdir -p "$TOP/$(dirname "$1")"
    printf '%s\n' "${@:2}" > "$TOP/$1"
}

# found NAME FILE TEXT LINE...: exactly one violation, at the last line of the file.
found()
{
    local file=$2 want=$3 name=$1
    shift 3
    plant "$file" "$@"
    check_fails "$name: exit status" 1 tests/lint/includes "$TOP"
    is "$OUTPUT" "$file:$#: $want" "$name: what and where"
    rm "$TOP/$file"
}

plant daemon/base/err.h '#include <errno.h>' '#include <time.h>'
plant daemon/base/log.h '#include <stddef.h>'
plant daemon/base/hash.c '#include <nettle/sha2.h>' '#include "base/err.h"' '#include "err.h"'
plant daemon/core/sweep.h '#include "base/err.h"' '#include <stdint.h>'
plant daemon/spec/yaml.c '#include "core/sweep.h"' '#include <yaml.h>' '// yaml_event_t, a PGconn'
plant daemon/spec/yaml.h '#include "core/sweep.h"' '// no yaml_event_t here' 'int json_to_yaml;'
plant daemon/store/store.h '#include "base/err.h"'
plant daemon/http/http.c '#  include <microhttpd.h>'
plant daemon/app.h '#include "store/store.h"' '#include "spec/yaml.h"' '#include "core/sweep.h"'
plant slurm/rpc.h '#include <slurm/slurm.h>' '#include "base/err.h"'
plant cli/main.c '#include <curl/curl.h>' '#include "spec/yaml.h"'
check_fails 'a tree that keeps to the table' 0 tests/lint/includes "$TOP"
is "$OUTPUT" '' 'a tree that keeps to the table: says nothing'

found 'core reads the clock' daemon/core/bad.c 'daemon/core may not include <time.h>' '#include <time.h>'
found 'core opens files' daemon/core/bad.c 'daemon/core may not include <fcntl.h>' '#include <stdio.h>' '#include <fcntl.h>'
found 'core logs' daemon/core/bad.c 'daemon/core may not include daemon/base/log.h' '#include "base/log.h"'
found 'base knows core' daemon/base/bad.c 'daemon/base may not include daemon/core/sweep.h' '#include "core/sweep.h"'
found 'core knows spec' daemon/core/bad.h 'daemon/core may not include daemon/spec/yaml.h' '' '#include "spec/yaml.h"'
found 'an adapter knows another' daemon/http/bad.c 'daemon/http may not include daemon/store/store.h' '#include "store/store.h"'
found 'an adapter knows the top' daemon/store/bad.c 'daemon/store may not include daemon/app.h' '#include "app.h"'
found 'sweepctl opens the database' cli/bad.c 'cli may not include daemon/store/store.h' '#include "store/store.h"'
found 'sweepctl links libpq' cli/bad.c 'cli may not use libpq (<libpq-fe.h>)' '#include <libpq-fe.h>'
found 'sweepd links libslurm' daemon/bad.c 'daemon may not use libslurm (<slurm/slurm.h>)' '#include <slurm/slurm.h>'
found 'sweepd reads the headers of sweep-slurm' daemon/bad.c 'daemon may not include slurm/rpc.h' '#include "slurm/rpc.h"'
found 'a header shows a library' daemon/spec/bad.h 'a header shows libyaml (<yaml.h>)' '#include <yaml.h>'
found 'a header shows a type' daemon/store/bad.h "a header shows another library's type: PGconn *conn; " \
    '// PGconn' 'struct x {' '    PGconn *conn; // here'
found 'a header declares a type' daemon/http/bad.h "a header shows another library's type: struct MHD_Connection;" \
    'struct MHD_Connection;'
found 'an unknown library' daemon/bad.c 'daemon may not include <openssl/ssl.h>' '#include <openssl/ssl.h>'
found 'a file that is not there' daemon/bad.c 'there is no "base/nothing.h"' '#include "base/nothing.h"'
found 'a way around' daemon/core/bad.c '"../base/log.h" leaves its folder by ..' '#include "../base/log.h"'
found 'a macro' daemon/core/bad.c 'cannot tell what this includes: #include WHAT' '#include WHAT'

plant daemon/new/thing.c '#include <stdio.h>'
check_fails 'a folder without a row' 1 tests/lint/includes "$TOP"
is "$OUTPUT" 'daemon/new/thing.c: the table has no row for daemon/new' 'a folder without a row: says so'
rm -r "$TOP/daemon/new"

# The table itself is read strictly: what cannot be read is no licence.
edit() # SED-EXPRESSION
{
    sed "$1" docs/architecture.md > "$TOP/docs/architecture.md"
}
edit 's/| libyaml, jansson |/| libyaml, json-c |/'
check_fails 'a table with an unknown library' 2 tests/lint/includes "$TOP"
edit 's/^| .daemon.*//; s/^| .slurm.*//; s/^| .cli.*//'
check_fails 'no table' 2 tests/lint/includes "$TOP"
edit 's/^\(| .cli. .*\) core, base/\1 kernel, base/'
check_fails 'a table with an unknown folder' 2 tests/lint/includes "$TOP"
edit 's/^\(| .daemon.store. .*\) libpq/\1 libpq, jansson/'
plant daemon/store/more.c '#include <jansson.h>'
check_fails 'the table decides' 0 tests/lint/includes "$TOP"

rm -rf "$TOP"
tap_done
