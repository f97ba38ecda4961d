#!/bin/sh
# SPDX-License-Identifier: MIT
# `make test`: builds and runs everything in tests/ and ends with the line "N passed, N failed"; status 1 if any failed.
#   test_*.c    Criterion programs                             under ASan and UBSan, some in release
#   test_*.sh   scripts that run the command                   in release or under ASan and UBSan; test-all: both
#   fuzz_*.c    fuzz targets, replayed over tests/fuzz/corpus/      under ASan and UBSan
#   plain_*.c   programs with a main                           in release and under TSan, where Criterion does not
#                                                              start; test-all: also under ASan and UBSan
#   planted.sh  bugs planted in the sources must be noticed    beside those under TSan
#   planted_*.sh  what the sanitizers must report              at the end
#   check_*.sh  the house: imports, symbols, installing, ...   in release
# Three run side by side on two cores, since many wait; but those that look for races, which need the cores, or have their
# eye on the clock run alone, and so does the main job, whose 256 threads give way to each other and to whoever else is
# there.
# What draws or combines makes one in TESTS_PART of all, 7 by itself; `make test-all` makes all, and in both builds.
set -u
cd "$(dirname "$0")/.." || exit 1
: "${MAKE:=make}" "${TESTS_PART:=7}"
: "${SECONDS_MAX:=$((TESTS_PART == 1 ? 2400 : 240))}" # 200 experiments over ranks, or all claims, take some minutes

# one NAME: runs a test of the build in $out, and prints and adds what its own summary says; one that fails, hangs or
# says nothing is a failure. What it says that it skipped, for want of a tool, is shown.
one() {
    log=$(mktemp "$folder/XXXXXX")
    began=$(date +%s)
    # Words on purpose.
    # shellcheck disable=SC2086
    case $1 in
    *.sh) timeout -k 5 "$SECONDS_MAX" "$1" ;;
    */fuzz_*) timeout -k 5 "$SECONDS_MAX" "$out/$1" tests/fuzz/corpus/"${1#tests/fuzz/fuzz_}"/* ;;
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
        printf '%4d of %d  ok      %-44s %5d passed %4d s\n%s' "$nth" "$planned" "$1" "$good" "$seconds" "${skipped:+$skipped
}"
    else
        # In one piece, since another test may print meanwhile.
        text=$(printf '%4d of %d  FAILED  %-44s %5d passed, %d failed, status %d' "$nth" "$planned" "$1" "$good" "$bad" "$status"
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
building=
trap '[ -z "$building" ] || kill "$building" 2>/dev/null; rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
# Where python3 is a script that looks for one of several, that takes longer than most of what scripts ask of it.
if python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null); then
    mkdir "$folder/bin"
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$python" >"$folder/bin/python3"
    chmod +x "$folder/bin/python3"
    PATH=$folder/bin:$PATH
fi
: >"$folder/counts"
: >"$folder/builds"

# build MODE TARGETS...: a test that does not compile is a failure, and the others still run.
build() {
    mode=$1
    shift
    echo "$mode: building"
    # Words on purpose.
    # shellcheck disable=SC2086
    if ! nice -n 5 $MAKE --no-print-directory -k BUILD="$mode" "$@" >"$folder/$mode" 2>&1; then
        echo "0 1" >>"$folder/builds" # which is none of the tests that are counted
        {
            grep -E 'error|undefined reference|\*\*\*' "$folder/$mode" | head -n 40 | sed 's/^/          /'
            echo "  FAILED  the $mode build"
        } | tee -a "$folder/failures"
    fi
}

# use DIRECTORY: of what is built there the tests are from now on.
use() {
    out=$1
    EVENKEEL=$out/evenkeel
    export out EVENKEEL
}

# tests KIND...: the tests whose files are called so, as test_*.c or check_*.sh: their paths, by kind and by name.
tests() {
    for kind; do
        find tests -name "$kind" | awk -F / '{ print $NF, $0 }' | sort | sed -e 's/.* //' -e 's/\.c$//'
    done
}

alone='.*/(plain_(barrier|concurrent_calls|host_program|link_table|look|mailbox)|planted[a-z_]*.sh|test_status.sh|check_main_job.sh)'

