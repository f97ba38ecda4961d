#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: examples/figures78.sh [RUNS [FOLDER]]
# Figs. 7 and 8 of Xu, Monien, Lüling & Lau 1995 on processors that really race: the variance under thresholds 200 and 800
# and work of mean 100 and variance 30, 200 ticks of it, on a ring of 64 and a mesh of 16x16 threads, beside rounds. Each
# free run is recorded, and its variance is taken from the recording after every turn; the mean over the turns of a tick,
# and over RUNS runs (2 if not said), is the point of the curve. Rounds are the mean of 20 runs. With FOLDER gnuplot
# draws ring.svg and mesh.svg there, and makes it if it is not there. TICK_MS is how long a tick lasts (5), CARRIER what
# carries the processors (threads), NETWORKS and METHODS which of them.
set -eu
folder=${2:-}
if [ -n "$folder" ]; then # before the runs, and where the caller is
    mkdir -p "$folder"
    folder=$(cd "$folder" && pwd)
fi
cd "$(dirname "$0")/.."
: "${EVENKEEL:=build/evenkeel}" "${TICK_MS:=5}" "${CARRIER:=threads}"
: "${NETWORKS:=ring:64 mesh:16x16}" "${METHODS:=ade ode adf odf}"
runs=${1:-2}
ticks=200
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# usual NETWORK METHOD: the options of both timings.
usual() {
    echo "--topology $1 --method $2 --invoke outside:200:800 --work normal:100:30:100 --stop never"
}

# Lines of a tick and a variance, by the free runs: each as it was after every turn, as a mean of its ticks.
free() { # free NETWORK METHOD
    for seed in $(seq "$runs"); do
        # Words on purpose.
        # shellcheck disable=SC2046
        "$EVENKEEL" run $(usual "$1" "$2") --timing free --domains once --carrier "$CARRIER" --seed "$seed" \
            --tick "${TICK_MS}ms" --for "$((TICK_MS * ticks))ms" --record "$work/run.ek" --quiet
        "$EVENKEEL" replay "$work/run.ek" --every 1 --format csv |
            awk -F, -v tick_ms="$TICK_MS" -v ticks="$ticks" '
                NR > 1 { k = int(1000 * $2 / tick_ms); sum[k] += $3; count[k]++; last[k] = $3 }
                END {
                    for (k = 0; k < ticks; k++) { # in a tick without a turn all loads stand still
                        print k, (count[k] > 0 ? sum[k] / count[k] : variance)
                        variance = count[k] > 0 ? last[k] : variance
                    }
                }'
    done
}

# The same by rounds, in which a tick is an operation.
rounds() { # rounds NETWORK METHOD
    # shellcheck disable=SC2046
    "$EVENKEEL" run $(usual "$1" "$2") --carrier pool:1 --operations "$ticks" --runs 20 --quiet --out "$work/out"
    awk -F, 'NR > 1 { row = $1 == seed ? row + 1 : 0; seed = $1; print row, $3 }' "$work/out/trace.csv"
    rm -r "$work/out"
}

mean() {
    awk '{ sum[$1] += $2; count[$1]++ } END { for (k in sum) print k, sum[k] / count[k] }' | sort -n
}

draw() { # draw NETWORK NAME
    {
        echo "set terminal svg size 720,480 background 'white'; set output '$folder/$2.svg'; set logscale y"
        echo "set title '$1'; set xlabel 'tick'; set ylabel 'variance'"
        printf 'plot '
        for method in $METHODS; do
            printf "'%s' title '%s, threads' with lines, '%s' title '%s, rounds' with lines dashtype 2, " \
                "$work/$method.free" "$method" "$work/$method.rounds" "$method"
        done
        echo
    } | gnuplot
}

for network in $NETWORKS; do
    for method in $METHODS; do
        free "$network" "$method" | mean >"$work/$method.free"
        rounds "$network" "$method" | mean >"$work/$method.rounds"
    done
    echo
    echo "$network, variance in thousands, on $CARRIER and in rounds:"
    for way in free rounds; do
        for method in $METHODS; do
            awk -v column="$way $method" -v ticks="$ticks" '
                { at[$1] = $2 / 1000 }
                $1 >= 50 && $1 < ticks { sum += $2 / 1000; count++ }
                END {
                    print column
                    split("1 2 5 10 20 50 100 150 199", wanted, " ")
                    for (i = 1; i <= 9; i++) print (wanted[i] in at) ? int(at[wanted[i]] + 0.5) : "-"
                    print int(sum / count + 0.5)
                }' "$work/$method.$way" >"$work/$way.$method.column"
        done
    done
    printf '%s\n' tick 1 2 5 10 20 50 100 150 199 'mean of 50 to 199' >"$work/names"
    # shellcheck disable=SC2046
    paste -d '|' "$work/names" $(for way in free rounds; do
        for method in $METHODS; do echo "$work/$way.$method.column"; done
    done) | awk -F '|' '{ printf "%-18s", $1; for (i = 2; i <= NF; i++) printf " %10s", $i; print "" }'
    [ -z "$folder" ] || draw "$network" "${network%%:*}"
done
