#!/bin/sh
# SPDX-License-Identifier: MIT
# The command when the system refuses: tests/command/shortage/failing.py lets its threads, mappings, writes and fsyncs fail, one at a
# time, every EVERY-th of each kind, which is the seventh, or in the everyday run fewer; EVERY=1 tries them all in some
# minutes. strace does it, where it is installed and may.
set -u
cd "$(dirname "$0")/../../.." || exit 1
: "${EVENKEEL:=build/evenkeel}" "${TESTS_PART:=1}" "${EVERY:=$((TESTS_PART > 1 ? 14 * TESTS_PART : 7))}"
export EVENKEEL
if strace -o /dev/null true 2>/dev/null; then
    python3 tests/command/shortage/failing.py calls "$EVERY"
else
    echo "skipped: strace is not installed, or may not trace here"
    echo "0 passed, 0 failed"
fi
