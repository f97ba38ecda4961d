#!/bin/sh
# SPDX-License-Identifier: MIT
# What the command prints, against tests/data/cli/ (`tests/command/test_cli.sh update` writes it anew), and how its reports, files and
# exit statuses behave. Wrong input has a test of its own.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh

unset NO_COLOR COLUMNS
golden() { # golden FILE WORDS...: the version and the run's own times do not count
    file=tests/data/cli/$1.txt
    shift
    "$EVENKEEL" "$@" 2>&1 | sed -e 's/[0-9.]* [um]*s$/TIME/' >"$folder/golden"
    if [ "$update" ]; then
        cp "$folder/golden" "$file"
    fi
    expect "$*" "" "$(diff "$file" "$folder/golden" 2>&1)"
}

update=$([ "${1:-}" = update ] && echo yes)
golden list list
for method in $("$EVENKEEL" list | awk '/^--method/ { in_it = 1; next } /^$/ { in_it = 0 } in_it { sub("[:(].*", "", $1); print $1 }'); do
    golden "explain-$method" explain "$method"
    example=$("$EVENKEEL" explain "$method" | sed -n 's/^next: evenkeel //p')
    expect "what explain $method says to try" 0 "$(sh -c "$EVENKEEL $example --carrier pool --quiet" 2>"$folder/err"; echo $?)"
done
golden theory theory --topology torus:5x4
golden theory-json theory --topology mesh:4x2 --method odf --format json
golden list-links list --topology ring:5 --links
golden list-links-json list --topology mesh:3x2 --links --format json
golden list-links-csv list --topology random:6:3 --seed 4 --links --format csv
golden run-links run --carrier pool:1 --topology ring:8 --method dde --load list:9,7,4,1,4,6,1,5 --links
golden run run --carrier pool:1 --load peak:6400 --heat
golden run-tokens run --carrier pool:1 --units tokens --method adf --stop neighbours:4 --ports one
golden run-capacity run --carrier pool:1 --topology mesh:4x4 --method sos --capacity semi --load peak:1600
golden run-dde run --carrier pool:1 --topology torus:5x4 --method dde --load modulo:7919:1001
golden run-ded run --carrier pool:1 --topology 'otis(mesh:2x4)' --method 'ded(fos)' --load peak:6400
golden run-work run --carrier pool:1 --topology ring:8 --invoke outside:200:800 --work normal:90:30:90 --stop never --steps 9
golden run-turns run --carrier pool:1 --topology ring:6 --method sender:1/deg --timing turns --delay fixed:2
golden run-cycle run --carrier pool:1 --topology torus:12x12 --method liquid:c5 --stop spread:0
golden theory-opt theory --topology 'otis(mesh:2x4)' --method 'ded(opt)'
golden run-unreached run --carrier pool:1 --topology ring:8 --method diffusion:0.5 --load peak:100

# Text is as wide as COLUMNS says, and at most 100 in a pipe; what is no width is not obeyed.
widest() {
    COLUMNS=$1 "$EVENKEEL" run --carrier pool:1 --topology ring:8 --invoke probability:0.1 --method adf --stop never --steps 9 |
        sed -n '/known before the run/,/^next: /p' | sed '/^next: /d' | awk '{ if (length > most) most = length } END { print most }'
}
expect "the width of a pipe" 100 "$(widest "")"
expect "COLUMNS=wide" 100 "$(widest wide)"
expect "COLUMNS=5" 100 "$(widest 5)"
expect "COLUMNS=90" yes "$([ "$(widest 90)" -le 90 ] && [ "$(widest 90)" -gt 80 ] && echo yes)"
expect "COLUMNS=300" 100 "$(widest 300)"

expect "the list in a pipe, as evenkeel(1) has it" "yes 1" "$("$EVENKEEL" list | python3 -c 'import sys
print("yes" if 100 < max(len(line.rstrip("\n")) for line in sys.stdin) <= 118 else "no")') $("$EVENKEEL" help --man | grep -c '118 in list')"

# A table is no wider either: the columns that there is no room for are named.
"$EVENKEEL" sweep --topology ring:8 --method ade,ode --seed 1..6 --store "$folder/wide.sqlite" --quiet
narrow() { # narrow COLUMNS WORDS...: lines that are too wide, and the columns that are left out
    columns=$1
    shift
    COLUMNS=$columns "$EVENKEEL" "$@" >"$folder/narrow" 2>"$folder/err"
    awk -v most="${columns:-1000}" '!/^next: / && length > most' "$folder/narrow" # that one is to be copied
    sed -n 's/^  Columns that do not fit: //p' "$folder/narrow"
}
results="results --store $folder/wide.sqlite"
expect "theory at 60" "operations, steps" "$(narrow 60 theory)"
expect "theory at 80" "" "$(narrow 80 theory)"
# Words on purpose.
# shellcheck disable=SC2086
{
    expect "results at 60" "moved; --format csv shows them" "$(narrow 60 $results)"
    expect "groups at 60" "moved, messages; --format csv" "$(narrow 60 $results --group method --columns steps,moved,messages)"
    expect "a comparison at 60" "pairs, the interval of" "$(narrow 60 $results --compare 'method=ade vs method=ode' --columns steps)"
    expect "in a pipe all is there" "" "$(narrow "" $results --compare 'method=ade vs method=ode' --columns steps)"
}
expect "domains at 80" "" "$(COLUMNS=80 "$EVENKEEL" run --timing free --topology torus:8x8 --method adf --invoke probability:0.01 \
    --stop never --operations 2000 --carrier pool:2 | awk '/variance of domains/ { inside = 1 } /^$/ { inside = 0 } inside && length > 80')"

