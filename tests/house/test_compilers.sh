#!/bin/sh
# SPDX-License-Identifier: MIT
# Schedules have the same logs (plain_schedules.c) where the library is compiled by gcc without optimisation and by clang,
# as the builds that are tested each day have. It takes a minute or two of compiling: where TESTS_PART is 1.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh

if [ "${TESTS_PART:-1}" != 1 ]; then
    echo "skipped: other compilers, which make test-all tries"
    result
    exit
fi

packages="lapacke lapack blas arpack hwloc liburcu liburcu-qsbr nettle"
sources="$(find base topologies core threads -name "*.c") tests/concurrency/plain_schedules.c"

# with COMPILER OPTION: what the program says that they make.
with() {
    mkdir "$folder/$1"
    # Words on purpose, here and below.
    # shellcheck disable=SC2046,SC2086
    echo $sources | xargs -P 2 -n 16 sh -c 'out=$1 compiler=$2 option=$3; shift 3
        for source; do
            "$compiler" -std=c11 -D_POSIX_C_SOURCE=200809L -ffp-contract=off "$option" -w -I. '"$(pkg-config --cflags-only-I $packages)"' \
                -DEK_VERSION=\"0\" -c "$source" -o "$out/$(echo "$source" | tr / _).o" || exit 255
        done' sh "$folder/$1" "$1" "$2" 2>"$folder/err"
    # shellcheck disable=SC2046,SC2086
    "$1" "$folder/$1"/*.o $(pkg-config --libs $packages) -lm -pthread -o "$folder/$1/schedules" 2>>"$folder/err"
    HWLOC_COMPONENTS=-x86 "$folder/$1/schedules" | tail -n 1
}

lines=$(wc -l <tests/data/schedules.txt)
expect "gcc -O0" "$lines passed, 0 failed" "$(with gcc -O0)"
if command -v clang >/dev/null; then
    expect "clang -O2" "$lines passed, 0 failed" "$(with clang -O2)"
else
    echo "skipped: clang is not there"
fi
result
