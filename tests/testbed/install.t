#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 60
# The installer against a planted root folder and an apt-get that only takes notes: what it
# asks for, that services and the cluster are denied meanwhile, and that nothing stays behind.
set -u
. tests/lib/tap.sh
. tests/lib/process.sh

ROOT=$TMPDIR/root
POLICY=$ROOT/usr/sbin/policy-rc.d
CLUSTER_CONF=$ROOT/etc/postgresql-common/createcluster.conf
UNIT=$ROOT/etc/systemd/system/multi-user.target.wants/new.service
NOTES=$TMPDIR/notes
export TESTBED_INSTALL_ROOT=$ROOT NOTES POLICY CLUSTER_CONF UNIT
mkdir -p "$TMPDIR/bin" "$ROOT/usr/sbin" "$ROOT/etc/postgresql-common" "$(dirname "$UNIT")"
ln -s nowhere "$(dirname "$UNIT")/old.service"
echo '#create_main_cluster = true' > "$CLUSTER_CONF"

cat > "$TMPDIR/bin/dpkg-query" << 'FAKE'
#!/bin/bash
sed 's/#.*//; s/|.*//; /^ *$/d; s/^/installed /; s/ *$/ /' tests/testbed/packages |
    grep -vE "^installed (${MISSING:-none}) " | tr -d '\n'
