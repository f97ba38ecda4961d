#!/bin/sh
# SPDX-License-Identifier: MIT
# The main job, `make run`, does what it says: the recorded load is what the program measures, whatever the number of
# threads, and it prints its table and its heat map.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh

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
expect "the imbalance before and after" \
    "Before, the busiest processor had 4.04 times the mean load; after 60 steps of ode it has 1.0002 times." \
    "$(echo "$job" | tail -n 2 | head -n 1)"
next=$(echo "$job" | sed -n '$s/^Next: \(.*\)$/\1/p')
expect "the next command works" 1 "$(sh -c "$next" 2>&1 | grep -c '^ .* is first by steps with this seed')"

result
