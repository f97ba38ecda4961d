#!/bin/sh
# SPDX-License-Identifier: MIT
# What many commands print, in every format: tests/command/printed.py runs them, tests/data/printed.txt has it
# (`tests/command/test_printed.sh update` writes it anew).
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh

unset NO_COLOR COLUMNS
expect "the commands" 0 "$(python3 -B tests/command/printed.py "$EVENKEEL" "$folder" >"$folder/printed" 2>"$folder/err"; echo $?)"
if [ "${1:-}" = update ] && [ "$failed" -eq 0 ]; then
    cp "$folder/printed" tests/data/printed.txt
fi
expect "what they print" "" "$(diff tests/data/printed.txt "$folder/printed" | head -n 40)"
expect "most of them run" yes "$([ "$(grep -c 'status 0$' "$folder/printed")" -gt 80 ] && echo yes)"
result
