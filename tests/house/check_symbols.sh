#!/bin/sh
# SPDX-License-Identifier: MIT
# What the objects really call, by nm. base/, topologies/ and core/ use those before them, plain memory, text and
# mathematics: no thread, lock, clock or I/O. The library defines only ek_ symbols, and the shared one exports
# only those. Planted breaches must be found.
set -u
cd "$(dirname "$0")/../.." || exit 1
if [ ! -e build/libevenkeel.a ]; then
    echo "build/libevenkeel.a is missing: run make first"
    exit 1
fi

# What a pure object may call beside ek_: memory, text, mathematics, SHA-1, which CPU runs it, and libraries of eigenvalues
# (OpenBLAS, where it is what is linked, is told to use one thread).
pure='malloc|calloc|realloc|free|qsort|bsearch|abs|mem(cpy|move|set|cmp|chr)|str(len|cmp|ncmp|chr|rchr|str|dup|ndup|spn|cspn)|
v?snprintf|strto(d|l|ul|ll|ull|umax|imax)|__isoc99_sscanf|__ctype_b_loc|__errno_location|
(sqrt|cbrt|sin|cos|tan|atan|atan2|acos|asin|exp|exp2|expm1|log|log2|log10|log1p|pow|fabs|floor|ceil|round|trunc|rint|nearbyint|l?lround|l?lrint|
fmod|fmax|fmin|hypot|ldexp|frexp|nextafter|nan)f?|(un)?sincos|LAPACKE_d[a-z]+|d[a-z]+_c?|openblas_set_num_threads|
nettle_sha1_compress|
__cpu_model|__assert_fail|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_|__(mem|str)[a-z]+_chk|__v?snprintf_chk'
pure=$(printf '%s' "$pure" | tr -d '\n')

defined() {
    nm --defined-only -g "$@" | awk 'NF == 3 && $2 ~ /[A-Z]/ { print $3 }' | sort -u
}

# impure OBJECTS...: what they call that is neither among themselves nor in the list, as "symbol".
impure() {
    own=$(mktemp)
    defined "$@" >"$own"
    nm -u "$@" | awk 'NF == 2 { print $2 }' | sort -u | comm -23 - "$own" | grep -vxE "$pure"
    rm -f "$own"
}

foreign() { # foreign [-D] LIBRARY: what it defines that does not begin with ek_
    nm --defined-only -g "$@" | awk 'NF == 3 && $3 !~ /^ek_/ { print $3 }'
}

passed=0
failed=0
expect() { # expect WHAT WANTED FOUND
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf '%s:\n%s\n' "$1" "$3"
    fi
}

plant=$(mktemp -d)
trap 'rm -rf "$plant"' EXIT
planted() { # planted SYMBOL STATEMENT: an object with this statement must be found out
    printf '#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>\nvoid ek_own(void);\n%s\n' \
        "void f(void);void f(void) { $2; }" >"$plant/a.c"
    gcc -O0 -c "$plant/a.c" -o "$plant/a.o"
    expect "planted $2" "$1" "$(impure "$plant/a.o")"
}
planted pthread_create 'pthread_create(0, 0, 0, 0)'
planted clock_gettime 'struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t)'
planted puts 'puts("")'
planted fopen 'fopen("", "")'
planted exit 'exit(1)'
planted getenv 'getenv("")'
planted rand 'rand()'
planted ek_own 'ek_own()'
planted '' 'free(malloc(1))'
gcc -shared -fPIC "$plant/a.c" -o "$plant/a.so"
expect "a planted foreign symbol" f "$(foreign -D "$plant/a.so")"

objects() { # objects FOLDER...: those of all sources below
    find "$@" -name '*.c' | sed 's|\(.*\)\.c$|build/\1.o|'
}
# Lists of paths without spaces, split on purpose.
# shellcheck disable=SC2046
expect "base/ calls beyond itself" "" "$(impure $(objects base))"
# shellcheck disable=SC2046
expect "topologies/ calls beyond itself and base/" "" "$(impure $(objects base topologies))"
# shellcheck disable=SC2046
expect "core/ and topologies/ call beyond themselves" "" "$(impure $(objects base topologies core))"
expect "libevenkeel.so exports" "" "$(foreign -D build/libevenkeel.so.*)"
expect "libevenkeel.a defines" "" "$(foreign build/libevenkeel.a)"
expect "libevenkeel.so exports ek_prepare_sized" 1 "$(nm -D --defined-only build/libevenkeel.so.* | grep -c ' ek_prepare_sized$')"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
