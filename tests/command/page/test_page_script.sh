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
for page in single runs many free virtual profile contention; do
    node tests/command/page/walk.js tests/data/page/$page.json >"$folder/$page.txt" 2>"$folder/err"
    expect "errors of the page $page" "0 " "$? $(cat "$folder/err")"
    if [ "${1:-}" = update ] && [ "$failed" -eq 0 ]; then
        cp "$folder/$page.txt" tests/data/page/$page.txt
    fi
    expect "the page $page" "" "$(diff tests/data/page/$page.txt "$folder/$page.txt" | head -n 20)"
done
result
