#!/bin/sh
# SPDX-License-Identifier: MIT
# `evenkeel explore --within`: each schedule is the run of a machine with drawn costs. What is counted, in all formats;
# a failure, its small machine and its recording; bad input.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/support/expect.sh
. tests/support/plugin.sh

explore() { # explore WORDS...: the status, and what is printed in $folder/out
    status explore --record "$folder/explore.ek" "$@"
}

json() { # json EXPRESSION: of the report
    python3 -c '
import json, sys
report = json.load(open(sys.argv[1]))
print(eval(sys.argv[2]))' "$folder/out" "$1"
}

machines="--topology ring:5 --method adf --units tokens --load peak:100"

# Schedule k is the run of the machine with number NUMBER + k, turn by turn.
turns=0
for number in 3 4 5 6; do
    # Word splitting is intended, here and below.
    # shellcheck disable=SC2086
    status run --timing virtual $machines --within 2:$number --format json >/dev/null
    turns=$((turns + $(json 'report["runs"][0]["free"]["turns"]')))
done
# shellcheck disable=SC2086
{
    expect "four machines" 0 "$(explore $machines --within 2:3 --schedules 4 --format json)"
    expect "their turns" "$turns" "$(json 'report["turns"]')"
    expect "in JSON" "within:2:3 4 0 []" "$(json 'report["strategy"], report["schedules"], report["cut"], report["violations"]' | tr -d "(),'")"
    first=$(json 'report["hash"]')
    expect "the verdict" "4 machines with costs drawn within a factor of 2: none of their schedules broke a rule, N end states; that is no proof: more --schedules draw other machines" \
        "$(json 'report["verdict"]' | sed 's/, [1-4] end states\{0,1\};/, N end states;/')"
    expect "by one thread" "0 $first" "$(explore $machines --within 2:3 --schedules 4 --jobs 1 --format json) $(json 'report["hash"]')"
    expect "by three" "0 $first" "$(explore $machines --within 2:3 --schedules 4 --jobs 3 --format json) $(json 'report["hash"]')"
    expect "other machines" no "$(explore $machines --within 2:4 --schedules 4 --format json >/dev/null; [ "$(json 'report["hash"]')" = "$first" ] || echo no)"
    expect "in CSV" "within:2:3,4,$turns,0" "$(explore $machines --within 2:3 --schedules 4 --format csv >/dev/null; tail -n 1 "$folder/out" | cut -d , -f 1-4)"
    expect "in a table" 0 "$(explore $machines --within 2:3 --schedules 4)"
    expect "its first line" yes "$(head -n 1 "$folder/out" | grep -q '^  explored   4 machines with costs drawn within a factor of 2, ' && echo yes)"
    expect "the checks" 7 "$(grep -cE '^(  checks  |          )   [a-z]+: ' "$folder/out")"
    expect "virtual time alone has no other costs" "0 1 machine with the given costs: its schedule broke no rule, 1 end state; --within FACTOR draws other costs" \
        "$(explore $machines --timing virtual) $(conclusion)"
    expect "a factor of 1 has one schedule" "0 1" "$(explore $machines --within 1 --format json) $(json 'report["schedules"]')"
    one=$(json 'report["hash"]')
    expect "which is that of the plain machine" "0 $one" "$(explore $machines --timing virtual --format json) $(json 'report["hash"]')"
}

passes() { # passes WORDS...: no check fails
    expect "$*" 0 "$(explore --within 3 --schedules 30 --turns 3000 --quiet "$@")"
}
for method in ade adf; do
    passes --method $method --ports one --units tokens
    passes --method $method --domains exclusive --topology star:5
    passes --method $method --delay uniform:1us:20us --mailbox spsc:1 --load-bytes 50 --byte-time 1ns
    passes --method $method --faults link:20000,repair:20us --stop never
    passes --method $method --work normal:10:3:10 --tick 10us --slow 1:3
    passes --method $method --operations 50 --stop never --carrier pool:3
done
# Many announcements are under way over a long link.
passes --method 'sender:1/(deg+1)' --announce pushed --topology ring:5 --delay fixed:200us
passes --method 'sender:1/(deg+1)' --announce pushed --topology ring:5 --delay fixed:5us

