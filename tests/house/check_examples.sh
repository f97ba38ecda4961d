#!/bin/sh
# SPDX-License-Identifier: MIT
# The examples do what they say: what overlaps do to domains, beside their theory, and the variance under thresholds. The
# main job has a test of its own (check_main_job.sh).
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh

overlaps=$(examples/overlaps.sh 20 2>&1)
expect "the overlaps' status" 0 $?
expect "alone and adjacent beside their theory, of four methods" 8 \
    "$(echo "$overlaps" | grep -cE '^  (alone|adjacent) +20 .* \+- [0-9.]+ +(<= )?0\.[0-9]+$')"
expect "the variance in the end, of four methods on two networks" 8 "$(echo "$overlaps" | grep -c '^  variance in the end')"

# The variance under thresholds, from a recording and in rounds: of one method on the ring, in ticks of a millisecond.
# Its picture goes into a folder that is not there yet, from where the script is called.
examples=$PWD/examples
figures=$(cd "$folder" && NETWORKS=ring:64 METHODS=ade TICK_MS=1 CARRIER=pool:2 "$examples/figures78.sh" 1 new/pictures 2>&1)
expect "the figures' status" 0 $?
command -v gnuplot >/dev/null && expect "the figure" 1 "$(grep -c '^</svg>' "$folder/new/pictures/ring.svg")"
expect "the figures' rows" 10 "$(echo "$figures" | grep -cE '^(mean of )?[0-9]+( to 199)? +[0-9]+ +[0-9]+$')"
expect "processors that race come to what rounds come to" yes \
    "$(echo "$figures" | awk '/^mean of/ && $6 > 0.4 * $7 && $6 < 2.5 * $7 { print "yes" }')"

result
