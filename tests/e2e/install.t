#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# suites: check
# timeout: 120
# make install puts everything where the settings look for it, and the manual pages say what the
# programs do.
# shellcheck disable=SC2317 # functions are called through check
set -u

TREE=$(readlink -f -- "$(dirname -- "${BASH_SOURCE[0]}")/../..")
TMP=${TMPDIR:?}
ROOT=$TMP/root
SETTINGS=$ROOT/etc/sweepd/sweepd.yaml
# shellcheck source=tests/lib/tap.sh
. "$TREE/tests/lib/tap.sh"
trap 'rm -rf "${TMP:?}"/*' EXIT

readonly MATRIX=qwen3.5-fp8-mi325x-sglang-agentic-mtp.yaml
readonly PAGES='sweep-ingest.1 sweepctl.1 sweepd.yaml.5 sweepd-setup.8 sweepd.8'

install_into() # FOLDER PREFIX
{
    make -s --no-print-directory -C "$TREE" SAN= install "DESTDIR=$1" "PREFIX=$2"
}

# The value of a key at the top of a settings file.
setting() # FILE KEY
{
    sed -nE "s/^$2: *\"?([^\"# ]*)\"?.*/\\1/p" "$1"
}

mode_is() # MODE FILE...
{
    local file mode=$1
    shift
    for file; do
        [ "$(stat -c %a "$file")" = "$mode" ] || { stat -c '%a %n' "$file"; return 1; }
    done
}

test_files()
{
    local page
    check "make install" install_into "$ROOT" /usr
    check "the programs" mode_is 755 "$ROOT"/usr/sbin/{sweepd,sweepd-setup} "$ROOT/usr/bin/sweepctl"
    check "the settings, the unit and its friends" mode_is 644 "$SETTINGS" \
        "$ROOT"/usr/lib/{systemd/system/sweepd.service,sysusers.d/sweepd.conf,tmpfiles.d/sweepd.conf}
    check "the completions" mode_is 644 "$ROOT/usr/share/bash-completion/completions/sweepctl" \
        "$ROOT/usr/share/zsh/site-functions/_sweepctl"
    for page in $PAGES; do
        check "the page $page" mode_is 644 "$ROOT/usr/share/man/man${page##*.}/$page"
    done
    is "$(cd "$ROOT" && find . -type f ! -perm -a+r)" '' "everybody may read everything"
}

# Each is where the settings say, which are what the program believes without them.
test_settings()
{
    local programs data recipes
    programs=$ROOT$(setting "$SETTINGS" programs)
    data=$ROOT$(setting "$SETTINGS" data)
    recipes=$ROOT$(setting "$SETTINGS" recipes)
    check "sweepd accepts the settings" "$ROOT/usr/sbin/sweepd" --check-config --config "$SETTINGS"
    check "programs" mode_is 755 "$programs"/sweep-{slurm,ingest}
    check "data" mode_is 644 "$data/flags/agentx-harness.txt"
    check "sql" cmp "$TREE/sql/0001-init.sql" "$ROOT$(setting "$SETTINGS" sql)/0001-init.sql"
    check "job_script" bash -n "$ROOT$(setting "$SETTINGS" job_script)"
    check "web" diff -r "$TREE/daemon/web" "$ROOT$(setting "$SETTINGS" web)"
    check "matrices" test -r "$ROOT$(sed -n 's/^  - //p' "$SETTINGS")"
    check "runners" test -r "$ROOT$(setting "$SETTINGS" runners)"
    check "the recipes run from there" "$ROOT/usr/bin/sweepctl" check --recipes "$recipes" \
        --flags "$data/flags/agentx-harness.txt" --runners "$data/matrices/runners.yaml" \
        --job-script "$data/job.sh" "$data/matrices/$MATRIX"
    grep -vE '^(programs|data|sql|recipes|job_script|web):' "$SETTINGS" > "$TMP/fewer.yaml"
    check "these may be left out" "$ROOT/usr/sbin/sweepd" --check-config --config "$TMP/fewer.yaml"
    is "$(sed -nE 's/^ *\{"(programs|data|sql|recipes|job_script|web)", TEXT, [^"]*"([^"]*)".*/\1 \2/p' \
        "$TREE/daemon/conf.c" | LC_ALL=C sort)" \
        "$(for key in data job_script programs recipes sql web; do echo "$key $(setting "$SETTINGS" "$key")"; done)" \
        "with the same meaning"
}

