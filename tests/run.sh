#!/bin/sh
# SPDX-License-Identifier: MIT
# `make test`: builds and runs everything in tests/ and ends with the line "N passed, N failed"; status 1 if any failed.
#   test_*.c    Criterion programs                             under ASan and UBSan, some in release
#   test_*.sh   scripts that run the command                   in release, then most under ASan and UBSan
#   fuzz_*.c    fuzz targets, replayed over tests/corpus/      under ASan and UBSan
#   plain_*.c   programs with a main                           in release, under ASan and UBSan, and under TSan, where
#                                                              Criterion does not start
#   planted_*.sh  what the sanitizers must report              at the end
#   planted.sh  bugs planted in the sources must be noticed    at the end
#   check_*.sh  the house: imports, symbols, installing, ...   in release
# Three run side by side on two cores, since many wait; but those that look for races, which need the cores, or have their
# eye on the clock run alone.
# What draws or combines makes one in TESTS_PART of all, 3 by itself; `make test-all` makes all, and in both builds.
set -u
cd "$(dirname "$0")/.." || exit 1
: "${MAKE:=make}" "${SECONDS_MAX:=240}" "${TESTS_PART:=3}"

# one NAME: runs a test of the build in $out, and prints and adds what its own summary says; one that fails, hangs or
# says nothing is a failure. What it says that it skipped, for want of a tool, is shown.
one() {
    log=$(mktemp "$folder/XXXXXX")
    began=$(date +%s)
    # Words on purpose.
    # shellcheck disable=SC2086
    case $1 in
    *.sh) timeout -k 5 "$SECONDS_MAX" "$1" ;;
    */fuzz_*) timeout -k 5 "$SECONDS_MAX" "$out/$1" tests/corpus/"${1#tests/fuzz_}"/* ;;
    *) timeout -k 5 "$SECONDS_MAX" $fixed_addresses "$out/$1" ;;
    esac >"$log" 2>&1 </dev/null
    status=$?
    counts=$(sed -n -e 's/^\([0-9][0-9]*\) passed, \([0-9][0-9]*\) failed$/\1 \2/p' \
        -e 's/.*Tested: [0-9]* | Passing: \([0-9]*\) | Failing: \([0-9]*\) .*/\1 \2/p' "$log" | tail -n 1)
    counts=${counts:-0 0}
    good=${counts% *}
    bad=${counts#* }
    skipped=$(sed -n 's/^skipped: /          skipped: /p' "$log")
    if [ "$bad" -eq 0 ] && { [ "$status" -ne 0 ] || [ "$good$skipped" = 0 ]; }; then
        bad=1
    fi
    echo "$good $bad" >>"$folder/counts"
    nth=$(wc -l <"$folder/counts")
    seconds=$(($(date +%s) - began))
    if [ "$bad" -eq 0 ]; then
        printf '%4d of %d  ok      %-40s %5d passed %4d s\n%s' "$nth" "$planned" "$1" "$good" "$seconds" "${skipped:+$skipped
}"
    else
        # In one piece, since another test may print meanwhile.
        text=$(printf '%4d of %d  FAILED  %-40s %5d passed, %d failed, status %d' "$nth" "$planned" "$1" "$good" "$bad" "$status"
            echo
            # What failed comes last: of a long output some see only the end.
            { tail -n 60 "$log" && grep -a FAIL "$log"; } | sed 's/^/          /')
        printf '%s\n' "$text"
        printf '%s\n' "$text" >>"$folder/failures"
    fi
    rm -f "$log"
}

if [ "${1:-}" = one ]; then
    one "$2"
    exit 0
fi

folder=$(mktemp -d)
fixed_addresses=
# hwloc asks each core for its CPUID, which takes long in a virtual machine and says no more than Linux does.
HWLOC_COMPONENTS=-x86
export folder fixed_addresses SECONDS_MAX HWLOC_COMPONENTS TESTS_PART
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
: >"$folder/counts"
: >"$folder/builds"

