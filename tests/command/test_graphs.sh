#!/bin/sh
# SPDX-License-Identifier: MIT
# docs/graphs.md: the links of its table; docs/formats.md: what it says of graph files, and what a report says of a graph's weights.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh

# The table: a processor, and the links that it has.
# shellcheck disable=SC2016
sed -n 's/^| `\([^`]*\)` | \([0-9]*\) |.*| \([-0-9, ]*\) |$/\1 \2 \3/p' docs/graphs.md >"$folder/table"
expect "rows of the table" 27 "$(wc -l <"$folder/table")"
while read -r spec number links; do
    found=$("$EVENKEEL" list --topology "$spec" --links --format csv |
        awk -F , -v n="$number" '$2 == n { print n "-" $3 } $3 == n { print n "-" $2 }' | sort -t - -k 2n | paste -sd , - | sed 's/,/, /g')
    expect "links of $number in $spec" "$links" "$found"
done <"$folder/table"

# What the coordinates of the table come to.
expect "peak at x = 2, y = 1 of mesh:4x3" "6,9" "$(status run --topology mesh:4x3 --load peak:9@6 --stop never --steps 1 --carrier pool:1 \
    --out "$folder/o" --quiet >/dev/null; python3 -c "
import json
run = json.load(open('$folder/o/run.json'))['runs'][0]['initial']
print(2 + 4 * 1, int(run[2 + 4 * 1]), sep=',')")"
expect "dimension 1 goes down in the heat map" 1 "$(status run --topology mesh:4x3 --load peak:9@8 --carrier pool:1 --heat >/dev/null
    grep -A 4 '^  before' "$folder/out" | sed -n '5p' | grep -c '^  @@')"

notes() { # how often the topology's line, which may be broken, has the note
    xargs -d '\n' <"$folder/out" | tr -s ' ' | grep -c '[0-9]* processors, [0-9]* links, [0-9] colours, diameter [0-9]; its weights are ignored '
}

# A graph in every form is the same graph.
printf '0 1\n1 2\n2 3\n3 0\n0 2\n' >"$folder/list"
printf '%% weighted\n0 1 5\n1 2 0.5\n2 3 7\n3 0 2\n0 2 1\n' >"$folder/weighted"
printf "0 1 {}\n1 2 {}\n2 3 {}\n3 0 {}\n0 2 {}\n" >"$folder/networkx"
printf '4 5\n2 3 4\n1 3\n1 2 4\n1 3\n' >"$folder/metis"
printf '4 5 001\n2 5 3 1 4 2\n1 5 3 9\n1 1 2 9 4 7\n1 2 3 7\n' >"$folder/metis-weighted"
printf '%%%%MatrixMarket matrix coordinate pattern symmetric\n4 4 5\n2 1\n3 2\n4 3\n4 1\n3 1\n' >"$folder/market"
printf '%%%%MatrixMarket matrix coordinate real symmetric\n4 4 5\n2 1 1\n3 2 1\n4 3 1\n4 1 1\n3 1 1\n' >"$folder/market-weighted"
"$EVENKEEL" list --topology "file:$folder/list" --links --format csv >"$folder/wanted"
expect "its links" 6 "$(wc -l <"$folder/wanted")"
for form in list weighted networkx metis metis-weighted market market-weighted; do
    expect "$form" "$(cat "$folder/wanted")" "$("$EVENKEEL" list --topology "file:$folder/$form" --links --format csv 2>&1)"
    noted=$(case $form in *weighted) echo 1 ;; *) echo 0 ;; esac)
    expect "$form: the table" 0 "$(status run --topology "file:$folder/$form" --carrier pool:1)"
    expect "$form: its weights" "$noted" "$(notes)"
    expect "$form: through a pipe" "0 $noted" \
        "$(cat "$folder/$form" | status run --topology file:/dev/stdin --carrier pool:1) $(notes)"
    expect "$form: JSON" 0 "$(status run --topology "file:$folder/$form" --carrier pool:1 --format json)"
    expect "$form: note" "$([ "$noted" = 1 ] && echo '"its weights are ignored"' || echo null)" \
        "$(grep -o '"note": [^}]*}, "method"' "$folder/out" | sed 's/"note": \(.*\)}, "method"/\1/')"
    cp "$folder/out" "$folder/record"
    expect "$form: shown again" 0 "$(status show "$folder/record")"
    expect "$form: with the note" "$noted" "$(notes)"
done
expect "within an otis" 1 "$(status run --topology "otis(file:$folder/weighted)" --carrier pool:1 >/dev/null; notes)"
expect "theory says it" 1 "$(status theory --topology "file:$folder/weighted" >/dev/null; notes)"

# A record of before there were notes is read.
sed 's/\("sides": \[[^]]*\]\), "drawn": [a-z]*, "note": [^}]*}/\1}/' "$folder/record" >"$folder/older"
expect "it has none" 0 "$(grep -c '"note": "its' "$folder/older")"
expect "an older record" 0 "$(status show "$folder/older")"
expect "without one" 0 "$(grep -c 'ignored' "$folder/out")"

# From 1: what to do is said, and helps.
printf '1 2\n2 3\n3 4\n4 1\n1 3\n' >"$folder/from1"
expect "from 1" 2 "$(status run --topology "file:$folder/from1")"
awk '{ print $1 - 1, $2 - 1 }' "$folder/from1" >"$folder/from0"
expect "the way that it says" "$(cat "$folder/wanted")" "$("$EVENKEEL" list --topology "file:$folder/from0" --links --format csv)"
expect "it says it" 1 "$(grep -cF "awk '{ print \$1 - 1, \$2 - 1 }'" "$folder/err")"

# If each run draws a graph of its own, the parameter that follows from the graph has no single value.
parameter() {
    "$EVENKEEL" run --topology random:16:3 --carrier pool --format json "$@" | sed -n 's/.*"method": {[^}]*"parameter": \([^,]*\),.*/\1/p' | cut -c 1-6
}
expect "the parameter of one drawn graph" 0.2992 "$(parameter --method odf)"
expect "of several" null "$(parameter --method odf --runs 3)"
expect "one that is given" 0.6999 "$(parameter --method gde:0.7 --runs 3)"

result
