#!/bin/sh
# SPDX-License-Identifier: MIT
# What is measured is different each time, but it must agree with itself: a median with its least and most, a bin with
# what fell into it. And the scripts that gnuplot is given, caught by one that only writes down what it is told.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh
. tests/support/plugin.sh

mkdir "$folder/bin"
printf '#!/bin/sh\nexec cat\n' >"$folder/bin/gnuplot"
chmod +x "$folder/bin/gnuplot"
PATH=$folder/bin:$PATH

# Contention's numbers follow from its samples, in JSON and in CSV, also beside a baseline.
contention="contention --topology ring:4,chain:3 --carrier pool:1,threads --mailbox spsc:2 --for 3ms --runs 5"
# shellcheck disable=SC2086
{
    expect "contention as JSON" 0 "$(status $contention --format json)"
    cp "$folder/out" "$folder/base.json"
    expect "its numbers" "" "$(python3 tests/command/check_contention.py "$folder/base.json" ring:4 chain:3 threads 2>&1)"
    expect "against a baseline" 0 "$(status $contention --seed 1 --format json --baseline "$folder/base.json")"
    cp "$folder/out" "$folder/now.json"
    expect "its numbers too" "" "$(python3 tests/command/check_contention.py "$folder/now.json" --baseline "$folder/base.json" 2>&1)"
    expect "as CSV" 0 "$(status $contention --format csv)"
    expect "a line for each run, and as many columns" "16 1 12" \
        "$(awk -F , '{ print NF }' "$folder/out" | sort | uniq -c | awk -v lines="$(wc -l <"$folder/out")" '{ print lines, NR, $2 }')"
}

# Four runs have no interval, and so no difference to see.
few="contention --topology ring:4 --carrier pool:1 --mailbox spsc:1,spsc:64 --vary mailbox --for 3ms --runs 4"
# shellcheck disable=SC2086
{
    expect "four runs as JSON" 0 "$(status $few --format json)"
    expect "their numbers" "" "$(python3 tests/command/check_contention.py "$folder/out" 2>&1)"
    expect "four runs as a table" 0 "$(status $few)"
    expect "without intervals" "0 1" "$(grep -cE 'no difference|interval.*:|\(.* to .*\)' "$folder/out") $(grep -c 'it needs 5 --runs' "$folder/out")"
}

# With one worker and mailboxes of one place, two messages in five find no place; with 64 places, none.
expect "stalls" 0 "$(status contention --topology torus:8x8 --carrier pool:1 --mailbox spsc:1,spsc:64 --vary mailbox --runs 2 \
    --for 50ms --format csv)"
expect "for each message" "2 2" "$(awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "stalls_per_message") at = i; next }
    $2 == "" { some += $at > 0.3 && $at < 0.5 } $2 == "spsc:64" { none += $at == 0 } END { print some, none }' "$folder/out")"

# A run that Ctrl-C ends is no sample.
"$EVENKEEL" contention --topology ring:4 --carrier pool:1 --for 60s --runs 2 --vary mailbox --format json >"$folder/out" 2>"$folder/err" &
measuring=$!
soon started $measuring
kill -TERM $measuring
wait $measuring
expect "interrupted in its first run" "3 0" "$? $(python3 -c 'import json, sys
print(sum(point["runs"] for point in json.load(open(sys.argv[1]))["points"]))' "$folder/out")"

# Each run has a seed of its own: a method prints the first load that it sees in each run.
plugin seen 'print_if_fresh(view->load), share' PREPARE='fresh = true;' FUNCTIONS='
static _Atomic bool fresh;

static void print_if_fresh(double load)
{
    if (atomic_exchange(&fresh, false)) {
        fprintf(stderr, "seen %.17g\n", load);
    }
}'
expect "contention with a plugin" 0 "$(status contention --plugin "$folder/seen.so" --method seen --topology ring:4 --carrier pool:1 \
    --mailbox spsc:4 --vary mailbox --for 20ms --runs 3 --format json)"
expect "three runs begin with three loads" 3 "$(grep '^seen ' "$folder/err" | sort -u | wc -l)"

