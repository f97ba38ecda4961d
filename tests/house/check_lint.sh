#!/bin/sh
# SPDX-License-Identifier: MIT
# `make lint` finds nothing. The everyday run reads one file in TESTS_PART.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh

if ! command -v clang-tidy >/dev/null; then
    echo "skipped: make lint, since clang-tidy is not installed"
    result
    exit
fi
files=$(find base topologies core threads lab cli bench examples tests -name '*.c' ! -path 'bench/peers/*' ! -path 'tests/command/shortage/*' |
    sort | awk -v part="${TESTS_PART:-1}" 'NR % part == 0')
make=${MAKE:-make}
$make -s all >/dev/null 2>&1 # the examples include the public header that it makes
expect "make lint" "" "$($make -s -k -j 2 lint "LINT=$(echo "$files" | xargs)" 2>/dev/null)"

# lint CODE: the check that reports this code
lint() {
    echo "int f(int x); $1" >"$folder/planted.c"
    $make -s lint "LINT=$folder/planted.c" 2>/dev/null | sed -n 's/.* error: .*\[\([a-z-]*\).*/\1/p'
}
expect "a planted comparison" misc-redundant-expression "$(lint 'int f(int x) { return x == 1 && x == 1; }')"
expect "a planted warning of clang" clang-diagnostic-unused-variable "$(lint 'int f(int x) { int y; return x; }')"
result
