#!/bin/sh
# SPDX-License-Identifier: MIT
# What is printed of records with rare values: tests/command/shown.py prints it, tests/data/shown.txt has it
# (`tests/command/test_shown.sh update` writes it anew).
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh

unset NO_COLOR COLUMNS
expect "the records" 0 "$(python3 -B tests/command/shown.py "$EVENKEEL" "$folder" >"$folder/shown" 2>"$folder/err"; echo $?)"
if [ "${1:-}" = update ] && [ "$failed" -eq 0 ]; then
    cp "$folder/shown" tests/data/shown.txt
fi
expect "what is printed of them" "" "$(diff tests/data/shown.txt "$folder/shown" | head -n 40)"
expect "most of them are shown" yes "$([ "$(grep -c 'status 0$' "$folder/shown")" -gt 90 ] && echo yes)"
result
