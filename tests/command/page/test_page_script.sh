#!/bin/sh
# SPDX-License-Identifier: MIT
# What the script of a page shows of fixed records, and what each of its controls changes, against tests/data/page/*.txt
# (`tests/command/page/test_page_script.sh update` writes them anew). Needs Node.js, which npm brings, and no browser.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/support/expect.sh

if ! command -v node >/dev/null; then
    echo "skipped: what the script of a page shows, since Node.js is not installed"
    result
    exit
fi
# The bands of the page: Student's t from tables (Abramowitz & Stegun, table 26.10), and an interval by hand: the values
# 8, 12 and 16 have the deviation 4.
expect "Student's t and an interval" right "$(node -e '
eval(require("fs").readFileSync("cli/page/parts/interval.js", "utf8") + `
const table = [[1, 12.706205], [2, 4.302653], [3, 3.182446], [4, 2.776445], [9, 2.262157], [30, 2.042272], [120, 1.97993]];
const wrong = table.filter(([n, t]) => Math.abs(quantile(n) - t) > 1e-5);
const { mean, low, high } = interval([8, 12, 16]);
const half = (4.302653 * 4) / Math.sqrt(3);
const near = (a, b) => Math.abs(a - b) < 1e-4;
const one = interval([5]);
const good = wrong.length === 0 && mean === 12 && near(low, 12 - half) && near(high, 12 + half) && one.mean === 5 &&
  one.low === null && interval([]).mean === null;
console.log(good ? "right" : JSON.stringify([wrong, mean, low, high, one]));
`)' 2>&1)"
for page in single runs many free virtual profile contention; do
    node tests/command/page/walk.js tests/data/page/$page.json >"$folder/$page.txt" 2>"$folder/err"
    expect "errors of the page $page" "0 " "$? $(cat "$folder/err")"
    if [ "${1:-}" = update ] && [ "$failed" -eq 0 ]; then
        cp "$folder/$page.txt" tests/data/page/$page.txt
    fi
    expect "the page $page" "" "$(diff tests/data/page/$page.txt "$folder/$page.txt" | head -n 20)"
done
result
