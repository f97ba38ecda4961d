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

result
