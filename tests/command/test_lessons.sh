#!/bin/sh
# SPDX-License-Identifier: MIT
# The lessons: what their texts state about their experiments, measured (lessons.py), and wrong lessons that it must notice.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh

lessons() { # lessons FILE...: what is wrong with them
    python3 -B tests/command/lessons.py "$EVENKEEL" "$@" 2>&1
}
counted=$(cat docs/lessons/*.md | grep -c '^check: ')
expect "the lessons" "$counted checks, 0 faults" "$(lessons docs/lessons/*.md)"
expect "ten lessons" "$(seq -w 10)" "$(find docs/lessons -name '*.md' | sed 's|.*/\([0-9]*\)-.*|\1|' | sort)"

wrong() { # wrong SCRIPT FAULT: a lesson that sed has changed must have this fault
    sed "$1" docs/lessons/02-two-colours.md >"$folder/wrong.md"
    expect "a wrong lesson: $1" "wrong.md: $2" "$(lessons "$folder/wrong.md" | head -n 1)"
}
wrong 's/^check: steps = 50/check: steps = 51/' '`steps = 51`: measured 50'
wrong 's/0\.8368$/0.8369/' '`method.parameter = 0.8369`: measured 0.836756838857996'
wrong 's/ade: steps = 346/ade: steps < 346/' '`--method ade: steps < 346`: measured 346'
wrong 's/ade: steps = 346/ade: stepps = 346/' "\`--method ade: stepps = 346\`: name 'stepps' is not defined"
wrong 's/takes 346 steps/takes 345 steps/' 'the text has the number 345, and no check states it'
wrong 's/`evenkeel theory/`evenkeel theorem/' 'the command `evenkeel theorem --topology ring:32 --load peak:3200` fails'
wrong 's/^Change the method to `ade`/Change the method to `ade` or `--units tokens`/' 'the text proposes `--units tokens`, and no check runs it'
wrong '/^Watch/,/^$/d' 'the text has 67 words, not 80 to 150'
wrong 's/peak:3200$/peak:x/' "\`topology.colours = 2\`: \`run --topology ring:32 --method ode --load peak:x\` has the exit status 2: evenkeel: a load must be a decimal number, as in 0.5"
front="$folder/wrong.md: a lesson begins with ---, lines of title, experiment and check, and ---"
sed 's/^title: /headline: /' docs/lessons/02-two-colours.md >"$folder/wrong.md"
expect "a wrong front" "$front; it has the line \`headline\`" "$(lessons "$folder/wrong.md")"
sed '/^experiment: /d' docs/lessons/02-two-colours.md >"$folder/wrong.md"
expect "no experiment" "$front" "$(lessons "$folder/wrong.md")"
sed 1d docs/lessons/02-two-colours.md >"$folder/wrong.md"
expect "no front" "$front" "$(lessons "$folder/wrong.md")"
result
