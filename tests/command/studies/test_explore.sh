#!/bin/sh
# SPDX-License-Identifier: MIT
# `evenkeel explore`: the same seed gives the same log in every build and with any number of threads; all schedules of a
# chain; a schedule that is cut, and its recording; a schedule that fails, shrunk, and its recording. tests/planted/ tests
# that the inspector finds bugs of the protocol.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/support/expect.sh
. tests/support/plugin.sh

explore() { # explore WORDS...: what is counted, without the time, and the hash's first digits; or the status
    "$EVENKEEL" explore --format csv --record "$folder/explore.ek" "$@" >"$folder/out" 2>"$folder/err" || echo "status $?"
    awk -F , 'NR == 2 { print $2, $3, $4, $5, $6 "/" $7, $8, substr($10, 1, 16) }' "$folder/out"
}

json() { # json EXPRESSION: of the report
    python3 -c '
import json, sys
report = json.load(open(sys.argv[1]))
print(eval(sys.argv[2]))' "$folder/out" "$1"
}

# Builds with -O0, -O3 and sanitizers must give these logs too, since random numbers must not depend on the build.
plain="--topology ring:4 --units tokens --method ade --schedules 50"
# Word splitting is intended, here and below.
# shellcheck disable=SC2086
{
    expect "random" "50 18206 0 4 28/44 0 bf2c36546e582433" "$(explore $plain)"
    expect "pct" "50 75140 0 4 28/44 0 3612e29d7c651d97" "$(explore $plain --strategy pct:3)"
    expect "delay-first" "50 26238 0 4 28/44 0 dfeb81ba44a44478" "$(explore $plain --strategy delay-first)"
    expect "round-robin" "50 10550 0 1 27/44 0 2beb1d6ddbd6af48" "$(explore $plain --strategy round-robin)"
    expect "another seed" "50 14082 0 4 27/44 0 289c7c2694c4e152" "$(explore $plain --seed 2)"
}

alike() { # alike WORDS...: all that is said but times and files is the same for 1, 2 and 5 threads, which it prints
    for jobs in 1 2 5; do
        "$EVENKEEL" explore --format json --record "$folder/explore.ek" --jobs $jobs "$@" >"$folder/out" 2>"$folder/err"
        grep -vE '"elapsed_s"|--jobs' "$folder/out" >"$folder/$jobs"
    done
    cmp "$folder/1" "$folder/2" && cmp "$folder/1" "$folder/5" && echo alike
}
# shellcheck disable=SC2086
{
    expect "threads" alike "$(alike $plain --strategy pct:2 --schedules 40)"
    expect "more of them than schedules" alike "$(alike $plain --schedules 3)"
    expect "threads where links fail" alike "$(alike --method ade --faults link:200000,repair:20us --turns 500 --schedules 30)"
    expect "threads of which only one is needed" alike "$(alike --topology chain:3 --load list:2,0,1 --units tokens --method ade --strategy exhaustive --turns 14)"
}

last() { # last WORDS...: the last line of the table
    "$EVENKEEL" explore --record "$folder/explore.ek" "$@" 2>"$folder/err" | tee "$folder/table" | sed "/^next: /d" | tail -n 1
}
# shellcheck disable=SC2086
{
    expect "the verdict" "50 schedules: all checks passed, 4 end states" "$(last $plain)"
    expect "the checks" 7 "$(grep -cE '^(  checks  |          )   [a-z]+: ' "$folder/table")"
    expect "no pairs" 0 "$(grep -c -e protocol.*pairs -e never "$folder/table")"
    expect "pairs" 2 "$(last $plain --verbose >"$folder/out"; grep -c -e '^  protocol   28 of 44 pairs' -e '^  never  ' "$folder/table")"
    expect "in JSON" "7 50 schedules: all checks passed, 4 end states" \
        "$(status explore $plain --format json >"$folder/status"; json 'str(len(report["checks"])) + " " + report["verdict"]')"
    expect "too long" "40 schedules: 39 did not end within 500 turns: possible livelock, or too few turns; all checks passed, 40 end states" \
        "$(last --schedules 40 --turns 500)"
    expect "without an end" "3 schedules: 3 did not end within 500 turns: the experiment may have no end; all checks passed, 3 end states" \
        "$(last --schedules 3 --turns 500 --stop never)"
    expect "one by work" "3 schedules: 3 did not end within 500 turns: the experiment may have no end; all checks passed, 3 end states" \
        "$(last --schedules 3 --turns 500 --work constant:0=1)"
}

