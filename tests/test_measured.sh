#!/bin/sh
# SPDX-License-Identifier: MIT
# What is measured is different each time, but it must agree with itself: a median with its least and most, a bin with
# what fell into it. And the scripts that gnuplot is given, caught by one that only writes down what it is told.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/expect.sh

mkdir "$folder/bin"
printf '#!/bin/sh\nexec cat\n' >"$folder/bin/gnuplot"
chmod +x "$folder/bin/gnuplot"
PATH=$folder/bin:$PATH

# Of two runs the median is the mean, of three it is the one that is neither least nor most (0 where a starved machine
# sent nothing).
medians() { # medians RUNS CONDITION: the condition on the columns PLACE MEDIAN LEAST MOST of all that was plotted
    expect "contention of $1 runs" 0 "$(status contention --topology chain:4 --for 10ms --runs "$1" --plot "$folder/c.svg")"
    awk -v OFS=' ' 'function abs(x) { return x < 0 ? -x : x }
        /^END/ { in_it = 0 } in_it && !('"$2"') { print } /^# x y low high/ { in_it = 1 }' "$folder/c.svg" >"$folder/wrong"
    expect "what is plotted of $1 runs" "" "$(cat "$folder/wrong")"
    expect "all on one scale" 1 "$(grep -c '^# x y low high' "$folder/c.svg")"
}
medians 2 'abs($2 - 0.5 * ($3 + $4)) <= 1e-12 * $4 && $3 <= $4'
medians 3 '$3 == 0 || ($3 < $2 && $2 < $4 && $2 != 0.5 * ($3 + $4))'

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

result
