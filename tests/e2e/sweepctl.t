#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# suites: check check-san
# timeout: 120
# sweepctl against documents in the form of docs/api.md: what it prints, sends and exits with.
# shellcheck disable=SC2317 # functions are called through check and wait_for
set -u

TREE=$(readlink -f -- "$(dirname -- "${BASH_SOURCE[0]}")/../..")
BUILD=${SWEEPD_BUILD:-$TREE/build}
TMP=${TMPDIR:?}
DATA=$TREE/tests/e2e/data/sweepctl
API=$TMP/api
SOCKET=$TMP/sock
EXPECTED=$TREE/tests/unit/data/expected/matrix-32-generator.json # by the published generator
# shellcheck source=tests/lib/process.sh
. "$TREE/tests/lib/process.sh"
# shellcheck source=tests/lib/tap.sh
. "$TREE/tests/lib/tap.sh"

readonly KEY=qwen3.5-fp8-mi325x-sglang-agentic-mtp
readonly ANSWER_SECONDS=20
readonly ESCAPE=$'\033'

LSAN=suppressions=$TREE/tests/lsan.supp:print_suppressions=0
export LSAN_OPTIONS=${LSAN_OPTIONS:-$LSAN}
export SWEEPD_SERVER=unix:$SOCKET TZ=UTC LC_ALL=C.UTF-8
unset COLUMNS NO_COLOR

ctl()
{
    "$BUILD/sweepctl" "$@"
}

# --- the server ------------------------------------------------------------------

start_api()
{
    rm -f "$SOCKET" "$API/ready"
    perl "$TREE/tests/e2e/responder.pl" "$SOCKET" "$API" &
    SERVER=$!
    wait_for "$ANSWER_SECONDS" test -e "$API/ready"
}

stop_api()
{
    [ -n "${SERVER:-}" ] || return 0
    kill "$SERVER"
    wait "$SERVER" 2>/dev/null
    SERVER=
}

finish()
{
    stop_api
    rm -rf "${TMP:?}"/*
}
trap finish EXIT

# fresh: the server forgets what it served, and its files.
fresh()
{
    stop_api
    rm -rf "$API"
    mkdir -p "$API"
    put GET_sweeps sweeps.json
    start_api
}

put() # NAME FILE OF THE DATA
{
    cp "$DATA/$2" "$API/$1"
}

put_status() # NAME STATUS FILE
{
    { printf 'HTTP %s\n' "$2"; cat "$DATA/$3"; } > "$API/$1"
}

put_sweep() # mid|done [SUFFIX]
{
    put "GET_sweeps_s12-7f3a${2:-}" "sweep-$1.json"
    put "GET_sweeps_s12-7f3a_points${2:-}" "points-$1.json"
}

# golden NAME COMMAND...: its output and exit status are those of the file.
golden()
{
    local name=$1 status=0 text
    shift
    text=$("$@" 2>&1; printf 'exit %s' "$?") || status=$?
    text=$(diff -u "$DATA/golden/$name.txt" - <<< "$text") || status=$?
    tap_result "$status" "golden text $name" "$text"
}

# json_is FILTER WANT NAME: of the document in $OUTPUT.
json_is()
{
    is "$(jq -c "$1" <<< "$OUTPUT" 2>&1)" "$2" "$3"
}

wide()
{
    COLUMNS=$1 ctl "${@:2}"
}

# --- grammar ---------------------------------------------------------------------

fits_a_screen()
{
    local command=$1 text
    text=$(ctl help "$command") || return 1
    [ "$(wc -l <<< "$text")" -le 24 ] || { echo "too long: $text"; return 1; }
    [ "$(wc -L <<< "$text")" -le 90 ] || { echo "too wide: $text"; return 1; }
    grep -q "^example: sweepctl $command" <<< "$text"
}

# Every command that help lists.
commands()
{
    ctl help | sed -n 's/^  \([a-z]*\) .*/\1/p'
}

grammar_errors()
{
    ctl sttaus
    ctl submit --spuersede
    ctl submit
    ctl submit --conc
    ctl submit "$KEY" --conc 4,x
    ctl submit "$KEY" --fail-fast --keep-going
    ctl submit "$KEY" --config "$TMP/absent.yaml"
    ctl points a b c
    ctl status -x
    ctl status --once=yes
    ctl --jsn status
    ctl help sumbit
    ctl events --after soon
    ctl matrix --config a.yaml
    ctl matrix --full
    ctl matrix --full -c a.yaml --no-evals --all-evals
    ctl matrix --full -c a.yaml --scenario-type agentic
    ctl matrix --full -c a.yaml --conc 0
    ctl check "$KEY"
    ctl check one two three.yaml
    ctl status --server ftp://x
}

