#!/bin/sh
# SPDX-License-Identifier: MIT
# `make test`: builds and runs everything in tests/. The last line is "N passed, N failed"; the status is 1 if a test failed.
#
#   test_*.c      a Criterion program                        ASan and UBSan; the slow ones in release
#   test_*.sh     a script that runs the command             release, or ASan and UBSan
#   fuzz_*.c      a fuzz target, run on tests/fuzz/corpus/   ASan and UBSan
#   plain_*.c     a program that races threads. It has its   release and TSan
#                 own main, since Criterion fails under TSan
#   check_*.sh    a check of the project: imports, docs, ... release
#   planted.sh    bugs planted in the sources are noticed    all builds, during the TSan tests
#   planted_*.sh  races that TSan must report                TSan, at the end
#
# A test that draws experiments, or combines values, makes one in TESTS_PART of them: one in 7, unless it is set. `make
# test-all` sets TESTS_PART to 1, which makes all of them and runs most tests in release and under sanitizers too.
# Three tests run at a time on two cores, because many tests wait. Those that took longest the last time begin first, so
# that no core waits for one long test at the end. Tests that need the cores or watch the clock run alone.
set -u
cd "$(dirname "$0")/.." || exit 1
: "${MAKE:=make}" "${TESTS_PART:=7}"
: "${SECONDS_MAX:=$((TESTS_PART == 1 ? 2400 : 900))}" # after which a test is killed and has failed

# one TEST: runs a test in the build $out, and prints its result and the tools that it missed. The test counts as failed if
# its status is not 0, or if it printed neither counts nor "skipped: ...".
one() {
    log=$(mktemp "$folder/XXXXXX")
    began=$(date +%s)
    # $fixed_addresses is a command and its option.
    # shellcheck disable=SC2086
    case $1 in
    *.sh) timeout -k 5 "$SECONDS_MAX" $fixed_addresses "$1" ;;
    */fuzz_*) timeout -k 5 "$SECONDS_MAX" $fixed_addresses "$out/$1" tests/fuzz/corpus/"${1#tests/fuzz/fuzz_}"/* ;;
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
    echo "$seconds $out $1" >>"$folder/seconds"
    if [ "$bad" -eq 0 ]; then
        printf '%4d of %d  ok      %-44s %5d passed %4d s\n%s' "$nth" "$planned" "$1" "$good" "$seconds" "${skipped:+$skipped
}"
    else
        # One printf prints it all, because other tests print at the same time.
        text=$(printf '%4d of %d  FAILED  %-44s %5d passed, %d failed, status %d' "$nth" "$planned" "$1" "$good" "$bad" "$status"
            echo
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
times=build/tests.seconds # of the last run
fixed_addresses=
# hwloc runs CPUID on each core, which takes long in a virtual machine. Linux tells it the same.
HWLOC_COMPONENTS=-x86
export folder fixed_addresses SECONDS_MAX HWLOC_COMPONENTS TESTS_PART
building=
trap '[ -z "$building" ] || kill "$building" 2>/dev/null; rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
# Some systems have a script called python3 that searches for an interpreter. The tests skip that search.
if python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null); then
    mkdir "$folder/bin"
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$python" >"$folder/bin/python3"
    chmod +x "$folder/bin/python3"
    PATH=$folder/bin:$PATH
fi
: >"$folder/counts"
: >"$folder/seconds"
mkdir -p build
[ -e "$times" ] || : >"$times"
: >"$folder/builds"

# build MODE TARGETS...: builds. A target that does not compile counts as a failed test, and the other tests still run.
build() {
    mode=$1
    shift
    echo "$mode: building"
    # $MAKE may have options.
    # shellcheck disable=SC2086
    if ! nice -n 5 $MAKE --no-print-directory -k BUILD="$mode" "$@" >"$folder/$mode" 2>&1; then
        echo "0 1" >>"$folder/builds"
        {
            grep -E 'error|undefined reference|\*\*\*' "$folder/$mode" | head -n 40 | sed 's/^/          /'
            echo "  FAILED  the $mode build"
        } | tee -a "$folder/failures"
    fi
}

# use DIRECTORY: lets the next tests run what is built there.
use() {
    out=$1
    EVENKEEL=$out/evenkeel
    export out EVENKEEL
}

# find_tests PATTERN...: the paths of the tests with such a file name, without .c, in the order of the patterns.
find_tests() {
    for pattern; do
        find tests -name "$pattern" | awk -F / '{ print $NF, $0 }' | sort | sed -e 's/.* //' -e 's/\.c$//'
    done
}

# A build leaves out the tests whose path matches its regular expression.
not_in_release='^$'
not_in_tsan='^$'
# Sanitizers find nothing in these: they compare numbers of code that other tests run too, they bring a malloc or a tracer
# that excludes a sanitizer's, or they run MPI, a model or nothing that was built.
numbers='.*/test_(expected|free_theory|known_answers|overlap_theory|paper_steps)'
not_in_asan="$numbers|.*/test_(python|sentences|short_memory|failing_calls|truncated|models|mpi|planted_verdicts|peers|lessons).sh"
# The everyday run takes each test to one build. Programs run under ASan, unless they try much more in release. Scripts run in
# release, unless they give the command input that it does not expect.
if [ "$TESTS_PART" != 1 ]; then
    unexpected='.*/test_(bad_input|cli|damaged_store|graphs|streams).sh'
    slow='.*/test_(memory|laws|method_laws|polynomial|overlaps|dde|liquid|free_axes)'
    not_in_release="$(find_tests 'test_*.c' 'fuzz_*.c' | grep -Evx "$numbers|$slow" | paste -sd '|')|$unexpected"
    not_in_asan="$not_in_asan|$slow|$(find_tests 'plain_*.c' 'test_*.sh' | grep -Evx "$unexpected" | paste -sd '|')"
    not_in_tsan='.*/plain_(schedules|garbled_ranks)' # the one has one thread, the other mostly waits
