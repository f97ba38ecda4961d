#!/bin/sh
# SPDX-License-Identifier: MIT
# The examples do what they say: the recorded load is what the program measures, whatever the number of threads, and the
# main job prints its table and its heat map.
set -u
cd "$(dirname "$0")/.." || exit 1

passed=0
failed=0
expect() { # expect WHAT WANTED FOUND
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf '%s:\n%s\n' "$1" "$3"
    fi
}

loads() { # loads [THREADS]
    build/examples/mandelbrot "$@" 2>/dev/null
}
expect "the recorded load" "$(cat examples/mandelbrot.load)" "$(loads)"
expect "the same from 3 threads" "$(cat examples/mandelbrot.load)" "$(loads 3)"
loads 0
expect "0 threads are refused" 2 $?

job=$(examples/main_job.sh 2>&1)
expect "the main job's status" 0 $?
expect "methods and port models compared" 8 \
    "$(echo "$job" | grep -cE '^  (ade|ode|adf|odf) +(all|one) ( +[0-9.]+){7} ms$')"
expect "the heat map" shown "$(echo "$job" | grep -q '@@@@' && echo shown)"

overlaps=$(examples/overlaps.sh 20 2>&1)
expect "the overlaps' status" 0 $?
expect "alone and adjacent beside their theory, of four methods" 8 \
    "$(echo "$overlaps" | grep -cE '^  (alone|adjacent) +20 .* \+- [0-9.]+ +(<= )?0\.[0-9]+$')"
expect "the variance in the end, of four methods on two networks" 8 "$(echo "$overlaps" | grep -c '^  variance in the end')"

# The variance under thresholds, from a recording and in rounds: of one method on the ring, in ticks of a millisecond.
figures=$(NETWORKS=ring:64 METHODS=ade TICK_MS=1 CARRIER=pool:2 examples/figures78.sh 1 2>&1)
expect "the figures' status" 0 $?
expect "the figures' rows" 10 "$(echo "$figures" | grep -cE '^(mean of )?[0-9]+( to 199)? +[0-9]+ +[0-9]+$')"
expect "processors that race come to what rounds come to" yes \
    "$(echo "$figures" | awk '/^mean of/ && $6 > 0.4 * $7 && $6 < 2.5 * $7 { print "yes" }')"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
