#!/bin/sh
# SPDX-License-Identifier: MIT
# `evenkeel results` of runs that a limit cut short, of failed runs, and of repetitions. check_censored.py computes the
# estimates and tests again.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/support/expect.sh
lines=$(EVENKEEL=$EVENKEEL python3 -B tests/command/studies/check_censored.py "$folder" 2>&1)
printf '%s\n' "$lines" | grep -v ' passed, '
last=$(printf '%s\n' "$lines" | tail -n 1)
case $last in
*' passed, '*' failed')
    passed=$((passed + ${last%% *}))
    last=${last#*, }
    failed=$((failed + ${last%% *}))
    ;;
*) failed=$((failed + 1)) ;; # it fell
esac
result
