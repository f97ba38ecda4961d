#!/bin/sh
# SPDX-License-Identifier: MIT
# Planted bugs: each patch in tests/planted/ breaks the sources in one place, and the test that it names must notice. Its
# first lines say
#   Broken: what is broken
#   Test: BUILD PROGRAM ARGUMENTS...
#   Says: what the test then prints, among other things (a basic regular expression)
# The sources and what was built of them are copied to build/planted, so that only what the patch touches is built
# again; the seconds shown are the test's alone. Before that each test must pass on the sources as they are. A patch
# that does not apply, and one that is not noticed within 10 s of processor time, fails.
#
#   tests/planted.sh [NAME]...    these patches only
set -u
cd "$(dirname "$0")/.." || exit 1
: "${MAKE:=make}"
copy=build/planted
log=build/planted.log
processor_s=10
clock_s=200 # it may have to share its cores
# ThreadSanitizer's shadow memory does not fit every random layout of the addresses.
fixed=
if setarch -R true 2>/dev/null; then
    fixed="setarch -R"
fi
passed=0
failed=0
trap 'rm -rf "$copy" "$log"' EXIT
trap 'exit 130' INT TERM

note() { # note STATUS
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        tail -n 20 "$log" | cut -c 1-300 | sed 's/^/      /'
    fi
}

out_of() { # out_of BUILD: where it is built
    if [ "$1" = release ]; then
        echo build
    else
        echo "build/$1"
    fi
}

# build FOLDER BUILD PROGRAM
build() {
    $MAKE --no-print-directory -C "$1" BUILD="$2" "$(out_of "$2")/tests/$3" >"$log" 2>&1
}

# check FOLDER BUILD PROGRAM ARGUMENTS...: runs the test; `seconds` is how long it took.
check() {
    program=$1/$(out_of "$2")/tests/$3
    shift 3
    start=$(date +%s%N)
    # Words on purpose; every sh that we know has these limits.
    # shellcheck disable=SC2086,SC3045
    (
        ulimit -c 0
        ulimit -t "$processor_s"
        TSAN_OPTIONS=halt_on_error=1 exec timeout -k 1 "$clock_s" $fixed "$program" "$@"
    ) >"$log" 2>&1 </dev/null
    status=$?
    seconds=$(echo "$start $(date +%s%N)" | awk '{ printf "%.1f", ($2 - $1) / 1e9 }')
    return "$status"
}

line_of() { # line_of PATCH WORD: what stands behind the word
    sed -n "s/^$2: //p" "$1" | head -n 1
}

patches='tests/planted/*.patch'
if [ $# -gt 0 ]; then
    patches=$(printf 'tests/planted/%s.patch ' "$@")
fi

# The watchdog ends early what hangs; here it would end what only waits for a core.
sound() { # sound BUILD PROGRAM ARGUMENTS...: the sources as they are pass
    patient=
    [ "$2" != plain_free ] || patient=watchdog=30
    if build . "$1" "$2" && check . "$@" $patient; then
        printf '  ok      %5s s  %s\n' "$seconds" "$*"
        note 0
    else
        echo "  FAILED  $*"
        note 1
    fi
}

# The sources, and the objects of one build, as old as they are.
copy_all() { # copy_all BUILD
    out=$(out_of "$1")
    rm -rf "$copy"
    mkdir -p "$copy"
    {
        find topologies core threads tests -maxdepth 3 -name '*.[ch]'
        find "$out/topologies" "$out/core" "$out/threads" "$out/tests" -maxdepth 3 -name '*.[od]'
    } | tar -cf - -T - Makefile VERSION "$out/rooms.a" | tar -xpf - -C "$copy"
}

caught() { # caught PATCH BUILD PROGRAM ARGUMENTS...: the test fails, and says what the patch says
    name=$(basename "$1" .patch)
    says=$(line_of "$1" Says)
    copy_all "$2"
    if ! patch -s -d "$copy" -p1 --fuzz=0 <"$1" >"$log" 2>&1; then
        echo "  FAILED  $name: the patch does not apply"
        note 1
        return
    fi
    shift
    if ! build "$copy" "$1" "$2"; then
        echo "  FAILED  $name: does not build"
        note 1
        return
    fi
    check "$copy" "$@"
    if [ "$status" -ne 0 ] && grep -q "$says" "$log"; then
        printf '  caught  %5s s  %s: %s\n' "$seconds" "$name" "$(line_of "$patch" Broken)"
        printf '                   by %s %s: %s\n' "$1" "$2" "$(grep -m 1 "$says" "$log" | cut -c 1-120)"
        note 0
    else
        echo "  FAILED  $name: not caught by $* in $seconds s, status $status"
        note 1
    fi
}

echo "the sources as they are:"
tests=$(for patch in $patches; do line_of "$patch" Test; done | sort -u)
while read -r test; do
    # Words on purpose.
    # shellcheck disable=SC2086
    sound $test
done <<END
$tests
END

echo "planted:"
for patch in $patches; do
    # shellcheck disable=SC2046
    caught "$patch" $(line_of "$patch" Test)
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
