#!/bin/sh
# SPDX-License-Identifier: MIT
# What the sanitizers are told of RCU hides nothing else: readers that write to the link table, readers that hold it for
# too long, and a table that is written again without a grace period must all be reported, and the program as it is must
# not be. (AddressSanitizer has nothing to see here: two tables take turns, and none is freed while the program runs.)
set -u
cd "$(dirname "$0")/../.." || exit 1
: "${MAKE:=make}" "${CC:=gcc}"
program=tests/concurrency/plain_link_table
if ! $MAKE --no-print-directory BUILD=tsan build/tsan/$program >/dev/null; then
    echo "$program does not build"
    exit 1
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# ThreadSanitizer's shadow memory does not fit every random layout of the addresses.
fixed=
if setarch -R true 2>/dev/null; then
    fixed="setarch -R"
fi
passed=0
failed=0

expect() { # expect WHAT REPORT ENVIRONMENT...: REPORT is what the sanitizer says, or nothing
    what=$1
    report=$2
    shift 2
    # Words on purpose.
    # shellcheck disable=SC2086
    env TSAN_OPTIONS=halt_on_error=1 "$@" timeout 300 $fixed "build/tsan/$program" >"$folder/out" 2>&1
    status=$?
    if [ "$report" ]; then
        grep -q "SUMMARY: .*Sanitizer: $report" "$folder/out"
    else
        [ "$status" -eq 0 ] && ! grep -q Sanitizer "$folder/out"
    fi
    case $? in
    0) passed=$((passed + 1)) ;;
    *)
        failed=$((failed + 1))
        echo "$what: expected '${report:-silence}', status $status"
        tail -n 20 "$folder/out"
        ;;
    esac
}

# In place of liburcu's: a grace period that lets others run, but waits for nobody.
printf '#include <sched.h>\nvoid urcu_qsbr_synchronize_rcu(void);\nvoid urcu_qsbr_synchronize_rcu(void)\n{\n%s\n}\n' \
    'sched_yield();' >"$folder/hasty.c"
$CC -shared -fPIC "$folder/hasty.c" -o "$folder/hasty.so" || exit 1

expect "the program as it is" "" TESTS_PLANT=
expect "a reader that writes" "data race" TESTS_PLANT=write
expect "a reader that holds the table for too long" "data race" TESTS_PLANT=stale
expect "no grace period" "data race" LD_PRELOAD="$folder/hasty.so"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