# build MODE DIRECTORY TARGETS...: a test that does not compile is a failure, and the others still run.
build() {
    mode=$1
    out=$2
    shift 2
    echo "$mode: building"
    if ! $MAKE --no-print-directory -k BUILD="$mode" "$@" >"$folder/log" 2>&1; then
        echo "0 1" >>"$folder/builds" # which is none of the tests that are counted
        {
            grep -E 'error|undefined reference|\*\*\*' "$folder/log" | head -n 40 | sed 's/^/          /'
            echo "  FAILED  the $mode build"
        } | tee -a "$folder/failures"
    fi
    EVENKEEL=$out/evenkeel
    export out EVENKEEL
}

# tests KIND...: the names of the tests of these kinds, as test_*.c or check_*.sh, a line each.
tests() {
    for kind; do
        for file in tests/$kind; do
            [ -e "$file" ] && echo "${file%.c}"
        done
    done
}

alone='tests/(plain_.*|planted.*|test_free|test_free_axes|test_status.sh)'

# In release only. These ask for numbers, many of them, of lines that the others reach too (by gcov): sanitizers learn
# nothing from them. And memory fails by a library of its own, system calls by strace: beside these there is no place for a
# sanitizer's; models run nothing of what was built; and MPI's own memory is its own affair, ranks without it are in plain_ranks.
numbers='tests/test_(expected|free_theory|known_answers|overlap_theory|paper_steps)'
released="$numbers|tests/test_(sentences|short_memory|failing_calls|models|mpi|planted_verdicts).sh"
sanitized='^$'
# Each day a program is run once, under the sanitizers, if it does not do more in release; and scripts that hold words,
# waits and statuses to what is expected, of lines that others reach, in release.
if [ "$TESTS_PART" != 1 ]; then
    sanitized=$(tests 'test_*.c' 'fuzz_*.c' | grep -Evx "$numbers|tests/test_(memory|laws|method_laws|polynomial)" | paste -sd '|')
    released="$released|tests/test_(show|measured|terminal|live|status|giving_way|completion|torture|papers).sh"
fi

# run KIND...: those of these kinds that are not left out, three side by side where they can be.
run() {
    tests "$@" | grep -Evx "$left_out|$alone" | xargs -r -n 1 -P 3 tests/run.sh one
    tests "$@" | grep -Evx "$left_out" | grep -Ex "$alone" | xargs -r -n 1 tests/run.sh one
}

# programs FOLDER: those that are not left out, as they are built there.
programs() {
    tests 'test_*.c' 'plain_*.c' 'fuzz_*.c' | grep -Evx "$left_out" | sed "s|^|$1/|"
}

# So many there will be, for those who wait.
planned=$({
    tests 'test_*.c' 'plain_*.c' 'fuzz_*.c' 'test_*.sh' 'check_*.sh' | grep -Evx "$sanitized"
    tests 'test_*.c' 'plain_*.c' 'fuzz_*.c' 'test_*.sh' | grep -Evx "$released"
    tests 'plain_*.c' 'planted*.sh'
} | wc -l)
export planned
case $TESTS_PART in
1) echo "$planned tests in full" ;;
*) echo "$planned tests; one in $TESTS_PART of what draws or combines, and programs in one build (make test-all: all)" ;;
esac

left_out=$sanitized
# shellcheck disable=SC2046
build release build all $(programs build)
run 'test_*.c' 'plain_*.c' 'fuzz_*.c' 'test_*.sh' 'check_*.sh'

left_out=$released
# shellcheck disable=SC2046
build asan build/asan build/asan/evenkeel $(programs build/asan)
run 'test_*.c' 'plain_*.c' 'fuzz_*.c' 'test_*.sh'

left_out='^$'
build tsan build/tsan plain
# ThreadSanitizer's shadow memory does not fit every random layout of the addresses.
if setarch -R true 2>/dev/null; then
    fixed_addresses="setarch -R"
fi
run 'plain_*.c' 'planted_*.sh'
SECONDS_MAX=$((10 * SECONDS_MAX)) # it builds each
run planted.sh

echo
# Once more what failed, where those who see only the end of a long output find it.
if [ -s "$folder/failures" ]; then
    tail -n 12 "$folder/failures"
    grep -aE '^ *[0-9]+ of [0-9]+  FAILED|FAILED  the' "$folder/failures"
fi
awk '{ passed += $1; failed += $2 } END { print passed + 0 " passed, " failed + 0 " failed"; exit failed > 0 }' \
    "$folder/counts" "$folder/builds"
