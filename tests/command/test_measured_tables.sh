#!/bin/sh
# SPDX-License-Identifier: MIT
# The tables of docs/objects.md whose rows are runs have the numbers of these runs. A changed number is noticed.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh

: "${EVENKEEL:=build/evenkeel}"
PYTHONDONTWRITEBYTECODE=1
export EVENKEEL PYTHONDONTWRITEBYTECODE
if [ "${1:-}" = update ]; then
    exec python3 tests/command/measured_tables.py docs/objects.md update
fi
expect "docs/objects.md" 0 "$(python3 tests/command/measured_tables.py docs/objects.md >"$folder/out"; echo $?)"
grep FAIL "$folder/out"
sed 's/110592/110593/' docs/objects.md >"$folder/wrong.md"
expect "a wrong number" 1 "$(python3 tests/command/measured_tables.py "$folder/wrong.md" >"$folder/out"; echo $?)"
expect "is shown with the row" 1 "$(grep -c 'FAIL.*110592' "$folder/out")"
printf 'A page without tables.\n' >"$folder/none.md"
expect "a page without tables" 1 "$(python3 tests/command/measured_tables.py "$folder/none.md" >"$folder/out"; echo $?)"
result
