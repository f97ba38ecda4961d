#!/bin/sh
# SPDX-License-Identifier: MIT
# Recordings of runs that fail (--record-failures): ended by the watchdog, or with a violated invariant. For each a
# command is built with a bug (deaf.patch, greedy.patch). A replay shows the same failure. The recording of a successful run is
# removed.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/support/expect.sh
. tests/planted/plant.sh

mode=${out:-build}
mode=${mode#build}
mode=${mode#/}
if ! plant_sources tests/command/recordings/greedy.patch "$folder/greedy" ||
    ! plant_sources tests/command/recordings/deaf.patch "$folder/deaf" ||
    ! plant_programs "${mode:-release}" "$folder" greedy/evenkeel deaf/evenkeel >"$folder/log" 2>&1; then
    tail -n 5 "$folder/log"
    echo "0 passed, 1 failed"
    exit 1
fi
kept="$folder/kept"

bug=greedy
broken() { # broken WORDS...: the status of the command with the bug
    "$folder/$bug/evenkeel" "$@" >"$folder/out" 2>"$folder/err"
    echo $?
}

files() { # how many are kept
    find "$kept" -name 'seed-*.ek' 2>/dev/null | wc -l
}

forget() {
    rm -rf "$kept"
}

well="run --timing free --topology torus:4x4 --method adf --quiet --record-failures $kept"
# The options must be split into words.
# shellcheck disable=SC2086
{
    expect "all is well" 0 "$(status $well --seed 7)"
    expect "nothing stays" 0 "$(find "$kept" -type f | wc -l)"
    expect "not reached" 3 "$(status $well --operations 1 --stop variance:1)"
    expect "nothing stays of that" 0 "$(find "$kept" -type f | wc -l)"
    expect "refused" 2 "$(status $well --topology torus:4y4)"
    expect "nothing stays of a refusal" 0 "$(find "$kept" -type f | wc -l)"
}

# The watchdog ends a run in which a request is never answered, and shows who waits for whom.
bug=deaf
stuck="run --topology chain:2 --timing free --method adf --carrier pool:1 --load peak:100 --invoke below:1"
stuck="$stuck --watchdog 100ms --seed 11 --format csv"
# shellcheck disable=SC2086
expect "stuck" 4 "$(broken $stuck --record-failures "$kept")"
expect "it says so" yes "$(head -n 1 "$folder/err" | grep -q '^evenkeel: .*no operation made progress for 0.1 s, and no snapshot showed a machine at rest' && echo yes)"
expect "the dump" 1 "$(grep -c '^processor 1: load 0, waits for an answer,' "$folder/err")"
expect "a report all the same" 1 "$(grep -c ',stuck,' "$folder/out")"
expect "its recording" 1 "$(find "$kept" -name 'seed-11-*.ek' | wc -l)"
replay=$(sed -n 's/^  evenkeel replay //p' "$folder/err")
expect "which is named" "$(find "$kept" -type f)" "$replay"
expect "the replay" 0 "$(broken replay "$replay" --format json)"
expect "the replay ends as the run did" 1 "$(grep -c '"ended": "stuck"' "$folder/out")"
expect "who waits" 0 "$(broken replay "$replay" --show 1)"
expect "it has asked" 1 "$(grep -c 'sends ask' "$folder/out")"
forget
bug=greedy

# An invariant is violated.
greedy="run --timing free --topology ring:9 --method adf --load peak:900 --carrier pool:2"
# shellcheck disable=SC2086
{
    expect "violated" 1 "$(broken $greedy --record-failures "$kept" --format csv)"
    replay=$(sed -n 's/^  evenkeel replay //p' "$folder/err")
    said=$(head -n 1 "$folder/err")
    expect "what is violated" yes "$(echo "$said" | grep -q 'gives more than it holds' && echo yes)"
    expect "a file" 1 "$(files)"
    expect "another file" 1 "$(broken $greedy --record-failures "$kept" --quiet)"
    expect "beside the first" 2 "$(files)"
}
expect "it violates again" 1 "$(broken replay "$replay" --format csv)"
expect "in the same words" "$said" "$(head -n 1 "$folder/err")"
expect "a report all the same" 1 "$(grep -c ',violation,' "$folder/out")"
expect "on a machine that is sound" 2 "$(status replay "$replay")"
expect "it does not fit" yes "$(grep -q 'the recording does not fit' "$folder/err" && echo yes)"
forget

# A run without failure continues on the broken machine and fails.
# shellcheck disable=SC2086
expect "sound" 0 "$(status $greedy --record "$folder/sound.ek" --quiet)"
expect "goes on, broken" 1 "$(broken replay "$folder/sound.ek" --until 3 --then random:5 --format json)"
expect "in the same words of schedule 5" "1 1" \
    "$(grep -c '"what": ".*gives more than it holds' "$folder/out") $(grep -c '"schedule": 5,' "$folder/out")"
expect "goes on, sound" 0 "$(status replay "$folder/sound.ek" --until 3 --then random:5)"

# Torture keeps a recording of each run that fails, and names it.
expect "torture fails" 1 "$(broken torture --seed 3 --runs 6 --method adf,odf --carrier pool:2 --record-failures "$kept" \
    --format json)"
failed_runs=$(grep -c '"status": 1' "$folder/out")
expect "some fail" yes "$([ "$failed_runs" -ge 1 ] && echo yes)"
expect "each is said" "$failed_runs" "$(grep -c '"recording": ' "$folder/out")"
expect "each is kept" "$failed_runs" "$(files)"
for file in $(sed -n 's/.*"recording": "\([^"]*\)".*/\1/p' "$folder/out"); do
    expect "replay of $file" 1 "$(broken replay "$file" --quiet)"
done
forget
expect "torture is well" 0 "$(status torture --seed 3 --runs 3 --method adf --carrier pool:2 --record-failures "$kept")"
expect "torture leaves nothing" 0 "$(files)"

# A directory that cannot be made.
touch "$folder/file"
expect "no directory" 2 "$(status run --timing free --topology ring:4 --record-failures "$folder/file/x" --quiet)"
expect "says so" yes "$(grep -q 'record-failures' "$folder/err" && echo yes)"
expect "torture says so" 2 "$(status torture --runs 2 --record-failures "$folder/file/x")"
expect "and ran nothing" yes "$(grep -q 'torture: 0 runs' "$folder/out" && echo yes)"
expect "rounds" 2 "$(status run --topology ring:4 --record-failures "$kept")"
expect "several runs" 2 "$(status run --timing free --topology ring:4 --runs 2 --record-failures "$kept")"
expect "two recordings" 2 "$(status run --timing free --topology ring:4 --record "$folder/x" --record-failures "$kept")"
expect "of one run" yes "$(grep -q 'leave out --record-failures' "$folder/err" && echo yes)"
result
