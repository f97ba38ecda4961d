#!/bin/sh
# SPDX-License-Identifier: MIT
# `make test`: builds and runs everything in tests/ and ends with the line "N passed, N failed"; status 1 if any failed.
#   test_*.c    Criterion programs                             in release, then under ASan and UBSan
#   test_*.sh   scripts that run the command                   in release, then under ASan and UBSan
#   fuzz_*.c    fuzz targets, replayed over tests/corpus/      in release, then under ASan and UBSan
#   plain_*.c   programs with a main                           the same, and under TSan, where Criterion does not start
#   planted_*.sh  what the sanitizers must report              at the end
#   planted.sh  bugs planted in the sources must be noticed    at the end
#   check_*.sh  the house: imports, symbols, installing, ...   in release
set -u
cd "$(dirname "$0")/.." || exit 1
: "${MAKE:=make}" "${SECONDS_MAX:=240}"

passed=0
failed=0
fixed_addresses=
log=$(mktemp)
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT TERM

# run NAME COMMAND...: adds what the command's own summary says; one that fails, hangs or says nothing is a failure.
run() {
    name=$1
    shift
    timeout -k 5 "$SECONDS_MAX" "$@" >"$log" 2>&1 </dev/null
    status=$?
    counts=$(sed -n -e 's/^\([0-9][0-9]*\) passed, \([0-9][0-9]*\) failed$/\1 \2/p' \
        -e 's/.*Tested: [0-9]* | Passing: \([0-9]*\) | Failing: \([0-9]*\) .*/\1 \2/p' "$log" | tail -n 1)
    counts=${counts:-0 0}
    good=${counts% *}
    bad=${counts#* }
    if [ "$bad" -eq 0 ] && { [ "$status" -ne 0 ] || [ "$good" -eq 0 ]; }; then
        bad=1
    fi
    passed=$((passed + good))
    failed=$((failed + bad))
    if [ "$bad" -eq 0 ]; then
        printf '  ok      %-40s %5d passed\n' "$name" "$good"
    else
        printf '  FAILED  %-40s %5d passed, %d failed, status %d\n' "$name" "$good" "$bad" "$status"
        tail -n 60 "$log" | sed 's/^/          /'
    fi
}

# build MODE DIRECTORY TARGETS...: a test that does not compile is a failure, and the others still run.
build() {
    mode=$1
    out=$2
    shift 2
    echo "$mode:"
    if ! $MAKE --no-print-directory -k BUILD="$mode" "$@" >"$log" 2>&1; then
        failed=$((failed + 1))
        grep -E 'error|undefined reference|\*\*\*' "$log" | head -n 40 | sed 's/^/          /'
        echo "  FAILED  the $mode build"
    fi
    export EVENKEEL="$out/evenkeel"
}

programs() {
    for source in tests/"$1"_*.c; do
        [ -e "$source" ] || continue
        name=${source%.c}
        if [ "$1" = fuzz ]; then
            run "$name" "$out/$name" tests/corpus/"${name#tests/fuzz_}"/*
        else
            # Words on purpose.
            # shellcheck disable=SC2086
            run "$name" $fixed_addresses "$out/$name"
        fi
    done
}

scripts() {
    for script in tests/"$1"_*.sh; do
        if [ -e "$script" ]; then
            run "$script" "$script"
        fi
    done
}

build release build all tests
programs test
programs plain
programs fuzz
scripts test
scripts check

build asan build/asan all tests
programs test
programs plain
programs fuzz
scripts test

build tsan build/tsan plain
# ThreadSanitizer's shadow memory does not fit every random layout of the addresses.
if setarch -R true 2>/dev/null; then
    fixed_addresses="setarch -R"
fi
programs plain
scripts planted
SECONDS_MAX=$((10 * SECONDS_MAX)) # it builds each
run tests/planted.sh tests/planted.sh

echo
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
