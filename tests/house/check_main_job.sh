#!/bin/sh
# SPDX-License-Identifier: MIT
# The main job, `make run`, does what it says: its table is that of the README, the numbers agree with each other, the
# picture is there and the next command works.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh

unset COLUMNS
"$EVENKEEL" doctor | grep -q '^libpng *built in' && set -- --out "$folder/out"
job=$(examples/main_job.sh "$@" 2>&1)
expect "the main job's status" 0 $?
rows=$(echo "$job" | grep -E '^  (none|ade|liquid:c4|steal:random) +[0-9]+( +[0-9.]+){6}$')
expect "methods compared" "none ade liquid:c4 steal:random" "$(echo "$rows" | awk '{ print $1 }' | xargs)"
# speedup = efficiency * 64; a processor that is idle for `mean` ticks works in the others.
expect "numbers that do not agree" "" "$(echo "$rows" | awk '{ busy = 64 * ($2 - $5) }
    $3 / $4 < 63.8 || $3 / $4 > 64.2 || $5 > $6 || $3 * $2 > busy + 64 || ($1 == "none") != ($7 == 0)')"
expect "no balancing is the slowest" none "$(echo "$rows" | sort -n -k 2 | awk 'END { print $1 }')"
expect "the README's table and end" "$(awk '/^A Mandelbrot picture/,/^```/ { print } /^With liquid:c4 the machine/,/^```/ { print }' README.md |
    grep -v '^```')" "$(echo "$job" | awk '/^A Mandelbrot picture/,/^  steal:random/ { print } /^With liquid:c4 the machine/,/counted\.$/ { print }')"
expect "the map of the picture" 25 "$(echo "$job" | grep -cE '^  [.:=+*x#%@-]{76}$')"
expect "the gain" "$(echo "$rows" | awk '$1 == "none" { alone = $2 } $1 == "liquid:c4" { printf "in %d ticks instead of %d, %.2f times as fast",
    $2, alone, alone / $2 }')" "$(echo "$job" | grep -oE 'in [0-9]+ ticks instead of [0-9]+, [0-9.]+ times as fast')"
if [ $# -gt 0 ]; then
    expect "the picture as a file" PNG "$(head -c 4 "$folder/out/picture.png" | tail -c 3)"
fi
expect "next commands, the last line" "1 $(echo "$job" | tail -n 1)" "$(echo "$job" | grep -ci '^next: ') $(echo "$job" | grep -i '^next: ')"
examples/main_job.sh --in x 2>/dev/null
expect "another option is refused" 2 $?
result
