#!/bin/sh
# SPDX-License-Identifier: MIT
# A recorded run that continues differently: `replay --until TURN --then STRATEGY:SEED`. The same seed gives the same
# schedule, and from the start it gives that of explore. No run fails, wherever the recording is left, and the recording
# of the whole run is replayed bit by bit.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/support/expect.sh

json() { # json EXPRESSION: of the report
    python3 -c '
import json, sys
report = json.load(open(sys.argv[1]))
print(eval(sys.argv[2]))' "$folder/out" "$1"
}

record() { # record WORDS...: a run of them, into $folder/run.ek; its turns
    "$EVENKEEL" run --timing free --record "$folder/run.ek" --quiet "$@" 2>"$folder/err"
    status replay "$folder/run.ek" --format json >/dev/null
    json 'report["runs"][0]["free"]["turns"]'
}

then_by() { # then_by WORDS...: what comes of the run, without the time
    "$EVENKEEL" replay "$folder/run.ek" --format csv "$@" 2>"$folder/err" | awk -F , 'NR == 2 { print $2, $3, $8, $10 }'
}

# From the start it is the schedule of explore.
plain="--topology ring:6 --method adf --units tokens"
# The options must be split into words, here and below.
# shellcheck disable=SC2086
turns=$(record $plain)
for strategy in random pct:3; do
    # shellcheck disable=SC2086
    expect "$strategy from the start" \
        "$("$EVENKEEL" explore $plain --strategy $strategy --schedules 1 --format csv | awk -F , 'NR == 2 { print $2, $3, $8, $10 }')" \
        "$(then_by --then $strategy:0)"
done
expect "another seed is another schedule" other \
    "$([ "$(then_by --then random:0)" = "$(then_by --then random:1)" ] || echo other)"
expect "the same seed again" "$(then_by --until 20 --then random:7)" "$(then_by --until 20 --then random:7)"
# The second turn is far from the first, so that the drawn schedule cannot agree with the recording in between by
# chance: of two neighbouring turns, about one pair in six (there are six processors) would give the same schedule.
expect "another turn" other \
    "$([ "$(then_by --until 20 --then random:7)" = "$(then_by --until $((turns / 2)) --then random:7)" ] || echo other)"

# onwards WORDS...: leaves a run at a third of its turns, and checks that nothing fails and that the whole run is
# replayed. Tests one case in TESTS_PART, which shares no factor with the four strategies.
made=0
onwards() {
    turns=$(record "$@")
    until=$((turns / 3))
    for strategy in random pct:2 delay-first round-robin; do
        made=$((made + 1))
        [ $((made % ${TESTS_PART:-1})) -eq 0 ] || continue
        expect "$*, on by $strategy" 0 \
            "$(status replay "$folder/run.ek" --until $until --then $strategy:3 --record "$folder/whole.ek" --format json)"
        more=$(json 'report["turns"]')
        expect "$*, on by $strategy: one schedule, from there" "1 $until [] $folder/run.ek" "$(json \
            '" ".join(map(str, [report["schedules"], report["after"]["turn"], report["violations"], report["after"]["recording"]]))')"
        expect "$*, on by $strategy, once more" 0 "$(status replay "$folder/whole.ek" --format json)"
        expect "$*, on by $strategy: all turns" $((until + more)) "$(json 'report["runs"][0]["free"]["turns"]')"
    done
}
onwards --topology torus:4x4 --method adf --units tokens --load peak:1600
onwards --topology torus:4x4 --method ade --carrier pool:3 --ports one
onwards --topology star:5 --method adf --units tokens --domains exclusive --mailbox spsc:1
onwards --topology ring:6 --method ade --delay uniform:1us:20us
onwards --topology ring:5 --method 'sender:1/(deg+1)' --announce pushed
onwards --topology ring:8 --method adf --work normal:10:3:10 --tick 50us --slow 1:3 --for 5ms

# shellcheck disable=SC2086
turns=$(record $plain)
expect "too long" "1 EXITS 0" "$(status replay "$folder/run.ek" --until 3 --then round-robin:0 --turns 5 --format json >"$folder/status"
    json 'str(report["cut"]) + " EXITS"') $(cat "$folder/status")"
expect "which of them" "7 7" "$(status replay "$folder/run.ek" --until 3 --then random:7 --turns 5 --format json >"$folder/status"
    json 'report["too_long"]["schedule"]') $("$EVENKEEL" replay "$folder/run.ek" --until 3 --then random:7 --turns 5 |
    sed -n 's/.* after 5 turns; the first is schedule \([0-9]*\)$/\1/p')"
expect "in words" "  after      turn 3 of $folder/run.ek" \
    "$("$EVENKEEL" replay "$folder/run.ek" --until 3 --then random:1 | grep after)"
expect "behind the end" 2 "$(status replay "$folder/run.ek" --until $((turns + 9)) --then random:1)"
expect "which is said" 1 "$(grep -cE "has only $turns turns|the run is over" "$folder/err")"
for spec in random random: random:x pct:0:1 nobody:1 exhaustive:4:1; do
    expect "--then $spec" 2 "$(status replay "$folder/run.ek" --until 3 --then $spec)"
done
expect "with what looks at the recording alone" 2 "$(status replay "$folder/run.ek" --then random:1 --every 10)"
expect "what goes with --then only" 2 "$(status replay "$folder/run.ek" --record "$folder/whole.ek")"
record $plain --operations 40 >/dev/null
expect "with a limit on operations" 2 "$(status replay "$folder/run.ek" --until 3 --then random:1)"
result
