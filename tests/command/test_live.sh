#!/bin/sh
# SPDX-License-Identifier: MIT
# `evenkeel run --live`: in a pipe it is refused, and so are wrong speeds; in terminals, what it shows and what it leaves
# (tests/command/check_live.py), its speed and its keys (tests/command/check_live_keys.py).
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh

expect "in a pipe" 2 "$(status run --live --carrier pool:1)"
expect "it says why" "evenkeel: --live needs a terminal, and standard output is none: leave out --live" "$(cat "$folder/err")"
expect "nothing is run" "" "$(cat "$folder/out")"

# refuses TIMING SPEED COLUMN SENTENCE: the caret is below this column of the speed, from 0.
refuses() {
    expect "$1, $2" 2 "$(status run --live --carrier pool:1 --timing "$1" --speed "$2")"
    expect "$1, $2: why" "evenkeel: $4
  --speed $2
$(printf '%*s^' $((10 + $3)) '')" "$(cat "$folder/err")"
}
steps="--speed takes steps per second, as in 50steps/s, or max"
time="in virtual time --speed takes virtual time per second, as in 10us/s, or max"
above="--speed must be above 0: to pause a run, press the space bar"
refuses rounds 10us/s 2 "$steps"
refuses turns 10us/s 2 "$steps"
refuses rounds 50 2 "$steps"
refuses rounds steps/s 0 "$steps"
refuses rounds 5steps 1 "$steps"
refuses rounds 5steps/s2 1 "$steps"
refuses rounds -5steps/s 0 "$steps"
refuses rounds nansteps/s 0 "$steps"
refuses rounds 1e10steps/s 0 "$steps"
refuses rounds Max 0 "$steps"
refuses rounds 0steps/s 0 "$above"
refuses virtual 50steps/s 2 "$time"
refuses virtual 10us 4 "$time"
refuses virtual 10 2 "$time"
refuses virtual -10us/s 0 "$time"
refuses virtual 10us/ms 4 "$time"
refuses virtual 0us/s 0 "$above"
refuses free 50steps/s 0 "free timing runs at the speed of its threads, and --speed cannot slow it: leave out --speed, or use --timing virtual"
for speed in "rounds 50steps/s" "rounds 1step/s" "turns 0.5steps/s" "virtual 10us/s" "virtual 1h/s" "rounds max" "virtual max" "free max"; do
    status run --live --carrier pool:1 --timing "${speed% *}" --speed "${speed#* }" >/dev/null
    expect "$speed" "evenkeel: --live needs a terminal, and standard output is none: leave out --live" "$(cat "$folder/err")"
done
expect "a speed alone" 2 "$(status run --carrier pool:1 --speed 50steps/s)"
expect "a speed alone: why" "evenkeel: --speed is for a run that is shown: add --live" "$(cat "$folder/err")"

# check PROGRAM: adds the checks of a program in Python that has ended.
check() {
    sed '$d' "$folder/$1"
    counts=$(tail -n 1 "$folder/$1" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p')
    expect "$1" yes "$([ -n "$counts" ] && echo yes || tail -n 1 "$folder/$1")"
    counts=${counts:-0 1}
    passed=$((passed + ${counts% *}))
    failed=$((failed + ${counts#* }))
}
# Both mostly wait.
for program in check_live.py check_live_keys.py; do
    mkdir "$folder/of_$program"
    python3 -B "tests/command/$program" "$EVENKEEL" "$folder/of_$program" >"$folder/$program" 2>&1 &
done
wait
check check_live.py
check check_live_keys.py
result