# One run falls into one bin of each table: the first whose head is not below it. A time that is printed as the head
# before, rounded, may have been above it.
binned() {
    awk 'function seconds(value, unit) { return value * (unit == "us" ? 1e-6 : unit == "ms" ? 1e-3 : 1) } # or a count
        /^  [a-z]/ { name = $0; sub(/.*: /, ""); gsub(",", ""); timed = $2 ~ /^[um]?s$/
            most = $1 == "none" ? 0 : seconds($1, $2); next }
        / more$/ {
            heads = 0
            for (i = 1; i < NF; i++) {
                head[++heads] = seconds($i, $(i + 1))
                i += $(i + 1) ~ /s$/
            }
            getline
            for (i = 1; i <= NF; i++) {
                above = i == 1 || most > head[i - 1] || (timed && most == head[i - 1])
                fits = most > 0 && above && (i > heads || most <= head[i])
                if ($i != "." && ($i != 1 || !fits)) print name ": bin " i
                runs += $i == 1
            }
            if (runs != (most > 0)) print name ": " runs " runs in its bins"
            runs = 0
            tables++
        }
        END { if (tables != 4) print tables " tables" }' "$folder/out"
}
for seed in 1 2 3 4 5 6; do
    expect "torture of seed $seed" 0 "$(status torture --runs 1 --seed "$seed")"
    expect "its bins" "" "$(binned)"
done

# The script of --plot: the mean of both runs with its band, the theory's line beside it, in a frame that holds them.
expect "--plot" 0 "$(status run --carrier pool:1 --topology torus:5x4 --runs 2 --plot "$folder/p.svg" --quiet)"
expect "gnuplot's script" "" "$(diff tests/data/cli/plot.txt "$folder/p.svg" 2>&1)"
expect "linear where nothing varies" "set yrange [-0.10000000000000001:1] set xrange [-1:1]" \
    "$(status run --carrier pool:1 --load constant:1 --plot "$folder/p.svg" --quiet >/dev/null
        grep range "$folder/p.svg" | tr '\n' ' ' | sed 's/ $//')"

# What threads cost beside a pool is said where it was measured: of a run that took half a second, and a pool a tenth of it.
# All on one core: on others the threads would only wait.
taskset -cp "$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')" $$ >/dev/null
steps=250
elapsed() {
    sed -n 's/^  *stop .*, \([0-9.]*\) \(s\|ms\|us\)$/\1 \2/p' "$folder/out" |
        awk '{ print $1 * ($2 == "s" ? 1 : $2 == "ms" ? 1e-3 : 1e-6) }'
}
while status run --topology ring:32 --stop never --steps $steps >/dev/null && [ "$(elapsed | awk '{ print ($1 < 0.6) }')" = 1 ]; do
    steps=$((2 * steps))
done
noted() {
    note=$(grep '^evenkeel: note: 32 threads took [0-9.]* [ms]*; --carrier pool takes [0-9.]* [mu]s for the same result, bit by bit$' "$folder/err")
    echo "$note" | awk 'function s(t, u) { return t * (u ~ /^s/ ? 1 : u ~ /^m/ ? 1e-3 : 1e-6) }
        NF == 19 && s($11, $12) < s($6, $7) / 10 { print "yes" }' | grep -q yes
}
tries=0 # a pool that got no core for a moment is not that much quicker
while ! noted && [ "$tries" -lt 20 ]; do
    tries=$((tries + 1))
    status run --topology ring:32 --stop never --steps $steps >/dev/null
done
expect "threads and a pool" yes "$(noted && echo yes)"
expect "the time that is in the table" "$(elapsed)" "$(echo "$note" | sed -n 's/.* took \([0-9.]* [a-z]*\);.*/\1/p' |
    awk '{ print $1 * ($2 == "s" ? 1 : 1e-3) }')"
for words in "--carrier threads" "--carrier pool" --quiet; do
    # Words on purpose.
    # shellcheck disable=SC2086
    expect "no note with $words" "0 0" "$(status run --topology ring:32 --stop never --steps $steps $words) $(wc -c <"$folder/err")"
done

result
