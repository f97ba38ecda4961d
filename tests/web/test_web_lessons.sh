#!/bin/sh
# SPDX-License-Identifier: MIT
# The lessons in JavaScript: the same bits as by the command, and what their texts propose to change runs there, too.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh

for tool in emcc node; do
    if ! command -v $tool >/dev/null; then
        echo "skipped: $tool is not installed, so the lessons are not tried in JavaScript (packages: emscripten)"
        exit 0
    fi
done
# $MAKE may have options.
# shellcheck disable=SC2086
${MAKE:-make} --no-print-directory web >"$folder/made" 2>&1
expect "make web" 0 $?

python3 -B tests/command/lessons.py --experiments docs/lessons/*.md >"$folder/lessons"
expect "the lessons" "$(wc -l <"$folder/lessons") experiments have the same bits, 0 differ" \
    "$(node tests/web/same_bits.js build/web/engine.js "$EVENKEEL" "$folder/lessons" 2>/dev/null)"
# Eigenvalues can differ in their last bits, so the changes only have to run.
python3 -B tests/command/lessons.py --changes docs/lessons/*.md >"$folder/changes"
expect "their changes" "$(wc -l <"$folder/changes") run" "$(node tests/web/runs.js build/web/engine.js "$folder/changes")"
echo "topology=random:8:3 method=odf" >"$folder/refused"
expect "what is refused there is noticed" "topology=random:8:3 method=odf: the eigenvalues of 8 processors were not found: use a method with a parameter, as in diffusion:0.1
0 run" "$(node tests/web/runs.js build/web/engine.js "$folder/refused")"
result