fi
# These run alone, in release and under ASan.
alone='.*/(plain_(barrier|concurrent_calls|host_program|link_table|look|mailbox)|planted[a-z_]*.sh|test_status.sh|check_main_job.sh)'

# longest_first: sorts the paths of tests by the seconds that they took in this build the last time. Tests without a time
# keep their order and come first.
longest_first() {
    awk -v out="$out" 'FILENAME != "-" { if ($2 == out) took[$3] = $1; next } { print $0 in took ? took[$0] : 1e9, $0 }' \
        "$times" - | sort -s -k 1,1 -g -r | cut -d ' ' -f 2
}

# run LEFT_OUT PATTERN...: runs the tests with such a file name: three at a time, then those that run alone, which wait for
# the build in the background.
run() {
    left_out=$1
    shift
    find_tests "$@" | grep -Evx "$left_out|$alone" | longest_first | xargs -r -n 1 -P 3 tests/run.sh one
    wait
    find_tests "$@" | grep -Evx "$left_out" | grep -Ex "$alone" | xargs -r -n 1 tests/run.sh one
}

# programs FOLDER LEFT_OUT: the test programs of a build.
programs() {
    find_tests 'test_*.c' 'plain_*.c' 'fuzz_*.c' | grep -Evx "$2" | sed "s|^|$1/|"
}

planned=$({
    find_tests 'test_*.c' 'plain_*.c' 'fuzz_*.c' 'test_*.sh' 'check_*.sh' | grep -Evx "$not_in_release"
    find_tests 'test_*.c' 'plain_*.c' 'fuzz_*.c' 'test_*.sh' | grep -Evx "$not_in_asan"
    find_tests 'plain_*.c' 'planted*.sh' | grep -Evx "$not_in_tsan"
} | wc -l)
export planned
case $TESTS_PART in
1) echo "$planned tests in full" ;;
*) echo "$planned tests; one in $TESTS_PART of the draws and combinations, most tests in one build (make test-all: all)" ;;
esac

# Each build compiles while the tests of the build before it run. The lists of programs are several words.
# Two tests need the page of the machine in JavaScript. It is built once, before they run side by side.
web=
if command -v emcc >/dev/null && command -v node >/dev/null; then
    web=web
fi
# shellcheck disable=SC2046
build release all $web $(programs build "$not_in_release")
use build
# shellcheck disable=SC2046
build asan build/asan/evenkeel $(programs build/asan "$not_in_asan") &
building=$!
run "$not_in_release" 'test_*.c' 'plain_*.c' 'fuzz_*.c' 'test_*.sh' 'check_*.sh'

use build/asan
# Some random layouts of the addresses leave no room for a sanitizer's shadow memory.
if setarch -R true 2>/dev/null; then
    fixed_addresses="setarch -R"
fi
# shellcheck disable=SC2046
build tsan $(find_tests 'plain_*.c' | grep -Evx "$not_in_tsan" | sed 's|^|build/tsan/|') &
building=$!
run "$not_in_asan" 'test_*.sh' 'test_*.c' 'plain_*.c' 'fuzz_*.c' # the longest first

use build/tsan
# ThreadSanitizer finds races whichever thread has the cores, so these need not run alone.
alone='.*/planted_races.sh' SECONDS_MAX=$((10 * SECONDS_MAX))
run "$not_in_tsan" planted.sh 'plain_[r-z]*.c' 'plain_[a-q]*.c' planted_races.sh # the longest first

# The times of this run, and those of tests that it left out.
cat "$times" "$folder/seconds" >"$folder/times"
awk '{ took[$2 " " $3] = $1 } END { for (test in took) print took[test], test }' "$folder/times" >"$times"

echo
# The failures again, at the end of a long output.
if [ -s "$folder/failures" ]; then
    tail -n 12 "$folder/failures"
    grep -aE '^ *[0-9]+ of [0-9]+  FAILED|FAILED  the' "$folder/failures"
fi
awk '{ passed += $1; failed += $2 } END { print passed + 0 " passed, " failed + 0 " failed"; exit failed > 0 }' \
    "$folder/counts" "$folder/builds"