twice() { # twice WORDS...: made twice, to the same log; nothing fails
    first=$(explore "$@")
    expect "$*, again" "$first" "$(explore "$@")"
    expect "$*, in which nothing fails" "0" "$(echo "$first" | cut -d ' ' -f 6)"
}

# Methods that move tasks by letters: every schedule ends with all tasks executed, whatever detects its end.
letters() { # letters WORDS...: the last line of the table
    last --topology ring:4 --tasks queens:4 --schedules 30 "$@"
}
expect "stealing" "30 schedules: all checks passed, 1 end state" "$(letters --method steal:random)"
expect "lifelines, detected by a token" "30 schedules: all checks passed, 1 end state" \
    "$(letters --method steal:lifeline --detect safra)"
expect "small mailboxes, detected by waves" "30 schedules: all checks passed, 1 end state" \
    "$(letters --method place:random --hops 3 --mailbox spsc:1 --detect mattern)"
expect "announced loads, and failing links" "30 schedules: all checks passed, 1 end state" \
    "$(letters --method cwn --faults link:20000,repair:20us)"
expect "in virtual time" 1 "$(letters --method gradient --timing virtual --within 2 |
    grep -c '^30 machines .* none of their schedules broke a rule, 1 end state;')"

for strategy in random pct:2 delay-first round-robin; do
    twice --strategy $strategy --schedules 10 --method adf
    twice --strategy $strategy --schedules 5 --method adf --delay uniform:1us:20us --mailbox spsc:1
    twice --strategy $strategy --schedules 10 --method adf --units tokens --domains exclusive --topology star:5 --turns 2000
    twice --strategy $strategy --schedules 5 --method ade --ports one --carrier pool:3 --topology torus:3x3 --units tokens
    twice --strategy $strategy --schedules 5 --method 'sender:1/(deg+1)' --announce pushed --topology ring:5
    twice --strategy $strategy --schedules 3 --method ade --faults link:200000,repair:20us --stop never --turns 2000
    twice --strategy $strategy --schedules 3 --method ade --work normal:10:3:10 --tick 10us --slow 1:3 --turns 2000
done

# No schedule of three processors in a chain fails, so each ends with one token per processor.
chain="--topology chain:3 --load list:2,0,1 --units tokens --method ade --invoke outside:1:1"
for ports in all one; do
    # shellcheck disable=SC2086
    status explore $chain --ports $ports --strategy exhaustive:4 --turns 100 --format json >"$folder/status"
    expect "all schedules, ports $ports" 0 "$(cat "$folder/status")"
    expect "none left out, ports $ports" True "$(json 'report["complete"]')"
    expect "how many, ports $ports" "$([ $ports = all ] && echo "(11817, 2008, 3200, 17, 119)" || echo "(2448, 628, 851, 17, 72)")" \
        "$(json 'int(report["schedules"]), report["states"], report["turns"], report["longest"], report["ends"]')"
done
# shellcheck disable=SC2086
expect "a bound if none is said" 0 "$(status explore $chain --strategy exhaustive --format json)"
expect "as deep as it goes" "(True, 4096, 11817)" \
    "$(json 'report["complete"], report["turns_most"], int(report["schedules"])')"
# shellcheck disable=SC2086
{
    expect "all of them" "11,817 schedules: all checks passed, 119 end states" "$(last $chain --strategy exhaustive)"
    expect "not all of them" "; other schedules were not made" "$(last $chain --strategy exhaustive --turns 12 | sed 's/.*states\{0,1\}//')"
    expect "none to its end" "0 schedules: none was made to its end; all checks passed in N turns" \
        "$(last $chain --strategy exhaustive --turns 10 | sed 's/in [1-9][0-9,]* turns$/in N turns/')"
}
# shellcheck disable=SC2086
expect "a bound that is too deep" 2 "$(status explore $chain --strategy exhaustive --turns 4097)"
# shellcheck disable=SC2086
expect "a bound that is reached" 0 "$(status explore $chain --strategy exhaustive:4 --turns 10 --format json)"
expect "it says so" "False 10" "$(json 'str(report["complete"]) + " " + str(report["longest"])')"
for invoke in always at:0 every:5 probability:0.5 global:spread:1; do
    # shellcheck disable=SC2086
    expect "no schedule ends, invoke $invoke" "2 1" \
        "$(status explore ${chain% --invoke*} --invoke $invoke --strategy exhaustive) $(grep -c 'begin operations for ever, so no schedule has an end: bound the schedules, as in turns 20' "$folder/err")"
    # shellcheck disable=SC2086
    expect "how schedules begin, invoke $invoke" "0 False" \
        "$(status explore ${chain% --invoke*} --invoke $invoke --strategy exhaustive --turns 10 --format json) $(json 'report["complete"]')"
