#!/bin/sh
# SPDX-License-Identifier: MIT
# `make web`: the same experiments have the same bits in JavaScript as by the command, in node and in the page; what is
# not possible there is refused; the page's buttons do what they say.
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
expect "what differs" "seed noticed, bit noticed, refusals as expected, example 24 5 64, letters uncounted, 201 frames, given" \
    "$(node tests/web/other_bits.js build/web/engine.js "$EVENKEEL" 2>&1)"

# A lesson must have its two lines.
printf -- '---\ntitle: Rings\n---\nText\n' >"$folder/lesson.md"
expect "a lesson without an experiment" "a lesson begins with --- and the lines title: and experiment:, then --- and the text" \
    "$(node bindings/web/assemble.js bindings/web/page/index.html 1 "$folder/lesson.md" 2>&1 | sed -n 's|^Error: .*lesson.md: ||p')"
expect "the page is one file" 0 "$(grep -cE '(src|href)="?(http|//|[a-z]+\.(js|css))' build/web/index.html)"

if command -v chromium >/dev/null && command -v chromedriver >/dev/null; then
    for check in check_machine check_form; do
        python3 -B tests/web/$check.py build/web/index.html "$EVENKEEL" tests/web/experiments.txt >"$folder/seen" 2>&1
        sed '$d' "$folder/seen"
        counts=$(tail -n 1 "$folder/seen" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p')
        expect "$check in a browser" yes "$([ -n "$counts" ] && echo yes || tail -n 1 "$folder/seen")"
        passed=$((passed + ${counts% *}))
        failed=$((failed + ${counts#* }))
    done
else
    echo "skipped: the machine in a browser, for want of chromium and chromium-driver"
fi
result