# Run r of seed s is run 0 of seed s + r, also where the topology or the capacities are drawn.
while read -r words; do
    # shellcheck disable=SC2086
    "$EVENKEEL" run $words --carrier pool:1 --format json --final --runs 4 --seed 5 | grep '"seed": 8,' |
        sed -e 's/"elapsed_s": [^,]*//' -e 's/,$//' >"$folder/fourth"
    # shellcheck disable=SC2086
    "$EVENKEEL" run $words --carrier pool:1 --format json --final --seed 8 | grep '"seed": 8,' |
        sed -e 's/"elapsed_s": [^,]*//' -e 's/,$//' >"$folder/alone"
    expect "the fourth run of $words" "$(cat "$folder/alone")" "$(cat "$folder/fourth")"
    expect "$words gives a run" 1 "$(wc -l <"$folder/alone")"
done <<'END'
--topology ring:9
--topology random:20:4
--topology otis(random:6:3) --method ded(opt)
--topology ring:12 --capacity uniform:1:9 --method fos
--work normal:20:9:20 --delay uniform:0:3 --invoke probability:0.5 --stop never --steps 20
--method sender:0.2 --timing turns:random --delay exponential:2 --stop never --steps 20
END

# The report in its formats.
expect "json" 0 "$(status run --format json --final --trace --runs 3 --units tokens --stop spread:9)"
expect "schema" 1 "$(grep -c '"schema": "evenkeel.run/1"' "$folder/out")"
if command -v python3 >/dev/null; then
    expect "valid JSON" 0 "$(python3 -m json.tool <"$folder/out" >/dev/null 2>&1; echo $?)"
fi
expect "a line for each run" 3 "$(grep -c '^  {"seed": [123], "converged": true' "$folder/out")"
expect "stayed with tokens" 3 "$(grep -c '"stayed": [0-9]' "$folder/out")"
expect "the theory comes last" 1 "$(grep -c '^ "theory": {.*"facts": \[{"name": "' "$folder/out")"
printf '1\n2\n' >"$folder/it's a \"load\""
expect "a path to quote" 0 "$(status run --topology chain:2 --load "file:$folder/it's a \"load\"" --format json)"
command=$(sed -n 's/.*"command": "evenkeel\(.*\)", "version".*/\1/p' "$folder/out" | sed 's/\\\(.\)/\1/g')
eval "\"\$EVENKEEL\"$command" >"$folder/again"
expect "the command can be pasted" "$(sed 's/"elapsed_s.*//' "$folder/out")" "$(sed 's/"elapsed_s.*//' "$folder/again")"
expect "csv" 0 "$(status run --format csv --runs 3)"
expect "as many columns on every line" "4 1" "$(awk -F , '{ print NF }' "$folder/out" | uniq -c | awk '{ print $1, NR }')"
expect "the method as it was written" 1 "$(status run --method nna:net --format json >/dev/null
    grep -c '"method": {"name": "nna", "spec": "nna:net",' "$folder/out")"
expect "in a column too" '"ded(opt:leja)"' "$(status run --method 'ded(opt:leja)' --topology 'otis(mesh:2x2)' --format csv >/dev/null
    tail -n 1 "$folder/out" | cut -d , -f 2 | sed 's/.*/"&"/')"
expect "not measured is empty" 1 "$(status run --format csv --no-flows >/dev/null; tail -n 1 "$folder/out" | grep -c ',,')"

# Of graphs that are drawn the record has one, and says whose it is.
while IFS='|' read -r times drawn words; do
    # shellcheck disable=SC2086
    "$EVENKEEL" run $words --carrier pool:1 --out "$folder/graphs" >"$folder/out" 2>"$folder/err"
    expect "whose graph: $words" "$times" "$(tr -s ' \n' ' ' <"$folder/out" | grep -c "each run has its own graph: this line and the theory describe the first")"
    expect "in the record: $words" 1 "$(grep -c "\"topology\": {.*\"drawn\": $drawn," "$folder/graphs/run.json")"
    expect "shown again: $words" "$(cat "$folder/out")" "$("$EVENKEEL" show "$folder/graphs/run.json")"
    rm -r "$folder/graphs"
done <<'END'
1|true|--topology random:8:3 --method opt --runs 3
1|true|--topology otis(random:4:3) --method ade --runs 2
0|true|--topology random:8:3 --method opt
0|false|--topology ring:8 --method opt --runs 3
END

