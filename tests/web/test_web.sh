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

# In a page that is opened from a file.
if command -v chromium >/dev/null; then
    cp build/web/engine.js build/web/machine.js "$folder"
    cat >"$folder/page.html" <<'END'
<!doctype html><title>-</title><p id="said">nothing</p><script src="engine.js"></script><script src="machine.js"></script>
<script>openMachine().then((engine) => {
  const { report } = makeMachine(engine).run([["topology", "torus:8x8"], ["method", "ode"], ["load", "peak:6400"]], null, 0);
  said.textContent = `${report.steps} steps, ${report.messages} messages`;
});</script>
END
    expect "in a browser" "24 steps, 2147 messages" "$(chromium --headless --no-sandbox --disable-gpu --virtual-time-budget=20000 --dump-dom \
        --user-data-dir="$folder/browser" "file://$folder/page.html" 2>/dev/null | sed -n 's|.*<p id="said">\([^<]*\)</p>.*|\1|p')"
else
    echo "skipped: chromium is not installed, so the library in JavaScript is not tried in a browser"
fi
result
