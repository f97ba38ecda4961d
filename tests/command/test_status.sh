#!/bin/sh
# SPDX-License-Identifier: MIT
# How the command ends: the exit statuses, what signals do, and what is left behind where files cannot be written. Status
# 1 needs a machine that breaks: tests/planted/.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh

# Reached, refused, not reached.
expect "reached" 0 "$(status run --topology ring:8 --carrier pool:1 --quiet)"
expect "refused" 2 "$(status run --topology ring:8x)"
expect "not reached" 3 "$(status run --topology ring:8 --carrier pool:1 --operations 1 --quiet)"
expect "some of several not reached" 3 "$(status run --topology ring:8 --carrier pool:1 --method adf --load uniform:0:9 \
    --stop spread:1 --operations 7 --runs 20 --format csv)"
expect "only some of them" yes "$(grep -q ,false, "$folder/out" && grep -q ,true, "$folder/out" && echo yes)"
for command in list doctor help version "theory --topology ring:6" "explain ade" "torture --runs 1"; do
    # Words on purpose.
    # shellcheck disable=SC2086
    expect "$command" 0 "$(status $command)"
done

# A processor that has few turns is slow, not stuck. (tests/command/recordings/test_record_failures.sh has status 4.)
expect "slow" 0 "$(status run --topology chain:2 --timing free --method adf --carrier pool:1 --load peak:100 --invoke below:1 \
    --slow 0:200000 --watchdog 5ms --format csv)"

# Signals. A second one, later than what a terminal sends twice, ends at once what has not ended by then.
twice() { # twice: the exit status of a run that gets SIGINT, and as long as it goes on once more; how often is in $interrupts
    env --default-signal=INT "$EVENKEEL" run --timing free --topology chain:2 --carrier pool:1 --delay fixed:10s \
        --stop never --for 60s >"$folder/out" 2>"$folder/err" &
    pid=$!
    soon started "$pid"
    sleep 0.3
    interrupts=0
    while kill -INT "$pid" 2>/dev/null; do
        interrupts=$((interrupts + 1))
        sleep 0.5
    done
    wait "$pid"
}
# A busy machine may not have let it send anything by then: that is tried again.
for _ in 1 2 3 4 5; do
    twice
    ended=$?
    [ "$interrupts" -gt 1 ] && break
done
expect "the second one does not wait" 130 "$ended"
expect "the first one waits for what is under way" yes "$([ "$interrupts" -gt 1 ] && echo yes)"
expect "and nothing is reported" "" "$(cat "$folder/out")"
: >"$folder/out"
"$EVENKEEL" run --topology chain:2 --carrier pool:1 --load constant:1 --runs 1000000 --format csv \
    >"$folder/out" 2>"$folder/err" &
pid=$!
soon test -s "$folder/out"
kill -TERM "$pid"
wait "$pid"
expect "between runs" 3 $?
expect "those before it are reported, and all were reached" 0 "$(sed 1d "$folder/out" | grep -vc ,true,)"

# A standard stream that is closed is no file of ours.
"$EVENKEEL" run --timing free --topology chain:2 --carrier pool:1 --stop never --for 60s --quiet 2>&- &
pid=$!
soon started "$pid"
expect "a closed standard error" /dev/null "$(readlink "/proc/$pid/fd/2")"
kill -TERM "$pid"
wait "$pid"
expect "its status" 3 $?

# Files that cannot be written are not left behind in part, nor is their directory.
full() { # full WORDS...: no file may become larger than some blocks
    (
        trap '' XFSZ
        ulimit -f 2
        "$EVENKEEL" "$@" >/dev/null 2>"$folder/err"
    )
    echo $?
}
expect "no room for files" 2 "$(full run --topology ring:500 --carrier pool:1 --out "$folder/o" --quiet)"
expect "which one" 1 "$(grep -c "^evenkeel: $folder/o/run.json could not be written (File too large)" "$folder/err")"
expect "nothing is left" no "$([ -e "$folder/o" ] && echo yes || echo no)"
mkdir "$folder/mine"
expect "in a directory that was there" 2 "$(full run --topology ring:500 --carrier pool:1 --out "$folder/mine" --quiet)"
expect "it stays, empty" "" "$(ls "$folder/mine")"

result