done
expect "no processor ever begins" "0 True" \
    "$(status explore --topology chain:3 --load list:2,0,1 --method none --strategy exhaustive --format json) $(json 'report["complete"]')"
expect "objects without an end" 2 \
    "$(status explore --topology chain:3 --objects weights:uniform:1:3 --load list:2,0,1 --strategy exhaustive)"
# shellcheck disable=SC2086
expect "with delays" 2 "$(status explore $chain --strategy exhaustive --delay fixed:1us)"

expect "no time for a schedule" "3 1" \
    "$(status explore --for 1ns) $(grep -c '^evenkeel: the time was too short for a schedule: give a longer --for$' "$folder/err")"
too_long="--stop never --schedules 7 --turns 500 --record $folder/long.ek"
# shellcheck disable=SC2086
expect "too long" 0 "$(status explore $too_long --format json)"
expect "how many were" "7 of 500" "$(json 'str(report["cut"]) + " of " + str(report["turns_most"])')"
expect "the first is recorded" "0 $folder/long.ek" \
    "$(json 'str(report["too_long"]["schedule"]) + " " + report["too_long"]["recording"]')"
expect "what was met is what is possible, or less" True \
    "$(json 'report["coverage"]["reached"] == sum(pair["times"] > 0 for pair in report["coverage"]["pairs"]) <= report["coverage"]["possible"] == len(report["coverage"]["pairs"])')"
expect "its recording" 0 "$(status replay "$folder/long.ek" --format json)"
expect "made again, told to end" "True time" "$(json 'str(report["replayed"]) + " " + report["runs"][0]["ended"]')"
turns=$(json 'report["runs"][0]["free"]["turns"]')
expect "it is that schedule" "$turns" "$(status explore --stop never --schedules 1 --turns 500 --record "$folder/long.ek" \
    --format json >/dev/null; json 'report["turns"]')"
expect "a later one" True "$(status explore --schedules 20 --turns 1100 --record "$folder/long.ek" --format json >/dev/null
    json '1 < report["cut"] < 20 and report["too_long"]["schedule"] > 0')"
expect "of which the turns are too many" True "$(status replay "$folder/long.ek" --format json >/dev/null
    json 'report["runs"][0]["free"]["turns"] >= 1100')"
expect "none" None "$(status explore --schedules 7 --format json >/dev/null; json 'report["too_long"]')"
expect "a place where nothing can be written" 2 "$(status explore --stop never --schedules 2 --turns 500 --record "$folder/none/x.ek")"
expect "which is said" 1 "$(grep -c 'cannot be written' "$folder/err")"
# shellcheck disable=SC2086
expect "in words" "  too long   7 schedules stopped after 500 turns; the first is schedule 0
next: evenkeel replay $folder/long.ek --from 1" \
    "$(status explore $too_long >/dev/null; grep -E 'stopped|next: ' "$folder/out")"
expect "and nothing where none was" 0 "$(status explore --schedules 7 >/dev/null; grep -c 'too long' "$folder/out")"
# Some of these schedules are told to end when their criterion has just been met; it no longer holds when all load has
# arrived.
expect "told to end, and again" 0 \
    "$(status explore --method adf --units tokens --delay fixed:10us --schedules 156 --quiet --record "$folder/x.ek")"
expect "Ctrl-C" 3 "$(signalled TERM explore --schedules 1000000000 --jobs 2 --quiet --record "$folder/x.ek")"
expect "a strategy that is none" 2 "$(status explore --strategy pct:0)"
expect "rounds" 2 "$(status explore --timing rounds)"