# In release only. These ask for numbers, many of them, of lines that the others reach too (by gcov): sanitizers learn
# nothing from them. And memory fails by a library of its own, system calls by strace: beside these there is no place for a
# sanitizer's; models run nothing of what was built; and MPI's own memory is its own affair, ranks without it are in plain_ranks.
numbers='.*/test_(expected|free_theory|known_answers|overlap_theory|paper_steps)'
released="$numbers|.*/test_(sentences|short_memory|failing_calls|models|mpi|planted_verdicts|peers).sh"
sanitized='^$'
one_thread='^$'
# Each day a test is run in one build: programs, and scripts that feed the command what it does not expect, under the
# sanitizers, unless they do more in release; scripts that hold words and numbers to what is expected in release.
# Programs with threads that race need both the speed of the release and ThreadSanitizer.
if [ "$TESTS_PART" != 1 ]; then
    feeds='.*/test_(bad_input|cli|damaged_store|graphs|streams).sh'
    more='.*/test_(memory|laws|method_laws|polynomial|overlaps|dde|liquid|free_axes)'
    sanitized="$(tests 'test_*.c' 'fuzz_*.c' | grep -Evx "$numbers|$more" | paste -sd '|')|$feeds"
    one_thread=.*/plain_schedules # in which ThreadSanitizer finds no race
    released="$released|$more|$(tests 'plain_*.c' 'test_*.sh' | grep -Evx "$feeds" | paste -sd '|')"
fi

# run KIND...: those of these kinds that are not left out, three side by side where they can be. What is built meanwhile,
# as many of them wait, is done before those that want the cores alone.
run() {
    tests "$@" | grep -Evx "$left_out|$alone" | xargs -r -n 1 -P 3 tests/run.sh one
    wait
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
    tests 'plain_*.c' 'planted*.sh' | grep -Evx "$one_thread"
} | wc -l)
export planned
case $TESTS_PART in
1) echo "$planned tests in full" ;;
*) echo "$planned tests; one in $TESTS_PART of what draws or combines, and most tests in one build (make test-all: all)" ;;
esac

left_out=$sanitized
# Words on purpose, here and below.
# shellcheck disable=SC2046
build release all $(programs build)
use build
# shellcheck disable=SC2046
build asan build/asan/evenkeel $(left_out=$released && programs build/asan) &
building=$!
run 'test_*.c' 'plain_*.c' 'fuzz_*.c' 'test_*.sh' 'check_*.sh'

left_out=$released
use build/asan
# shellcheck disable=SC2046
build tsan $(left_out=$one_thread && tests 'plain_*.c' | grep -Evx "$left_out" | sed 's|^|build/tsan/|') &
building=$!
run 'test_*.sh' 'test_*.c' 'plain_*.c' 'fuzz_*.c' # of these the quickest come last, and nobody waits for one alone

left_out=$one_thread
use build/tsan
# ThreadSanitizer's shadow memory does not fit every random layout of the addresses.
if setarch -R true 2>/dev/null; then
    fixed_addresses="setarch -R"
fi
# ThreadSanitizer sees races by what orders them, whoever has the cores; the planted bugs are built, each for itself.
alone='.*/planted_races.sh' SECONDS_MAX=$((10 * SECONDS_MAX))
run planted.sh 'plain_[r-z]*.c' 'plain_[a-q]*.c' planted_races.sh # the longest first

echo
# Once more what failed, where those who see only the end of a long output find it.
if [ -s "$folder/failures" ]; then
    tail -n 12 "$folder/failures"
    grep -aE '^ *[0-9]+ of [0-9]+  FAILED|FAILED  the' "$folder/failures"
fi
awk '{ passed += $1; failed += $2 } END { print passed + 0 " passed, " failed + 0 " failed"; exit failed > 0 }' \
    "$folder/counts" "$folder/builds"