grammar_text()
{
    grammar_errors 2>&1 | sed "s|$TMP|TMP|g"
}

test_grammar()
{
    local command
    golden help ctl help
    check "help names every command once" test "$(commands | sort -u | wc -l)" -eq "$(commands | wc -l)"
    for command in $(commands); do
        check "help $command fits a screen and has an example" fits_a_screen "$command"
        is "$(ctl "$command" --help)" "$(ctl help "$command")" "$command --help is help $command"
    done
    golden help-submit ctl help submit
    golden grammar grammar_text
    is "$(ctl --version)" "$(ctl version)" "--version and version say the same"
    check_fails "no command at all is a usage error" 2 ctl
    check "the version needs no server" env SWEEPD_SERVER=nonsense "$BUILD/sweepctl" version
}

# A usage error in the form that was asked for, wherever --json stands.
test_json_errors()
{
    local out
    out=$(ctl submit --bad --json 2>"$TMP/err")
    is "$?" 2 "a usage error exits 2 with --json too"
    is "$out" "" "and prints nothing on standard output"
    OUTPUT=$(cat "$TMP/err")
    json_is '[.schema_version, .error.code, .error.exit]' '[1,"usage",2]' "but a document on standard error"
    OUTPUT=$(ctl --json nonsense 2>&1)
    json_is '.error.code' '"usage"' "an unknown command is a document as well"
}

# --- what is shown ---------------------------------------------------------------

no_escape()
{
    ! grep -q "$ESCAPE" <<< "$("$@" 2>&1)"
}

# on_terminal COLUMNS COMMAND...: as a terminal of that width would get it.
on_terminal()
{
    local columns=$1
    shift
    TERM=xterm script -qec "stty cols $columns rows 40; $(printf '%q ' "$@")" /dev/null < /dev/null
}

test_status()
{
    local width
    fresh
    put_sweep mid
    for width in 40 80 120 200; do
        check "status keeps to $width columns" test "$(wide "$width" status | wc -L)" -le "$width"
    done
    golden status-40 wide 40 status
    golden status-80 wide 80 status s12-7f3a
    golden status-120 wide 120 status last
    golden status-ascii env LC_ALL=C COLUMNS=80 "$BUILD/sweepctl" status
    check "no escape sequence in a pipe" no_escape ctl status
    holds "$(on_terminal 80 "$BUILD/sweepctl" status)" "${ESCAPE}[32m3.39" "a pass is green on a terminal"
    check "NO_COLOR takes colours away" no_escape on_terminal 80 env NO_COLOR=1 "$BUILD/sweepctl" status
    check "--no-color too" no_escape on_terminal 80 "$BUILD/sweepctl" status --no-color
    OUTPUT=$(ctl status --json)
    json_is '[.schema_version, .sweep.id, .sweep.outcomes.pass]' '[1,"s12-7f3a",13]' "status --json is the sweep"
    json_is '[.not_passed[].name]' '["tp2ep2-c1","tp4-c16","tp4ep4-c4"]' "with the points that did not pass"
    golden sweeps wide 100 status --all
}

test_points()
{
    fresh
    put_sweep mid
    put GET_sweeps_s12-7f3a_points_tp4-c16 point.json
    put GET_sweeps_s12-7f3a_results results-done.json
    golden points wide 100 points last
    golden point wide 80 points last TP4/C16
    golden point wide 80 points last tp4_c16
    check_fails "a mistyped point is not found" 5 ctl points last tp4-c17
    holds "$OUTPUT" "did you mean tp4-c16" "and gets a suggestion"
    golden results wide 80 results last
    is "$(ctl results last | awk 'NR > 1 { print $1, $4, $5 }' | tr -d ,)" \
        "$(jq -r '.results[] | "\(.name) \(.al) \(.total_tps_per_gpu)"' "$DATA/results-done.json" |
            awk '{ printf "%s %.2f %.1f\n", $1, $2, $3 }')" "the table holds the numbers of the document"
    OUTPUT=$(ctl results last --json)
    json_is '.results | length' 32 "results --json holds all points"
}