# broken NAME GIFT: a method that gives each neighbour GIFT.
broken() {
    plugin "$1" "gift(view->load, view->announced[port])" UNITS=EK_TOKENS \
        FUNCTIONS="static double gift(double held, double there) { return $2; }"
}

# A method that moves half a token in a few schedules only: any number of threads finds the first of them.
broken seldom 'held == 6.0 && there == 3.0 ? 0.5 : held - there > 1.0 ? 1.0 : 0.0'
expect "threads, and a schedule that fails" alike \
    "$(alike --plugin "$folder/seldom.so" --method seldom --units tokens --topology ring:6 --load peak:9)"
expect "none before it does" True \
    "$(json '1 < report["schedules"] == report["violations"][0]["schedule"] + 1 < 100')"

# Three threads, of which one is slow: the first schedule ends when the others have made all that may be ahead of it, and
# wait. Then all of them end.
plugin slow 'wait_for_others(), view->load > view->announced[port] ? 1 : 0' UNITS=EK_TOKENS FUNCTIONS='
static void wait_for_others(void)
{
    static const struct timespec pause = {.tv_nsec = 300000000};
    static _Atomic unsigned calls;
    if (atomic_fetch_add(&calls, 1) == 0) {
        for (unsigned seen = 0; seen != calls; nanosleep(&pause, NULL)) {
            seen = calls;
        }
    }
}'
expect "three threads, one of them slow" "0 48" "$(timeout -s KILL 60 "$EVENKEEL" explore --plugin "$folder/slow.so" --method slow --units tokens \
    --topology ring:4 --turns 100 --jobs 3 --schedules 48 --record "$folder/slow.ek" --format json >"$folder/out" 2>"$folder/err"
    echo $?) $(json 'int(report["schedules"])')"

# A method that computes no number.
broken nan 'held > there ? 0.0 / 0.0 : 0.0'
expect "no number" 1 \
    "$(status explore --plugin "$folder/nan.so" --method nan --units tokens --topology ring:6 --record "$folder/nan.ek")"
expect "is what fails" yes "$(conclusion |
    grep -q '^1 schedule: a check failed: nan returned nan for port [0-9] of processor [0-9] in operation [0-9]*: an amount must be a finite number$' && echo yes)"
expect "in a run too" 1 "$(status run --timing free --plugin "$folder/nan.so" --method nan --units tokens --topology ring:6)"

# A method that always moves half tokens fails at its first gift.
broken halves 'held > there ? 0.5 : 0.0'
expect "a schedule that fails" 1 \
    "$(status explore --plugin "$folder/halves.so" --method halves --units tokens --topology ring:6 --format json \
        --record "$folder/fails.ek")"
expect "what is wrong" "an amount must be whole in tokens" "$(json 'report["violations"][0]["what"].split(": ")[1]')"
expect "a small one" "ring:2 peak:1" \
    "$(json 'report["violations"][0]["topology"] + " " + report["violations"][0]["load"]')"
expect "in few turns" True "$(json 'report["violations"][0]["small_turns"] <= 10')"
expect "the first schedule fails in its last turn" "1 True" "$(json 'report["schedules"]') $(json \
    'report["turns"] == report["violations"][0]["turns"] >= report["violations"][0]["small_turns"]')"
turns=$(json 'report["violations"][0]["small_turns"]')
expect "its recording" 1 "$(status replay "$folder/fails.ek" --plugin "$folder/halves.so")"
expect "without its plugin" 2 "$(sh -c '"$0" replay "$1" 2>"$2"; echo $?' "$EVENKEEL" "$folder/fails.ek" "$folder/without")"
expect "says so" 1 "$(grep -c "^evenkeel: $folder/fails.ek cannot be repeated: add --plugin if it was recorded with one; there is \
no method called 'halves'" "$folder/without")"
expect "says what was wrong" 1 "$(grep -c 'an amount must be whole in tokens' "$folder/err")"
expect "and has its turns" "$turns" "$("$EVENKEEL" replay "$folder/fails.ek" --plugin "$folder/halves.so" --every 1 \
    --format csv | tail -n +3 | wc -l)"
expect "a recording that cannot be written" 1 \
    "$(status explore --plugin "$folder/halves.so" --method halves --units tokens --record "$folder/none/x.ek")"
expect "is said" 1 "$(grep -c 'cannot be written' "$folder/err")"
result
