#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: examples/overlaps.sh [RUNS]
# Overlapping domains on processors that run free, after Xu, Monien, Lüling & Lau 1995. First Theorem 4.1: what is left
# of the variance by one operation alone and by two whose domains overlap (Fig. 3), over RUNS fresh loads, beside
# Eqs. (9), (12), (15) to (17), (20) and (21). Then the experiments of Figs. 7 and 8: thresholds 200 and 800, 200 ticks of
# work of mean 100 and variance 30, run once for each 80 of RUNS, and twice at least; what operations did to their
# domains, by how these overlapped, and how far the loads are apart in the end.
set -eu
cd "$(dirname "$0")/.."
: "${EVENKEEL:=build/evenkeel}"
runs=${1:-400}
few=$((runs < 160 ? 2 : runs / 80)) # of those that last

# The rows of domains of a run's table.
domains() {
    awk '/^  variance of domains/ { on = 1; next } on && /^$/ { exit } on'
}

echo "Theorem 4.1 on torus:8x8, free timing, a link for one of two operations that overlap:"
for method in adf odf ade ode; do
    echo
    echo "  $method"
    for at in 27 27,28 27,29 27,36; do # alone, adjacent, one shared, two shared
        count=$(echo "$at" | tr ',' '\n' | wc -l)
        # With a delay all operations of a run begin before any of them has moved load.
        "$EVENKEEL" run --timing free --topology torus:8x8 --method "$method" --domains once --delay fixed:20us \
            --load normal:1000:100 --invoke "at:$at" --operations "$count" --stop never --carrier pool:1 \
            --runs "$runs" | domains
    done | awk 'NR == 1 || /alone|adjacent|shared/'
done

for topology in ring:64 mesh:16x16; do
    echo
    echo "$topology, thresholds 200 and 800, 200 ticks of 1 ms:"
    for method in adf odf ade ode; do
        echo
        echo "  $method"
        "$EVENKEEL" run --timing free --topology "$topology" --method "$method" --domains once \
            --invoke outside:200:800 --work normal:100:30:100 --tick 1ms --for 200ms --stop never --carrier pool \
            --runs "$few" >"${TMPDIR:-/tmp}/overlaps.$$"
        domains <"${TMPDIR:-/tmp}/overlaps.$$"
        awk '/^ +mean +[0-9]/ { print "  variance in the end, mean of '"$few"' runs:", $4 }' "${TMPDIR:-/tmp}/overlaps.$$"
        rm -f "${TMPDIR:-/tmp}/overlaps.$$"
    done
done
