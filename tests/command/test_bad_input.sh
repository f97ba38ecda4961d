#!/bin/sh
# SPDX-License-Identifier: MIT
# Wrong input at the command line: status 2, one sentence on standard error, a caret under the wrong character of a
# spec, and nothing written. A run that does not reach its criterion: status 3, and why where it is known.
set -u
cd "$(dirname "$0")/../.." || exit 1
: "${EVENKEEL:=build/evenkeel}"
LC_ALL=C
export LC_ALL

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
passed=0
failed=0

fail() {
    bad=1
    printf '%s\n  %s\n' "$line" "$1"
    sed 's/^/    /' "$folder/err"
}

# refuse AT PART WORDS...: AT is the place of the wrong character in the last word, or - where there is no caret.
refuse() {
    at=$1
    part=$2
    shift 2
    line="evenkeel $*"
    bad=0
    for word; do last=$word; done
    "$EVENKEEL" "$@" >"$folder/out" 2>"$folder/err" </dev/null
    status=$?
    [ "$status" -eq 2 ] || fail "status $status, not 2"
    [ ! -s "$folder/out" ] || fail "it printed on standard output"
    head -n 1 "$folder/err" | grep -q '^evenkeel: ' || fail "no sentence"
    head -n 1 "$folder/err" | grep -qF -- "$part" || fail "the sentence lacks '$part'"
    if [ "$at" = - ]; then
        [ "$(wc -l <"$folder/err")" -eq 1 ] || fail "more than one line"
    else
        shown=$(sed -n 2p "$folder/err")
        before=${shown%"$last"}
        [ "$(wc -l <"$folder/err")" -eq 3 ] && [ "$before" != "$shown" ] || fail "the spec is not shown"
        [ "$(sed -n 3p "$folder/err")" = "$(printf "%$((${#before} + at))s^" '')" ] ||
            fail "the caret is not under character $at"
    fi
    passed=$((passed + 1 - bad))
    failed=$((failed + bad))
}

# unreached PART WORDS...: status 3, and the report says PART.
unreached() {
    part=$1
    shift
    line="evenkeel $*"
    bad=0
    "$EVENKEEL" "$@" >"$folder/out" 2>"$folder/err" </dev/null
    status=$?
    [ "$status" -eq 3 ] || fail "status $status, not 3"
    grep -qF -- "$part" "$folder/out" "$folder/err" || fail "it does not say '$part'"
    passed=$((passed + 1 - bad))
    failed=$((failed + bad))
}

# Commands and options.
refuse - "the nearest is 'run'" rn
refuse - "run has no option --bogus: see evenkeel run --help" run --bogus 1
refuse - "run has no option --json: write --format json" run --json
refuse - "run has no option --tokens: write --units tokens" run --tokens
refuse - "run has no option --torus: write --topology torus:KxKx…" run --torus=8x8
refuse - "rank has no option --csv: write --format csv" rank --csv
refuse - "run has no option --toru: see evenkeel run --help" run --toru
refuse - "run has no option -j: see evenkeel run --help" run -j
refuse - "there is no option --topologie to list the values of; the nearest is --topology" list topologie
refuse - "there is no option --ade to list the values of: evenkeel list lists all, and evenkeel explain explains a value" list ade
refuse - "there is no store $folder/none.sqlite: evenkeel sweep makes one, and --store names it" results --store "$folder/none.sqlite"
refuse - "/nowhere/none.sqlite cannot be opened: check the path and its permissions" sweep --store /nowhere/none.sqlite
refuse 1 "cannot follow" sweep --store "$folder/none.sqlite" --seed 1...5
refuse 5 "a range has numbers only" sweep --store "$folder/none.sqlite" --topology 'ring:{4...8}'
refuse - "needs a value" run --topology
refuse - "run takes options only, as in --topology torus:8x8, not 'torus:8x8': see evenkeel run --help" run torus:8x8
refuse 0 "from 1 to" run --steps 0
refuse 0 "whole number" run --steps 99999999999999999999
refuse 1 "cannot follow" run --operations 1.5
refuse 0 "whole number" run --seed -1
refuse 0 "whole number" run --runs many
refuse 0 "whole number" run --every 0
refuse 1 "unit" run --for 5
refuse 0 "--for" run --for -1s
refuse 0 "--for" run --for nan
refuse 0 "there is no value of --format called 'xml': choose one of table, json, csv" run --format xml
refuse - "nobody" explain nobody
refuse - "--quiet is given twice" run --quiet --quiet
refuse - "--steps is given twice" run --steps 3 --steps=3
refuse - "--final takes no value" run --final=1
refuse 0 "from 0 to 9000000000000000000" run --seed 18446744073709551616
refuse 0 "from 0 to 9000000000000000000" run --seed 18446744073709551617
refuse 0 "from 0 to 9000000000000000000" run --seed 9000000000000000001
refuse 0 "from 1 to" run --runs 0
refuse 0 "from 1 to 1000000" run --runs 1000001
refuse 0 "above 0" run --for 0s
refuse - "run has no option -x: see evenkeel run --help" run -x
refuse - "'-topology' is no option: those of several letters begin with two dashes" run -topology ring:8
refuse - "--topology needs a value" run -t -m ade
refuse - "--method is given twice" run -m ade --method ode
printf '1\n0\n1\n1\n' >"$folder/capacities"
refuse 0 "a switch executes no tasks: give every processor a capacity above 0" run --method adf --topology ring:4 \
    --tasks queens:6 --capacity "file:$folder/capacities"
refuse 0 "a switch executes no tasks: use a topology without switches" run --method adf --tasks queens:6 \
    --topology fattree:4
refuse 11 "the B of exhaustive:B must be a whole number from 1 to 64" explore --strategy exhaustive:0
refuse 4 "the D of pct:D must be a whole number from 1 to 64" explore --strategy pct:65
refuse - "--to 2 is before --from 5" replay /nowhere/file --from 5 --to 2
refuse - "--log is about a picture: add --plot FILE" results --log xy
refuse 0 "choose one of auto, none, x, y, xy" results --log z
refuse 0 "there is no ranking by 'nope': choose one of time, steps, operations" rank --by nope
refuse - "doctor takes options only, not 'all': see evenkeel doctor --help" doctor all
refuse - "there is no option --all to list" list all
refuse - "torture has no option --steps" torture --steps 3
refuse 0 "choose one of table, json" torture --format csv
refuse 5 "not closed" torture --runs 1 --topology "ring:{3,4"
refuse - "run has no option --man" run --man
refuse - "takes one FILE, not also 'b'" show a b
refuse - "nothing is called 'nosuch'" help nosuch
refuse 0 "a whole number from 1 to 100" contention --runs 101
refuse 6 "contention varies topology, method, mailbox," contention --vary ports,nothing
refuse 0 "give --method a list" contention --vary method
refuse 7 "this brace is not closed" contention --topology ring:4,{ring
refuse - "cannot be opened" contention --baseline /nowhere/x.json
refuse - "is not a report of contention in JSON: give a file that contention --format json has written" contention --baseline README.md
refuse 5 ".svg, .pdf or .png" run --plot a.gif
refuse - "add --plot FILE" run --plot-script a.gp
refuse - "give them two files" run --plot a.svg --plot-script a.svg
refuse 0 "at most 10000 runs" run --plot a.svg --runs 10001
refuse 0 "from 3 to 1000000" run --frames 2
refuse 0 "from 2 to 1000000" run --tasks queens:6 --method adf --profile 1
refuse - "--profile adds to the JSON report: add --format json or --out DIR" run --tasks queens:6 --method adf --profile 9
refuse - "--frames adds to the JSON report: add --format json or --out DIR" run --frames 9
refuse - "report needs an argument: write evenkeel report FILE..." report --out a.html
refuse - "report needs --out" report a.json
refuse - "nosuch.json cannot be opened" report nosuch.json --out a.html
refuse 5 ".svg, .pdf or .png" run --plot a.gif
refuse - "add --plot FILE" run --plot-script a.gp
refuse - "give them two files" run --plot a.svg --plot-script a.svg
refuse 0 "at most 10000 runs" run --plot a.svg --runs 10001

# What does not go together.
refuse - "--heat goes with the table" run --heat --format csv
refuse - "--heat goes with the table" run --heat --format json
refuse - "--heat needs a topology of two dimensions" run --heat --topology ring:9
refuse - "--links adds to the JSON report" run --timing free --links
refuse - "--links adds to the JSON report" run --timing free --links --format csv
refuse - "--final adds to the JSON report" run --final
refuse - "--final adds to the JSON report" run --final --format csv
refuse - "--trace adds to the JSON report" run --trace

# The caret is under the character, not the byte.
refuse 5 "expected ')'" run --method 'ded(é'

# Specs.
refuse 0 "did you mean torus?" run --topology torsu:8x8
refuse 6 "a side" run --topology torus:0x4
refuse 8 "a side" run --topology torus:8xx8
refuse 7 "a side" run --topology mesh:4x99999999999999999999
refuse 12 "1073741824" run --topology torus:32768x32769
refuse 12 "write ')'" run --topology 'otis(ring:99'
refuse 0 "did you mean ade?" run --method adee
refuse 4 "from 0 to 1" run --method gde:2
refuse 4 "decimal number" run --method gde:nan
refuse 0 "did you mean tokens?" run --units token
refuse 0 "'both'" run --ports both
refuse 9 "decimal number" run --load constant:inf
refuse 9 "a load must be" run --load constant:-5
refuse 8 "the lowest load comes first" run --load uniform:5:1
refuse 7 "from 0 to 63" run --load peak:5@64
refuse 9 "finite" run --stop variance:1e999
refuse 0 "set one of steps, operations and for" run --stop never
refuse 5 "from 1 to" run --carrier pool:0
refuse 0 "did you mean spsc?" run --mailbox spcs
refuse 0 "did you mean yield?" run --barrier yeild
refuse 0 "as in auto" run --barrier '%'

# list prints the links of one topology, or all that there is.
refuse - "the links of a topology are listed by evenkeel list --links --topology SPEC alone" list --topology ring:4
refuse - "a table or --format json" list --format csv
refuse - "the links of a topology are listed by evenkeel list --links --topology SPEC alone" list loads --links
refuse 0 "choose one of table, json" doctor --format csv
refuse - "nothing is called 'nosuch': evenkeel help lists" explain nosuch
refuse - "nothing is called 'torsu:8x8'; the nearest is 'torus'" explain torsu:8x8
refuse - "there is no command 'lst'; the nearest is 'list'" help lst
refuse 0 "there is no topology called" list --links --topology rng:4
refuse - "adds to the JSON report" run --links --format csv
refuse - "adds to the JSON report" run --links --timing free

# More threads than there can be.
refuse - "pool" run --topology ring:6000000 --steps 1

# Files.
refuse 5 "cannot be opened" run --load "file:$folder/none"
refuse 5 "is a directory" run --load "file:$folder"
: >"$folder/empty"
refuse - "holds 0 loads" run --load "file:$folder/empty"
refuse - "has no links" run --topology "file:$folder/empty"
printf '1\n2\n3\n' >"$folder/three"
refuse - "holds 3 loads and the topology has 64" run --load "file:$folder/three"
refuse - "three:3: the file has more loads" run --topology chain:2 --load "file:$folder/three"
printf '1\nnan\n' >"$folder/nan"
refuse - "nan:2: " run --topology chain:2 --load "file:$folder/nan"
printf '\177ELF\0\1' >"$folder/binary"
refuse - "binary:1: this is no text" run --topology chain:2 --load "file:$folder/binary"
refuse - "binary:1: this is no text" run --topology "file:$folder/binary"
printf '0 0\n' >"$folder/loop"
refuse - "loop:1: processor 0 is linked to itself" run --topology "file:$folder/loop"
printf '0 1\n1 0\n' >"$folder/twice"
refuse - "twice:2: " run --topology "file:$folder/twice"
printf '0 1\n0 99999999999\n' >"$folder/range"
refuse - "range:2: " run --topology "file:$folder/range"
printf '0 1\n2 3\n4 3\n' >"$folder/parts"
refuse - "3" run --topology "file:$folder/parts"
refuse - "cannot be created" run --out /proc/none

# Nothing is left behind by a refusal.
refuse 5 "is a directory" run --out "$folder/results" --load "file:$folder"
if [ -e "$folder/results" ]; then
    fail "the directory of results was made"
    failed=$((failed + 1))
fi

# Nor is what is read written over, under another name neither.
seq 0 63 >"$folder/read"
ln "$folder/read" "$folder/same"
cp "$folder/read" "$folder/other"
over="would overwrite a file that is read: give it another name"
refuse - "--out $over" report "$folder/other" "$folder/read" --out "$folder/read"
refuse - "--timeline $over" replay "$folder/read" --timeline "$folder/same"
refuse - "--record $over" replay "$folder/read" --until 1 --then random:1 --record "$folder/read"
refuse - "--plot-script $over" show "$folder/read" --plot "$folder/a.svg" --plot-script "$folder/read"
refuse - "--plot-script $over" results --store "$folder/read" --trace-of variance --plot "$folder/a.svg" --plot-script "$folder/same"
refuse - "--report $over" papers --store "$folder/read" dde-08 --report "$folder/read"
refuse - "--record $over" run --load "file:$folder/read" --timing free --record "$folder/read"
if ! cmp -s "$folder/read" "$folder/other"; then
    fail "a file that is read was written over"
    failed=$((failed + 1))
fi

# Runs that end without their criterion.
unreached "-1" run --topology ring:8 --method diffusion:0.5
printf '2\n0\n' >"$folder/two"
unreached "move nothing at differences" run --topology chain:2 --method gde:0.4 --units tokens --load "file:$folder/two" --stop neighbours:1
unreached "3 operations" run --topology ring:64 --operations 3

# Virtual time.
virtual="run --timing virtual --topology ring:4 --method ade"
printf '%s\n' '0 1 1us 2us' '1 2 1us' '2 3 1us' '3 0 1us' >"$folder/ways"
# The words of $virtual are to be split.
# shellcheck disable=SC2086
{
    refuse 0 "a message could arrive when it is sent, so no processor could go on" $virtual --gap 0 --latency 0
    refuse 0 "a message could arrive when it is sent, so no processor could go on" $virtual --gap 0 --delay uniform:0us:5us
    refuse 0 "the cost of a turn is at least 1ns" $virtual --turn-cost 0ns
    refuse 3 "the overhead of a message needs a unit after the number" $virtual --overhead 200
    refuse 0 "the latency of a link is at most 10 s" $virtual --latency 11s
    refuse 0 "a message would occupy its link for more than 146 years" $virtual --byte-time 10s --message-bytes 1099511627776
    refuse - "a message would arrive, or a turn end, after 2^62 ns (146 years)" $virtual --byte-time 10s --load-bytes 1099511627776
    refuse - "a message would arrive, or a turn end, after 2^62 ns (146 years)" run --timing virtual --topology chain:2 --turn-cost 10s \
        --slow 0:439,1:439 --invoke every:4000000000 --operations 1
    refuse 0 "could cost the slowest processor more than 2^42 ns (73 minutes)" $virtual --turn-cost 10s --slow 1:440
    refuse 0 "could cost the slowest processor more than 2^42 ns (73 minutes)" $virtual --overhead 10s --within 10 --slow 2:5,3:44
    unreached "was not reached" $virtual --turn-cost 10s --overhead 10s --slow 1:439 --operations 1
    refuse - "perturb has no meaning with timing virtual: only threads that race can yield" $virtual --perturb 0.1
    refuse - "audit has no meaning with timing virtual: only threads that race need snapshots" $virtual --audit 1ms
    refuse 0 "in virtual time a few workers carry all processors: use carrier pool" $virtual --carrier threads
    refuse - "some lines name both directions of their link and some only one" $virtual --delay "file:$folder/ways"
    refuse - "steps has no meaning with timing virtual: without rounds there are no steps" $virtual --steps 5
    refuse 0 "host has no meaning with timing turns" run --timing turns --topology ring:4 --host cluster
    refuse 0 "only virtual time has a latency" run --topology ring:4 --delay latency
}

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
