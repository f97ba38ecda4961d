#!/bin/sh
# SPDX-License-Identifier: MIT
# The command when memory runs short: tests/command/shortage/failing.py fails its allocations, every EVERY-th, which is the
# seventh, or of the everyday run the 84th; EVERY=1 takes some minutes and tries them all.
set -u
cd "$(dirname "$0")/../../.." || exit 1
: "${EVENKEEL:=build/evenkeel}" "${EVERY:=$([ "${TESTS_PART:-1}" = 1 ] && echo 7 || echo 84)}"
export EVENKEEL
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if ! ${CC:-cc} -shared -fPIC -O1 -o "$folder/short.so" tests/command/shortage/short_memory.c -ldl; then
    echo "0 passed, 1 failed"
    exit 1
fi
python3 tests/command/shortage/failing.py allocation "$folder/short.so" "$EVERY"
