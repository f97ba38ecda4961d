#!/bin/sh
# SPDX-License-Identifier: MIT
# `make web`: the same experiments have the same bits in JavaScript as by the command; what is not possible there is refused.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh

for tool in emcc node; do
    if ! command -v $tool >/dev/null; then
        echo "skipped: $tool is not installed, so the library in JavaScript is not tested (packages: emscripten)"
        exit 0
    fi
done
# $MAKE may have options.
# shellcheck disable=SC2086
${MAKE:-make} --no-print-directory web >"$folder/made" 2>&1
expect "make web" 0 $?

expect "same bits" "52 experiments have the same bits, 0 differ" \
    "$(node tests/web/same_bits.js build/web/engine.js "$EVENKEEL" tests/web/experiments.txt 2>/dev/null)"

# The comparison must notice another seed, and a last bit.
expect "what differs" "seed noticed, bit noticed, refusals as expected, example 24 5 64, given" \
    "$(node tests/web/other_bits.js build/web/engine.js "$EVENKEEL" 2>&1)"
result