test_again()
{
    echo '# mine' >> "$SETTINGS"
    check "make install again" install_into "$ROOT" /usr
    is "$(tail -n 1 "$SETTINGS")" '# mine' "leaves settings that are there alone"
    check "with another prefix" install_into "$TMP/other" /opt/sweepd
    SETTINGS=$TMP/other/etc/sweepd/sweepd.yaml
    check "sweepd accepts its settings" "$TMP/other/opt/sweepd/sbin/sweepd" --check-config --config "$SETTINGS"
    check "which follow the prefix" test -x "$TMP/other$(setting "$SETTINGS" programs)/sweep-slurm"
    holds "$(cat "$TMP/other/opt/sweepd/lib/systemd/system/sweepd.service")" \
        'ExecStart=/opt/sweepd/sbin/sweepd' "as the unit does"
    is "$(grep -rlE '/usr/(sbin|libexec|share/sweepd)' "$TMP/other/etc" "$TMP/other/opt/sweepd/lib")" '' \
        "and nothing there leads back to /usr"
}

# --- the manual --------------------------------------------------------------------

# Without a word from groff, and with something on the page.
renders() # PAGE
{
    local text errors
    errors=$(groff -mandoc -K utf8 -T utf8 -ww -z "$1" 2>&1)
    [ -z "$errors" ] || { echo "$errors"; return 1; }
    text=$(plain "$1")
    [ "$(wc -l <<< "$text")" -gt 20 ] && grep -q '^NAME' <<< "$text"
}

# As lines of text without overstriking, hyphenation and filling.
plain() # PAGE
{
    groff -mandoc -K utf8 -T ascii -P -c -P -b -P -u -rLL=500n "$1"
}

# Words of standard input that the page lacks.
missing_in() # PAGE
{
    local text word
    text=$(plain "$1")
    while read -r word; do
        grep -qE -- "(^|[^a-z_-])${word//./\\.}([^a-z_-]|\$)" <<< "$text" || echo "$word"
    done
}

conf_keys()
{
    sed -nE 's/^ *\{"([a-z_.]+)", [A-Z]+, AT\(.*/\1/p' "$TREE/daemon/conf.c"
}

ctl_commands()
{
    "$ROOT/usr/bin/sweepctl" help | sed -n 's/^  \([a-z]*\) .*/\1/p'
}

ctl_options()
{
    local command
    for command in $(ctl_commands); do
        "$ROOT/usr/bin/sweepctl" help "$command" | grep '^  -' | grep -oE -- '--[a-z][a-z-]*'
    done | sort -u
}

usage_options() # PROGRAM
{
    "$1" --help | grep -oE -- '--[a-z][a-z-]*' | sort -u
}

test_pages()
{
    local page
    for page in $PAGES; do
        check "$page renders" renders "$TREE/docs/$page"
    done
    check "the settings have keys" test "$(conf_keys | wc -l)" -gt 20
    is "$(conf_keys | missing_in "$TREE/docs/sweepd.yaml.5")" '' "sweepd.yaml(5) has every key"
    is "$(ctl_commands | missing_in "$TREE/docs/sweepctl.1")" '' "sweepctl(1) has every command"
    is "$(ctl_options | missing_in "$TREE/docs/sweepctl.1")" '' "and every option"
    is "$(usage_options "$ROOT/usr/sbin/sweepd" | missing_in "$TREE/docs/sweepd.8")" '' "sweepd(8) too"
    is "$(usage_options "$ROOT/usr/sbin/sweepd-setup" | missing_in "$TREE/docs/sweepd-setup.8")" '' "sweepd-setup(8)"
    is "$(usage_options "$ROOT/usr/libexec/sweepd/sweep-ingest" | missing_in "$TREE/docs/sweep-ingest.1")" '' \
        "and sweep-ingest(1)"
    is "$(echo --nonsense | missing_in "$TREE/docs/sweepctl.1")" --nonsense "what is not there is found missing"
}

# Exposure as systemd counts it: 0 to 10, in tenths.
test_unit()
{
    local unit=$ROOT/usr/lib/systemd/system/sweepd.service name='the unit is confined to an exposure of 2.0'
    if command -v systemd-analyze > /dev/null; then
        check "$name" systemd-analyze security --offline=true --no-pager --threshold=20 "$unit"
    else
        tap_result 0 "$name # SKIP there is no systemd-analyze here"
    fi
    is "$(grep -c '^WatchdogSec=' "$unit")" "$(cat "$TREE"/daemon/*.c | grep -c '"WATCHDOG=1')" \
        "the unit has a watchdog when sweepd feeds one"
}

test_setup_helper()
{
    local setup=$ROOT/usr/sbin/sweepd-setup
    holds "$("$setup" --print --role bench --database bench_db)" 'CREATE DATABASE bench_db OWNER bench ' \
        "sweepd-setup --print says the SQL"
    check_fails "a name that would need quoting is refused" 2 "$setup" --print --role "x'; DROP ROLE postgres; --"
    check_fails "so is an option without a value" 2 "$setup" --print --database
    is "$(sed -n '1s/^sweepd (\(.*\)).*/sweepd \1/p' "$TREE/debian/changelog")" \
        "$("$ROOT/usr/sbin/sweepd" --version)" "debian/changelog has the version of the program"
}

test_files
test_settings
test_pages
test_unit
test_setup_helper
test_again
tap_done