# What is true of the end is not held against a run that was cut.
while IFS='|' read -r fact wanted words; do
    # shellcheck disable=SC2086
    "$EVENKEEL" run $words --carrier pool:1 --out "$folder/cut" >"$folder/out" 2>"$folder/err"
    expect "$fact: $words" "$wanted" "$(sed -n "s/^  $fact  *[^ ][^ ]*  *\([^ ]*\)  .*/\1/p" "$folder/out")"
    expect "$fact shown again" "$(cat "$folder/out")" "$("$EVENKEEL" show "$folder/cut/run.json" 2>"$folder/err")"
    rm -r "$folder/cut"
done <<'END'
operations_all|2|--topology star:6 --method ops --load peak:6400
operations_all|unreached|--topology star:6 --method ops --load peak:6400 --steps 1
operations_least|unreached|--topology star:6 --method ops --load peak:6400 --operations 1
spread_most|0|--topology hypercube:3 --method dde --units tokens --load peak:6400
spread_most|unreached|--topology hypercube:3 --method dde --units tokens --load peak:6400 --steps 5
scan_steps_all|unreached|--topology hypercube:3 --method dde --units tokens --load peak:6400 --steps 5
exchange_steps_most|1|--topology hypercube:3 --method dde --units tokens --load peak:6400 --steps 5
moved_least|unreached|--topology ring:8 --method dde:doubling --units tokens --load peak:6400 --steps 1
spread_most|unreached|--topology ring:8 --method ade --stop neighbours:1 --load peak:6400 --steps 2
variance_expected|4.5|--topology chain:2 --method gde:0.25 --work normal:9:0:9 --load peak:6 --stop never --operations 1
END

# Files.
expect "--out" 0 "$(status run --out "$folder/o" --quiet)"
expect "nothing with --quiet" "" "$(cat "$folder/out" "$folder/err")"
expect "its files" "final.csv run.json trace.csv" "$(ls "$folder/o" | tr '\n' ' ' | sed 's/ $//')"
expect "run.json has the trace without being asked" 1 "$(grep -c '"trace": \[{"step": 0' "$folder/o/run.json")"
expect "a load for each processor" 65 "$(wc -l <"$folder/o/final.csv")"
expect "--out does not overwrite" 2 "$(status run --out "$folder/o")"
mkdir "$folder/used" && echo mine >"$folder/used/other.txt"
expect "--out beside other files" "0 mine 4" "$(status run --out "$folder/used" --quiet) $(cat "$folder/used/other.txt") $(find "$folder/used" -type f | wc -l)"
expect "--out leaves nothing behind" 2 "$(status run --out "$folder/p" --topology torus:0x4)"
expect "no directory" no "$([ -e "$folder/p" ] && echo yes || echo no)"
if command -v gnuplot >/dev/null; then
    expect "--plot" 0 "$(status run --plot "$folder/a.svg" --runs 2 --quiet)"
    expect "gnuplot is content" "" "$(cat "$folder/err")"
    expect "an SVG" 1 "$(grep -c '</svg>' "$folder/a.svg")"
    expect "a PNG" 0 "$(status run --plot "$folder/a.png" --load constant:1 --quiet)"
    expect "PNG" PNG "$(head -c 4 "$folder/a.png" | tail -c 3)"
fi
expect "no gnuplot" 2 "$(PATH=/nowhere status run --plot "$folder/b.svg")"

# Streams and statuses.
expect "no colours outside a terminal" 0 "$(status run >/dev/null; grep -c "$(printf '\033')" "$folder/out")"
expect "not reached" 3 "$(status run --steps 4)"
expect "it says so" "evenkeel: variance:1 was not reached in 4 steps: the limit on steps ended the run" "$(cat "$folder/err")"
expect "--operations" 3 "$(status run --operations 1 --format json)"
expect "in the record" 1 "$(grep -c '"ended": "operations", "hopeless": false, "why": "the limit on operations ended the run",' "$folder/out")"
expect "reached by then" 0 "$(status run --operations 1 --stop variance:1e30 --format json)"
expect "nothing to say" 1 "$(grep -c '"why": "",' "$folder/out")"
expect "never" 0 "$(status run --steps 4 --stop never)"
expect "--for" 3 "$(status run --stop error:1e-300 --for 100ms --carrier pool:1)"
expect "Ctrl-C" 3 "$(signalled INT run --stop never --for 60s --carrier pool:1 --format csv)"
expect "a report all the same" 2 "$(wc -l <"$folder/out")"
expect "SIGTERM" 3 "$(signalled TERM run --stop never --for 60s --carrier pool:1 --format csv)"
expect "its report" 2 "$(wc -l <"$folder/out")"
expect "a full disk" 2 "$("$EVENKEEL" run >/dev/full 2>/dev/null; echo $?)"
expect "a closed output" 2 "$("$EVENKEEL" run 2>/dev/null >&-; echo $?)"

result