# Too long: the first of them is recorded with its machine.
# shellcheck disable=SC2086
expect "too long" "0 20 0" "$(explore $machines --within 2:8 --stop never --turns 300 --schedules 20 --format json) $(json \
    'str(report["cut"]) + " " + str(report["too_long"]["schedule"])')"
expect "told to end" 0 "$(status replay "$folder/explore.ek" --format json)"
expect "as that machine" "2:8 time True" "$(json 'report["within"], report["runs"][0]["ended"], report["runs"][0]["free"]["turns"] >= 300' | tr -d "(),'")"

# A method that moves half tokens fails with any costs: the small machine has the given ones.
broken() {
    plugin "$1" "gift(view->load, view->announced[port])" UNITS=EK_TOKENS \
        FUNCTIONS="static double gift(double held, double there) { return $2; }"
}
broken halves 'held > there ? 0.5 : 0.0'
halves="--plugin $folder/halves.so --method halves --units tokens --topology ring:6"
# shellcheck disable=SC2086
expect "a failure" 1 "$(explore $halves --within 2 --format json)"
expect "is one sentence on standard error" 1 "$(grep -c 'an amount must be whole in tokens$' "$folder/err")"
expect "the small machine" "ring:2 peak:1 1:0 True" \
    "$(json 'report["violations"][0]["topology"], report["violations"][0]["load"], report["violations"][0]["within"], report["violations"][0]["small_turns"] <= 6' | tr -d "(),'")"
turns=$(json 'report["violations"][0]["small_turns"]')
expect "its recording" 1 "$(status replay "$folder/explore.ek" --plugin "$folder/halves.so")"
expect "and has its turns" "$turns" "$("$EVENKEEL" replay "$folder/explore.ek" --plugin "$folder/halves.so" --every 1 \
    --format csv | tail -n +3 | wc -l)"
# shellcheck disable=SC2086
expect "in a table" "1 1" "$(explore $halves --within 2) $(grep -c ' turns of ring:2 with peak:1 within 1:0: ' "$folder/out")"

# A method that fails only if a processor has seen certain loads: some machines fail, and all plain ones pass.
broken seldom 'held == 6.0 && there == 3.0 ? 0.5 : held - there > 1.0 ? 1.0 : 0.0'
seldom="--plugin $folder/seldom.so --method seldom --units tokens --topology ring:6 --load peak:14"
# shellcheck disable=SC2086
expect "none with the given costs" 0 "$(explore $seldom --within 1 --quiet)"
# shellcheck disable=SC2086
expect "some with others" 1 "$(explore $seldom --within 10 --schedules 3000 --format json)"
expect "the first of them" True "$(json '0 < report["violations"][0]["schedule"] == report["schedules"] - 1')"
within=$(json 'report["violations"][0]["within"]')
expect "a smaller factor" True "$(python3 -c 'import sys; print(1 < float(sys.argv[1].split(":")[0]) <= 10)' "$within")"
expect "is that of the recording" "1 $within" "$(status replay "$folder/explore.ek" --plugin "$folder/seldom.so" --format json) $(json 'report["within"]')"
expect "whose run fails alike" 1 "$(status run --timing virtual --plugin "$folder/seldom.so" --method seldom --units tokens \
    --topology "$(json 'report["topology"]["spec"]')" --load "$(json 'report["load"]')" --within "$within" --quiet)"

refused() { # refused SENTENCE WORDS...
    sentence=$1
    shift
    expect "$*" "2 1" "$(explore "$@") $(grep -c "$sentence" "$folder/err")"
}
refused 'the factor must be from 1 to 100' --within 0.5
refused 'the factor must be a decimal number' --within nan
refused 'only virtual time has costs: use timing virtual' --within 2 --timing free
refused 'only virtual time has costs: use timing virtual' --within 2 --timing rounds
refused 'leave the strategy out' --within 2 --strategy pct:3
refused 'choose timing free, or virtual with --within' --timing rounds
refused 'turn-cost has no meaning with timing free' --turn-cost 5ns
refused 'choose a smaller factor, or a longer delay or gap' --within 50 --delay fixed:0ns --gap 10ns
expect "no time for a machine" "3 1" "$(explore --within 2 --for 1ns) $(grep -c 'the time was too short for a schedule' "$folder/err")"
result
