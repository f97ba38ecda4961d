#!/bin/sh
# SPDX-License-Identifier: MIT
# `evenkeel run --live`: in a pipe it is refused; in terminals, what it shows and what it leaves (tests/command/check_live.py).
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh

expect "in a pipe" 2 "$(status run --live --carrier pool:1)"
expect "it says why" "evenkeel: --live needs a terminal, and standard output is none: leave out --live" "$(cat "$folder/err")"
expect "nothing is run" "" "$(cat "$folder/out")"
python3 -B tests/command/check_live.py "$EVENKEEL" "$folder" >"$folder/seen" 2>&1
sed '$d' "$folder/seen"
counts=$(tail -n 1 "$folder/seen" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p')
expect "in terminals" yes "$([ -n "$counts" ] && echo yes || tail -n 1 "$folder/seen")"
passed=$((passed + ${counts% *}))
failed=$((failed + ${counts#* }))
result
