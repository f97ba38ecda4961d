#!/bin/sh
# SPDX-License-Identifier: MIT
# Random experiments over all axes, recomputed by another program (tests/property/): that its checks can fail, then
# COUNT experiments of SEED, 400 or the everyday run's part of them, a quarter as many on other families of graphs, and
# half as many in virtual time, each with three numbers of workers. COUNT=5000 SEED=7 tests/property/test_property.sh draws others.
set -u
cd "$(dirname "$0")/../.." || exit 1
: "${EVENKEEL:=build/evenkeel}" "${TESTS_PART:=1}"
# The slower build with sanitizers, which asks for memory and not for numbers, draws the first of them only.
case $EVENKEEL in
*/asan/*) : "${COUNT:=$((40 / TESTS_PART))}" ;;
*) : "${COUNT:=$((400 / TESTS_PART))}" ;;
esac
# Byte code beside the sources would be in nobody's way but git's.
PYTHONDONTWRITEBYTECODE=1
export EVENKEEL COUNT PYTHONDONTWRITEBYTECODE

passed=0
failed=0
# check PROGRAM: runs it, and adds what it counts.
check() {
    lines=$(python3 "tests/property/$1.py" 2>&1)
    last=$(printf "%s\n" "$lines" | tail -n 1)
    case $last in
    *' passed, '*' failed')
        passed=$((passed + ${last%% *}))
        last=${last#*, }
        failed=$((failed + ${last%% *}))
        ;;
    *) failed=$((failed + 1)) ;; # it fell
    esac
    printf "%s\n" "$lines"
}

check false_reports
check runner
FAMILIES=1 COUNT=$((COUNT / 4))
export FAMILIES
check runner
FAMILIES=0 VIRTUAL=1 COUNT=$((COUNT * 2))
export VIRTUAL
check runner
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