test_others()
{
    fresh
    put GET_nodes nodes.json
    put POST_plan plan.json
    golden nodes wide 80 nodes
    golden plan wide 80 plan "$KEY"
    put POST_plan plan-packed.json
    golden plan-packed wide 80 plan "$KEY" --packed
    put 'GET_events_after=0_limit=1000' events.json
    put 'GET_events_after=101_limit=1000' events-end.json
    golden events ctl events
    OUTPUT=$(ctl events --json)
    json_is '[(.events | length), .last_id]' '[4,101]' "events --json is one document of all pages"
    put_status POST_sweeps_s12-7f3a_cancel 200 sweep-mid.json
    golden cancel ctl cancel s12
}

# --- who is meant ----------------------------------------------------------------

test_names()
{
    local name
    fresh
    put_sweep mid
    for name in s12-7f3a s12 s12-7 "$KEY" last; do
        OUTPUT=$(ctl status --json "$name")
        json_is .sweep.id '"s12-7f3a"' "$name names the sweep"
    done
    check_fails "a beginning of several is ambiguous" 2 ctl status s1
    holds "$OUTPUT" "s12-7f3a, s11-02bc, s10-7f00" "and says of which"
    check_fails "an unknown sweep is not found" 5 ctl status s13-7f3a
    holds "$OUTPUT" "did you mean s12-7f3a" "and gets a suggestion"
    check_fails "a mistyped key is not found" 5 ctl status "${KEY/agentic/agnetic}"
    holds "$OUTPUT" "did you mean $KEY" "and gets a suggestion too"
    printf '{"schema_version":1,"sweeps":[]}' > "$API/GET_sweeps"
    check_fails "without any sweep there is none to show" 5 ctl status
}

# The second page is behind `next`.
test_pages()
{
    fresh
    jq '.sweeps |= .[:1] | .next = "/api/v1/sweeps?cursor=2"' "$DATA/sweeps.json" > "$API/GET_sweeps"
    jq '.sweeps |= .[1:]' "$DATA/sweeps.json" > "$API/GET_sweeps_cursor=2"
    OUTPUT=$(ctl status --all --json)
    json_is '[.sweeps[].id]' '["s12-7f3a","s11-02bc","s10-7f00"]' "a list is read to its last page"
}

# --- submit ----------------------------------------------------------------------

test_submit()
{
    fresh
    put POST_sweeps sweep-mid.json
    printf 'key: {}\n' > "$TMP/a.yaml"
    printf 'other: {}\n' > "$TMP/b.yaml"
    golden submit ctl submit "$KEY"
    ctl submit --config "$TMP/a.yaml" "$TMP/b.yaml" "$KEY" --conc 4,40 --conc 64 -p TP4/C40,tep4-c16 \
        --fail-fast --fast --supersede --packed > /dev/null
    is "$(tail -n 1 "$API/body" | jq -cS .)" "$(jq -ncS --arg key "$KEY" --arg a "$TMP/a.yaml" --arg b "$TMP/b.yaml" '
        {key: $key, config: [{name: $a, text: "key: {}\n"}, {name: $b, text: "other: {}\n"}],
         conc: [4, 40, 64], points: ["tp4-c40", "tp4ep4-c16"], on_failure: "fail-fast", fast: true,
         supersede: true, placement: "packed"}')" "submit sends what was asked for"
    printf 'a: "\377"\n' > "$TMP/bad.yaml"
    check_fails "a file that is not UTF-8 is refused" 2 ctl submit "$KEY" -c "$TMP/bad.yaml"
    put_status POST_sweeps 409 conflict.json
    golden conflict ctl submit "$KEY"
    OUTPUT=$(ctl submit "$KEY" --json 2>&1)
    json_is '[.error.code, .error.exit, .error.sweep]' '["sweep_active",6,"s12-7f3a"]' "a conflict names the sweep"
    put_status POST_sweeps 422 preflight.json
    golden preflight ctl submit "$KEY"
    OUTPUT=$(ctl submit "$KEY" --json 2>&1)
    json_is '[.error.exit, .error.findings[0].code]' '[2,"replay-flag"]' "findings are in the document"
    put_status POST_sweeps 422 invalid.json
    check_fails "a wrong matrix exits 2" 2 ctl submit "$KEY"
    holds "$OUTPUT" "matrix.yaml:14:21: tp 16 needs 16 GPUs" "with file, line and column"
}

