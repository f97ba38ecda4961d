#!/bin/sh
# SPDX-License-Identifier: MIT
# Schedules, chosen: the same seed has the same log, in every build; all schedules of a chain; a schedule that gets too
# long; a schedule that fails, made small, and its recording. That the inspector sees bugs of the protocol is for
# tests/planted/.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/expect.sh

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

# The logs of builds by -O0, -O3 and with sanitizers are held against these: what is drawn must not depend on them.
plain="--topology ring:4 --units tokens --method ade --schedules 50"
# Words on purpose, here and below.
# shellcheck disable=SC2086
{
    expect "random" "50 18206 0 4 28/44 0 34f869878d9eb94b" "$(explore $plain)"
    expect "pct" "50 75140 0 4 28/44 0 381de0a132369e0d" "$(explore $plain --strategy pct:3)"
    expect "delay-first" "50 26238 0 4 28/44 0 6e06d704f64c4217" "$(explore $plain --strategy delay-first)"
    expect "round-robin" "50 10550 0 1 27/44 0 4416001761127943" "$(explore $plain --strategy round-robin)"
    expect "another seed" "50 14082 0 4 27/44 0 c8a439f905a99b09" "$(explore $plain --seed 2)"
}

twice() { # twice WORDS...: made twice, to the same log; nothing fails
    first=$(explore "$@")
    expect "$*, again" "$first" "$(explore "$@")"
    expect "$*, in which nothing fails" "0" "$(echo "$first" | cut -d ' ' -f 6)"
}
for strategy in random pct:2 delay-first round-robin; do
    twice --strategy $strategy --schedules 10 --method adf
    twice --strategy $strategy --schedules 5 --method adf --delay uniform:1us:20us --mailbox spsc:1
    twice --strategy $strategy --schedules 10 --method adf --units tokens --domains exclusive --topology star:5 --turns 2000
    twice --strategy $strategy --schedules 5 --method ade --ports one --carrier pool:3 --topology torus:3x3 --units tokens
    twice --strategy $strategy --schedules 5 --method 'sender:1/(deg+1)' --announce pushed --topology ring:5
    twice --strategy $strategy --schedules 3 --method ade --faults link:200000,repair:20us --stop never --turns 2000
    twice --strategy $strategy --schedules 3 --method ade --work normal:10:3:10 --tick 10us --slow 1:3 --turns 2000
done

# All schedules of three processors in a chain, and nobody fails: so every one of them ends, with a token each.
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
expect "a bound that is reached" 0 "$(status explore $chain --strategy exhaustive:4 --turns 10 --format json)"
expect "it says so" "False 10" "$(json 'str(report["complete"]) + " " + str(report["longest"])')"
# shellcheck disable=SC2086
expect "with delays" 2 "$(status explore $chain --strategy exhaustive --delay fixed:1us)"

expect "too long" 0 "$(status explore --stop never --schedules 7 --turns 500 --format json)"
expect "how many were" 7 "$(json 'report["cut"]')"
expect "what was met is what is possible, or less" True \
    "$(json 'report["coverage"]["reached"] == sum(pair["times"] > 0 for pair in report["coverage"]["pairs"]) <= report["coverage"]["possible"] == len(report["coverage"]["pairs"])')"
expect "in words" "  too long   7 schedules told to end, after 500 turns" \
    "$(status explore --stop never --schedules 7 --turns 500 >/dev/null; grep 'told to end' "$folder/out")"
expect "and nothing where none was" 0 "$(status explore --schedules 7 >/dev/null; grep -c 'too long' "$folder/out")"
expect "a strategy that is none" 2 "$(status explore --strategy pct:0)"
expect "rounds" 2 "$(status explore --timing rounds)"

# A method that lets halves of tokens move is wrong from its first gift on.
sed -e 's/\.flow = share_flow}/.flow = share_flow, .flow_tokens = halves, .async = true}/' -e 's/units = EK_REAL/units = EK_REAL | EK_TOKENS/' examples/plugins/plugin.c |
    awk '/^static const struct ek_method share/ {
        print "static double halves(const struct ek_view *view, unsigned port)"
        print "{\n    return view->load > view->announced[port] ? 0.5 : 0.0;\n}\n"
    } { print }' >"$folder/halves.c"
cc -std=c11 -shared -fPIC -Ibuild/include "$folder/halves.c" -o "$folder/halves.so"
expect "a schedule that fails" 1 \
    "$(status explore --plugin "$folder/halves.so" --method share:4 --units tokens --topology ring:6 --format json \
        --record "$folder/fails.ek")"
expect "what is wrong" "holds a part of a token" "$(json '" ".join(report["violations"][0]["what"].split()[2:])')"
expect "a small one" "ring:2 peak:1" \
    "$(json 'report["violations"][0]["topology"] + " " + report["violations"][0]["load"]')"
expect "in few turns" True "$(json 'report["violations"][0]["small_turns"] <= 10')"
turns=$(json 'report["violations"][0]["small_turns"]')
expect "its recording" 1 "$(status replay "$folder/fails.ek" --plugin "$folder/halves.so")"
expect "says what was wrong" 1 "$(grep -c 'holds a part of a token' "$folder/err")"
expect "and has its turns" "$turns" "$("$EVENKEEL" replay "$folder/fails.ek" --plugin "$folder/halves.so" --every 1 \
    --format csv | tail -n +3 | wc -l)"
expect "a recording that cannot be written" 1 \
    "$(status explore --plugin "$folder/halves.so" --method share:4 --units tokens --record "$folder/none/x.ek")"
expect "is said" 1 "$(grep -c 'cannot be written' "$folder/err")"
result