printf 'config-files %s ' ${MISSING//|/ }
[ -z "${ALSO:-}" ] || printf 'installed %s ' "$ALSO"
FAKE
cat > "$TMPDIR/bin/apt-get" << 'FAKE'
#!/bin/bash
words=()
for word; do [[ $word == -* || $word == *::* ]] || words+=("$word"); done
[[ " $* " != *' --download-only '* ]] || words[0]=download
denied=no
[ ! -x "$POLICY" ] || "$POLICY" munge start || denied=$?
cluster=$(grep -c '^create_main_cluster = false' "$CLUSTER_CONF")
echo "${words[*]}: policy $denied, no cluster $cluster" >> "$NOTES"
[[ "$*" == *--no-install-recommends*--no-remove* ]] || echo 'careless' >> "$NOTES"
if [ "${words[0]}" = install ]; then
    ln -sf nowhere "$UNIT"
    if [ -n "${HOLD:-}" ]; then
        : > "$HOLD"
        until [ -e "$HOLD.go" ]; do sleep 0.05; done
        sleep 0.2 # what an interrupted installer does too early, it has done by now
        "$POLICY" munge start
        echo "at the end: policy $?" >> "$NOTES"
    fi
fi
if [ "${words[0]}" = "${FAIL:-}" ]; then
    echo 'E: planted'
    [ "$FAIL" = download ] && [ -e "$NOTES.failed" ] || { : > "$NOTES.failed"; exit 100; }
fi
exit 0
FAKE
chmod +x "$TMPDIR"/bin/*

install_with() # VARIABLE=VALUE...
{
    rm -f "$NOTES"*
    env "PATH=$TMPDIR/bin:$PATH" "$@" tests/testbed/install
}

clean() # NAME
{
    is "$(cd "$ROOT" && find . -type f -o -type l | LC_ALL=C sort | tr '\n' ' ')" \
        './etc/postgresql-common/createcluster.conf ./etc/systemd/system/multi-user.target.wants/old.service ' \
        "$1: no file of ours stays, no service is enabled"
    is "$(cat "$CLUSTER_CONF")" '#create_main_cluster = true' "$1: the original file is back"
}

check_fails 'nothing missing' 0 install_with
is "$OUTPUT" '' 'nothing missing: says nothing'
check 'nothing missing: does nothing' test ! -e "$NOTES"
check_fails 'an alternative will do' 0 install_with 'MISSING=libcurl4-gnutls-dev' 'ALSO=libcurl4-openssl-dev'
check 'an alternative will do: does nothing' test ! -e "$NOTES"

mkdir -p "$ROOT/usr/bin"
: > "$ROOT/usr/bin/npm"
check_fails 'a file will do' 0 install_with 'MISSING=npm'
check 'a file will do: does nothing' test ! -e "$NOTES"
rm "$ROOT/usr/bin/npm"
check_fails 'the file is not there' 0 install_with 'MISSING=npm'
holds "$(cat "$NOTES")" 'install npm:' 'the file is not there: the package is asked for'

check_fails 'two are missing' 0 install_with 'MISSING=munge|postgresql'
is "$(cat "$NOTES")" 'download munge postgresql: policy no, no cluster 0
install postgresql-common: policy 101, no cluster 0
install munge postgresql: policy 101, no cluster 1' 'what apt-get saw'
clean 'two are missing'

check_fails 'old package lists' 0 install_with MISSING=jq FAIL=download
is "$(cut -d: -f1 "$NOTES" | tr '\n' ' ')" 'download jq update download jq install jq ' \
    'old package lists: are fetched, then it tries again'
check_fails 'apt-get fails' 1 install_with 'MISSING=munge|postgresql' FAIL=install
holds "$OUTPUT" 'E: planted' 'apt-get fails: its words are shown'
clean 'apt-get fails'

# Interrupted while dpkg works: waits for it, then takes all away.
for signal in INT TERM HUP; do
    hold=$TMPDIR/hold
    rm -f "$hold"*
    # In the background bash makes a command deaf to INT; perl gives it its ears back.
    # shellcheck disable=SC2016 # the dollar is perl's
    install_with MISSING=munge "HOLD=$hold" perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' \
        2> "$TMPDIR/err" &
    check "$signal: the installation is under way" wait_for 20 test -e "$hold"
    installer=$(marked "HOLD=$hold" | while read -r pid; do
        [[ $(tr '\0' ' ' < "/proc/$pid/cmdline") != *' tests/testbed/install '* ]] || echo "$pid"
    done | LC_ALL=C sort -n | head -n 1)
    kill "-$signal" "$installer"
    : > "$hold.go"
    wait $!
    is $? $((128 + $(kill -l "$signal"))) "$signal: exit status"
    holds "$(cat "$NOTES")" 'at the end: policy 101' "$signal: services stay denied while dpkg works"
    clean "$signal"
done

# A policy that is there already.
printf '#!/bin/sh\nexit 101\n' > "$POLICY"
chmod +x "$POLICY"
check_fails 'a policy that denies' 0 install_with MISSING=munge
is "$(cat "$POLICY")" "$(printf '#!/bin/sh\nexit 101\n')" 'a policy that denies: is left alone'
printf '#!/bin/sh\nexit 0\n' > "$POLICY"
check_fails 'a policy that allows' 1 install_with MISSING=munge
holds "$OUTPUT" 'lets services start' 'a policy that allows: says so'
is "$(cut -d: -f1 "$NOTES")" 'download munge' 'a policy that allows: nothing is installed'
is "$(cat "$POLICY")" "$(printf '#!/bin/sh\nexit 0\n')" 'a policy that allows: is left alone'

# What a killed installer left says yes again and is replaced.
printf '#!/bin/sh\n# put here by tests/testbed/install of sweepd while it runs\nexit 0\n' > "$POLICY"
check_fails 'a policy of a killed run' 0 install_with MISSING=munge
holds "$(cat "$NOTES")" 'install munge: policy 101' 'a policy of a killed run: is replaced'
clean 'a policy of a killed run'

if [ "$EUID" -eq 0 ]; then
    check_fails 'without root' 1 env -u TESTBED_INSTALL_ROOT "PATH=$TMPDIR/bin:$PATH" MISSING=munge \
        setpriv --reuid=65534 --regid=65534 --clear-groups tests/testbed/install
else
    check_fails 'without root' 1 env -u TESTBED_INSTALL_ROOT "PATH=$TMPDIR/bin:$PATH" MISSING=munge \
        tests/testbed/install
fi
holds "$OUTPUT" 'as root, run: ' 'without root: says what to do'

rm -rf "${TMPDIR:?}"/*
tap_done