# A sweep that ends at the third look.
put_ending() # mid|done: how it ends
{
    put POST_sweeps sweep-mid.json
    put_sweep mid .1
    put_sweep mid .2
    put_sweep 'done' .3
    [ "$1" = 'done' ] || jq '.sweep.outcomes = {pass: 31, al_off: 1}' "$DATA/sweep-done.json" > "$API/GET_sweeps_s12-7f3a.3"
    [ "$1" = 'done' ] || jq '.points[5] |= (.outcome = "al_off" | .class = "benchmark" | .reason = "too short")' \
        "$DATA/points-done.json" > "$API/GET_sweeps_s12-7f3a_points.3"
}

test_wait()
{
    local out
    fresh
    put_ending 'done'
    out=$(ctl submit "$KEY" --wait)
    is "$?" 0 "--wait exits 0 when every point passed"
    is "$(grep -cE '^[0-9:]+ .* (pass|coverage|al_off|node_fail) ' <<< "$out")" 32 "each end is told once"
    holds "$out" "tp8-c8         started      mi325x-amds_00, job 117" "so are starts"
    check "in plain lines" no_escape printf '%s' "$out"
    fresh
    put_ending mid
    OUTPUT=$(ctl submit "$KEY" --wait --json)
    is "$?" 1 "it exits 1 when one did not"
    json_is '[.sweep.outcomes.pass, .sweep.outcomes.al_off]' '[31,1]' "one document counts the outcomes"
    json_is '[.not_passed[] | .name, .outcome, .reason]' '["tp4-c16","al_off","too short"]' "and names the point"
    fresh
    put_ending 'done'
    printf DROP > "$API/GET_sweeps_s12-7f3a.1"
    printf 'HTTP 503\n{"detail":"standby"}' > "$API/GET_sweeps_s12-7f3a.2"
    put GET_sweeps_s12-7f3a.4 sweep-done.json
    out=$(ctl submit "$KEY" --wait --json 2>"$TMP/err")
    is "$?" 0 "a broken connection and a 503 do not end the waiting"
    is "$(grep -c waiting "$TMP/err")" 1 "and is told once"
}

