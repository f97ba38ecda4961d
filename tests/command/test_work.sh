#!/bin/sh
# SPDX-License-Identifier: MIT
# What the command says of work: what was consumed and what was not there, loads below zero, tokens that stayed.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh

run() { # run WORDS...: on two threads, to no criterion; what is printed goes to $folder/out
    "$EVENKEEL" run --carrier pool:2 --stop never "$@" >"$folder/out" 2>"$folder/err" || cat "$folder/err"
}

line() { # line LABEL: the line of the table that has it, without the label
    sed -n "s/^  $1  *//p" "$folder/out"
}

field() { # field NAME: its value in the JSON report
    sed -n -e 's/"summary": .*//' -e "s/.*\"$1\": \([^,]*\),.*/\1/p" "$folder/out"
}

# Nothing moves; processor 0 is to consume 4 of its 10 in each of 5 ticks.
alone="--topology ring:5 --method adf --load constant:10 --link-limit 0 --work constant:0=-4 --operations 5"
# Words on purpose, here and below.
# shellcheck disable=SC2086
run $alone
expect "owed" "0 generated, 20 consumed" "$(line work)"
expect "it says so" "a load fell to -10: a processor consumed or sent more than it held" "$(line 'below zero')"
# shellcheck disable=SC2086
run $alone --runs 2
expect "in how many runs" \
    "a load fell to -10, in 2 of 2 runs: a processor consumed or sent more than it held" "$(line 'below zero')"
# shellcheck disable=SC2086
run $alone --demand bounded
expect "bounded" "0 generated, 10 consumed, 10 not available for consumption" "$(line work)"
expect "nothing below zero" "" "$(line 'below zero')"
# shellcheck disable=SC2086
run $alone --units tokens --format json
expect "JSON" "bounded 10.0 10.0 50.0 1.0" "$(tr '\n' ' ' <"$folder/out" >"$folder/one" && mv "$folder/one" "$folder/out" &&
    echo "$(field demand | tr -d '"') $(field consumed) $(field unmet) $(field stayed) $(field local_fraction)")"

result
