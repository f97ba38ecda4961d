#!/bin/sh
# SPDX-License-Identifier: MIT
# What `results` answers about stores with rare values: tests/command/studies/answers.py asks, tests/data/answers.txt has the
# answers (`tests/command/studies/test_answers.sh update` writes them anew).
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/support/expect.sh

unset NO_COLOR COLUMNS
expect "the questions" 0 "$(python3 -B tests/command/studies/answers.py "$EVENKEEL" "$folder" >"$folder/answers" 2>"$folder/err"; echo $?)"
if [ "${1:-}" = update ] && [ "$failed" -eq 0 ]; then
    cp "$folder/answers" tests/data/answers.txt
fi
expect "the answers" "" "$(diff tests/data/answers.txt "$folder/answers" | head -n 40)"
expect "most of them are answers" yes "$([ "$(grep -c 'status 0$' "$folder/answers")" -gt 50 ] && echo yes)"
result