# A server that has just started, on a terminal: the message stays, the block is drawn anew.
test_wait_on_terminal()
{
    local screen
    fresh
    put_ending 'done'
    printf 'HTTP 404\n{"detail":"no such sweep"}' | tee "$API/GET_sweeps_s12-7f3a.2" > "$API/GET_sweeps_s12-7f3a.3"
    put GET_sweeps_s12-7f3a.4 sweep-done.json
    screen=$(on_terminal 80 "$BUILD/sweepctl" submit "$KEY" --wait)
    is "$?" 0 "a sweep that the server does not know yet does not end the waiting"
    holds "$screen" "62%  ends about 13:05" "a terminal gets a progress block"
    holds "$screen" "${ESCAPE}[2A"$'\r'"${ESCAPE}[Jsweepctl: the server answers 404" "it makes room for a message"
    holds "${screen##*"${ESCAPE}[J"}" "32 of 32 done" "and for the end"
}

# The server goes away while it is waited for, and comes back.
test_restart()
{
    local waiter
    fresh
    put POST_sweeps sweep-mid.json
    put_sweep mid
    ctl submit "$KEY" --wait > "$TMP/restart.out" 2> "$TMP/restart.err" &
    waiter=$!
    check "the waiting has begun" wait_for "$ANSWER_SECONDS" grep -q started "$TMP/restart.out"
    stop_api
    check "it says that the server is away" wait_for "$ANSWER_SECONDS" grep -q "waiting up to" "$TMP/restart.err"
    put_sweep 'done'
    start_api
    wait "$waiter"
    is "$?" 0 "it goes on when the server is back"
    is "$(grep -c 'the server is back' "$TMP/restart.err")" 1 "and says so"
}

test_interrupt()
{
    local waiter
    fresh
    put POST_sweeps sweep-mid.json
    put_sweep mid
    # An interactive shell's child: SIGINT is not ignored as in a background job.
    perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' "$BUILD/sweepctl" submit "$KEY" --wait > "$TMP/interrupt.out" 2> "$TMP/interrupt.err" &
    waiter=$!
    check "it waits" wait_for "$ANSWER_SECONDS" grep -q started "$TMP/interrupt.out"
    kill -INT "$waiter"
    wait "$waiter"
    is "$?" 130 "an interrupt ends the waiting"
    holds "$(cat "$TMP/interrupt.err")" "The sweep goes on." "and says that it does not end the sweep"
}

# --- bad weather -----------------------------------------------------------------

test_bad_servers()
{
    fresh
    golden unreachable env SWEEPD_SERVER=unix:/nonexistent/sock "$BUILD/sweepctl" status
    check_fails "a port where nobody listens" 3 ctl status --server http://127.0.0.1:1
    printf 'hello' > "$API/GET_sweeps"
    check_fails "an answer that is not JSON" 3 ctl status
    printf '[1,2' > "$API/GET_sweeps"
    check_fails "an answer cut in half" 3 ctl status
    printf DROP > "$API/GET_sweeps"
    check_fails "a connection that breaks" 3 ctl status
    printf 'HTTP 503\n{"code":"database_down","detail":"The database does not answer.","fix":"Wait."}' > "$API/POST_sweeps"
    check_fails "a server that cannot now" 4 ctl submit "$KEY"
    holds "$OUTPUT" "The database does not answer." "says why"
    printf 'HTTP 403\n{}' > "$API/POST_sweeps"
    check_fails "a refusal without a reason" 4 ctl submit "$KEY"
    printf '{"sweeps":[{"id":7},null,"x",{"id":"s1-aa","state":[]}],"next":"http://evil/"}' > "$API/GET_sweeps"
    check "members of other types do no harm" ctl status --all
}

# Text from elsewhere cannot steer the terminal.
test_hostile_text()
{
    fresh
    put_sweep mid
    jq '.points[5].reason = "\u001b]0;owned\u0007\u001b[2Jgone\r\u009b31m" | .points[5].name = "tp4-\u001b[1m"' \
        "$DATA/points-mid.json" > "$API/GET_sweeps_s12-7f3a_points"
    check "control characters are not passed on" no_escape ctl status
    check "nor in tables" no_escape ctl points last
    holds "$(ctl status)" "?]0;owned??[2Jgone??31m" "they show as question marks"
}

# Two columns for a wide character, none for a combining one. The reason begins at column 63: of 80
# columns that leaves eight wide characters and the ellipsis, of 81 one column too few for a ninth.
test_wide_text()
{
    fresh
    put_sweep mid
    jq '.points[5].reason = "\u6e2c\u5b9a\u5024\u304c\u4e0b\u304c\u308a\u3059\u304e e\u0301" * 4' \
        "$DATA/points-mid.json" > "$API/GET_sweeps_s12-7f3a_points"
    is "$(wide 80 points last | grep '^tp4-c16 ' | wc -L)" 80 "a table is cut by columns, not by characters"
    is "$(wide 81 points last | grep '^tp4-c16 ' | wc -L)" 80 "and not in the middle of a wide one"
}

test_follow_events()
{
    local reader
    fresh
    put 'GET_events_after=0_limit=1000' events.json
    put 'GET_events_after=101_limit=1000' events-end.json
    ctl events --follow --json > "$TMP/events.out" 2> "$TMP/events.err" &
    reader=$!
    check "events --follow prints what is there" wait_for "$ANSWER_SECONDS" grep -q '"id":101' "$TMP/events.out"
    stop_api
    check "it waits for a server that is away" wait_for "$ANSWER_SECONDS" grep -q "waiting up to" "$TMP/events.err"
    jq '.events = [{id: 102, kind: "sweep_done"}] | .last_id = 102' "$DATA/events-end.json" > "$API/GET_events_after=101_limit=1000"
    jq '.last_id = 102' "$DATA/events-end.json" > "$API/GET_events_after=102_limit=1000"
    start_api
    check "and goes on where it was" wait_for "$ANSWER_SECONDS" grep -q '"id":102' "$TMP/events.out"
    kill "$reader"
    wait "$reader" 2>/dev/null
    is "$(jq -c .id "$TMP/events.out" | tr '\n' ' ')" "98 99 100 101 102 " "one event a line, each once"
}

# --- without a server --------------------------------------------------------------

matrix_rows()
{
    env SWEEPD_SERVER=nonsense "$BUILD/sweepctl" matrix --config "$SWEEPD_TEST_DATA/configs/amd-master.yaml" \
        "$SWEEPD_TEST_DATA/configs/nvidia-master.yaml" --runners "$SWEEPD_TEST_DATA/configs/runners.yaml" \
        --config-keys "$KEY" --no-evals --json | jq -c '.[]'
}

test_matrix()
{
    local matrix=$TREE/etc/matrices/$KEY.yaml
    is "$(ctl matrix -c "$matrix" -k "$KEY" --no-evals --json | jq -c '.[]')" \
        "$(jq -c '.[]' "$EXPECTED")" "matrix prints the 32 rows"
    if [ -n "${SWEEPD_TEST_DATA:-}" ]; then
        is "$(matrix_rows)" "$(jq -c '.[]' "$EXPECTED")" \
            "the same out of the master files"
    fi
    golden matrix wide 80 matrix -c "$matrix" -r "$TREE/etc/matrices/runners.yaml" --full --conc 4 8
    check_fails "a mistyped key is not found" 5 ctl matrix -c "$matrix" -k "${KEY/mtp/mpt}"
    holds "$OUTPUT" "did you mean '$KEY'" "and gets a suggestion"
    sed '/^ *tp: *8/s/tp: *8/tp: 16/;s/tp: 8,/tp: 16,/' "$matrix" > "$TMP/wrong.yaml"
    check_fails "rows that no node can hold are refused when strict" 2 \
        ctl matrix -c "$TMP/wrong.yaml" -r "$TREE/etc/matrices/runners.yaml" --full --strict
}

check_recipe() # FOLDER OF RECIPES [ARGUMENT...]
{
    local folder=$1
    shift
    env SWEEPD_SERVER=nonsense "$BUILD/sweepctl" check --recipes "$folder" --flags "$TREE/etc/flags/agentx-harness.txt" \
        --runners "$TREE/etc/matrices/runners.yaml" "$TREE/etc/matrices/$KEY.yaml" "$@"
}

test_check()
{
    check "check finds nothing in the official recipe" check_recipe "$TREE/slurm/recipes"
    OUTPUT=$(check_recipe "$TREE/slurm/recipes" "$KEY" --conc 4,40 --json)
    json_is '[.ok, .points, .findings]' \
        "$(jq -c '[true, ([.[] | select(.conc == 4 or .conc == 40)] | length), []]' "$EXPECTED")" \
        "for a part of one key as well"
    cp -r "$TREE/slurm/recipes" "$TMP/recipes"
    sed -i 's/--apply-chat-template/--use-chat-template/' "$TMP/recipes/"*.sh
    check_fails "a flag that the client does not know is an error" 2 check_recipe "$TMP/recipes"
    holds "$OUTPUT" "error replay-flag: qwen3.5_fp8_mi325x_mtp.sh" "with the rule and the place"
    holds "$OUTPUT" "--apply-chat-template" "with the flag that was meant"
    holds "$OUTPUT" "32 points, 1 recipe: 1 error, 0 warnings. Nothing submitted." "and a closing line"
    OUTPUT=$(check_recipe "$TMP/recipes" --json)
    json_is '[.ok, (.findings[0] | .code, .severity, (.points | length))]' '[false,"replay-flag","error",32]' \
        "as a document too"
    check_fails "a mistyped key is not found" 5 check_recipe "$TMP/recipes" "${KEY/mtp/mpt}"
}

# --- on a terminal -----------------------------------------------------------------

# watch KEYS: what a terminal gets of status --watch when those keys are typed.
watch()
{
    { wait_for "$ANSWER_SECONDS" grep -q 'as of' "$TMP/screen"; printf '%s' "$1"; } |
        TERM=xterm script -qefc "stty cols 80 rows 30; $(printf '%q' "$BUILD/sweepctl") status --watch" "$TMP/screen" > /dev/null
}

test_watch()
{
    local screen
    fresh
    put_sweep mid
    : > "$TMP/screen"
    watch q
    screen=$(cat "$TMP/screen")
    holds "$screen" "${ESCAPE}[?1049h" "watch takes the alternate screen"
    holds "${screen##*"${ESCAPE}[?1049l"}" "16 of 32 done" "gives it back, and leaves the status"
    holds "$screen" "${ESCAPE}[?25h" "and the cursor"
    check "the screen is never cleared as a whole" test "$(grep -c "${ESCAPE}\[2J" <<< "$screen")" -eq 0
    put_ending mid
    check_fails "in a pipe it prints lines, and exits 1 for a sweep with failures" 1 ctl status --watch last
    check "without escape sequences" no_escape printf '%s' "$OUTPUT"
}

test_grammar
test_json_errors
test_status
test_points
test_others
test_names
test_pages
test_submit
test_wait
test_wait_on_terminal
test_restart
test_interrupt
test_bad_servers
test_hostile_text
test_wide_text
test_follow_events
test_matrix
test_check
test_watch
tap_done
