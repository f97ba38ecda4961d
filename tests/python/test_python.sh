#!/bin/sh
# SPDX-License-Identifier: MIT
# The Python package: `make python`, and its tests by pytest (test_package.py).
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh

case $EVENKEEL in
*/asan/*)
    echo "skipped: the Python package, whose interpreter has no sanitizer"
    result
    exit
    ;;
esac
expect "make python" 0 "$("${MAKE:-make}" python >"$folder/out" 2>"$folder/err"; echo $?)"
for python in python3 /usr/bin/python3; do
    if "$python" -c 'import cffi, numpy, pandas, networkx, scipy, pytest' 2>/dev/null; then
        EVENKEEL=$(realpath "$EVENKEEL") PYTHONPATH=build/python PYTHONDONTWRITEBYTECODE=1 "$python" -m pytest -q -p no:cacheprovider tests/python >"$folder/out" 2>&1
        last=$(grep -E '[0-9]+ (passed|failed)' "$folder/out" | tail -n 1)
        count=$(echo "$last" | sed -n 's/.*\b\([0-9][0-9]*\) passed.*/\1/p')
        wrong=$(echo "$last" | sed -n 's/.*\b\([0-9][0-9]*\) failed.*/\1/p')
        passed=$((passed + ${count:-0}))
        failed=$((failed + ${wrong:-0}))
        [ "${count:-0}" -gt 0 ] && [ "${wrong:-0}" -eq 0 ] || tail -n 50 "$folder/out"
        expect "tests were found" yes "$([ "${count:-0}" -gt 20 ] && echo yes)"
        result
        exit
    fi
done
echo "skipped: the tests of the Python package, which need python3-pandas, python3-networkx, python3-scipy and python3-pytest"
result
